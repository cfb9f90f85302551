"""UniversalRAG: one index for each modality and size; a router names those that a question needs.

By Yeo et al., ACL 2026. Pictures and videos are found by their captions here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from pydantic import Field

from graphmemix.encode.chunks import chunks
from graphmemix.evidence import StageCost
from graphmemix.retrieve.constraints import find_constraints
from graphmemix_bench.baselines.asking import Asked, Schema
from graphmemix_bench.baselines.frame import System, Titles
from graphmemix_bench.baselines.protocol import Found
from graphmemix_bench.baselines.rows import Encoding, Rows, asked
from graphmemix_bench.baselines.words import later, worded

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.encode.protocol import Matrix
    from graphmemix.evidence import Question
    from graphmemix.memory import Memory
    from graphmemix.settings import Settings
    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Journal

Corpus: TypeAlias = Literal["paragraph", "document", "table", "image", "clip", "video"]
Route: TypeAlias = Literal["no", "paragraph", "document", "table", "image", "clip", "video"]

CORPORA: Final[tuple[Corpus, ...]] = ("paragraph", "document", "table", "image", "clip", "video")
_ROUTER_TOKENS: Final = 32
_SPREADSHEETS: Final = ("spreadsheet", "csv", "excel")
_LISTING: Final = re.compile(r"\b(?:how many|list|all|both|compare|which of)\b", re.IGNORECASE)

TITLES: Final = Titles(
    "universalrag",
    "UniversalRAG",
    "one encoder in all corpora, pictures by their captions",
    "routes by words for media and lists, pictures by their captions",
)


class _Routed(Schema):
    routes: list[Route] = Field(min_length=1, max_length=3)


@dataclass
class _Index:
    """One corpus: rows, and the place of the memory of each."""

    rows: Rows
    owners: list[int]


class UniversalRag(System):
    """UniversalRAG, with a model that routes or with rules."""

    async def build(self, memories: Sequence[Memory], journal: Journal) -> UniversalRagBuilt:
        """Index every corpus; no call."""
        encoding = Encoding(self.encoder)
        kept = tuple({memory.id: memory for memory in memories}.values())
        three = self.options.universalrag_labels == "three"
        indices: dict[Corpus, _Index] = {}
        for corpus in CORPORA:
            units = [
                (place, text)
                for place, memory in enumerate(kept)
                for text in _units(corpus, memory, self.settings, three=three)
            ]
            rows = Rows(self.encoder.dimension)
            rows.add(encoding.texts([text for _, text in units]))
            indices[corpus] = _Index(rows, [place for place, _ in units])
        encoding.keep(journal)
        return UniversalRagBuilt(self, kept, indices)


def _units(corpus: Corpus, memory: Memory, settings: Settings, *, three: bool) -> list[str]:
    """Return what a memory adds to a corpus. Text corpora hold no records that are media alone."""
    if corpus in {"paragraph", "document", "table"}:
        if not memory.text.strip() and not three:
            return []
        if corpus == "table":
            return [worded(memory)] if _is_table(memory) else []
        text = worded(memory)
        if corpus == "document":
            return [text] if text else []
        views = settings.views
        return chunks(text, size=views.chunk_characters, overlap=views.chunk_overlap)
    wanted = "image" if corpus == "image" else "video"
    captions = [
        medium.description.caption or medium.description.short_caption
        for medium in memory.media
        if medium.modality == wanted
    ]
    return [caption for caption in captions if caption]


def _is_table(memory: Memory) -> bool:
    kinds = [medium.mime for medium in memory.media]
    return memory.kind == "document" and any(
        word in mime for mime in kinds for word in _SPREADSHEETS
    )


class UniversalRagBuilt:
    """All corpora of a context."""

    def __init__(
        self, of: UniversalRag, memories: Sequence[Memory], indices: dict[Corpus, _Index]
    ) -> None:
        self._of = of
        self._memories = memories
        self._indices = indices

    async def find(self, question: Question, budget: int) -> Found:
        """Search the routed corpora and merge them by turns."""
        routes, reply = await self._routes(question)
        parts, seconds = asked(question, self._of.encoder)
        costs = [StageCost("search", seconds)]
        repairs: dict[str, int] = {}
        if reply is not None:
            costs.append(reply.cost)
            repairs |= reply.repairs
        if routes == ["no"]:
            return Found(costs=tuple(costs), repairs=repairs, figures={"routed_no": 1.0})
        hidden = later(self._memories, question)
        found = [ranked for each in routes if (ranked := self._search(each, parts, hidden))]
        if not found:
            repairs["empty_route"] = 1
            plain = [self._search(corpus, parts, hidden) for corpus in ("document", "paragraph")]
            found = [ranked for ranked in plain if ranked][:1]
        picked = _by_turns(found, budget)
        picks = tuple(self._memories[place].id for place, _ in picked)
        return Found(
            picks,
            picks,
            tuple(score for _, score in picked),
            {m.id: text for place, _ in picked if (text := worded(m := self._memories[place]))},
            costs=tuple(costs),
            repairs=repairs,
            figures={"routed_no": 0.0},
        )

    async def _routes(self, question: Question) -> tuple[list[str], Asked[_Routed] | None]:
        asker = self._of.asker()
        if asker is None:
            return list(_routed_by_words(question)), None
        captions = [image.caption for image in question.images if image.caption]
        text = f"Question: {' '.join([question.text, *captions])}"
        reply = await asker.reply("universalrag_route", text, _Routed, "route", _ROUTER_TOKENS)
        named = reply.value.routes if reply.value else ["document"]
        routes: list[str] = [each for each in dict.fromkeys(named) if each != "no"]
        if self._of.options.universalrag_labels == "three":
            short = {
                "paragraph": "document",
                "table": "document",
                "clip": "image",
                "video": "image",
            }
            routes = list(dict.fromkeys(short.get(each, each) for each in routes))
        ordered = [corpus for corpus in CORPORA if corpus in routes]
        return list(ordered) or ["no"], reply

    def _search(self, route: str, parts: Matrix, hidden: set[int]) -> list[tuple[int, float]]:
        """Return the memories of a corpus by their best unit, best first."""
        index = next(each for corpus, each in self._indices.items() if corpus == route)
        found: dict[int, float] = {}
        for row, score in index.rows.best(parts, len(index.rows)):
            if index.owners[row] not in hidden:
                found.setdefault(index.owners[row], score)
        return list(found.items())


def _by_turns(rankings: Sequence[list[tuple[int, float]]], budget: int) -> list[tuple[int, float]]:
    """Return memories by turns, each ranking giving its next that is not taken yet."""
    taken: dict[int, float] = {}
    waiting = [iter(ranking) for ranking in rankings]
    while waiting and len(taken) < budget:
        for each in list(waiting):
            place = next((pair for pair in each if pair[0] not in taken), None)
            if place is None:
                waiting.remove(each)
            elif len(taken) < budget:
                taken[place[0]] = place[1]
    return list(taken.items())


def _routed_by_words(question: Question) -> tuple[Corpus, ...]:
    constraints = find_constraints(question.text, question.asked_at)
    media = {modality for each in constraints.media for modality in each.modalities}
    kinds = sum(map(bool, (constraints.times, constraints.places, constraints.people)))
    if "video" in media:
        return ("paragraph", "video")
    if question.images or "image" in media:
        return ("paragraph", "image")
    return ("document",) if _LISTING.search(question.text) or kinds > 1 else ("paragraph",)


def open_universalrag(parts: BaselineParts) -> UniversalRag:
    """Return UniversalRAG on these parts."""
    return UniversalRag.opened(TITLES, parts, ("universalrag_route",), ("universalrag_",))
