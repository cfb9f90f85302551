"""What everyday questions and memories are about, by the words that both use for it.

"Where did we sleep?" shares no word with "twin room, two nights, check-in from 15.00". A topic has
two lists: words by which questions ask for it, and words by which memories tell it. Each language
has a file: English, German, French, Spanish, Swedish, Italian, Portuguese, Dutch, Polish, Japanese
and Chinese. One lookup serves all, so that a Japanese mail is found by an English question. A
common word of one language is therefore missing where it means something else in another: Italian
"camera", Dutch "arts".

A word ends in ``-`` if it may go on (``reimburs-``); one of several parts (``put_up``) is looked
for in questions only. Japanese and Chinese entries are found anywhere in a run of characters.

The lists were written from what people ask their archives in general. They decide nothing alone:
what a shared topic is worth is fitted (`graphmemix.verify`).
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from graphmemix.text.language import stem
from graphmemix.text.topics import (
    chinese,
    dutch,
    english,
    french,
    german,
    italian,
    japanese,
    polish,
    portuguese,
    spanish,
    swedish,
)
from graphmemix.text.topics.topic import Topic
from graphmemix.text.words import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["TOPICS", "topics_asked", "topics_told"]


_LANGUAGES: Final = (
    english, german, french, spanish, swedish,
    italian, portuguese, dutch, polish, japanese, chinese,
)  # fmt: skip


def _merged(name: str) -> Topic:
    """Return one topic's words of all languages, each once."""
    entries = [language.WORDS[name] for language in _LANGUAGES]
    asked, told = (dict.fromkeys(" ".join(side).split()) for side in zip(*entries, strict=True))
    return Topic(" ".join(asked), " ".join(told))


TOPICS: Final = {name: _merged(name) for name in english.WORDS}
"""By name: what questions say, and what memories say."""

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)?")
_UNSPACED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")  # kana and Chinese characters
_SHORTEST_PREFIX: Final = 3
_REMEMBERED: Final = 65_536  # words; those of one archive come again and again
_NONE: Final[frozenset[str]] = frozenset()


def topics_asked(question: str) -> frozenset[str]:
    """Return the topics that a question asks about; linear in its length."""
    found = _asked().of(terms(question))
    words = _WORD.findall(question.lower())
    run = f" {' '.join(words)} "
    phrases = (each for word in _phrases().keys() & set(words) for each in _phrases()[word])
    return found.union(name for phrase, name in phrases if phrase in run)


def topics_told(words: Collection[str]) -> frozenset[str]:
    """Return the topics that a memory tells about, by its words as `terms` gives them."""
    return _told().of(words)


class _Lookup:
    """The topics of words. Of unspaced script, `terms` gives pairs of characters.

    So an entry of one character is looked for inside pairs, one of two is a pair, and a longer one
    is there if all its pairs are; it is tried only where its first pair is.
    """

    def __init__(self, topics: Mapping[str, str]) -> None:
        self._words: dict[str, frozenset[str]] = {}
        self._prefixes: dict[str, frozenset[str]] = {}
        self._characters: dict[str, frozenset[str]] = {}
        self._longer: dict[str, list[tuple[frozenset[str], str]]] = {}
        for name, entries in topics.items():
            for entry in entries.split():
                if "_" not in entry:
                    self._add(entry, name)
        self._longest = max(map(len, self._prefixes))
        self._first_pairs = frozenset(self._longer)
        self._of_word = lru_cache(maxsize=_REMEMBERED)(self._found)

    def of(self, words: Collection[str]) -> frozenset[str]:
        found = _NONE.union(*map(self._of_word, words))
        if self._first_pairs.isdisjoint(words):
            return found
        held = frozenset(words)
        tried = (each for pair in self._first_pairs & held for each in self._longer[pair])
        return found.union(name for pairs, name in tried if pairs <= held)

    def _add(self, entry: str, name: str) -> None:
        if _UNSPACED.match(entry):
            if len(entry) == 1:
                _put(self._characters, entry, name)
            elif len(entry) == 2:
                _put(self._words, entry, name)
            else:
                pairs = list(terms(entry))
                self._longer.setdefault(pairs[0], []).append((frozenset(pairs), name))
            return
        if entry.endswith("-"):
            entry = entry[:-1]
            _put(self._prefixes, entry, name)
        # The beginning as a word too, since `terms` takes an English ending off ("verzekering").
        # Of one word it gives the stem, which is faster to ask for.
        _put(self._words, stem(entry), name)

    def _found(self, word: str) -> frozenset[str]:
        found = self._words.get(word, _NONE)
        if _UNSPACED.match(word):
            return found.union(*[self._characters.get(each, _NONE) for each in word])
        for end in range(_SHORTEST_PREFIX, min(len(word), self._longest) + 1):
            if more := self._prefixes.get(word[:end]):
                found |= more
        return found


def _put(table: dict[str, frozenset[str]], key: str, name: str) -> None:
    table[key] = table.get(key, _NONE) | {name}


@cache
def _asked() -> _Lookup:
    return _Lookup({name: topic.asked for name, topic in TOPICS.items()})


@cache
def _told() -> _Lookup:
    return _Lookup({name: topic.told for name, topic in TOPICS.items()})


@cache
def _phrases() -> dict[str, list[tuple[str, str]]]:
    """Return the phrases of questions, a space on either side, with topics, by their first word."""
    found: dict[str, list[tuple[str, str]]] = {}
    for name, topic in TOPICS.items():
        for entry in topic.asked.split():
            if "_" in entry:
                phrase = entry.replace("_", " ")
                found.setdefault(phrase.split()[0], []).append((f" {phrase} ", name))
    return found
