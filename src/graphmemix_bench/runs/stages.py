"""What each stage of a benchmark run makes, and under which inputs it is kept.

::

    retrieval    (question, variant)              -> Ranking;  (context) -> Digest
    candidates   (question)                       -> Candidates
    node_scores  (candidates, verifier)           -> NodeScores
    edge_scores  (candidates, verifier)           -> EdgeScores
    built        (context, baseline, key)         -> Made;  (context, baseline) -> BuildTotal
    found        (question, baseline)             -> Found
    selection    (scores or ranking, method)      -> Chosen
    answers      (question, what the reader gets) -> Answered
    judgments    see `graphmemix_bench.judge`

Everything that a report needs is here, so that a report needs neither the data nor a model.
"""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Generic, Literal, TypeAlias, TypeVar

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import CandidateGraph, Forest, Increment, StageCost, Support, Terms
from graphmemix.record import Json, Record
from graphmemix_bench.baselines.protocol import Found, Made
from graphmemix_bench.datasets.bundle import QuestionRow, question_row
from graphmemix_bench.measures.lifecycle import Cost
from graphmemix_bench.runs.artefacts import Rows, Stage, Table, content_hash

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix_bench.datasets.base import GoldQuestion

VerifierKind: TypeAlias = Literal["local", "llm", "joint"]
"""Who scores: the local verifier, a model in two calls, or a model in one."""

_R = TypeVar("_R", bound=Record)

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
        update: What of it the last `updated` memories took, which were added to all others.
        updated: How many those were.
    """

    memories: int
    cost: Cost
    update: Cost = field(default_factory=Cost)
    updated: int = 0


@dataclass(frozen=True)
class BuildTotal(Record):
    """What it took a baseline to store the memories of a context.

    Attributes:
        memories: How many.
        costs: By stage.
        update: What of it the last `updated` memories took.
        updated: How many those were.
        repairs: What had to be repaired in replies, with counts.
    """

    memories: int
    costs: tuple[StageCost, ...] = ()
    update: Cost = field(default_factory=Cost)
    updated: int = 0
    repairs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Ranking(Record):
    """What retrieval alone finds, best first, without expansion."""

    memory_ids: tuple[str, ...]
    scores: tuple[float, ...]
    seconds: float

    @cached_property
    def digest(self) -> str:
        """The hash of what a selection depends on: everything but the time it took."""
        return content_hash(replace(self, seconds=0.0).to_json())


@dataclass(frozen=True)
class Candidates(Record):
    """The bounded candidate graph."""

    graph: CandidateGraph
    seconds: float

    @cached_property
    def digest(self) -> str:
        """The hash of the graph."""
        return content_hash(self.graph.to_json())


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

    @cached_property
    def digest(self) -> str:
        """The hash of what a selection depends on: everything but what it took."""
        return content_hash(replace(self, costs=(), repairs={}).to_json())


@dataclass(frozen=True)
class EdgeScores(Record):
    """What a verifier says of the links."""

    increments: tuple[Increment, ...]
    costs: tuple[StageCost, ...] = ()

    @cached_property
    def digest(self) -> str:
        """The hash of what a selection depends on: everything but what it took."""
        return content_hash(replace(self, costs=()).to_json())


@dataclass(frozen=True)
class Chosen(Record):
    """What a rung of the ladder, or a selector, takes.

    Attributes:
        picks: Exactly K of them, or all if there are fewer.
        forest: What the reader gets; None for selectors, which are only compared.
        seconds: Of the choice alone.
        words: What the reader gets instead of a memory's own words, by memory.
        pictures: Whether it gets pictures too.
        answer: What a system that answers itself said; the reader is not asked then.
        error: Why such a system said nothing.
    """

    picks: tuple[str, ...]
    forest: Forest | None
    seconds: float
    words: Mapping[str, str] = field(default_factory=dict)
    pictures: bool = True
    answer: str | None = None
    error: str = ""

    @property
    def memory_ids(self) -> tuple[str, ...]:
        """The memories that the reader gets, in its order."""
        return () if self.forest is None else self.forest.memory_ids

    @property
    def shown(self) -> dict[str, Json]:
        """What an answer depends on: the memories in order, and other words if there are any."""
        found: dict[str, Json] = {"memories": list[Json](self.memory_ids)}
        if self.words or self.answer is not None or self.error:
            own: Json = [dict(self.words), self.pictures, self.answer, self.error]
            found["words"] = content_hash(own)
        return found


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


Source: TypeAlias = "tuple[Ranking] | tuple[Found] | tuple[NodeScores, EdgeScores]"
"""What a selection chooses from."""


@dataclass(frozen=True)
class Key(Generic[_R]):
    """Where a stage keeps one record.

    Attributes:
        stage: Which.
        inputs: What the record depends on.
        kind: What the record is.
        label: For people.
    """

    stage: Stage
    inputs: Json
    kind: type[_R]
    label: str


def digest_key(context: str, content: str) -> Key[Digest]:
    """What it took to ingest a context."""
    return Key("retrieval", {"digest": context, "content": content}, Digest, context)


def ranking_key(asked: Asked, variant: str) -> Key[Ranking]:
    """What a variant of retrieval found."""
    return Key("retrieval", {**asked.inputs, "variant": variant}, Ranking, asked.label)


def candidates_key(asked: Asked) -> Key[Candidates]:
    """The candidate graph."""
    return Key("candidates", asked.inputs, Candidates, asked.label)


def nodes_key(asked: Asked, candidates: Candidates, by: VerifierKind) -> Key[NodeScores]:
    """The scores of the candidates."""
    return Key("node_scores", _verified(asked, candidates, by), NodeScores, asked.label)


def edges_key(asked: Asked, candidates: Candidates, by: VerifierKind) -> Key[EdgeScores]:
    """The scores of the links."""
    return Key("edge_scores", _verified(asked, candidates, by), EdgeScores, asked.label)


def built_key(context: str, content: str, baseline: str, key: str) -> Key[Made]:
    """What a baseline made of one memory, or with one call."""
    return Key("built", _of_baseline(content, baseline, key), Made, context)


def build_total_key(context: str, content: str, baseline: str) -> Key[BuildTotal]:
    """What it took a baseline to store a context."""
    return Key("built", _of_baseline(content, baseline, None), BuildTotal, context)


def _of_baseline(content: str, baseline: str, key: str | None) -> Json:
    return {"context": content, "baseline": baseline, "key": key}


def found_key(asked: Asked, baseline: str) -> Key[Found]:
    """What a baseline found."""
    return Key("found", {**asked.inputs, "baseline": baseline}, Found, asked.label)


def chosen_key(asked: Asked, method: str, source: Source) -> Key[Chosen]:
    """What a method takes from a ranking, or from the scores of candidates and links."""
    digests = list[Json](each.digest for each in source)
    inputs: Json = {**asked.inputs, "method": method, "source": digests}
    return Key("selection", inputs, Chosen, f"{asked.label} {method}")


def answer_key(asked: Asked, chosen: Chosen) -> Key[Answered]:
    """The answer from what was chosen: two ways that show the reader the same share it."""
    inputs: Json = {**asked.inputs, **chosen.shown}
    return Key("answers", inputs, Answered, asked.label)


def _verified(asked: Asked, candidates: Candidates, by: VerifierKind) -> Json:
    return {**asked.inputs, "candidates": candidates.digest, "verifier": by}


class Stages:
    """The records of all stages of a run. Those that were read last are remembered."""

    def __init__(self, rows: Mapping[Stage, Rows]) -> None:
        """Use these rows; only tables can be added to."""
        self.rows = rows
        self._read: OrderedDict[tuple[Stage, str], Record] = OrderedDict()

    def get(self, key: Key[_R]) -> _R | None:
        """Return a record; None if it was not made yet."""
        place = (key.stage, content_hash(key.inputs))
        if place not in self._read:
            found = self.rows[key.stage].get(key.inputs) if key.stage in self.rows else None
            if found is None:
                return None
            self._read[place] = key.kind.from_json(json.dumps(found))
            if len(self._read) > _RECENT:
                self._read.popitem(last=False)
        read = self._read[place]
        assert isinstance(read, key.kind)  # noqa: S101  # a key's inputs decide its kind
        return read

    def put(self, key: Key[_R], value: _R) -> None:
        """Keep a record."""
        table = self.rows[key.stage]
        assert isinstance(table, Table)  # noqa: S101  # only a run under way puts records
        table.put(key.inputs, json.loads(value.to_json()), label=key.label)

    def scores(
        self, asked: Asked, candidates: Candidates, by: VerifierKind
    ) -> tuple[NodeScores, EdgeScores] | None:
        """Return what a verifier said of candidates and links; None if it was not asked yet."""
        nodes = self.get(nodes_key(asked, candidates, by))
        edges = self.get(edges_key(asked, candidates, by))
        return None if nodes is None or edges is None else (nodes, edges)

    def put_scores(
        self,
        asked: Asked,
        candidates: Candidates,
        by: VerifierKind,
        scores: tuple[NodeScores, EdgeScores],
    ) -> None:
        """Keep what a verifier said; candidates last, so that they are there with their links."""
        edges = edges_key(asked, candidates, by)
        if self.get(edges) is None:
            self.put(edges, scores[1])
        self.put(nodes_key(asked, candidates, by), scores[0])


def asked_of(context: str, content: str, question: GoldQuestion) -> Asked:
    """Return a question as runs keep it."""
    row = question_row(question)
    images = tuple(replace(image, data=b"") for image in row.question.images)
    bare = replace(row, question=replace(row.question, images=images))
    return Asked(context, content, bare, content_hash(row.to_json()))


def require_distinct(asked: Sequence[Asked]) -> None:
    """Raise `InvalidInputError` if a context has two questions under one id."""
    seen: set[str] = set()
    for each in asked:
        if each.label in seen:
            raise InvalidInputError(f"question {each.label!r} occurs twice")
        seen.add(each.label)
