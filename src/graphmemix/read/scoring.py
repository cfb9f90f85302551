"""How well each sentence of the evidence answers a part of a question, without a model."""

from __future__ import annotations

import math
from collections import Counter
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Final

import regex

from graphmemix.read.cues import MemoryContext, answer_type, cue, tells_cancelled
from graphmemix.read.sentences import Sentence, sentences, statement
from graphmemix.text.dates.about import about_days
from graphmemix.text.language import language_of
from graphmemix.text.stopwords import STOP_WORDS
from graphmemix.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmemix.evidence import Block
    from graphmemix.read.parts import Asked, Part

__all__ = ["HELPERS", "Evidence", "Window"]

# Weights, relative to 1 for the share of the question's words.
_MEANING: Final = 1.5
_NEIGHBOUR: Final = 0.3
_CUE: Final = 0.5
_ANYWHERE: Final = 0.5  # of that for a value in a sentence that shares no word with the question
_RANK: Final = 0.6
_ASKING: Final = 0.5
_TITLE: Final = 0.5
_META: Final = 0.4
_SHORT: Final = 0.2
_ECHO: Final = 0.3
_IN_TIME: Final = 0.35
_AT_EVENT: Final = 0.8  # in place of it, where an event gives the time: the order knows less of it
_TOO_LATE: Final = 0.5
_SHARED: Final = 0.25  # for each further memory of that time that holds a name of the sentence
_MOST_SHARED: Final = 2
_NAME: Final = 2.0  # a name counts so much more than another word
_CONTEXT: Final = 0.3  # and a word of another part, or of the event, so much
_FEW_WORDS: Final = 3
_NEW_WORDS: Final = 2  # a sentence with as many that the question lacks tells something
_NEAR_DAYS: Final = 7
_CANCELLED: Final = 0.8
_FEW_BLOCKS: Final = 0.4  # of the evidence may hold a name that joins two memories
_LONGEST_GREETING: Final = 60  # characters
_HELPING_WORDS: Final = """
a an the of in on at to for by we i you he she it my our me us did do does is are was were be has
have had and or who what when where which whose how why any there that this with from as
der die das ein eine ist war wer was wann wo wie ich wir du le la les un une est qui que el
"""
HELPERS: Final = frozenset(_HELPING_WORDS.split() + STOP_WORDS.split())
# They say what sort of answer is asked for, not what it is about.
_SORTING_WORDS: Final = """
much many everything anything cost costs price pay paid spend spent expensive total together
altogether two both all list
alles kostet kostete gekostet kosten preis bezahlt zusammen insgesamt alle liste
tout combien coûte coûté prix payé ensemble tous toutes
todo cuánto cuesta costó precio pagado juntos todos
"""
_SORTING: Final = frozenset(tokens(_SORTING_WORDS))
_CAPITALS: Final = regex.compile(r"(?<=\S\s)\p{Lu}[\p{L}\p{M}]+")
_NUMBER: Final = regex.compile(r"\b(?=[\w-]{0,20}\d)[\w-]{5,20}\b")  # of an order, of a ticket
_META_LINE: Final = regex.compile(
    r"^(?:People|From|To|Cc|Subject|Date|Where|Hello|Hi|Dear|Hallo|Liebe)\b"
    # Greetings without anything behind them.
    r"|^(?:sehr geehrte[rn]?|lieber?|guten tag|moin|chers?|chères?|bonjour|madame|monsieur|"
    r"estimad[oa]s?|querid[oa]s?|hola|buenos días|kära?|hej|ciao|gentile|cara|caro)\b"
    r"[^,!.?]{0,40}[,!:]?$",
    regex.IGNORECASE,
)


class Window:
    """Days that a part of a question is about."""

    def __init__(self, first: date, last: date, shift: int = 0) -> None:
        """Cover the days from `first` to `last`; with a shift, those before or after instead."""
        self.first, self.last, self.shift = first, last, shift

    def nearness(self, first: date, last: date) -> float:
        """Return how well other days agree with these, from 0 to 1."""
        if not self.shift:
            return float(first <= self.last and last >= self.first)
        away = (self.first - last).days if self.shift < 0 else (first - self.last).days
        if away == 1:
            return 1.0
        return 0.5 if 0 <= away <= _NEAR_DAYS else 0.0


class Evidence:
    """The sentences of a packet, and how well they answer.

    Attributes:
        meanings: Cosines of sentences with the text of a part, where an encoder gave any.
    """

    def __init__(self, asked: Asked, blocks: Sequence[Block]) -> None:
        self.meanings: Mapping[str, Mapping[int, float]] = {}
        self.asked = asked
        self.blocks = blocks
        self.sentences: list[Sentence] = []
        for index, block in enumerate(blocks):
            # A photo without text still has a date and a place.
            self.sentences += sentences(index, block) or [Sentence(index, 0, "", "own")]
        self.words = [self._words_of(sentence) for sentence in self.sentences]
        self._spread = Counter(word for words in self.words for word in words)
        self._weights: dict[Part, dict[str, float]] = {}
        self._names: dict[Part, frozenset[str]] = {}

    def _words_of(self, sentence: Sentence) -> frozenset[str]:
        block = self.blocks[sentence.block]
        known = "" if sentence.text else f"{statement(block)} picture image"
        if block.kind in {"photo", "video", "event"}:  # captions and titles seldom say where
            known += f" {block.place}"
        return frozenset(tokens(f"{block.speaker} {sentence.text} {known}"))

    @cached_property
    def block_words(self) -> list[frozenset[str]]:
        """All words of each block."""
        found: list[set[str]] = [set() for _ in self.blocks]
        for sentence, words in zip(self.sentences, self.words, strict=True):
            found[sentence.block] |= words
        return [frozenset(words) for words in found]

    def are_joined(self, one: int, other: int) -> bool:
        """Return whether two memories hold the same name or number, which few others hold."""
        if one == other:
            return True
        shared = self._marks[one] & self._marks[other]
        most = max(2, len(self.blocks) * _FEW_BLOCKS)
        return any(sum(mark in marks for marks in self._marks) <= most for mark in shared)

    @cached_property
    def cancelled(self) -> Mapping[int, int]:
        """What was cancelled later: block, and the sentence that says so with the same number."""
        found: dict[int, int] = {}
        for index, sentence in enumerate(self.sentences):
            numbers = {*_NUMBER.findall(sentence.text)}
            if not numbers or sentence.is_question or not tells_cancelled(sentence.text):
                continue
            said = self.blocks[sentence.block].date
            for block, other in enumerate(self.blocks):
                earlier = other.date and other.date < said
                if earlier and any(number in other.text for number in numbers):
                    found[block] = index  # of several sentences the last: titles come first
        return found

    @cached_property
    def _marks(self) -> list[frozenset[str]]:
        """The names and numbers of each block, without those of the question."""
        parts = self.asked.parts
        asked = frozenset(tokens(" ".join(f"{part.text} {part.event}" for part in parts)))
        return [_marks_of(block.text) - asked - HELPERS for block in self.blocks]

    @cached_property
    def days(self) -> list[tuple[tuple[date, date], ...]]:
        """The day on which each memory was made, then those that it is about."""
        return [_days(block) for block in self.blocks]

    def made(self, index: int) -> date | None:
        """Return the day on which a sentence was written."""
        when = _moment(self.blocks[self.sentences[index].block].date)
        return when.date() if when else None

    def weights(self, part: Part) -> dict[str, float]:
        """Return the weight of each word of a part: the rarer among the sentences, the higher."""
        if part not in self._weights:
            self._weights[part] = self._weighed(part)
        return self._weights[part]

    def _weighed(self, part: Part) -> dict[str, float]:
        asked = frozenset(tokens(part.text))
        dated = frozenset(tokens(" ".join(time.text for time in self.asked.named.times)))
        content = asked - HELPERS
        # Days are compared as days; "spring" in a text says nothing of when it was written.
        content = content - dated or content
        content = content - _SORTING or content
        around = frozenset(tokens(f"{part.context} {part.event}")) - HELPERS - dated
        factors = dict.fromkeys(around, _CONTEXT)
        factors |= dict.fromkeys(content or asked, 1.0)
        for name in tokens(" ".join(_CAPITALS.findall(part.text))):
            if name in content:
                factors[name] = _NAME
        count = len(self.words)
        return {
            word: factor * math.log(1 + (count - spread + 0.5) / (spread + 0.5))
            for word, factor in factors.items()
            if (spread := self._spread[word])  # a word that no sentence contains cannot rank any
        }

    def names(self, part: Part) -> frozenset[str]:
        """Return the words of a part that name somebody or something in the evidence."""
        if part not in self._names:
            self._names[part] = self._named(part)
        return self._names[part]

    def _named(self, part: Part) -> frozenset[str]:
        named = self.asked.named
        known = [each.text for each in named.people] + [each.text for each in named.places]
        texts = [text for text in known if text in part.text]
        if language_of(part.text) != "de":  # where every noun has a capital
            texts += _CAPITALS.findall(part.text)
        return frozenset(tokens(" ".join(texts))) & self._spread.keys() - HELPERS

    def coverage(self, part: Part, words: frozenset[str]) -> float:
        """Return the share of the part's words among these, also counting what nothing holds."""
        asked = frozenset(tokens(part.text)) - HELPERS
        return len(asked & words) / len(asked) if asked else 0.0

    def share(self, part: Part, words: frozenset[str]) -> float:
        """Return the weighted share of the part's words among these, from 0 to 1."""
        weights = self.weights(part)
        total = sum(weights.values())
        return sum(weights[word] for word in words & weights.keys()) / total if total else 0.0

    def scores(self, part: Part, window: Window | None = None) -> list[float]:
        """Return how well each sentence answers, by words, meaning, cues, ranks and days."""
        shares = [self.share(part, words) for words in self.words]
        times = [self._in_time(index, window) for index in range(len(self.blocks))]
        about_plans = not tells_cancelled(part.text)
        return [
            shares[index]
            + _NEIGHBOUR * self._near(index, shares)
            + self._cue(index, part, max(shares[index], self._near(index, shares)))
            + self._standing(index)
            + times[sentence.block]
            - _CANCELLED * (about_plans and sentence.block in self.cancelled)
            - _ECHO * self._echoes(index, part)
            + _MEANING * self.meaning(part, index)
            for index, sentence in enumerate(self.sentences)
        ]

    def meaning(self, part: Part, index: int) -> float:
        """Return the similarity of a sentence with a part, from 0 to 1; 0 if it is not known."""
        return max(0.0, self.meanings.get(part.text, {}).get(index, 0.0))

    def cue(self, part: Part, index: int) -> float:
        """Return how much a sentence looks like the kind of answer that a part asks for."""
        sentence = self.sentences[index]
        block = self.blocks[sentence.block]
        context = MemoryContext(block.date, block.place, block.speaker)
        return cue(answer_type(part.text), part.text, sentence.text, context)

    def _cue(self, index: int, part: Part, share: float) -> float:
        # A date in a sentence about something else is not the date that is asked for.
        return _CUE * self.cue(part, index) * (_ANYWHERE + (1 - _ANYWHERE) * share)

    def _echoes(self, index: int, part: Part) -> float:
        """Return how much a sentence only repeats the question, from 0 to 1: no answer does.

        What a memory says beside its words can answer: its date, its place and who wrote it.
        """
        sentence = self.sentences[index]
        sort = answer_type(part.text)
        nobody = sort == "who" and sentence.origin == "caption"  # which somebody else may have made
        if not sentence.text or not (nobody or sort in {"open", "yes_no"}):
            return 0.0
        known = frozenset(tokens(f"{part.text} {part.context} {part.event}")) | HELPERS
        new = len(frozenset(tokens(sentence.text)) - known)
        return max(0.0, 1 - new / _NEW_WORDS)

    def _near(self, index: int, shares: Sequence[float]) -> float:
        """Return the best share of neighbours and title: answers often follow their topic."""
        sentence = self.sentences[index]
        around = {index - 1, index + 1, index - sentence.position} - {index}
        return max(
            (
                shares[near]
                for near in around
                if 0 <= near < len(shares) and self.sentences[near].block == sentence.block
            ),
            default=0.0,
        )

    def in_time(self, block: int) -> bool:
        """Return whether a memory was made in a time that the question names, or is about it."""
        return any(
            window.nearness(first, last)
            for window in self.windows
            for first, last in self.days[block]
        )

    def is_made_then(self, index: int) -> bool:
        """Return whether a sentence was written, or taken, in a time that the question names."""
        day = self.made(index)
        return day is not None and any(window.nearness(day, day) for window in self.windows)

    @cached_property
    def windows(self) -> list[Window]:
        """The times that the question names."""
        return [
            Window(time.start.date(), (time.end - timedelta(microseconds=1)).date())
            for time in self.asked.named.times
        ]

    def corroborated(self, part: Part, scores: Sequence[float], window: Window) -> list[float]:
        """Return scores, raised where other memories of these days hold the same names.

        Two hotels may have been booked for a week; the one that more is known of was stayed in.
        """
        asked = frozenset(tokens(f"{part.text} {part.event}"))
        inside = {
            block
            for block, days in enumerate(self.days)
            if any(window.nearness(first, last) for first, last in days)
        }
        raised = []
        for score, sentence in zip(scores, self.sentences, strict=True):
            names = frozenset(tokens(" ".join(_CAPITALS.findall(sentence.text)))) - asked - HELPERS
            others = [b for b in inside - {sentence.block} if names & self.block_words[b]]
            raised.append(score + _SHARED * min(len(others), _MOST_SHARED))
        return raised

    def _in_time(self, block: int, window: Window | None) -> float:
        if window is not None:
            return _AT_EVENT * max(
                (window.nearness(first, last) for first, last in self.days[block]), default=0.0
            )
        if not self.windows:
            return 0.0
        if self.in_time(block):
            return _IN_TIME
        return -_TOO_LATE if self.is_too_late(block) else 0.0

    def is_too_late(self, block: int) -> bool:
        """Return whether a memory was made after every time that the question names."""
        when = _moment(self.blocks[block].date)
        latest = max((window.last for window in self.windows), default=None)
        return when is not None and latest is not None and when.date() > latest

    def is_title(self, index: int) -> bool:
        """Return whether it is the subject of a mail or a heading, which rarely are answers."""
        sentence = self.sentences[index]
        follower = self.sentences[index + 1] if index + 1 < len(self.sentences) else None
        return (
            sentence.position == 0
            and self.blocks[sentence.block].kind in {"email", "document", "contact"}
            and not sentence.text.endswith((".", "。"))
            and follower is not None
            and follower.block == sentence.block
        )

    def is_meta(self, index: int) -> bool:
        """Return whether it only names, greets or signs."""
        sentence = self.sentences[index]
        signs = (
            sentence.position > 0
            and sentence.origin == "own"
            and sentence.text.isalpha()
            and sentence.text.isascii()
        )
        return signs or (
            len(sentence.text) < _LONGEST_GREETING and bool(_META_LINE.match(sentence.text))
        )

    def _standing(self, index: int) -> float:
        sentence = self.sentences[index]
        standing = _RANK / math.sqrt(1 + sentence.block)
        standing -= _TITLE * self.is_title(index)
        standing -= _META * self.is_meta(index)
        standing -= _ASKING * sentence.is_question
        standing -= _SHORT * sentence.is_reply_quote
        few = len(sentence.text.split()) < _FEW_WORDS and sentence.text.isascii()
        return standing - _SHORT * (few and bool(sentence.text))

    def spoken(self, index: int) -> str:
        """Return a sentence for the encoder, with its speaker."""
        sentence = self.sentences[index]
        block = self.blocks[sentence.block]
        text = sentence.text or statement(block)
        return f"{block.speaker}: {text}" if block.kind == "message" and block.speaker else text


def _marks_of(text: str) -> frozenset[str]:
    names = tokens(" ".join(_CAPITALS.findall(_NUMBER.sub(" ", text))))
    return frozenset((*names, *(number.casefold() for number in _NUMBER.findall(text))))


def _days(block: Block) -> tuple[tuple[date, date], ...]:
    when = _moment(block.date)
    made = ((when.date(), when.date()),) if when else ()
    return (*made, *((about.first, about.last) for about in about_days(block.text, when)))


def _moment(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None
