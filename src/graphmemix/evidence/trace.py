"""The whole way of one question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphmemix.evidence.answer import Answer, Packet
from graphmemix.evidence.candidates import Candidate, Edge
from graphmemix.evidence.forest import Forest
from graphmemix.evidence.question import Question
from graphmemix.evidence.verdicts import Increment, Scale, Support
from graphmemix.record import Record

__all__ = ["StageCost", "Trace"]


@dataclass(frozen=True)
class StageCost(Record):
    """What one stage took.

    Attributes:
        stage: Its name, such as ``retrieve``.
        seconds: Wall time.
        calls: Model calls, retries included.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        money: In the currency of the configured prices; 0 if none are set.
    """

    stage: str
    seconds: float
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0


@dataclass(frozen=True)
class Trace(Record):
    """The whole way of one question; replayable from its frozen candidates without any model.

    Attributes:
        question: What was asked.
        profile: The settings profile that was in force.
        candidates: ``C_q`` in retrieval order.
        anchors: The ids of ``A_q``.
        supports: Node verdicts, one per candidate.
        increments: Edge verdicts, one per candidate with an eligible anchor.
        forest: What was chosen; None if there was nothing to choose from.
        packet: What the reader got.
        answer: What it said; None for `recall`.
        costs: Time, calls, tokens and money per stage, in order.
        repairs: What had to be repaired in model replies, with counts. Never empty silently.
        id: Names the trace in its archive; empty if it was not saved.
        created_at: When the question came; None if unknown.
        edges: The discovery edges among the candidates.
        duplicates: Memories that were passed over as seeds: (passed over, in favour of).
        notes: What was found in the question, and what limits cut, in words.
        verifier: The identity of what scored the candidates.
        reader: The identity of what answered.
        answerable: Calibrated chance that the archive holds the answer; None if not judged.
    """

    question: Question
    profile: str
    candidates: tuple[Candidate, ...] = ()
    anchors: tuple[str, ...] = ()
    supports: tuple[Support, ...] = ()
    increments: tuple[Increment, ...] = ()
    forest: Forest | None = None
    packet: Packet | None = None
    answer: Answer | None = None
    costs: tuple[StageCost, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    id: str = ""
    created_at: datetime | None = None
    edges: tuple[Edge, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    verifier: str = ""
    reader: str = ""
    answerable: float | None = None

    @property
    def scale(self) -> Scale:
        """What the numbers of its verdict are."""
        if self.forest is not None and self.forest.terms is not None and self.forest.terms.scale:
            return self.forest.terms.scale
        # Traces from before scales were kept. Until then the local verifier alone gave chances.
        return "chance" if self.verifier.partition(":")[0] == "local" else "utility"
