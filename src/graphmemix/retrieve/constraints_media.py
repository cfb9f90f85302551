"""Words for kinds of memories in a question: "photo of", "the video", "in an e-mail".

English, and the usual words in German, French and Spanish. What only describes content (an invoice,
a song) says nothing about how it was kept, and is no constraint.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.retrieve.constraints_words import Phrases, folded, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.memory import Kind, Modality


class Medium(NamedTuple):
    """What a word asks for: memories of these kinds, or that hold these modalities."""

    kinds: tuple[Kind, ...] = ()
    modalities: tuple[Modality, ...] = ()


class MediumFound(NamedTuple):
    """A word for a medium, and where it stands in the text."""

    first: int
    last: int
    medium: Medium


_WORDS: Mapping[Medium, str] = {
    Medium(("photo",), ("image",)): """
        photo, photos, photograph, photographs, photographed, picture, pictures, pic, pics, image,
        images, snapshot, snapshots, selfie, selfies, screenshot, screenshots, screen shot,
        foto, fotos, bild, bilder, bildern, bildschirmfoto, fotografie, imagen, imágenes,
        cliché, clichés, capture d'écran, captures d'écran, captura de pantalla,
        capturas de pantalla""",
    Medium(("video",), ("video",)): """
        video, videos, video clip, video clips, footage, filmed, videoclip, vídeo, vídeos,
        video message, video messages, videotape""",
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
        correos electrónicos""",
    Medium(("message",)): """
        message, messages, messaged, text message, text messages, texted, texts, text me, text you,
        text from, sms, dm, dms, chat, chats, chatted, conversation, conversations, whatsapp,
        whatsapps, nachricht, nachrichten, unterhaltung, unterhaltungen, mensaje, mensajes,
        conversación, conversaciones""",
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
        books, chat room, mail carrier, mail man, motion picture""",
}
"""By what they ask for. The last are longer phrases that hold such a word and ask for nothing."""


def find_media(text: str) -> list[MediumFound]:
    """Return the words for media in a text, in order, each medium once."""
    words = words_of(text)
    found: dict[Medium, MediumFound] = {}
    behind = 0
    for phrase in _phrases().find(text, words):
        if phrase.first < behind:
            continue
        behind = phrase.end
        place = words[phrase.first].start, words[phrase.end - 1].end
        if phrase.value != Medium():
            found.setdefault(phrase.value, MediumFound(*place, phrase.value))
    return list(found.values())


@cache
def _phrases() -> Phrases[Medium]:
    phrases: Phrases[Medium] = Phrases()
    for medium, listed in _WORDS.items():
        for phrase in listed.split(","):
            phrases[folded(phrase)] = medium
    return phrases
