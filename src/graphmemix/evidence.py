"""What one question collects on its way: candidates, scores, links, the forest, the answer.

Everything here is frozen and goes through JSON unchanged, so that a `Trace` can be saved, shown and
replayed without any model. Memories are named by id throughout.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, TypeAlias, get_args

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Kind, Media, Modality
from graphmemix.record import Record

__all__ = [
    "Answer",
    "Block",
    "Candidate",
    "CandidateGraph",
    "Citation",
    "Edge",
    "EvidenceNode",
    "EvidenceTree",
    "Forest",
    "Increment",
    "Packet",
    "Provenance",
    "Question",
    "QuestionImage",
    "Relation",
    "Role",
    "StageCost",
    "Support",
    "Trace",
    "Turn",
]

Relation: TypeAlias = Literal[
    "same_round",
    "consecutive_turn",
    "event_bridge",
    "same_record",
    "record_grounding",
    "reply_to",
    "attachment_of",
    "same_document",
    "semantic",
]
"""How two memories are related (METHOD section 2). All but ``semantic`` are schema relations."""

Role: TypeAlias = Literal[
    "new_fact", "clarification", "corroboration", "redundant", "conflict", "irrelevant"
]
"""What a memory adds once its anchor is known (METHOD section 4). The first three are positive."""

_RELATIONS = frozenset(get_args(Relation))

MAX_SUPPORT = 5.0
"""Verifier scores run from 0 to this."""


@dataclass(frozen=True)
class QuestionImage(Record):
    """A picture that is part of a question.

    Attributes:
        data: The encoded file.
        mime: Its media type.
        caption: A description, for encoders and verifiers that see no pixels.
    """

    data: bytes
    mime: str = "image/jpeg"
    caption: str = ""


@dataclass(frozen=True)
class Turn(Record):
    """An earlier turn of the conversation that a question continues."""

    role: Literal["user", "assistant"]
    text: str


@dataclass(frozen=True)
class Question(Record):
    """What is asked (METHOD section 0): text, images, or both.

    Attributes:
        text: The words.
        images: The pictures.
        asked_at: When it is asked; relative dates ("last summer") are read from here.
        as_of: Hide every memory from after this moment.
        history: Earlier turns, oldest first.
    """

    text: str = ""
    images: tuple[QuestionImage, ...] = ()
    asked_at: datetime | None = None
    as_of: datetime | None = None
    history: tuple[Turn, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip() and not self.images:
            raise InvalidDataError("question: needs a text or an image")
        for name, moment in (("asked_at", self.asked_at), ("as_of", self.as_of)):
            if moment is not None and moment.utcoffset() is None:
                raise InvalidDataError(f"question.{name}: needs a time zone")


@dataclass(frozen=True)
class Edge(Record):
    """A discovery edge (METHOD section 2): two memories that belong together, whatever is asked.

    Attributes:
        source: One memory; edges have no direction, and the lower id stands first.
        target: The other.
        relation: Why.
        confidence: 0.99 for schema relations, the cosine for semantic ones.
    """

    source: str
    target: str
    relation: Relation
    confidence: float

    def __post_init__(self) -> None:
        if self.relation not in _RELATIONS:
            raise InvalidDataError(f"edge.relation: there is no relation {self.relation!r}")
        if not math.isfinite(self.confidence):
            raise InvalidDataError(f"edge.confidence: must be finite, not {self.confidence!r}")
        if self.source >= self.target:
            raise InvalidDataError(
                "edge: the lower id must stand first, and no memory is its own peer"
            )


@dataclass(frozen=True)
class Provenance(Record):
    """Why a memory that was not retrieved is a candidate: the seed that reached it, and how."""

    seed_id: str
    relation: Relation
    confidence: float


@dataclass(frozen=True)
class Candidate(Record):
    """A member of ``C_q``. Its position in the candidate list is the retrieval order.

    Attributes:
        memory_id: Which memory.
        score: ``s_i``, the retrieval score.
        seed_rank: Its rank among the seeds, from 0; None if it came by expansion.
        via: For an expanded candidate, the edges that reached it, best first.
        dense: The part of the score that comes from vectors: the best cosine of its views.
        lexical: The part that comes from words: BM25 as a share of the best in the archive.
        matched: What it gains by the dates, places, people and media that the question names.
        chance: The hybrid score on a calibrated scale: how often a memory with this score is
            evidence. None for the dense score, which is not calibrated.
    """

    memory_id: str
    score: float
    seed_rank: int | None = None
    via: tuple[Provenance, ...] = ()
    dense: float = 0.0
    lexical: float = 0.0
    matched: float = 0.0
    chance: float | None = None


@dataclass(frozen=True)
class CandidateGraph(Record):
    """``C_q`` and how it came about (METHOD section 2).

    Attributes:
        candidates: In retrieval order: seeds first, then what expansion reached.
        edges: The discovery edges among them.
        duplicates: Memories that were passed over as seeds because they show the same as a better
            one: (passed over, in favour of).
        notes: What was found in the question and influenced the scores, in words.
    """

    candidates: tuple[Candidate, ...]
    edges: tuple[Edge, ...] = ()
    duplicates: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Support(Record):
    """The node verifier's verdict on one candidate (METHOD section 3).

    Attributes:
        memory_id: Which memory.
        score: ``v_i``, 0 to 5.
        utility: ``p_i``, the calibrated prize.
    """

    memory_id: str
    score: float
    utility: float


@dataclass(frozen=True)
class Increment(Record):
    """The edge verifier's verdict on one candidate (METHOD section 4).

    Attributes:
        memory_id: The candidate.
        anchor_id: The anchor that it adds most to; None if there is none.
        score: Incremental support, 0 to 5.
        role: What it adds once the anchor is known.
        weight: ``w`` of the trusted link, in (0, 1]; 0 if the link is not trusted.
        relations: The schema relations that made the pair eligible.
    """

    memory_id: str
    anchor_id: str | None
    score: float
    role: Role
    weight: float = 0.0
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True)
class EvidenceNode(Record):
    """A chosen memory in its tree.

    Attributes:
        memory_id: Which memory.
        utility: ``p_i``.
        parent_id: The memory that it hangs on; None for the root.
        role: The role of the link to its parent; None for the root.
        weight: The weight of that link; None for the root.
    """

    memory_id: str
    utility: float
    parent_id: str | None = None
    role: Role | None = None
    weight: float | None = None


@dataclass(frozen=True)
class EvidenceTree(Record):
    """Memories that answer together: the root, then the others breadth-first (METHOD section 6)."""

    nodes: tuple[EvidenceNode, ...]

    @property
    def root(self) -> EvidenceNode:
        """The member of highest utility."""
        return self.nodes[0]


@dataclass(frozen=True)
class Forest(Record):
    """The chosen evidence (METHOD section 5).

    Attributes:
        trees: By falling utility of their roots.
        proposal: The K memories before refinement, in retrieval order.
        objective: The value of the refined forest.
        method: The solver that ran.
        proven_optimal: Whether no better forest exists.
        links: The links of the proposal, as (anchor, memory).
        objective_before: The value of the K memories of highest utility.
        objective_after: The value of the proposal.
        swaps: How many swaps the published search accepted; 0 for the other methods.
    """

    trees: tuple[EvidenceTree, ...]
    proposal: tuple[str, ...]
    objective: float
    method: str
    proven_optimal: bool
    links: tuple[tuple[str, str], ...] = ()
    objective_before: float = 0.0
    objective_after: float = 0.0
    swaps: int = 0

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """All members, in the order in which the reader gets them."""
        return tuple(node.memory_id for tree in self.trees for node in tree.nodes)


@dataclass(frozen=True)
class Block(Record):
    """One memory as the reader gets it (METHOD section 6).

    Attributes:
        rank: Evidence rank, from 1.
        memory_id: Which memory.
        source_id: What its source calls it.
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
    """Everything that the reader gets besides the question.

    Attributes:
        blocks: The evidence, in order.
        instruction: The data set's or the user's instruction; empty if none.
        dropped_media: Media left out to fit the context, as (memory id, file name).
        unreadable_media: Media left out because the file is missing or damaged, named likewise.
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
        quote: The words of the memory that carry the claim; empty if the reader gave none.
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
