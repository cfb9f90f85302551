"""Parses and validates the replies of verifier models (METHOD section 7, validation).

A reply is checked in two steps. First its form: JSON with the right types. Then its content: known
ids, complete and unique, scores in range. A reply that fails is requested again; what is repaired
instead is counted under these names:

==================  ================================================================================
``unknown_id``      dropped, in profiles with `verifier.repair_unknown`; else invalid
``repeated_id``     the first row counts, in the same profiles; else invalid
``unknown_role``    read as irrelevant, in the same profiles; else invalid
``unknown_anchor``  read as none, in the same profiles; else invalid
``no_anchor``       a positive score without an anchor: cleared
``ineligible``      an anchor that the candidate may not be linked to: cleared
``role_score``      a non-positive role with a positive score, or a positive role with 0: cleared
``extra_key``       keys that were not requested: ignored
==================  ================================================================================
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING, Any, Final, TypeVar, get_args

from pydantic import BaseModel, ConfigDict

from graphmemix.evidence import MAX_SUPPORT, Increment, Role
from graphmemix.llm.structured import FaultyReplyError, find_json

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graphmemix.verify.brief import Brief

__all__ = ["EdgeReply", "JointReply", "NodeReply", "read_edges", "read_joint", "read_nodes"]

POSITIVE_ROLES: Final = frozenset({"new_fact", "clarification", "corroboration"})
ROLES: Final = get_args(Role)
_SHOWN: Final = 5  # ids in an error message


class _Form(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)

    def extra_keys(self) -> int:
        """Count the keys that were not requested, here and below."""
        own = len(self.model_extra or {})
        below = [getattr(self, name) for name in type(self).model_fields]
        parts = [part for value in below for part in _flat(value)]
        return own + sum(part.extra_keys() for part in parts)


def _flat(value: Any) -> list[_Form]:
    values = value.values() if isinstance(value, dict) else value
    many = values if isinstance(values, list) or isinstance(value, dict) else [values]
    return [each for each in many if isinstance(each, _Form)]


class _Scored(_Form):
    id: str
    score: float


class NodeReply(_Form):
    """``{"selected": [{"id", "score"}]}``."""

    selected: list[_Scored]


class _Judged(_Form):
    best_anchor_id: str | None
    incremental_support: float
    role: str


class _Row(_Judged):
    id: str
    # Ignored: the code sets it to 0.
    direct_support: Any = 0


_ADDS_NOTHING: Final = _Judged(best_anchor_id=None, incremental_support=0.0, role="irrelevant")
_R = TypeVar("_R", _Scored, _Row)


class EdgeReply(_Form):
    """``{"candidates": [row, …]}``."""

    candidates: list[_Row]


class JointReply(_Form):
    """Both judgments, keyed by candidate id."""

    scores: dict[str, float]
    increments: dict[str, _Judged] = {}  # may be missing if no candidate has an eligible anchor


def read_nodes(
    text: str, brief: Brief, *, repair_unknown: bool, repairs: Counter[str]
) -> dict[str, float]:
    """Return ``v_i`` by memory id, for the selected ones.

    Raises:
        FaultyReplyError: An id occurs twice, a score is out of range, or an unknown id may not be
            repaired.
    """
    reply = find_json(text, NodeReply)
    found = Counter[str]()
    rows = _unique_rows(reply.selected, "selected", found, repair=repair_unknown)
    scores = {label: row.score for label, row in rows.items()}
    _require_known(scores, brief.memory_ids, found, repair_unknown=repair_unknown)
    for label, score in scores.items():
        _require_range(f"score of {label}", score)
    found["extra_key"] += reply.extra_keys()
    repairs.update(+found)  # only those of a valid reply
    ids = brief.memory_ids
    return {ids[label]: score for label, score in scores.items() if label in ids}


def read_edges(
    text: str,
    brief: Brief,
    *,
    repair_unknown: bool,
    repairs: Counter[str],
    ceiling: float,
    complete: bool = True,
) -> tuple[Increment, ...]:
    """Return the increments of all candidates that have eligible anchors, in retrieval order.

    Unless the reply has to be `complete`, a candidate that it leaves out adds nothing.

    Raises:
        FaultyReplyError: A candidate is missing or occurs twice, a score is out of range, or an
            unknown value may not be repaired.
    """
    reply = find_json(text, EdgeReply)
    found = Counter[str]()
    judged = _unique_rows(reply.candidates, "candidates", found, repair=repair_unknown)
    rows: dict[str, _Judged] = dict(judged)
    if not complete:
        for memory_id in brief.case.eligible:
            rows.setdefault(brief.labels[memory_id], _ADDS_NOTHING)
    increments = _increments(rows, brief, found, ceiling, repair_unknown=repair_unknown)
    found["extra_key"] += reply.extra_keys()
    repairs.update(+found)
    return increments


def read_joint(
    text: str, brief: Brief, *, repair_unknown: bool, repairs: Counter[str], ceiling: float
) -> tuple[dict[str, float], tuple[Increment, ...]]:
    """Return both judgments of the single call.

    Raises:
        FaultyReplyError: As `read_nodes` and `read_edges`, or a candidate without a score.
    """
    reply = find_json(text, JointReply)
    found = Counter[str]()
    ids = brief.memory_ids
    _require_known(reply.scores, ids, found, repair_unknown=repair_unknown)
    _require_complete(reply.scores, list(ids), "scores")
    for label, score in reply.scores.items():
        _require_range(f"score of {label}", score)
    increments = _increments(reply.increments, brief, found, ceiling, repair_unknown=repair_unknown)
    found["extra_key"] += reply.extra_keys()
    repairs.update(+found)
    return {ids[label]: reply.scores[label] for label in ids}, increments


def _increments(
    rows: dict[str, _Judged],
    brief: Brief,
    found: Counter[str],
    ceiling: float,
    *,
    repair_unknown: bool,
) -> tuple[Increment, ...]:
    listed = {brief.labels[memory_id]: memory_id for memory_id in brief.case.eligible}
    _require_known(rows, listed, found, repair_unknown=repair_unknown)
    _require_complete(rows, list(listed), "candidates")
    return tuple(
        _increment(memory_id, label, rows[label], brief, found, ceiling, repair=repair_unknown)
        for label, memory_id in listed.items()
    )


def _increment(
    memory_id: str,
    label: str,
    row: _Judged,
    brief: Brief,
    found: Counter[str],
    ceiling: float,
    *,
    repair: bool,
) -> Increment:
    """Return one increment; inconsistent values are cleared (METHOD section 7)."""
    score = row.incremental_support
    _require_range(f"incremental_support of {label}", score)
    role = _known_role(row.role, label, found, repair=repair)
    anchor = _known_anchor(row.best_anchor_id, label, brief, found, repair=repair)
    if anchor is None and score > 0:
        found["no_anchor"] += 1
    eligible = anchor is None or anchor in brief.eligible(memory_id)
    if not eligible:
        found["ineligible"] += 1
    fits = (role in POSITIVE_ROLES) == (score > 0)
    if not fits:
        found["role_score"] += 1
    if anchor is None or not eligible or not fits:
        kept: Role = "irrelevant" if role in POSITIVE_ROLES else role
        return Increment(memory_id, None, 0.0, kept)
    anchor_id = brief.memory_ids[anchor]
    relations = next(
        each.relations for each in brief.case.eligible[memory_id] if each.anchor_id == anchor_id
    )
    weight = ceiling * score / MAX_SUPPORT  # eq. 8; 0 for the roles that are not positive
    return Increment(memory_id, anchor_id, score, role, weight, relations)


def _known_role(role: str, label: str, found: Counter[str], *, repair: bool) -> Role:
    if role in ROLES:
        return role  # type: ignore[return-value]
    if not repair:
        raise FaultyReplyError(f"{label}: there is no role {role[:40]!r}; use {', '.join(ROLES)}")
    found["unknown_role"] += 1
    return "irrelevant"


def _known_anchor(
    anchor: str | None, label: str, brief: Brief, found: Counter[str], *, repair: bool
) -> str | None:
    """Return an anchor's label. A memory that is not an anchor is unknown, not ineligible."""
    anchors = {brief.labels[anchor_id] for anchor_id in brief.case.anchors}
    if anchor is None or anchor in anchors:
        return anchor
    if not repair:
        raise FaultyReplyError(f"{label}: there is no anchor {anchor[:40]!r}")
    found["unknown_anchor"] += 1
    return None


def _unique_rows(
    rows: Sequence[_R], where: str, found: Counter[str], *, repair: bool
) -> dict[str, _R]:
    """Return rows by their ids; of several with one id the first."""
    twice = [label for label, count in Counter(row.id for row in rows).items() if count > 1]
    if twice and not repair:
        raise FaultyReplyError(f"{where}: listed twice: {_some(twice)}")
    first: dict[str, _R] = {}
    for row in rows:
        first.setdefault(row.id, row)
    found["repeated_id"] += len(rows) - len(first)
    return first


def _require_known(
    given: Collection[str],
    known: Collection[str],
    found: Counter[str],
    *,
    repair_unknown: bool,
) -> None:
    unknown = [label for label in given if label not in known]
    if unknown and not repair_unknown:
        raise FaultyReplyError(f"unknown ids: {_some(unknown)}")
    found["unknown_id"] += len(unknown)


def _require_complete(given: Collection[str], listed: Sequence[str], where: str) -> None:
    missing = [label for label in listed if label not in given]
    if missing:
        raise FaultyReplyError(f"{where}: missing {_some(missing)}")


def _require_range(what: str, score: float) -> None:
    if not (math.isfinite(score) and 0 <= score <= MAX_SUPPORT):
        raise FaultyReplyError(f"{what} is {score:g}, not from 0 to {MAX_SUPPORT:g}")


def _some(labels: Sequence[str]) -> str:
    shown = ", ".join(label[:40] for label in labels[:_SHOWN])
    return shown + (f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else "")
