"""From seeds to the bounded candidate graph (METHOD section 2, eq. 5)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, TypeAlias

from graphmemix.evidence import Candidate, CandidateGraph, Provenance
from graphmemix.retrieve.image_hash import PREFIX, passed_over
from graphmemix.retrieve.prior import Prior, Scored

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graphmemix.evidence import Edge, Relation
    from graphmemix.settings import RetrievalSettings, Settings
    from graphmemix.store.protocol import Filter, Store

Way: TypeAlias = "tuple[float, int, Relation, str]"
"""How a memory was reached: minus the edge's confidence, the rank of the seed, relation, seed."""

_OURS: Final = frozenset({"reply_to", "attachment_of", "same_document"})


def candidate_graph(
    prior: Prior, store: Store, settings: Settings, filter: Filter | None = None
) -> CandidateGraph:
    """Return at most M candidates: seeds in retrieval order, then what expansion reached.

    Expanded candidates rank by hop, falling edge confidence, the rank of the seed that reached
    them, and id. Costs one search and one edge lookup per hop.

    Args:
        prior: Scores memories for the question.
        store: Where edges are.
        settings: How many of everything.
        filter: What may appear at all.
    """
    seeds, duplicates = _seeds(prior, store, settings)
    ids = [seed.memory_id for seed in seeds]
    around = _usable(store.edges(ids), settings)
    expanded = _expanded(ids, around, store, settings, filter)
    chosen = list(expanded)[: settings.graph.candidates - len(seeds)]
    scores = _scores(prior, chosen, settings)
    candidates = [_candidate(seed, rank, (), settings.retrieval) for rank, seed in enumerate(seeds)]
    candidates += [
        _candidate(scores[i], None, _provenance(expanded[i]), settings.retrieval) for i in chosen
    ]
    edges = _edges_among(set(ids), chosen, around, store, settings)
    return CandidateGraph(tuple(candidates), tuple(edges), tuple(sorted(duplicates.items())))


def _seeds(prior: Prior, store: Store, settings: Settings) -> tuple[list[Scored], dict[str, str]]:
    """Return the best memories without those that show the same as a better one, and these."""
    retrieval = settings.retrieval
    most = min(retrieval.seeds, settings.graph.candidates, retrieval.retrieved)
    # The floor lies below all that retrieval returns, so then all of it is needed.
    wanted = retrieval.retrieved if settings.graph.unretrieved_score == "floor" else most
    while True:
        ranked = prior.best(wanted)
        ids = [each.memory_id for each in ranked]
        looks = store.keys(ids, prefix=PREFIX) if retrieval.duplicate_bits else {}
        duplicates = passed_over(ids, looks, most_bits=retrieval.duplicate_bits)
        seeds = [each for each in ranked if each.memory_id not in duplicates][:most]
        if len(seeds) == most or len(ranked) < wanted or wanted >= retrieval.retrieved:
            return seeds, duplicates
        wanted = min(2 * wanted, retrieval.retrieved)


def _expanded(
    seeds: Sequence[str],
    around: Sequence[Edge],
    store: Store,
    settings: Settings,
    filter: Filter | None,
) -> dict[str, list[Way]]:
    """Return what is reachable within H hops, in order, and how each was reached.

    `around` are the edges of the seeds.
    """
    seed_of = {seed: seed for seed in seeds}
    rank_of = {seed: rank for rank, seed in enumerate(seeds)}
    reached: dict[str, list[Way]] = {}
    frontier = list(seeds)
    for hop in range(settings.graph.hops):
        edges = _usable(store.edges(frontier), settings) if hop else around
        found: dict[str, list[Way]] = {}
        inside = set(frontier)
        for edge in edges:
            source, target = edge.source, edge.target
            for here, there in ((source, target), (target, source)):
                if here in inside and there not in seed_of:
                    seed = seed_of[here]
                    way = (-edge.confidence, rank_of[seed], edge.relation, seed)
                    found.setdefault(there, []).append(way)
        if filter is not None:
            passing = store.passing(found, filter)
            found = {memory_id: ways for memory_id, ways in found.items() if memory_id in passing}
        for ways in found.values():
            ways.sort()
        frontier = sorted(found, key=lambda i: (*found[i][0][:2], i))
        for memory_id in frontier:
            reached[memory_id] = found[memory_id]
            seed_of[memory_id] = found[memory_id][0][3]
    return reached


def _provenance(ways: Sequence[Way]) -> tuple[Provenance, ...]:
    return tuple(Provenance(seed, relation, -minus) for minus, _, relation, seed in ways)


def _edges_among(
    seeds: set[str], others: Sequence[str], around: Sequence[Edge], store: Store, settings: Settings
) -> list[Edge]:
    """Return the edges among all candidates; those that touch seeds are known."""
    inside = seeds | set(others)
    edges = [edge for edge in around if edge.source in inside and edge.target in inside]
    if others:
        rest = inside - seeds
        further = _usable(store.edges(others), settings)
        edges += [edge for edge in further if edge.source in rest and edge.target in rest]
        edges.sort(key=lambda edge: (edge.source, edge.target, edge.relation))
    return edges


def _usable(edges: list[Edge], settings: Settings) -> list[Edge]:
    if settings.graph.own_relations:
        return edges
    return [edge for edge in edges if edge.relation not in _OURS]


def _scores(prior: Prior, chosen: Sequence[str], settings: Settings) -> Mapping[str, Scored]:
    """Return the score of each expanded candidate: its own, or the floor if so set."""
    if not chosen:
        return {}
    scored = prior.scored(chosen)
    if settings.graph.unretrieved_score == "true":
        return scored
    retrieved = prior.retrieved()
    known = {each.memory_id for each in retrieved}
    floor = min((each.score for each in retrieved), default=0.0) - settings.graph.floor_margin
    return {i: each if i in known else Scored(i, floor, each.dense) for i, each in scored.items()}


def _candidate(
    scored: Scored, rank: int | None, via: tuple[Provenance, ...], settings: RetrievalSettings
) -> Candidate:
    chance = None
    if settings.mode == "hybrid":
        log_odds = settings.chance_slope * scored.score + settings.chance_offset
        chance = 1 / (1 + math.exp(-log_odds))  # scores are bounded, so this cannot overflow
    return Candidate(
        memory_id=scored.memory_id,
        score=scored.score,
        seed_rank=rank,
        via=via,
        dense=scored.dense,
        lexical=scored.lexical,
        matched=scored.matched,
        chance=chance,
    )
