"""What a run can measure: ways to retrieve, and rungs that choose from what was retrieved.

`LADDER` is that of METHOD section 8, from the plain embedding to the forest. `EVIDENCE` splits
retrieval into finer steps, each with its whole pool of candidates, and compares what the local
verifier's scores alone, its links and its forests choose.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import MAX_SUPPORT, EvidenceNode, EvidenceTree, Forest
from graphmemix.optimize.select import forest_of, terms_of, trusted_links
from graphmemix.settings import Settings
from graphmemix_bench.runs.stages import Chosen
from graphmemix_bench.selectors import SELECTORS, Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphmemix.evidence import Terms
    from graphmemix.memory import ViewKind
    from graphmemix_bench.baselines.protocol import Found, Mode
    from graphmemix_bench.runs.stages import EdgeScores, NodeScores, Ranking

MAIN: Final = "main"
"""The variant of retrieval that the settings name: the source of all candidates."""

DEPTH: Final = 48
"""How many memories a variant of retrieval ranks; as many as there are candidates."""


@dataclass(frozen=True)
class Variant:
    """One way to retrieve.

    Attributes:
        kinds: The views that count; None for those of the settings.
        overrides: Settings that differ.
    """

    kinds: tuple[ViewKind, ...] | None
    overrides: Mapping[str, object]


@dataclass(frozen=True)
class Rung:
    """One step.

    Attributes:
        key: As commands and files call it.
        name: As reports call it.
        variant: The retrieval whose ranking it takes; None if a verifier decides.
    """

    key: str
    name: str
    variant: str | None = None


_FORESTS: Final = ("greedy_forest", "forest_proposal", "exact_forest")

_ONLY_RANKED: Final = {
    "graph.hops": 0,
    "retrieval.seeds": DEPTH,
    "graph.candidates": DEPTH,
}
_DENSE: Final = {**_ONLY_RANKED, "retrieval.mode": "dense"}

_WORDS: Final[tuple[ViewKind, ...]] = ("text", "caption", "ocr", "context")

VARIANTS: Final[Mapping[str, Variant]] = {
    "embedding": Variant(("text", "image"), _DENSE),
    "multi_view": Variant(None, _DENSE),
    MAIN: Variant(None, _ONLY_RANKED),
    "dense_text": Variant(("text",), {"retrieval.mode": "dense"}),
    "captions": Variant(("text", "caption", "ocr"), {"retrieval.mode": "dense"}),
    "context_view": Variant(_WORDS, {"retrieval.mode": "dense"}),
    "bm25": Variant(
        _WORDS,
        {
            "retrieval.mode": "hybrid",
            **dict.fromkeys(
                (f"retrieval.{name}_weight" for name in ("time", "place", "person", "media")), 0.0
            ),
        },
    ),
    "constraints": Variant(_WORDS, {"retrieval.mode": "hybrid"}),
}

LADDER: Final = (
    Rung("embedding", "(a) embedding top-K", "embedding"),
    Rung("multi_view", "(b) + multi-view", "multi_view"),
    Rung("hybrid", "(b+) + words, constraints", MAIN),
    Rung("node", "(c) + node verifier"),
    Rung("ecv", "(d) + ECV rerank"),
    Rung("forest", "(e) + forest"),
)
"""From below. (b+) is ours, and is left out where retrieval is dense anyway."""

EVIDENCE: Final = (
    Rung("dense_text", "dense text", "dense_text"),
    Rung("captions", "+ captions", "captions"),
    Rung("context_view", "+ context view", "context_view"),
    Rung("bm25", "+ BM25", "bm25"),
    Rung("constraints", "+ constraints", "constraints"),
    Rung("node", "local verifier, top-K"),
    Rung("weights", "local verifier, links pointwise"),
    Rung("ecv", "local verifier, gains pointwise"),
    Rung("forest", "local verifier, forest"),
)
"""Retrieval step by step, then the likeliest memories; links by the published weights; links by
their gains; the forest."""

RUNGS: Final[Mapping[str, Rung]] = {each.key: each for each in (*LADDER[:3], *EVIDENCE, *LADDER)}
"""All rungs by key, from below, under the name of the ladder where it has one."""


def rungs_of(keys: Iterable[str], settings: Settings) -> tuple[Rung, ...]:
    """Return the rungs of these keys, from below; without keys, the ladder.

    Raises:
        InvalidInputError: There is no such rung.
    """
    wanted = list(keys) or [rung.key for rung in LADDER]
    for key in wanted:
        if key not in RUNGS:
            raise InvalidInputError(f"rung must be one of {', '.join(RUNGS)}, not {key!r}")
    dense = settings.retrieval.mode == "dense"
    return tuple(
        rung for key, rung in RUNGS.items() if key in wanted and not (dense and key == "hybrid")
    )


def settings_of(variant: Variant, base: Settings) -> Settings:
    """Return the settings under which a variant retrieves."""
    return Settings.load(environment={}, overrides={**base.flat(), **variant.overrides})


def from_found(found: Found, mode: Mode) -> Chosen:
    """Take what a baseline found, in its own words or as the memories themselves."""
    scores = found.scores or (0.0,) * len(found.told)
    forest = flat(zip(found.told, scores, strict=False), "baseline")
    if mode == "ids":
        return Chosen(found.picks, forest, 0.0, error=found.error)
    return Chosen(found.picks, forest, 0.0, found.words, found.pictures, found.answer, found.error)


def from_ranking(ranking: Ranking, budget: int) -> Chosen:
    """Take the first K."""
    picks = ranking.memory_ids[:budget]
    return Chosen(picks, flat(zip(picks, ranking.scores, strict=False), "top_k"), 0.0)


def from_scores(rung: str, nodes: NodeScores, edges: EdgeScores, settings: Settings) -> Chosen:
    """Take what a rung takes for which a verifier decides."""
    start = time.perf_counter()
    if rung == "forest":
        forest = forest_of(
            nodes.supports, edges.increments, _terms(nodes, settings), settings.forest.method
        )
        picks = () if forest is None else forest.proposal
        return Chosen(picks, forest, time.perf_counter() - start)
    worth = _alone(nodes) if rung == "node" else _pointwise(rung, nodes, edges, settings)
    ranked = sorted(worth, key=lambda memory_id: -worth[memory_id])[: settings.forest.budget]
    forest = flat(((memory_id, worth[memory_id]) for memory_id in ranked), rung)
    return Chosen(tuple(ranked), forest, time.perf_counter() - start)


def from_selector(
    name: str, pool: Pool, ids: Sequence[str], settings: Settings, terms: Terms | None = None
) -> Chosen:
    """Take what a selector takes from the frozen candidates, with the constants of the settings."""
    start = time.perf_counter()
    select: Callable[..., tuple[int, ...]] = SELECTORS[name]
    constants = _constants(settings, terms or terms_of(settings, "utility")).get(name, {})
    picks = tuple(ids[index] for index in select(pool, settings.forest.budget, **constants))
    return Chosen(picks, None, time.perf_counter() - start)


def prizes_of(name: str, nodes: NodeScores) -> tuple[float, ...]:
    """Return what a selector weighs: utilities if it takes a forest, else what ranks alone."""
    worth = _utilities(nodes) if name in _FORESTS else _alone(nodes)
    return tuple(worth[support.memory_id] for support in nodes.supports)


def _constants(settings: Settings, terms: Terms) -> Mapping[str, Mapping[str, float]]:
    """Return what each selector takes from the settings, under its own names."""
    of = settings.selectors
    forest = {
        "opening_cost": terms.proposal_opening_cost,
        "edge_cost_weight": terms.edge_cost_weight,
    }
    return {
        "mmr": {"redundancy_weight": of.mmr_redundancy},
        "relevance_redundancy": {"redundancy_weight": of.pair_redundancy},
        "dpp": {"quality_weight": of.dpp_quality, "width": of.dpp_width},
        "facility_location": {"coverage_weight": of.coverage_weight},
        "anchor_neighbour": {"link_weight": of.neighbour_bonus},
        "ecv_pointwise": {"link_weight": of.pointwise_bonus},
        **dict.fromkeys(_FORESTS, forest),
    }


def _terms(nodes: NodeScores, settings: Settings) -> Terms:
    return nodes.terms or terms_of(settings, "utility")


def _alone(nodes: NodeScores) -> dict[str, float]:
    """Return what ranks memories without links: utilities or chances.

    Where scores are chances, utilities count the lesser half of an exchange for less, and links
    make up for that, so scores rank better alone.
    """
    if nodes.gives_chances:
        return {each.memory_id: each.score / MAX_SUPPORT for each in nodes.supports}
    return _utilities(nodes)


def _utilities(nodes: NodeScores) -> dict[str, float]:
    return {support.memory_id: support.utility for support in nodes.supports}


def _pointwise(
    rung: str, nodes: NodeScores, edges: EdgeScores, settings: Settings
) -> dict[str, float]:
    """Return utilities with what each memory's link adds, whether its anchor is taken or not.

    Links between utilities add the published share of their weight. Those between chances encode
    gains as weights, so that the gains are what they add; the rung ``weights`` adds the share to
    both.
    """
    worth, terms = _utilities(nodes), _terms(nodes, settings)
    for _, candidate, weight in trusted_links(nodes.supports, edges.increments):
        if nodes.gives_chances and rung != "weights":
            bonus = max(0.0, terms.gain(weight, proposal=True))
        else:
            bonus = settings.selectors.pointwise_bonus * weight
        worth[nodes.supports[candidate].memory_id] += bonus
    return worth


def flat(worth: Iterable[tuple[str, float]], method: str) -> Forest | None:
    """Return a forest without links: each memory is a tree of its own, in this order."""
    pairs = list(worth)
    if not pairs:
        return None
    return Forest(
        trees=tuple(EvidenceTree((EvidenceNode(memory_id, value),)) for memory_id, value in pairs),
        proposal=tuple(memory_id for memory_id, _ in pairs),
        objective=sum(value for _, value in pairs),
        method=method,
        proven_optimal=False,
    )
