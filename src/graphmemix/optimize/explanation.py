"""Why each candidate was chosen or left out, from a trace alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from graphmemix.memory import shown_words
from graphmemix.optimize import Cardinality, Problem, solve
from graphmemix.optimize.select import terms_of, trusted_links
from graphmemix.record import Record
from graphmemix.shown import short_id

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.evidence import Candidate, Increment, Support, Terms, Trace
    from graphmemix.memory import Memory
    from graphmemix.settings import Settings

Fate: TypeAlias = Literal["chosen", "refined_away", "rejected", "duplicate"]
"""Chosen; proposed but dropped by the refinement; not proposed; duplicate of another candidate."""


_WORDS: Final = 50  # characters of a memory in a reason
_MOST_DIGITS: Final = 9


@dataclass(frozen=True)
class Explanation(Record):
    """Why one memory was chosen or not.

    Attributes:
        memory_id: The memory.
        fate: The outcome.
        rank: Its evidence rank, from 1; None if it was not chosen.
        utility: ``p``; None for a duplicate, which was never scored.
        loss: How much the objective of the proposal would fall if it were forced in; 0 if it is in,
            None if not computed.
        reasons: Readable reasons, the strongest first.
        gain: What its trusted link adds, or would add together with its anchor, to the objective of
            the deciding stage: the proposal for a rejected memory, else the forest. None if it has
            no such link, or the trace has no terms.
    """

    memory_id: str
    fate: Fate
    rank: int | None
    utility: float | None
    loss: float | None
    reasons: tuple[str, ...]
    gain: float | None = None


def explain(
    trace: Trace, settings: Settings, memories: Mapping[str, Memory] | None = None
) -> tuple[Explanation, ...]:
    """Return an explanation of every candidate in retrieval order, then of every duplicate.

    What a rejected candidate would have cost is exact: the problem is solved again with the
    candidate forced in, a fraction of a millisecond each.

    Args:
        trace: The trace of the question.
        settings: Used for older traces, which do not contain the terms of their forest.
        memories: Those that the trace names, by id: reasons then name other memories by their
            first words, and chosen ones by their rank too. Without them, by id.
    """
    if trace.forest is None:
        return ()
    terms = trace.forest.terms or terms_of(settings, trace.scale, trace.supports)
    links = {increment.memory_id: increment for increment in trace.increments}
    name = _Names(trace, memories)
    found = [
        _explained(trace, terms, index, links.get(candidate.memory_id), name)
        for index, candidate in enumerate(trace.candidates)
    ]
    scored = {candidate.memory_id for candidate in trace.candidates}
    found += [
        Explanation(passed, "duplicate", None, None, None, (f"shows the same as {name(kept)}",))
        for passed, kept in trace.duplicates
        if passed not in scored  # expansion may bring back a duplicate
    ]
    return tuple(found)


class _Names:
    """How reasons name other memories."""

    def __init__(self, trace: Trace, memories: Mapping[str, Memory] | None) -> None:
        chosen = trace.forest.memory_ids if trace.forest is not None else ()
        self._ranks = {memory_id: rank for rank, memory_id in enumerate(chosen, start=1)}
        self._memories = memories

    def __call__(self, memory_id: str | None) -> str:
        """Return the first words of a memory, with its rank if it was chosen."""
        if memory_id is None or self._memories is None:
            return str(memory_id)
        rank = f"[{self._ranks[memory_id]}] " if memory_id in self._ranks else ""
        memory = self._memories.get(memory_id)
        return rank + (short_id(memory_id) if memory is None else shown_words(memory, _WORDS))


def _explained(
    trace: Trace, terms: Terms, index: int, link: Increment | None, name: _Names
) -> Explanation:
    assert trace.forest is not None  # noqa: S101  # for the type checker
    candidate, support = trace.candidates[index], trace.supports[index]
    memory_id, chosen = candidate.memory_id, trace.forest.memory_ids
    proposed = memory_id in trace.forest.proposal
    gain = _gain(trace, link, proposal=not proposed)
    if memory_id in chosen:
        rank = chosen.index(memory_id) + 1
        reasons = _why_chosen(trace, candidate, support, link, gain, name)
        return Explanation(memory_id, "chosen", rank, support.utility, 0.0, reasons, gain)
    if proposed:
        value = f"utility {_figure(support.utility)}"
        reasons = (f"{value} does not pay for a place in the answer", *_would_add(link, gain, name))
        return Explanation(memory_id, "refined_away", None, support.utility, 0.0, reasons, gain)
    loss = _loss(trace, terms, index)
    reasons = (*_why_rejected(trace, support, link, name), *_would_add(link, gain, name))
    if loss:
        instead = f"taking it in place of another would lower the objective by {_figure(loss, 3)}"
        reasons = (*reasons, f"{instead} (budget {terms.budget})")
    return Explanation(memory_id, "rejected", None, support.utility, loss, reasons, gain)


def _gain(trace: Trace, link: Increment | None, *, proposal: bool) -> float | None:
    """Return what a candidate's own link adds, by the terms in the trace."""
    if link is None or link.weight <= 0 or trace.forest is None or trace.forest.terms is None:
        return None
    return trace.forest.terms.gain(link.weight, proposal=proposal)


def _would_add(link: Increment | None, gain: float | None, name: _Names) -> tuple[str, ...]:
    if link is None or gain is None:
        return ()
    anchor = name(link.anchor_id)
    if gain <= 0:
        return (f"its link to {anchor} is too weak to add anything",)
    return (f"as {_words(link.role)} beside {anchor} its link would add {_figure(gain, 3)}",)


def _why_chosen(
    trace: Trace,
    candidate: Candidate,
    support: Support,
    link: Increment | None,
    gain: float | None,
    name: _Names,
) -> tuple[str, ...]:
    reasons = [f"utility {_figure(support.utility)}"]
    if link is not None and _is_used(trace, link):
        how = ", ".join(map(_words, link.relations))
        linked = f"{_words(link.role)} beside {name(link.anchor_id)}"
        linked += f" ({how})" if how else ""
        reasons.append(linked if gain is None else f"{linked}, gain {_figure(gain, 3)}")
    if candidate.seed_rank is not None:
        reasons.append(f"found by retrieval at rank {candidate.seed_rank + 1}")
    elif candidate.via:
        way = candidate.via[0]
        reasons.append(f"reached from {name(way.seed_id)} ({_words(way.relation)})")
    return tuple(reasons)


def _is_used(trace: Trace, link: Increment) -> bool:
    """Return whether a link is part of the forest, in either direction.

    Two memories may be each other's anchors; then the forest used the heavier of the two links.
    """
    assert trace.forest is not None  # noqa: S101  # for the type checker
    ends = {link.memory_id, link.anchor_id}
    nodes = [node for tree in trace.forest.trees for node in tree.nodes]
    return any(
        {node.memory_id, node.parent_id} == ends and node.weight == link.weight for node in nodes
    )


def _why_rejected(
    trace: Trace, support: Support, link: Increment | None, name: _Names
) -> tuple[str, ...]:
    assert trace.forest is not None  # noqa: S101  # for the type checker
    # Of those that a reader sees: the proposal may hold others, which did not pay in the end.
    chosen = set(trace.forest.memory_ids)
    least = min((s.utility for s in trace.supports if s.memory_id in chosen), default=None)
    value = f"utility {_figure(support.utility)}"
    if least is None:
        reasons = [f"{value}; no memory pays for a place in the answer"]
    elif support.utility < least:
        own, other = _told_apart(support.utility, least)
        reasons = [f"utility {own}; the least of the chosen has {other}"]
    else:
        reasons = [f"{value}; others add more together with what they are linked to"]
    if link is not None and link.role in {"redundant", "conflict"}:
        reasons.append(f"{link.role} with {name(link.anchor_id)}")
    return tuple(reasons)


def _loss(trace: Trace, terms: Terms, index: int) -> float | None:
    """Return by how much the best objective falls if this candidate is forced in."""
    if trace.forest is None or not trace.forest.proven_optimal:
        return None
    prizes = [support.utility + terms.raised for support in trace.supports]
    # A prize that outweighs all other gains forces it in; the surplus is subtracted again.
    surplus = 2.0 + len(prizes)
    prizes[index] += surplus
    problem = Problem(
        tuple(prizes),
        tuple(trusted_links(trace.supports, trace.increments)),
        min(terms.budget, len(prizes)),
        terms.proposal_opening_cost,
        terms.edge_cost_weight,
    )
    cardinality: Cardinality = "at_most" if terms.single_stage else "exactly"
    forced = solve(problem, "exact", cardinality)
    return max(0.0, trace.forest.objective_after - (forced.objective - surplus))


def _words(name: str) -> str:
    return name.replace("_", " ")


def _figure(value: float, digits: int = 2) -> str:
    """Return a number with so many digits, and more if it would look like 0."""
    while value and abs(value) < 0.5 * 10**-digits and digits < _MOST_DIGITS:
        digits += 1
    return f"{value:.{digits}f}"


def _told_apart(one: float, other: float) -> tuple[str, str]:
    """Return two different numbers so that the eye can tell them apart."""
    digits = 2
    while digits < _MOST_DIGITS and f"{one:.{digits}f}" == f"{other:.{digits}f}":
        digits += 1
    return _figure(one, digits), _figure(other, digits)
