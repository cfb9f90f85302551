"""Words of a text with their places, and phrases found in them: the common ground of names.

Words are compared without capitals and accents. A hyphen, an apostrophe or a point inside a name
separates words, so "Anna's" holds "Anna", and "Jean-Luc" is the same as "Jean Luc". Characters of
scripts without spaces are words of their own.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from graphmemix.text.folding import unaccented

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

T = TypeVar("T")

UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff"
"""Characters of scripts without spaces between words, for a set in a pattern."""

_MARKS = r"\u0300-\u036f"
_WORD = re.compile(rf"[{UNSPACED}](?<=\w)|(?:(?![{UNSPACED}])[\w{_MARKS}])++")
_GAP = re.compile(r"[\s.,'‘’`&-]{0,3}")
_SENTENCE_END = re.compile(r"[.?!:;\"“”„«»()¿¡\n]")


class Word(NamedTuple):
    """A word of a text.

    Attributes:
        folded: Without capitals and accents.
        start: Where it starts in the text.
        end: Where it ends.
        titled: It starts with a capital.
        opening: It opens a sentence, where a capital means nothing.
    """

    folded: str
    start: int
    end: int
    titled: bool
    opening: bool


class Phrase(NamedTuple, Generic[T]):
    """Words `first` until before `end` of a text, and what they stand for."""

    first: int
    end: int
    value: T


class Phrases(Generic[T]):
    """Looks for many phrases at once. Linear in the text, however many there are."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, ...], T] = {}
        self._longest: dict[str, int] = {}

    @property
    def words(self) -> frozenset[str]:
        """Every word of every phrase."""
        return frozenset().union(*self._values)

    def __getitem__(self, words: tuple[str, ...]) -> T:
        return self._values[words]

    def __contains__(self, words: tuple[str, ...]) -> bool:
        return words in self._values

    def __setitem__(self, words: tuple[str, ...], value: T) -> None:
        self._values[words] = value
        self._longest[words[0]] = max(len(words), self._longest.get(words[0], 0))

    def find(self, text: str, words: Sequence[Word]) -> Iterator[Phrase[T]]:
        """Yield every phrase in a text, from the left; longest first where several start."""
        for i, word in enumerate(words):
            longest = self._longest.get(word.folded, 0)
            most = _together(text, words, i, longest) if longest > 1 else longest
            for count in range(most, 0, -1):
                value = self._values.get(tuple([w.folded for w in words[i : i + count]]))
                if value is not None:
                    yield Phrase(i, i + count, value)


def _together(text: str, words: Sequence[Word], i: int, most: int) -> int:
    """Return how many words from `i` on, at most, stand close enough to be one name."""
    for j in range(i + 1, min(i + most, len(words))):
        if not _GAP.fullmatch(text, words[j - 1].end, words[j].start):
            return j - i
    return min(most, len(words) - i)


def words_of(text: str) -> list[Word]:
    """Return the words of a text, in order."""
    found: list[Word] = []
    for match in _WORD.finditer(text):
        raw, start = match[0], match.start()
        before = found[-1].end if found else 0
        opening = not found or bool(_SENTENCE_END.search(text, before, start))
        found.append(Word(unaccented(raw).lower(), start, match.end(), raw[0].isupper(), opening))
    return found


@lru_cache(maxsize=1 << 14)
def folded(name: str) -> tuple[str, ...]:
    """Return the words of a name, folded."""
    return tuple([word.folded for word in words_of(name)])
