"""Answers without a reader model: quotes the sentences that answer best, with their sources."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphmemix.errors import EncoderError
from graphmemix.evidence import Answer, Citation, StageCost
from graphmemix.read.choosing import choose
from graphmemix.read.parts import Part, asked_for
from graphmemix.read.passages import passages
from graphmemix.read.protocol import Reading
from graphmemix.read.scoring import Evidence
from graphmemix.read.sentences import day_in_words, quote, statement, tag

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix.evidence import Packet, Question
    from graphmemix.read.media import Picture
    from graphmemix.read.passages import Passage

__all__ = ["ExtractiveReader", "NOTHING_FOUND"]

NOTHING_FOUND: Final = "Nothing was found in the archive for this question."

_ENCODED: Final = 24  # sentences; about 0.1 s with the packaged encoder


class ExtractiveReader:
    """A `Reader` without a model: quotes a few sentences of the evidence, best first.

    A question is taken apart (`parts`), sentences are scored for each part (`scoring`): by the
    words that they share with it, by similarity if there is an encoder, by whether they look like
    the kind of answer asked for, by rank and time. `choosing` says what is quoted in which order.
    Costs milliseconds, and the encoding of two dozen sentences.
    """

    def __init__(self, encoder: Encoder | None = None) -> None:
        """Use an encoder for similarity; without one, only words count."""
        self._encoder = encoder

    @property
    def identity(self) -> str:
        """The version of the rules, and the encoder."""
        return f"extractive-5:{self._encoder.identity if self._encoder else 'words'}"

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
        evidence = Evidence(asked_for(question, packet.blocks), packet.blocks)
        if self._encoder is not None and evidence.sentences and question.text.strip():
            try:
                evidence.meanings = _meanings(self._encoder, evidence)
            except EncoderError:
                repairs["read.encoder_failed"] += 1
        return [_line(evidence, each) for each in passages(evidence, choose(evidence))]


@dataclass(frozen=True)
class _AnswerLine:
    text: str
    memory_id: str
    quote: str


def _meanings(encoder: Encoder, evidence: Evidence) -> dict[str, Mapping[int, float]]:
    """Return, for each text to look for, its cosine with the most promising sentences."""
    parts = evidence.asked.parts
    wanted = [*parts, *(Part(part.event) for part in parts if part.event)]
    words = [evidence.scores(part) for part in wanted]
    ranked = sorted(
        range(len(evidence.sentences)), key=lambda index: -max(each[index] for each in words)
    )[:_ENCODED]
    texts = [part.text for part in wanted]
    vectors = encoder.texts([*texts, *(evidence.spoken(index) for index in ranked)])
    cosines = vectors[: len(texts)] @ vectors[len(texts) :].T
    return {
        text: dict(zip(ranked, row, strict=True))
        for text, row in zip(texts, cosines.tolist(), strict=True)
    }


def _line(evidence: Evidence, passage: Passage) -> _AnswerLine:
    """Return a passage as a line of the answer."""
    choice = passage.choice
    sentence = evidence.sentences[choice.index]
    block = evidence.blocks[sentence.block]
    if not sentence.text:
        return _AnswerLine(f"{statement(block)} [{block.rank}]", block.memory_id, "")
    quoted = passage.text(evidence)
    text = f"{quote(quoted)} {tag(block, passage.origin(evidence))}"
    if choice.superseded_by is not None:
        newer = evidence.blocks[evidence.sentences[choice.superseded_by].block]
        text += f" (superseded on {day_in_words(newer.date[:10])} by [{newer.rank}])"
    return _AnswerLine(text, block.memory_id, quoted)
