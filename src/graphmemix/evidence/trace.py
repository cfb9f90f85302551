"""What the reader gets, what it answers, and the trace of everything that led there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from graphmemix.evidence import notebook
from graphmemix.evidence.forest import Candidate, Edge, Forest, Increment, Scale, Support
from graphmemix.evidence.question import Question
from graphmemix.evidence.rows import EvidenceRow, evidence_rows
from graphmemix.memory import Kind, Media, Modality
from graphmemix.record import Record

__all__ = ["Answer", "Block", "Citation", "Packet", "StageCost", "Trace"]


@dataclass(frozen=True)
class Block(Record):
    """One memory as the reader gets it (METHOD section 6).

    Attributes:
        rank: Evidence rank, from 1.
        memory_id: Which memory.
        source_id: Its id at the source.
        modalities: What it holds.
        text: Cleaned canonical text.
        date: As shown to the reader; empty if unknown or not shown.
        place: The same for the place.
        media: Pictures and videos that go with it.
        kind: What it is; None if not shown.
        speaker: Who wrote, said or took it; empty if unknown or not shown.
    """

    rank: int
    memory_id: str
    source_id: str
    modalities: tuple[Modality, ...]
    text: str
    date: str = ""
    place: str = ""
    media: tuple[Media, ...] = ()
    kind: Kind | None = None
    speaker: str = ""


@dataclass(frozen=True)
class Packet(Record):
    """The reader's input besides the question.

    Attributes:
        blocks: The evidence, in order.
        instruction: The data set's or the user's instruction; empty if none.
        dropped_media: Media left out to fit the context, as (memory id, file name).
        unreadable_media: Media left out because the file is missing or damaged, in the same form.
        shortened: Memories whose text was cut to fit the context.
    """

    blocks: tuple[Block, ...]
    instruction: str = ""
    dropped_media: tuple[tuple[str, str], ...] = ()
    unreadable_media: tuple[tuple[str, str], ...] = ()
    shortened: tuple[str, ...] = ()


@dataclass(frozen=True)
class Citation(Record):
    """A claim's source.

    Attributes:
        memory_id: The memory cited.
        quote: The words of the memory that support the claim; empty if the reader gave none.
    """

    memory_id: str
    quote: str = ""


@dataclass(frozen=True)
class Answer(Record):
    """What the user gets.

    Attributes:
        text: The answer.
        citations: Its sources, in order of appearance.
        extractive: True if it is quoted from memories because no reader model is set.
        answerable: Calibrated probability that the archive holds the answer; None if not computed.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    extractive: bool = False
    answerable: float | None = None

    def __repr__(self) -> str:
        return notebook.answer_line(self)

    def __str__(self) -> str:
        """The answer itself."""
        return self.text

    def _repr_html_(self) -> str:
        return notebook.answer_html(self)


@dataclass(frozen=True)
class StageCost(Record):
    """Time and model usage of one stage.

    Attributes:
        stage: Its name, such as ``retrieve``.
        seconds: Wall time.
        calls: Model calls, retries included.
        input_tokens: Tokens sent.
        output_tokens: Tokens received.
        money: In the currency of the configured prices; 0 if none are set.
        cached_tokens: How many of the tokens sent the server had read before, as far as it says.
    """

    stage: str
    seconds: float
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    cached_tokens: int = 0


@dataclass(frozen=True)
class Trace(Record):
    """Everything that happened for one question; can be replayed without any model.

    Attributes:
        question: What was asked.
        profile: The settings profile that was used.
        candidates: ``C_q`` in retrieval order.
        anchors: The ids of ``A_q``.
        supports: Node verdicts, one per candidate.
        increments: Edge verdicts, one per candidate with an eligible anchor.
        forest: What was chosen; None if there was nothing to choose from.
        packet: The evidence with its words, as a reader gets it; None in traces of `recall` that
            were saved before it was recorded.
        answer: Its answer; None for `recall`.
        costs: Time, calls, tokens and money per stage, in order.
        repairs: Counts of what had to be repaired in model replies.
        id: Names the trace in its archive; empty if it was not saved.
        created_at: When the question was asked; None if unknown.
        edges: The discovery edges among the candidates.
        duplicates: Memories skipped as seeds, as (skipped, better).
        notes: What was understood in the question, and what limits cut, in words.
        verifier: The identity of the verifier.
        reader: The identity of the reader.
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

    def __repr__(self) -> str:
        return notebook.trace_line(self)

    def _repr_html_(self) -> str:
        return notebook.trace_html(self)

    @property
    def evidence(self) -> list[EvidenceRow]:
        """The chosen memories in reading order, a row each: ``pandas.DataFrame(trace.evidence)``.

        Empty if there are none.
        """
        return evidence_rows(self)

    @property
    def scale(self) -> Scale:
        """What the numbers of its verdict mean."""
        if self.forest is not None and self.forest.terms is not None and self.forest.terms.scale:
            return self.forest.terms.scale
        # Traces saved before scales were recorded. Then only the local verifier gave chances.
        return "chance" if self.verifier.partition(":")[0] == "local" else "utility"
