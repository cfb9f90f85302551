"""Answers without a reader model: quotes the sentences that answer best, with their sources."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from graphmemix.errors import EncoderError
from graphmemix.evidence import Answer, Citation, StageCost
from graphmemix.read.cues import AnswerType, MemoryContext, answer_type, cue
from graphmemix.read.phrasing import quote, statement, tag
from graphmemix.read.protocol import Reading
from graphmemix.read.sentences import Sentence, sentences
from graphmemix.text.stopwords import STOP_WORDS
from graphmemix.text.words import tokens

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import Block, Packet, Question
    from graphmemix.read.media import Picture

__all__ = ["ExtractiveReader", "NOTHING_FOUND"]

NOTHING_FOUND: Final = "Nothing was found in the archive for this question."

_MOST: Final = 3  # sentences in an answer
_MOST_PER_MEMORY: Final = 2
_ENCODED: Final = 24  # sentences; about 0.1 s with the packaged encoder
_CLOSE: Final = 0.72  # a further sentence needs at least this share of the best score
_CONSIDERED: Final = 64  # sentences considered for the second and third place
_FAR: Final = 0.4  # as _CLOSE, for a sentence that covers new words of the question
_OPEN: Final = 0.25  # the share of the question's words that such a sentence must add
_NEW: Final = 0.25  # a further sentence needs at least this share of new words
# Weights, relative to 1 for the share of the question's words.
_NEIGHBOUR: Final = 0.3
_MEANING: Final = 0.9
_CUE: Final = 0.35
_RANK: Final = 0.5
_ASKING: Final = 0.5
_QUOTING: Final = 0.2
_TITLE: Final = 0.25
_FEW_WORDS: Final = 3
_HELPING_WORDS: Final = """
a an the of in on at to for by we i you he she it my our me us did do does is are was were be has
have had and or who what when where which whose how why any there that this with from as
der die das ein eine ist war wer was wann wo wie ich wir du le la les un une est qui que el
"""
_HELPERS: Final = frozenset(_HELPING_WORDS.split() + STOP_WORDS.split())


class ExtractiveReader:
    """A `Reader` without a model: quotes one to three sentences of the evidence, best first.

    A sentence is scored by the question's words that it contains (rare ones in the packet count
    more), by similarity if there is an encoder, by whether it looks like the kind of answer asked
    for, and by the rank of its memory. Costs milliseconds, and the encoding of two dozen sentences.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        """Use an encoder for similarity; without one, only words count."""
        self._encoder = encoder

    @property
    def identity(self) -> str:
        """The version of the rules, and the encoder."""
        return f"extractive-1:{self._encoder.identity if self._encoder else 'words'}"

    @property
    def sees_images(self) -> bool:
        """False: it reads text only."""
        return False

    async def read(
        self, question: Question, packet: Packet, pictures: Sequence[Picture] = ()
    ) -> Reading:
        """Return quotations with sources, or a statement that nothing was found. Never raises.

        If the encoder fails, that is counted in the repairs, and only words decide.
        """
        del pictures
        start = time.perf_counter()
        repairs = Counter[str]()
        lines = await asyncio.to_thread(self._lines, question, packet, repairs)
        answer = Answer(
            "\n".join(line.text for line in lines) or NOTHING_FOUND,
            tuple(Citation(line.memory_id, line.quote) for line in lines),
            extractive=True,
        )
        cost = StageCost("read", time.perf_counter() - start)
        return Reading(answer, cost, dict(repairs), self.identity)

    async def stream(
        self, question: Question, packet: Packet, pictures: Sequence[Picture] = ()
    ) -> AsyncIterator[str | Reading]:
        """Yield the answer line by line, then the reading."""
        reading = await self.read(question, packet, pictures)
        for line in reading.answer.text.splitlines(keepends=True):
            yield line
        yield reading

    def _lines(
        self, question: Question, packet: Packet, repairs: Counter[str]
    ) -> list[_AnswerLine]:
        evidence = _Evidence(question.text, packet.blocks)
        scores = evidence.scores()
        if self._encoder is not None and evidence.sentences and question.text.strip():
            try:
                scores = self._with_meaning(self._encoder, evidence, scores)
            except EncoderError:
                repairs["read.encoder_failed"] += 1
        return [evidence.line(index) for index in _chosen(evidence, scores)]

    def _with_meaning(
        self, encoder: Encoder, evidence: _Evidence, scores: list[float]
    ) -> list[float]:
        """Add the cosine with the question; 0 for sentences that were not encoded."""
        best = sorted(range(len(scores)), key=lambda index: -scores[index])[:_ENCODED]
        vectors = encoder.texts([evidence.question, *(evidence.spoken(index) for index in best)])
        cosines = vectors[1:] @ vectors[0]
        found = dict(zip(best, cosines.tolist(), strict=True))
        return [
            score + _MEANING * max(0.0, found.get(index, 0.0)) for index, score in enumerate(scores)
        ]


@dataclass(frozen=True)
class _AnswerLine:
    text: str
    memory_id: str
    quote: str


class _Evidence:
    """The sentences of a packet, and their scores without an encoder."""

    def __init__(self, question: str, blocks: Sequence[Block]) -> None:
        self.question = question
        self.blocks = blocks
        self.sentences: list[Sentence] = []
        for index, block in enumerate(blocks):
            # A photo without text still has a date and a place.
            self.sentences += sentences(index, block) or [Sentence(index, 0, "", "own")]
        self.words = [self._words_of(sentence) for sentence in self.sentences]

    def _words_of(self, sentence: Sentence) -> frozenset[str]:
        block = self.blocks[sentence.block]
        known = "" if sentence.text else f"{statement(block)} picture image"
        return frozenset(tokens(f"{block.speaker} {sentence.text} {known}"))

    @cached_property
    def weights(self) -> dict[str, float]:
        """The weight of each word of the question: the rarer among the sentences, the higher."""
        asked = frozenset(tokens(self.question))
        content_words = asked - _HELPERS
        spread = Counter(word for words in self.words for word in words)
        count = len(self.words)
        return {
            word: math.log(1 + (count - spread[word] + 0.5) / (spread[word] + 0.5))
            for word in content_words or asked
            if spread[word]  # a word that no sentence contains cannot rank any
        }

    def share(self, words: frozenset[str]) -> float:
        """Return the weighted share of the question's words among these, from 0 to 1."""
        total = sum(self.weights.values())
        return sum(self.weights.get(word, 0.0) for word in words) / total if total else 0.0

    def scores(self) -> list[float]:
        """Return how well each sentence answers, by words, cues and ranks."""
        kind = answer_type(self.question)
        shares = [self.share(words) for words in self.words]
        return [
            shares[index]
            + _NEIGHBOUR * self._near(index, shares)
            + self._cue(index, kind, shares)
            + self._standing(index)
            for index in range(len(self.sentences))
        ]

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

    def _cue(self, index: int, kind: AnswerType, shares: Sequence[float]) -> float:
        sentence = self.sentences[index]
        block = self.blocks[sentence.block]
        context = MemoryContext(block.date, block.place, block.speaker)
        resemblance = cue(kind, self.question, sentence.text, context)
        # A date in a sentence about something else is not the date that is asked for.
        return _CUE * resemblance * (0.25 + 0.75 * max(shares[index], self._near(index, shares)))

    def _is_title(self, index: int) -> bool:
        """Return whether it is the subject of a mail or a heading, which rarely are answers."""
        sentence = self.sentences[index]
        follower = self.sentences[index + 1] if index + 1 < len(self.sentences) else None
        return (
            sentence.position == 0
            and self.blocks[sentence.block].kind in {"email", "document"}
            and not sentence.text.endswith((".", "。"))
            and follower is not None
            and follower.block == sentence.block
        )

    def _standing(self, index: int) -> float:
        sentence = self.sentences[index]
        standing = _RANK / math.sqrt(1 + sentence.block)
        if self._is_title(index):
            standing -= _TITLE
        if sentence.is_question:
            standing -= _ASKING
        if sentence.is_reply_quote:
            standing -= _QUOTING
        if sentence.text and len(sentence.text.split()) < _FEW_WORDS and sentence.text.isascii():
            standing -= _QUOTING
        return standing

    def spoken(self, index: int) -> str:
        """Return a sentence for the encoder, with its speaker."""
        sentence = self.sentences[index]
        block = self.blocks[sentence.block]
        text = sentence.text or statement(block)
        return f"{block.speaker}: {text}" if block.kind == "message" and block.speaker else text

    def line(self, index: int) -> _AnswerLine:
        """Return a sentence as a line of the answer."""
        sentence = self.sentences[index]
        block = self.blocks[sentence.block]
        if not sentence.text:
            return _AnswerLine(f"{statement(block)} [{block.rank}]", block.memory_id, "")
        text = f"{quote(sentence.text)} {tag(block, sentence.origin)}"
        return _AnswerLine(text, block.memory_id, sentence.text)


def _chosen(evidence: _Evidence, scores: Sequence[float]) -> list[int]:
    """Return the best sentence, and up to two more that add something.

    They score nearly as well, or cover words of the question that the others do not: some questions
    ask for two things.
    """
    if not scores:
        return []
    first, *others = sorted(range(len(scores)), key=lambda index: (-scores[index], index))
    chosen, left = [first], set(others[:_CONSIDERED])
    while left and len(chosen) < _MOST:
        known = frozenset().union(*(evidence.words[other] for other in chosen))
        gains = {index: evidence.share(evidence.words[index] - known) for index in left}
        best = max(left, key=lambda index: (scores[index] + gains[index], -index))
        left.remove(best)
        least = _FAR if gains[best] >= _OPEN else _CLOSE
        block = evidence.sentences[best].block
        fellows = sum(evidence.sentences[other].block == block for other in chosen)
        if (
            scores[best] >= least * scores[first]
            and fellows < _MOST_PER_MEMORY
            and _adds(evidence.words[best], known)
        ):
            chosen.append(best)
    return chosen


def _adds(words: frozenset[str], known: frozenset[str]) -> bool:
    """Return whether enough words are new; stop words do not count."""
    content_words = words - _HELPERS
    return len(content_words - known) >= max(1.0, _NEW * len(content_words))
