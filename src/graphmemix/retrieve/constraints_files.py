"""Media, albums and files that a question names, and what else in it is written like a name.

Media are found by English words, and the usual ones in other languages: "photo of", "in an e-mail",
"写真". What only describes content (an invoice, a song) says nothing about how it was kept.
Albums are found by their whole name if the question has a word for an album, or if the name has two
words. Files are found by names that end like one, or are such as cameras give.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.retrieve.constraints_words import (
    NameFound,
    Phrases,
    folded,
    is_common,
    is_title,
    words_of,
)
from graphmemix.text.language import is_function_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graphmemix.memory import Kind, Modality
    from graphmemix.retrieve.constraints_words import Names, Word

__all__ = [
    "AlbumsFound",
    "Medium",
    "MediumFound",
    "find_albums",
    "find_file_names",
    "find_media",
    "is_calendar_word",
    "written_as_names",
]


class Medium(NamedTuple):
    """What a word asks for: memories of these kinds, or that hold these modalities."""

    kinds: tuple[Kind, ...] = ()
    modalities: tuple[Modality, ...] = ()


class MediumFound(NamedTuple):
    """A word for a medium, and where it stands in the text."""

    first: int
    last: int
    medium: Medium


_MEDIA: Mapping[Medium, str] = {
    Medium(("photo",), ("image",)): """
        photo, photos, photograph, photographs, photographed, picture, pictures, pic, pics, image,
        images, snapshot, snapshots, selfie, selfies, screenshot, screenshots, screen shot,
        foto, fotos, bild, bilder, bildern, bildschirmfoto, fotografie, imagen, imágenes,
        cliché, clichés, capture d'écran, captures d'écran, captura de pantalla,
        capturas de pantalla, fotografías, fotografia, fotografias, immagine, immagini, imagem,
        imagens, foto's, afbeelding, afbeeldingen, fotografier, 写真, 照片, 相片, 사진""",
    Medium(("video",), ("video",)): """
        video, videos, video clip, video clips, footage, filmed, videoclip, vídeo, vídeos,
        video message, video messages, videotape, filmpje, filmpjes, 動画, ビデオ, 视频, 視頻,
        동영상""",
    Medium(("audio",), ("audio",)): """
        voice note, voice notes, voice message, voice messages, voice memo, voice memos, voicemail,
        voicemails, voice mail, audio, audio file, audio files, audio message, audio messages,
        voice recording, voice recordings, audio recording, audio recordings, sprachnachricht,
        sprachnachrichten, sprachmemo, sprachmemos, message vocal, messages vocaux, note vocale,
        notes vocales, nota de voz, notas de voz, mensaje de voz, mensajes de voz""",
    Medium(("audio", "video"), ("audio", "video")): """
        recording, recordings, aufnahme, aufnahmen, enregistrement, enregistrements, grabación,
        grabaciones""",
    Medium(("email",)): """
        email, emails, e-mail, e-mails, mail, mails, emailed, e-mailed, inbox, newsletter,
        newsletters, courriel, courriels, correo, correos, correo electrónico,
        correos electrónicos, mailtje, mailtjes, mejl, メール, 邮件, 郵件, 메일, 이메일""",
    Medium(("message",)): """
        message, messages, messaged, text message, text messages, texted, texts, text me, text you,
        text from, sms, dm, dms, chat, chats, chatted, conversation, conversations, whatsapp,
        whatsapps, nachricht, nachrichten, unterhaltung, unterhaltungen, mensaje, mensajes,
        conversación, conversaciones, messaggio, messaggi, mensagem, mensagens, berichtje,
        berichtjes, meddelande, meddelanden, メッセージ, 短信, 메시지""",
    Medium(("document",)): """
        document, documents, pdf, pdfs, doc, docs, docx, word file, spreadsheet, spreadsheets,
        dokument, dokumente, dokumenten, documento, documentos""",
    Medium(("note",)): """
        note, notes, memo, memos, notiz, notizen""",
    Medium(("event",)): """
        calendar, calendar entry, calendar entries, calendar event, calendar events, appointment,
        appointments, kalender, termin, termine, calendrier, calendario""",
    Medium(("contact",)): """
        contact card, contact cards, address book, adressbuch, carnet d'adresses""",
    Medium(): """
        email address, email addresses, e-mail address, e-mail addresses, mail address, mailing
        address, mail box, email account, e-mail account, email password, video game, video
        games, video call, video calls, video chat, video chats, video conference, picture this,
        picture book, picture books, picture frame, picture frames, big picture, note that, take
        note, please note, on that note, bank note, bank notes, music notes, audio book, audio
        books, chat room, mail carrier, mail man, motion picture, 写真館, 写真家, 写真集,
        사진관, 사진집, ビデオゲーム, ビデオ通話, 视频会议, 视频通话, メールアドレス,
        メールボックス, 邮件地址""",
}
"""By what they ask for. The last are longer phrases that hold such a word and ask for nothing."""


def find_media(text: str) -> list[MediumFound]:
    """Return the words for media in a text, in order, each medium once."""
    words = words_of(text)
    found: dict[Medium, MediumFound] = {}
    behind = 0
    for phrase in _media_phrases().find(text, words):
        if phrase.first < behind:
            continue
        behind = phrase.end
        place = words[phrase.first].start, words[phrase.end - 1].end
        if phrase.value != Medium():
            found.setdefault(phrase.value, MediumFound(*place, phrase.value))
    return list(found.values())


@cache
def _media_phrases() -> Phrases[Medium]:
    phrases: Phrases[Medium] = Phrases()
    for medium, listed in _MEDIA.items():
        for phrase in listed.split(","):
            phrases[folded(phrase)] = medium
    return phrases


_ALBUMS: Final = """
album albums albumes alben folder folders ordner dossier dossiers carpeta carpetas
"""
_ALBUM_WORDS: Final = frozenset(_ALBUMS.split())
_LONG_NAME: Final = 2  # words


class AlbumsFound(NamedTuple):
    """What a text says of albums.

    Attributes:
        named: The known ones.
        words: Where its words for albums stand.
    """

    named: list[NameFound]
    words: list[tuple[int, int]]


def find_albums(text: str, known: Names) -> AlbumsFound:
    """Return the known albums in a text, and where it says that it means one."""
    words = [(word.start, word.end) for word in words_of(text) if word.folded in _ALBUM_WORDS]
    named = known.find(text)
    if not words:
        named = [name for name in named if name.words >= _LONG_NAME]
    return AlbumsFound(named, words)


_EXTENSIONS: Final = (
    "jpe?g|png|heic|heif|gif|tiff?|webp|dng|cr2|nef|arw|mp4|mov|avi|mkv|webm|3gp|mp3|m4a|wav|ogg|"
    "opus|flac|pdf|docx?|xlsx?|pptx?|odt|ods|txt|md|eml|ics|vcf|zip"
)
_CAMERAS: Final = "img|dsc|dscn|dscf|pxl|vid|mvi|mov|gopr|dji|imag|pano|screenshot|scan"
_FILE_NAME: Final = re.compile(
    rf"(?<![\w.@-])(?:[\w-]{{1,80}}\.(?:{_EXTENSIONS})|"
    rf"(?:{_CAMERAS})[_-]?[0-9]{{3,14}}(?:[_-][0-9a-z]{{1,14}}){{0,3}})(?![\w-])",
    re.IGNORECASE,
)


def find_file_names(text: str) -> list[tuple[int, int]]:
    """Return where a text names files: "IMG_2034", "contract.pdf"."""
    return [match.span() for match in _FILE_NAME.finditer(text)]


# Words with a capital that are no names.
_NO_NAMES: Final = """
january february march april may june july august september october november december jan feb mar
apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday
mondays tuesdays wednesdays thursdays fridays saturdays sundays christmas easter
januar februar marz juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag
sonntag weihnachten ostern
english german french spanish italian dutch portuguese swedish pdf
"""
_CALENDAR: Final = frozenset(_NO_NAMES.split())
# Behind these stands a name; before another German noun stands an article or an adjective.
_BEFORE_GERMAN_NAMES: Final = """
in aus von vom bei mit nach fur an zu uber hat schrieb schickte sagte sandte war
"""
_BEFORE_NAMES: Final = frozenset(_BEFORE_GERMAN_NAMES.split())
_IS_OR_WAS: Final = frozenset({"ist", "war", "sind", "waren"})
_SHORTEST_OWNER: Final = 3  # letters
_MOST_NAMES: Final = 4


def written_as_names(
    text: str, spans: Iterable[tuple[int, int]], *, german: bool
) -> tuple[str, ...]:
    """Return what is written like a name and stands at none of these places; the first four.

    That is what has a capital and opens no sentence; neighbours are one name. In German, where
    every noun has a capital, a preposition or a verb has to stand right before it, or it owns what
    follows: "Wann ist Annas Geburtstag?" names Anna.
    """
    taken = list(spans)
    found: list[tuple[int, int]] = []
    words = [word for word in words_of(text) if not is_title(word.folded)]  # Herr, Mrs
    before = ""
    for word, follower in zip_longest(words, words[1:]):
        continues = bool(found) and text[found[-1][1] : word.start] == " "
        is_free = all(word.end <= first or word.start >= last for first, last in taken)
        owns = german and before in _IS_OR_WAS and _is_owner(word, follower)
        introduced = not german or before in _BEFORE_NAMES or continues or owns
        if is_free and introduced and _looks_like_name(word):
            if continues:
                found[-1] = (found[-1][0], word.end)
            else:
                found.append((word.start, word.end - owns))
        before = word.folded
    return tuple(text[first:last] for first, last in found[:_MOST_NAMES])


def _is_owner(word: Word, follower: Word | None) -> bool:
    is_genitive = word.folded.endswith("s") and len(word.folded) > _SHORTEST_OWNER
    return is_genitive and follower is not None and follower.titled


def is_calendar_word(word: str) -> bool:
    """Return whether a folded word is a month, a day or the like: no name for all its capital."""
    return word in _CALENDAR


def _looks_like_name(word: Word) -> bool:
    if not word.titled or word.opening or is_common([word.folded]):
        return False
    return not is_function_word(word.folded) and word.folded not in _CALENDAR
