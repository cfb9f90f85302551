"""People and places that the archive knows, in a question. No name is guessed from a capital.

People are found by their whole name, without a title ("Dr."), by their first name, and, for
addresses, by what stands before the @. Places are found by their whole name and by its parts
between commas: "Café Central, Vienna" is found by "Vienna". Of names that start together the
longest counts. Capitals do not matter, unless the name is an ordinary word ("Will", "Nice"): then
it needs a capital that does not just open a sentence.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from graphmemix.retrieve.constraints_common import COMMON
from graphmemix.retrieve.constraints_words import UNSPACED, Phrases, folded, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphmemix.retrieve.constraints_words import Phrase, Word

_WORDS_BEFORE_NAMES = """
dr mr mrs ms miss mx prof professor sir madam herr frau dipl ing m mme mlle monsieur madame sr
sra srta senor senora don dona
"""
_TITLES = frozenset(_WORDS_BEFORE_NAMES.split())
_ADDRESS = re.compile(r"<[^<>]*>|\([^()]*\)|\[[^\[\]]*\]")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_NUMBERS = re.compile(r"\A[\s0-9/-]+")
_SHORTEST = 2
_MOST_BEARERS = 8

_Bearers: TypeAlias = tuple[
    dict[str, None], dict[str, None]
]  # by their whole name, by a part of it


class NameFound(NamedTuple):
    """A known name in a text.

    Attributes:
        first: Where it starts in the text.
        last: Where it ends.
        words: How many words it has there.
        name: The name as the archive knows it.
    """

    first: int
    last: int
    words: int
    name: str


class Names:
    """Known names, ready to be looked for. Build once for many questions: `known_people`.

    Attributes:
        words: Every word of every name, folded.
    """

    def __init__(self, variants: Iterator[tuple[tuple[str, ...], str, bool]]) -> None:
        self._phrases: Phrases[_Bearers] = Phrases()
        for words, name, whole in variants:
            if not words:
                continue
            if words not in self._phrases:
                self._phrases[words] = {}, {}
            self._phrases[words][0 if whole else 1][name] = None
        self.words = self._phrases.words

    def find(self, text: str) -> list[NameFound]:
        """Return the names in a text, in order; one that several bear stands once for each.

        One that very many bear stands for itself.
        """
        words = words_of(text)
        found: list[NameFound] = []
        behind = 0
        for phrase in self._phrases.find(text, words):
            if phrase.first < behind or not _is_name(words, phrase):
                continue
            behind = phrase.end
            whole, short = phrase.value
            start, end = words[phrase.first].start, words[phrase.end - 1].end
            bearers = [*(whole or short)]
            names = bearers if len(bearers) <= _MOST_BEARERS else [text[start:end]]
            count = phrase.end - phrase.first
            found += [NameFound(start, end, count, name) for name in names]
        return found


@lru_cache(maxsize=8)
def known_people(names: tuple[str, ...]) -> Names:
    """Return the index of people's names."""
    return Names(variant for name in names for variant in _of_person(name))


@lru_cache(maxsize=8)
def known_places(names: tuple[str, ...]) -> Names:
    """Return the index of places' names."""
    return Names(variant for name in names for variant in _of_place(name))


def is_common(words: Sequence[str]) -> bool:
    """Return whether a name is made of ordinary words, or so short that capitals decide."""
    return all(word in COMMON or len(word) <= _SHORTEST for word in words)


def _is_name(words: Sequence[Word], phrase: Phrase[_Bearers]) -> bool:
    """Return whether words that read like a name are one, and not ordinary words."""
    parts = words[phrase.first : phrase.end]
    if _UNSPACED.match(parts[0].folded) or not is_common([part.folded for part in parts]):
        return True
    if not all(part.titled for part in parts if len(part.folded) > 1):
        return False
    owner = words[phrase.end].folded == "s" if phrase.end < len(words) else False
    return len(parts) > 1 or not parts[0].opening or owner


def _of_person(name: str) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield the words that mean a person, and whether they are the whole name."""
    yield folded(name), name, True
    shown = _ADDRESS.sub(" ", name).strip(" ,\"'") or name
    if "@" in shown:
        yield folded(shown.partition("@")[0]), name, True
        return
    family, comma, given = shown.partition(",")
    words = folded(f"{given} {family}" if comma and "," not in given else shown)
    while len(words) > 1 and words[0] in _TITLES:
        words = words[1:]
    yield words, name, True
    if words and words[-1] not in COMMON and not _UNSPACED.match(words[-1]):
        yield (*words[:-1], words[-1] + "s"), name, True  # Annas Geburtstag, "annas birthday"
    if len(words) > 1 and len(words[0]) >= _SHORTEST and not _UNSPACED.match(words[0]):
        yield words[:1], name, False


def _of_place(name: str) -> Iterator[tuple[tuple[str, ...], str, bool]]:
    """Yield the words that mean a place: all of its name, and its parts between commas."""
    yield folded(name), name, True
    for part in name.split(","):
        named = _NUMBERS.sub("", part).strip()  # 75001 Paris
        if len(named) >= _SHORTEST:
            yield folded(named), named, True
