"""From seeds to the bounded candidate graph (METHOD section 2, eq. 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.evidence import Candidate, CandidateGraph, Provenance
from graphmemix.retrieve.looks import PREFIX, passed_over
from graphmemix.retrieve.prior import Prior, Scored

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphmemix.evidence import Edge
    from graphmemix.settings import Settings
    from graphmemix.store.protocol import Filter, Store


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
    retrieved = prior.retrieved()
    ranked = [each.memory_id for each in retrieved]
    looks = store.keys(ranked, prefix=PREFIX) if settings.retrieval.duplicate_bits else {}
    duplicates = passed_over(ranked, looks, most_bits=settings.retrieval.duplicate_bits)
    most = min(settings.retrieval.seeds, settings.graph.candidates)
    seeds = [each for each in retrieved if each.memory_id not in duplicates][:most]
    expanded = _expanded([seed.memory_id for seed in seeds], store, settings, filter)
    chosen = list(expanded)[: settings.graph.candidates - len(seeds)]
    scores = _scores(prior, retrieved, chosen, settings)
    candidates = [_candidate(seed, rank, ()) for rank, seed in enumerate(seeds)]
    candidates += [_candidate(scores[i], None, expanded[i]) for i in chosen]
    ids = [candidate.memory_id for candidate in candidates]
    inside = set(ids)
    usable = _usable(store.edges(ids), settings)
    edges = [e for e in usable if e.source in inside and e.target in inside]
    return CandidateGraph(tuple(candidates), tuple(edges), tuple(sorted(duplicates.items())))


def _expanded(
    seeds: Sequence[str], store: Store, settings: Settings, filter: Filter | None
) -> dict[str, tuple[Provenance, ...]]:
    """Return what is reachable within H hops, in order, and how each was reached."""
    seed_of = {seed: seed for seed in seeds}
    rank_of = {seed: rank for rank, seed in enumerate(seeds)}
    reached: dict[str, tuple[Provenance, ...]] = {}
    frontier = list(seeds)
    for _ in range(settings.graph.hops):
        found: dict[str, list[tuple[float, int, Provenance]]] = {}
        inside = set(frontier)
        for edge in _usable(store.edges(frontier), settings):
            for here, there in ((edge.source, edge.target), (edge.target, edge.source)):
                if here in inside and there not in seed_of:
                    seed = seed_of[here]
                    how = Provenance(seed, edge.relation, edge.confidence)
                    found.setdefault(there, []).append((-edge.confidence, rank_of[seed], how))
        if filter is not None:
            passing = store.passing(found, filter)
            found = {memory_id: ways for memory_id, ways in found.items() if memory_id in passing}
        for ways in found.values():
            ways.sort(key=lambda way: (way[0], way[1], way[2].relation))
        frontier = sorted(found, key=lambda i: (*found[i][0][:2], i))
        for memory_id in frontier:
            reached[memory_id] = tuple(way[2] for way in found[memory_id])
            seed_of[memory_id] = reached[memory_id][0].seed_id
    return reached


def _usable(edges: Iterable[Edge], settings: Settings) -> Iterable[Edge]:
    ours = {"reply_to", "attachment_of", "same_document"}
    return (e for e in edges if settings.graph.own_relations or e.relation not in ours)


def _scores(
    prior: Prior, retrieved: Sequence[Scored], chosen: Sequence[str], settings: Settings
) -> Mapping[str, Scored]:
    """Return the score of each expanded candidate: its own, or the floor if so set."""
    known = {each.memory_id: each for each in retrieved}
    missing = [memory_id for memory_id in chosen if memory_id not in known]
    if not missing:
        return known
    scored = prior.scored(missing)
    if settings.graph.unretrieved_score == "floor":
        floor = min((each.score for each in retrieved), default=0.0) - settings.graph.floor_margin
        scored = {i: Scored(i, floor, each.dense) for i, each in scored.items()}
    return known | scored


def _candidate(scored: Scored, rank: int | None, via: tuple[Provenance, ...]) -> Candidate:
    return Candidate(
        memory_id=scored.memory_id,
        score=scored.score,
        seed_rank=rank,
        via=via,
        dense=scored.dense,
        lexical=scored.lexical,
        matched=scored.matched,
    )
