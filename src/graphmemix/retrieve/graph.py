"""From seeds to the bounded candidate graph (METHOD section 2, eq. 5)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from graphmemix.evidence import Candidate, CandidateGraph, Edge, Provenance
from graphmemix.retrieve.facets import LOOK, passed_over
from graphmemix.retrieve.prior import Prior, Scored
from graphmemix.retrieve.reach import HitLink, Reach

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graphmemix.evidence import Relation
    from graphmemix.retrieve.constraints import Constraints
    from graphmemix.retrieve.relations import StayAway
    from graphmemix.settings import ReachSettings, RetrievalSettings, Settings
    from graphmemix.store.protocol import Filter, Store

Way: TypeAlias = "tuple[float, int, Relation, str]"
"""How a memory was reached: minus the edge's confidence, the rank of the seed, relation, seed."""

LINKED: Final = 0.9
"""Confidence of what a day, a place or a number leads to: below that of a schema edge."""

_OURS: Final = frozenset(
    {"reply_to", "attachment_of", "same_document", "same_thread", "forward_of"}
)


class ClausePriors(NamedTuple):
    """Scores for the two parts of a question that gives its time by an event.

    Attributes:
        asked: Scores for what is asked.
        event: Scores for the event.
        shift: On which side of the event it was (`question.Clause`).
        stays: The stays away from the usual places, one of which the event may be a part of.
    """

    asked: Prior
    event: Prior
    shift: int
    stays: tuple[StayAway, ...] = ()


class Size(NamedTuple):
    """How many seeds and candidates there may be."""

    seeds: int
    candidates: int

    @classmethod
    def of(cls, settings: Settings, *, with_model: bool) -> Size:
        """Return the published numbers, or larger ones where no model has to read them all."""
        retrieval, graph = settings.retrieval, settings.graph
        if with_model or not graph.reach.on:
            return cls(min(retrieval.seeds, graph.candidates), graph.candidates)
        most = graph.candidates_without_model
        return cls(min(retrieval.seeds_without_model, most), most)


def candidate_graph(
    prior: Prior,
    store: Store,
    settings: Settings,
    filter: Filter | None = None,
    *,
    constraints: Constraints | None = None,
    clause: ClausePriors | None = None,
    with_model: bool = True,
) -> CandidateGraph:
    """Return at most M candidates: seeds in retrieval order, then what expansion reached.

    Seeds are the best by score, then what the question's constraints fetched. Expanded candidates
    are those that the best hits lead to by day, place and number, best score first; then those
    that edges lead to, by hop, falling confidence, the rank of the seed that reached them, and id.

    Args:
        prior: Scores memories for the question.
        store: Where edges are.
        settings: How many of everything.
        filter: What may appear at all.
        constraints: What the question names.
        clause: For a question that gives its time by an event, what scores its two parts.
        with_model: Whether a model is going to read the candidates.
    """
    size = Size.of(settings, with_model=with_model)
    reach = None
    if settings.graph.reach.on:
        bits = settings.retrieval.duplicate_bits
        reach = Reach(store, settings.graph.reach, filter, duplicate_bits=bits)
    named = reach.named(constraints) if reach is not None and constraints else {}
    duplicates: dict[str, str] = {}
    if constraints is not None and constraints.alone and named:
        seeds = _just_named(named, prior, size)
        size = Size(len(seeds), len(seeds))  # it asks for nothing else
    else:
        seeds, duplicates = _seeds(prior, store, settings, size.seeds)
        seeds = _with_named(seeds, named, prior, size)
    if reach is not None and clause is not None:
        seeds = _with_event(seeds, prior, clause, settings.graph.reach.event_hits, size)
    ids = [seed.memory_id for seed in seeds]
    links, led_to = _followed(ids, reach, prior, clause, settings.graph.reach, size)
    around = _usable(store.edges(ids), settings)
    reached = {**led_to, **_expanded(ids, around, store, settings, filter, known=led_to)}
    chosen = list(reached)[: max(0, size.candidates - len(seeds))]
    scores = _scores(prior, chosen, settings)
    candidates = [_candidate(seed, rank, (), settings.retrieval) for rank, seed in enumerate(seeds)]
    candidates += [
        _candidate(scores[i], None, _provenance(reached[i]), settings.retrieval) for i in chosen
    ]
    edges = _edges_among(set(ids), chosen, around, store, settings)
    edges += _linked({*ids, *chosen}, links)
    edges.sort(key=lambda edge: (edge.source, edge.target, edge.relation))
    graph = CandidateGraph(tuple(candidates), tuple(edges), tuple(sorted(duplicates.items())))
    if reach is None or constraints is None:
        return graph
    notes, unknown = reach.unmatched(constraints), reach.unknown(constraints)
    return replace(graph, notes=notes, unknown=unknown)


def _seeds(
    prior: Prior, store: Store, settings: Settings, most: int
) -> tuple[list[Scored], dict[str, str]]:
    """Return the best memories without those that show the same as a better one, and these."""
    retrieval = settings.retrieval
    most = min(most, retrieval.retrieved)
    # The floor lies below all that retrieval returns, so then all of it is needed.
    wanted = retrieval.retrieved if settings.graph.unretrieved_score == "floor" else most
    while True:
        ranked = prior.best(wanted)
        ids = [each.memory_id for each in ranked]
        looks = store.keys(ids, prefix=LOOK) if retrieval.duplicate_bits else {}
        duplicates = passed_over(ids, looks, most_bits=retrieval.duplicate_bits)
        seeds = [each for each in ranked if each.memory_id not in duplicates][:most]
        if len(seeds) == most or len(ranked) < wanted or wanted >= retrieval.retrieved:
            return seeds, duplicates
        wanted = min(2 * wanted, retrieval.retrieved)


def _ranked(named: Mapping[str, int], prior: Prior) -> list[Scored]:
    """Return what constraints fetched: what satisfies more of them first, then by score."""
    scored = prior.scored(named).values()
    return sorted(scored, key=lambda each: (-named[each.memory_id], -each.score, each.memory_id))


def _just_named(named: Mapping[str, int], prior: Prior, size: Size) -> list[Scored]:
    """Return what satisfies the most constraints: "photos from 10 July" asks for just these."""
    most = max(named.values())
    ranked = [each for each in _ranked(named, prior) if named[each.memory_id] == most]
    return ranked[: size.candidates]


def _with_named(
    seeds: list[Scored], named: Mapping[str, int], prior: Prior, size: Size
) -> list[Scored]:
    """Return the seeds with what the constraints fetched behind them."""
    known = {seed.memory_id for seed in seeds}
    new = [each for each in _ranked(named, prior) if each.memory_id not in known]
    return seeds + new[: (size.candidates - len(seeds)) // 2]


def _with_event(
    seeds: list[Scored], prior: Prior, clause: ClausePriors, most: int, size: Size
) -> list[Scored]:
    """Return the seeds with the best hits of the event, and of what is asked, behind them."""
    known = {seed.memory_id for seed in seeds}
    parts = [*clause.event.best(most), *clause.asked.best(most)]
    new = dict.fromkeys(each.memory_id for each in parts if each.memory_id not in known)
    return [*seeds, *prior.scored(list(new)[: size.candidates - len(seeds)]).values()]


def _followed(
    seeds: Sequence[str],
    reach: Reach | None,
    prior: Prior,
    clause: ClausePriors | None,
    settings: ReachSettings,
    size: Size,
) -> tuple[list[HitLink], dict[str, list[Way]]]:
    """Return the links of the best hits, and what they lead to beside the seeds."""
    if reach is None:
        return [], {}
    links = reach.around(seeds)
    most = min(settings.around, size.candidates // 3)
    led_to = _led_to(seeds, links, prior, most)
    if clause is not None:
        hits = [each.memory_id for each in clause.event.best(settings.event_hits)]
        there = [hit for hit in hits if hit in seeds]
        then = reach.around(there, shift=clause.shift, stays=clause.stays)
        led_to = {**_led_to(seeds, then, clause.asked, most // 2), **led_to}
        links += then
    return links, led_to


def _led_to(
    seeds: Sequence[str], links: Sequence[HitLink], prior: Prior, most: int
) -> dict[str, list[Way]]:
    """Return what the links lead to beside the seeds, the best by score, and how."""
    rank_of = {seed: rank for rank, seed in enumerate(seeds)}
    ways: dict[str, list[Way]] = {}
    for link in links:
        if link.other not in rank_of:
            way = (-LINKED, rank_of[link.hit], link.relation, link.hit)
            ways.setdefault(link.other, []).append(way)
    best = prior.best_of(ways, most)
    return {each.memory_id: sorted(ways[each.memory_id]) for each in best}


def _linked(inside: set[str], links: Sequence[HitLink]) -> list[Edge]:
    """Return the links between candidates as edges."""
    found = {
        (min(link.hit, link.other), max(link.hit, link.other), link.relation)
        for link in links
        if link.hit in inside and link.other in inside
    }
    return [Edge(source, target, relation, LINKED) for source, target, relation in found]


def _expanded(
    seeds: Sequence[str],
    around: Sequence[Edge],
    store: Store,
    settings: Settings,
    filter: Filter | None,
    *,
    known: Collection[str] = (),
) -> dict[str, list[Way]]:
    """Return what is reachable within H hops, in order, and how each was reached.

    `around` are the edges of the seeds; `known` are candidates already.
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
                if here in inside and there not in seed_of and there not in known:
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
        edges += _usable(store.edges(others, among=True), settings)
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
