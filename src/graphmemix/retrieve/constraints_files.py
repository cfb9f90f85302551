"""Albums and files that a question names, and what else in it is written like a name.

Albums are found by their whole name if the question has a word for an album, or if the name has two
words. Files are found by names that end like one, or are such as cameras give.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.retrieve.constraints_words import NameFound, is_common, is_title, words_of
from graphmemix.text.language import is_function_word

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.retrieve.constraints_words import Names, Word

__all__ = ["AlbumsFound", "find_albums", "find_file_names", "is_calendar_word", "written_as_names"]

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
