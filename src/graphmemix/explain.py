"""Why each candidate was chosen or left out, from a trace alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from graphmemix.optimize import Cardinality, Problem, solve
from graphmemix.optimize.forest import opening_cost, raise_of, trusted_links
from graphmemix.record import Record

if TYPE_CHECKING:
    from graphmemix.evidence import Candidate, Increment, Trace
    from graphmemix.settings import Settings

Fate: TypeAlias = Literal["chosen", "refined_away", "rejected", "duplicate"]
"""Chosen; proposed, but not worth its place in the end; not proposed; shows the same as another."""


@dataclass(frozen=True)
class Explanation(Record):
    """What became of one memory, and why.

    Attributes:
        memory_id: Which memory.
        fate: What became of it.
        rank: Its evidence rank, from 1; None if it was not chosen.
        utility: ``p``; None for a duplicate, which was never scored.
        loss: What the objective of the proposal would lose if it had to be in; 0 if it is in, None
            if that was not computed.
        reasons: In words, the strongest first.
    """

    memory_id: str
    fate: Fate
    rank: int | None
    utility: float | None
    loss: float | None
    reasons: tuple[str, ...]


def explain(trace: Trace, settings: Settings) -> tuple[Explanation, ...]:
    """Return an explanation of every candidate in retrieval order, then of every duplicate.

    What a rejected candidate would have cost is exact: the problem is solved again with the
    candidate forced in, a fraction of a millisecond each.
    """
    if trace.forest is None:
        return ()
    ranks = {memory_id: i + 1 for i, memory_id in enumerate(trace.forest.memory_ids)}
    proposed = set(trace.forest.proposal)
    links = {increment.memory_id: increment for increment in trace.increments}
    found = []
    for index, (candidate, support) in enumerate(
        zip(trace.candidates, trace.supports, strict=True)
    ):
        memory_id = candidate.memory_id
        loss: float | None = 0.0
        if memory_id in ranks:
            fate: Fate = "chosen"
            reasons = _why_chosen(trace, candidate, links.get(memory_id))
        elif memory_id in proposed:
            fate = "refined_away"
            reasons = (f"utility {support.utility:.2f} does not pay for a place in the answer",)
        else:
            fate, loss = "rejected", _loss(trace, settings, index)
            reasons = _why_rejected(trace, settings, index, loss)
        found.append(
            Explanation(memory_id, fate, ranks.get(memory_id), support.utility, loss, reasons)
        )
    scored = {candidate.memory_id for candidate in trace.candidates}
    found += [
        Explanation(passed, "duplicate", None, None, None, (f"shows the same as {kept}",))
        for passed, kept in trace.duplicates
        if passed not in scored  # an edge may bring back what was no seed
    ]
    return tuple(found)


def _why_chosen(trace: Trace, candidate: Candidate, link: Increment | None) -> tuple[str, ...]:
    support = next(s for s in trace.supports if s.memory_id == candidate.memory_id)
    reasons = [f"utility {support.utility:.2f}"]
    assert trace.forest is not None  # noqa: S101  # for the type checker
    used = {(node, anchor) for anchor, node in trace.forest.links}
    if link is not None and (candidate.memory_id, link.anchor_id) in used:
        how = ", ".join(relation.replace("_", " ") for relation in link.relations)
        reasons.append(f"{link.role.replace('_', ' ')} beside {link.anchor_id} ({how})")
    if candidate.seed_rank is not None:
        reasons.append(f"found by retrieval at rank {candidate.seed_rank + 1}")
    elif candidate.via:
        way = candidate.via[0]
        reasons.append(f"reached from {way.seed_id} ({way.relation.replace('_', ' ')})")
    return tuple(reasons)


def _why_rejected(
    trace: Trace, settings: Settings, index: int, loss: float | None
) -> tuple[str, ...]:
    support = trace.supports[index]
    assert trace.forest is not None  # noqa: S101  # for the type checker
    inside = set(trace.forest.proposal)
    least = min((s.utility for s in trace.supports if s.memory_id in inside), default=0.0)
    reasons = []
    if support.utility < least:
        reasons.append(f"utility {support.utility:.2f}; the least of the chosen has {least:.2f}")
    else:
        reasons.append(
            f"utility {support.utility:.2f}; others add more together with what they are linked to"
        )
    link = next((i for i in trace.increments if i.memory_id == support.memory_id), None)
    if link is not None and link.role in {"redundant", "conflict"}:
        reasons.append(f"{link.role} with {link.anchor_id}")
    if loss:
        reasons.append(
            f"taking it in place of another would lower the objective by {loss:.3f} "
            f"(budget {settings.forest.budget})"
        )
    return tuple(reasons)


def _loss(trace: Trace, settings: Settings, index: int) -> float | None:
    """Return by how much the best proposal falls if this candidate has to be in it."""
    if trace.forest is None or not trace.forest.proven_optimal:
        return None
    raised = raise_of(trace.verifier, settings)
    prizes = [support.utility + raised for support in trace.supports]
    # A prize that no other gain can outweigh forces it in; the surplus is taken off again.
    surplus = 2.0 + len(prizes)
    prizes[index] += surplus
    chosen = settings.forest
    problem = Problem(
        tuple(prizes),
        tuple(trusted_links(trace.supports, trace.increments)),
        min(chosen.budget, len(prizes)),
        opening_cost(trace.verifier, settings),
        chosen.edge_cost_weight,
    )
    cardinality: Cardinality = "at_most" if chosen.single_stage else "exactly"
    forced = solve(problem, "exact", cardinality)
    return max(0.0, trace.forest.objective_after - (forced.objective - surplus))
