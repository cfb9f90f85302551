"""What everyday questions and memories are about, by the words that both use for it.

"Where did we sleep?" shares no word with "twin room, two nights, check-in from 15.00". A topic has
two lists: words by which questions ask for it, and words by which memories tell it. Each language
has a file (`english`, `german`, `french`, `spanish`, `swedish`); one lookup serves all. A word ends
in ``-`` if it may go on (``reimburs-``); one of several parts (``put_up``) is looked for in
questions only.

The lists were written from what people ask their archives in general. They decide nothing alone:
what a shared topic is worth is fitted (`graphmemix.verify`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.text.topics import english, french, german, spanish, swedish
from graphmemix.text.words import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

__all__ = ["TOPICS", "topics_asked", "topics_told"]


class Topic(NamedTuple):
    """The words of one topic, separated by spaces."""

    asked: str
    told: str


_LANGUAGES: Final = (english, german, french, spanish, swedish)


def _merged(name: str) -> Topic:
    """Return one topic's words of all languages, each once."""
    entries = [language.WORDS[name] for language in _LANGUAGES]
    asked, told = (dict.fromkeys(" ".join(side).split()) for side in zip(*entries, strict=True))
    return Topic(" ".join(asked), " ".join(told))


TOPICS: Final = {name: _merged(name) for name in english.WORDS}
"""By name: what questions say, and what memories say."""

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_SHORTEST_PREFIX: Final = 3
_REMEMBERED: Final = 65_536  # words; those of one archive come again and again


def topics_asked(question: str) -> frozenset[str]:
    """Return the topics that a question asks about; linear in its length."""
    words = terms(question)
    found = _of_words(words, "asked")
    run = f" {' '.join(_WORD.findall(question.lower()))} "
    spoken = (name for name, phrases in _phrases().items() if any(each in run for each in phrases))
    return found.union(spoken)


def topics_told(words: Collection[str]) -> frozenset[str]:
    """Return the topics that a memory tells about, by its words as `terms` gives them."""
    return _of_words(words, "told")


def _of_words(words: Iterable[str], side: str) -> frozenset[str]:
    return frozenset().union(*[found for word in words if (found := _of_word(word, side))])


@lru_cache(maxsize=_REMEMBERED)
def _of_word(word: str, side: str) -> frozenset[str]:
    whole, prefixes, longest = _index(side)
    found = whole.get(word, frozenset())
    for end in range(_SHORTEST_PREFIX, min(len(word), longest) + 1):
        if more := prefixes.get(word[:end]):
            found |= more
    return found


@cache
def _index(side: str) -> tuple[dict[str, frozenset[str]], dict[str, frozenset[str]], int]:
    """Return the topics of whole words and of prefixes, and the length of the longest prefix."""
    whole: dict[str, frozenset[str]] = {}
    prefixes: dict[str, frozenset[str]] = {}
    for name, topic in TOPICS.items():
        for entry in getattr(topic, side).split():
            if "_" in entry:
                continue
            known = prefixes if entry.endswith("-") else whole
            for word in [entry[:-1]] if entry.endswith("-") else terms(entry):
                known[word] = known.get(word, frozenset()) | {name}
    return whole, prefixes, max(map(len, prefixes))


@cache
def _phrases() -> dict[str, tuple[str, ...]]:
    """Return the phrases of questions by topic, with a space on either side."""
    return {
        name: tuple(f" {each.replace('_', ' ')} " for each in topic.asked.split() if "_" in each)
        for name, topic in TOPICS.items()
    }
