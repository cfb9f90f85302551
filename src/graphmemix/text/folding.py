"""Plain forms of text, for rules that read what people and shops write.

Accents are taken off in three ways, and their results are stored and compared, so they stay apart:

- `plain`, for whole texts: Latin letters alone, in linear time; case, kana and other scripts stay.
- `unaccented`, for names and questions: all scripts with Latin, Greek or Cyrillic accents, and
  ligatures and the like in plain letters. Japanese keeps its voicing marks: か is not が.
- `graphmemix.text.dates.lexicon.fold`, for words of dates: no marks of any script, and no case;
  folding case comes first there, since it turns an iota below a Greek letter into a letter.

`graphmemix.text.words.normal`, for the search index, keeps accents.
"""

from __future__ import annotations

import re
import unicodedata
from string import ascii_lowercase
from typing import TYPE_CHECKING

from graphmemix.text.stopwords import GENERIC_PLACES, STOP_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_MARKS = range(0x0300, 0x0370)
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_SPACES = {0x00A0, 0x202F, 0x2007, 0x3000}
_INVISIBLE = {0x00AD, 0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF}


def _plain_character(code: int) -> str:
    if code in _MARKS or code in _INVISIBLE:
        return ""
    if code in _SPACES:
        return " "
    if code in _FULL_WIDTH:
        return chr(code - 0xFEE0)
    if code < 0x0250 or 0x1E00 <= code < 0x1F00:  # Latin letters lose their accents
        return unicodedata.normalize("NFD", chr(code))[0]
    return chr(code)


class _PlainTable(dict[int, str]):
    """Fills itself with the characters that occur.

    No normal form is made of a whole text: that is quadratic in runs of combining marks.
    """

    def __missing__(self, code: int) -> str:
        self[code] = found = _plain_character(code)
        return found


_PLAIN = _PlainTable()
# What the table changes, and others; in most texts these are few.
_MAYBE_NOT_PLAIN = re.compile(
    "[\u0080-\u024f\u1e00-\u1eff"
    f"{chr(_MARKS[0])}-{chr(_MARKS[-1])}{chr(_FULL_WIDTH[0])}-{chr(_FULL_WIDTH[-1])}"
    f"{''.join(map(chr, (*_SPACES, *_INVISIBLE)))}]+"
)
_IDEOGRAPHS = r"\u3400-\u9fff\uf900-\ufaff々"
_WORD = re.compile(
    rf"(?P<ideographs>[{_IDEOGRAPHS}]+)|(?P<katakana>[\u30a1-\u30faー]+)|[\u3041-\u309f]+"
    rf"|(?P<word>[^\W_{_IDEOGRAPHS}\u3041-\u30ff]+)"
)
_ACCENTS = re.compile(r"[\u0300-\u036f]+")
_URL = re.compile(r"(?:https?://|www\.)\S+")


def plain(text: str) -> str:
    """Return the text with Latin letters without accents and full-width forms as ASCII.

    Case stays, since references need it; so does the kana of Japanese, marks and all.
    """
    if text.isascii():
        return text
    return _MAYBE_NOT_PLAIN.sub(_plain_run, text)


def _plain_run(match: re.Match[str]) -> str:
    return match[0].translate(_PLAIN)


_ONLY_LETTERS = bytes(code if chr(code) in ascii_lowercase else 32 for code in range(256))


def letter_runs(lowered: str) -> list[bytes]:
    """Return the runs of the letters a to z in a text, in order.

    Many times faster than a pattern: rules look here first whether a text has any of their words.
    """
    return lowered.encode("ascii", "replace").translate(_ONLY_LETTERS).split()


def unaccented(text: str) -> str:
    """Return a text without accents and with plain forms of letters; quadratic in runs of marks."""
    if text.isascii():
        return text
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", text))


def words(text: str) -> Iterator[str]:
    """Yield the words of a text, folded: no case, no accents, no plural s, no web addresses.

    Chinese characters come as overlapping pairs, since nothing shows where a word ends.
    """
    for match in _WORD.finditer(_URL.sub(" ", plain(text)).casefold()):
        if run := match["ideographs"]:
            yield from (run[i : i + 2] for i in range(max(1, len(run) - 1)))
        elif word := match["katakana"] or match["word"]:
            yield word[:-1] if len(word) > 4 and word[-1] == "s" and word[-2] != "s" else word


_STOP_WORDS = frozenset(words(STOP_WORDS))
_GENERIC_PLACES = frozenset(words(GENERIC_PLACES))


def is_half_word(word: str) -> bool:
    """Return whether this is a pair of ideographs, two of which make about one word."""
    return "\u3400" <= word[0] <= "\ufaff" and not "\ua000" <= word[0] <= "\uf8ff"


def content_words(texts: Iterable[str], shortest: int) -> frozenset[str]:
    """Return the words that say something: no stop words, no numbers, none too short."""
    return frozenset(
        word
        for text in texts
        for word in words(text)
        if (len(word) >= shortest or is_half_word(word) or "\u30a1" <= word[0] <= "ー")
        and len(word) > 1
        and word not in _STOP_WORDS
        and not word.isdecimal()
    )


def place_names(name: str, shortest: int) -> tuple[frozenset[str], ...]:
    """Return sets of words, any of which names the place if all its words occur.

    Each part between commas names it as a whole; a single word does so if it is long enough and not
    one that many places have, such as "station" or "north".
    """
    names = []
    for part in re.split(r"[,;/|()、·]", plain(name)):
        own = {w for w in words(part) if w not in _GENERIC_PLACES and not w.isdecimal()}
        if own and (len(own) > 1 or len(next(iter(own))) > 1):
            names.append(frozenset(own))
        names += [frozenset({w}) for w in own if len(w) >= shortest and len(own) > 1]
    return tuple(names)
