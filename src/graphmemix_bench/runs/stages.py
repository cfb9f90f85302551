"""What each stage of a benchmark run makes, and under which inputs it is kept.

::

    retrieval    (question, variant)              -> Ranking;  (context) -> Digest
    candidates   (question)                       -> Candidates
    node_scores  (candidates, verifier)           -> NodeScores
    edge_scores  (candidates, verifier)           -> EdgeScores
    selection    (scores or ranking, method)      -> Chosen
    answers      (question, memories in order)    -> Answered
    judgments    see `graphmemix_bench.judge`

Everything that a report needs is here, so that a report needs neither the data nor a model.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypeVar

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import CandidateGraph, Forest, Increment, StageCost, Support, Terms
from graphmemix.record import Json, Record
from graphmemix_bench.datasets.bundle import QuestionRow
from graphmemix_bench.measures.lifecycle import Cost
from graphmemix_bench.runs.artefacts import Stage, content_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix_bench.datasets.base import GoldQuestion

VerifierKind: TypeAlias = Literal["local", "llm", "joint"]
"""Who scores: the local verifier, a model in two calls, or a model in one."""

_R = TypeVar("_R", bound=Record)
_K = TypeVar("_K")
_V = TypeVar("_V")

_RECENT = 256  # records; a question has some thirty


@dataclass(frozen=True)
class Asked(Record):
    """A question of a run. Its pictures stay with the data; only their captions are here.

    Attributes:
        context: The archive that it is asked of.
        content: The hash of what that archive holds.
        row: The question with its answer and its gold.
        whole: The hash of the row with its pictures.
    """

    context: str
    content: str
    row: QuestionRow
    whole: str

    @property
    def inputs(self) -> dict[str, Json]:
        """What every stage of this question depends on."""
        return {"context": self.content, "question": self.whole}

    @property
    def label(self) -> str:
        """For people."""
        return f"{self.context}/{self.row.id}"


@dataclass(frozen=True)
class Digest(Record):
    """What it took to store, encode and relate the memories of a context.

    Attributes:
        memories: How many.
        cost: Encoding counts as it was measured when each text was first encoded.
    """

    memories: int
    cost: Cost


@dataclass(frozen=True)
class Ranking(Record):
    """What retrieval alone finds, best first, without expansion."""

    memory_ids: tuple[str, ...]
    scores: tuple[float, ...]
    seconds: float

    @property
    def decisive(self) -> Ranking:
        """What a selection depends on: the same again, whatever it took."""
        return replace(self, seconds=0.0)


@dataclass(frozen=True)
class Candidates(Record):
    """The bounded candidate graph."""

    graph: CandidateGraph
    seconds: float


@dataclass(frozen=True)
class NodeScores(Record):
    """What a verifier says of the candidates.

    Attributes:
        supports: One per candidate; empty if it failed.
        verifier: The identity of what decided.
        costs: Of these scores; of both judgments if one call gave both.
        repairs: Of both judgments.
        answerable: Chance that the archive holds the answer; None if not judged.
        error: Why there are none; empty if there are.
        terms: On which terms a forest is chosen from them.
    """

    supports: tuple[Support, ...]
    verifier: str
    costs: tuple[StageCost, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    answerable: float | None = None
    error: str = ""
    terms: Terms | None = None

    @property
    def gives_chances(self) -> bool:
        """Whether the scores are chances, and not calibrated utilities."""
        return self.terms is not None and self.terms.scale == "chance"

    @property
    def decisive(self) -> NodeScores:
        """What a selection depends on: the same again, whatever it took."""
        return replace(self, costs=(), repairs={})


@dataclass(frozen=True)
class EdgeScores(Record):
    """What a verifier says of the links."""

    increments: tuple[Increment, ...]
    costs: tuple[StageCost, ...] = ()

    @property
    def decisive(self) -> EdgeScores:
        """What a selection depends on: the same again, whatever it took."""
        return replace(self, costs=())


@dataclass(frozen=True)
class Chosen(Record):
    """What a rung of the ladder, or a selector, takes.

    Attributes:
        picks: Exactly K of them, or all if there are fewer.
        forest: What the reader gets; None for selectors, which are only compared.
        seconds: Of the choice alone.
    """

    picks: tuple[str, ...]
    forest: Forest | None
    seconds: float

    @property
    def told(self) -> tuple[str, ...]:
        """The memories that the reader gets, in its order."""
        return () if self.forest is None else self.forest.memory_ids


@dataclass(frozen=True)
class Answered(Record):
    """What the reader said.

    Attributes:
        text: Its words.
        reader: Its identity.
        cost: Of the call.
        cited: The memories that it cites.
        repairs: What had to be repaired.
        error: Why it said nothing; empty if it answered.
    """

    text: str
    reader: str
    cost: StageCost
    cited: tuple[str, ...] = ()
    repairs: Mapping[str, int] = field(default_factory=dict)
    error: str = ""


Source: TypeAlias = "tuple[Ranking] | tuple[NodeScores, EdgeScores]"
"""What a selection chooses from."""


class Rows(Protocol):
    """Rows of one stage by their inputs."""

    def get(self, inputs: Json) -> Json | None:
        """Return what the stage made of these inputs; None if nothing yet."""
        ...


class Writable(Rows, Protocol):
    """Rows that can be added to; `artefacts.Table` is it."""

    def put(self, inputs: Json, value: Json, *, label: str = "") -> None:
        """Append a row."""
        ...


class Books:
    """The stages of a run, typed. What is not there yet is None.

    What was read last is remembered: one question after the other is quick.
    """

    def __init__(self, rows: Mapping[Stage, Rows]) -> None:
        self.rows = rows
        self._read: OrderedDict[tuple[Stage, str], Record] = OrderedDict()
        self._hashes: OrderedDict[int, tuple[Record, str]] = OrderedDict()

    def digest(self, context: str, content: str) -> Digest | None:
        """Return what it took to digest a context."""
        return self._get("retrieval", _digest(context, content), Digest)

    def ranking(self, asked: Asked, variant: str) -> Ranking | None:
        """Return what a variant of retrieval found."""
        return self._get("retrieval", {**asked.inputs, "variant": variant}, Ranking)

    def candidates(self, asked: Asked) -> Candidates | None:
        """Return the candidate graph."""
        return self._get("candidates", asked.inputs, Candidates)

    def nodes(self, asked: Asked, graph: CandidateGraph, by: VerifierKind) -> NodeScores | None:
        """Return the scores of the candidates."""
        return self._get("node_scores", self._verified(asked, graph, by), NodeScores)

    def edges(self, asked: Asked, graph: CandidateGraph, by: VerifierKind) -> EdgeScores | None:
        """Return the scores of the links."""
        return self._get("edge_scores", self._verified(asked, graph, by), EdgeScores)

    def chosen(self, asked: Asked, method: str, source: Source) -> Chosen | None:
        """Return what a method takes from a ranking, or from supports and increments."""
        return self._get("selection", self._selected(asked, method, source), Chosen)

    def answered(self, asked: Asked, told: Sequence[str]) -> Answered | None:
        """Return the answer from these memories."""
        return self._get("answers", _told(asked, told), Answered)

    def _verified(self, asked: Asked, graph: CandidateGraph, by: VerifierKind) -> Json:
        return {**asked.inputs, "candidates": self._hash(graph), "verifier": by}

    def _selected(self, asked: Asked, method: str, source: Source) -> Json:
        told = list[Json](self._hash(each) for each in source)
        return {**asked.inputs, "method": method, "source": told}

    def _get(self, stage: Stage, inputs: Json, kind: type[_R]) -> _R | None:
        place = (stage, content_hash(inputs))
        if place not in self._read:
            found = self.rows[stage].get(inputs) if stage in self.rows else None
            if found is None:
                return None
            made: Record = kind.from_json(json.dumps(found))
            _remember(self._read, place, made)
        read = self._read[place]
        assert isinstance(read, kind)  # noqa: S101  # a stage's inputs say what they make
        return read

    def _hash(self, record: CandidateGraph | Ranking | NodeScores | EdgeScores) -> str:
        """Return the hash of a record. It is kept by identity, with the record that has it."""
        known = self._hashes.get(id(record))
        if known is None:
            bare = record if isinstance(record, CandidateGraph) else record.decisive
            known = record, content_hash(bare.to_json())
            _remember(self._hashes, id(record), known)
        return known[1]


class OpenBooks(Books):
    """The stages of a run that is under way."""

    def __init__(self, tables: Mapping[Stage, Writable]) -> None:
        super().__init__(tables)
        self._tables = tables

    def put_digest(self, context: str, content: str, value: Digest) -> None:
        """Keep what it took to digest a context."""
        self._put("retrieval", _digest(context, content), value, context)

    def put_ranking(self, asked: Asked, variant: str, value: Ranking) -> None:
        """Keep what a variant of retrieval found."""
        self._put("retrieval", {**asked.inputs, "variant": variant}, value, asked.label)

    def put_candidates(self, asked: Asked, value: Candidates) -> None:
        """Keep the candidate graph."""
        self._put("candidates", asked.inputs, value, asked.label)

    def put_verdict(
        self,
        asked: Asked,
        graph: CandidateGraph,
        by: VerifierKind,
        nodes: NodeScores,
        edges: EdgeScores,
    ) -> None:
        """Keep both judgments; that of the candidates last, so that it stands for both."""
        inputs = self._verified(asked, graph, by)
        if self.edges(asked, graph, by) is None:
            self._put("edge_scores", inputs, edges, asked.label)
        self._put("node_scores", inputs, nodes, asked.label)

    def put_chosen(self, asked: Asked, method: str, source: Source, value: Chosen) -> None:
        """Keep what a method takes."""
        self._put(
            "selection", self._selected(asked, method, source), value, f"{asked.label} {method}"
        )

    def put_answered(self, asked: Asked, told: Sequence[str], value: Answered) -> None:
        """Keep an answer."""
        self._put("answers", _told(asked, told), value, asked.label)

    def _put(self, stage: Stage, inputs: Json, value: Record, label: str) -> None:
        self._tables[stage].put(inputs, json.loads(value.to_json()), label=label)


def asked_of(context: str, content: str, question: GoldQuestion) -> Asked:
    """Return a question as runs keep it."""
    from graphmemix_bench.datasets.bundle import question_row

    row = question_row(question)
    images = tuple(replace(image, data=b"") for image in row.question.images)
    bare = replace(row, question=replace(row.question, images=images))
    return Asked(context, content, bare, content_hash(row.to_json()))


def require_distinct(asked: Sequence[Asked]) -> None:
    """Raise `InvalidInputError` if a context has two questions under one id."""
    seen: set[str] = set()
    for each in asked:
        if each.label in seen:
            raise InvalidInputError(f"question {each.label!r} is there twice")
        seen.add(each.label)


def _digest(context: str, content: str) -> Json:
    return {"digest": context, "content": content}


def _remember(kept: OrderedDict[_K, _V], key: _K, value: _V) -> None:
    kept[key] = value
    if len(kept) > _RECENT:
        kept.popitem(last=False)


def _told(asked: Asked, told: Sequence[str]) -> Json:
    return {**asked.inputs, "memories": list[Json](told)}
