"""Ids as people see and type them: short on a terminal, and any unique beginning is accepted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from graphmemix.errors import InvalidInputError, MemoryNotFoundError, TraceNotFoundError
from graphmemix.store.protocol import Store

__all__ = ["memory_named", "short_ids", "short_trace", "trace_named"]

LAST: Final = "last"
"""What stands for the newest trace."""

_DIGEST: Final = re.compile(r"[0-9a-f]{16,}")  # of importers; other ids are somebody's own words
_TRACE: Final = re.compile(r"\d{8}-\d{6}-([0-9a-f]{8})")
_SHORT: Final = 8
_LONGER: Final = 12  # characters: two of a million memories hardly ever share so many
_CHECKED: Final = 200  # ids of one listing that are looked up to be sure
_NAMED: Final = 4  # ids that an error names


def short_ids(store: Store, memory_ids: Iterable[str]) -> dict[str, str]:
    """Return, for each id, a beginning that names this memory alone; own ids stay whole."""
    digests = dict.fromkeys(each for each in memory_ids if _DIGEST.fullmatch(each))
    if len(digests) > _CHECKED:
        return {each: each[:_LONGER] for each in digests}
    return {each: _unique(store, each) for each in digests}


def _unique(store: Store, memory_id: str) -> str:
    for length in range(_SHORT, len(memory_id)):
        if len(store.ids_starting(memory_id[:length], limit=2)) < 2:
            return memory_id[:length]
    return memory_id


def memory_named(store: Store, typed: str, *, least: int = 1) -> str:
    """Return the id that somebody means.

    Args:
        store: Where the memory is.
        typed: A whole id, or the beginning of one; ``…`` at its end is ignored.
        least: Characters that a beginning needs.

    Raises:
        MemoryNotFoundError: No id starts so.
        InvalidInputError: Several do, and the message names some; or it is too short.
    """
    if store.get_many([typed]):
        return typed
    start = typed.strip().rstrip(".…")
    found = store.ids_starting(start, limit=_NAMED + 1) if len(start) >= least else []
    if not found and start.lower() != start:
        found = store.ids_starting(start.lower(), limit=_NAMED + 1)
    if len(start) < least:
        raise InvalidInputError(f"{typed!r}: type at least {least} characters of the id")
    if not found:
        raise MemoryNotFoundError(typed)
    return _only(typed, found, "memories", list(short_ids(store, found[:_NAMED]).values()))


def trace_named(store: Store, typed: str) -> str:
    """Return the trace that somebody means: by its id, a part that starts or ends it, or ``last``.

    Raises:
        TraceNotFoundError: There is none.
        InvalidInputError: There are several; the message names some.
    """
    known = store.log_ids("trace")
    if typed in known:
        return typed
    if typed == LAST and known:
        return known[0]
    start = typed.strip().rstrip(".…")
    found = [each for each in known if each.startswith(start) or _end(each).startswith(start)]
    if not start or not found:
        raise TraceNotFoundError(typed)
    return _only(typed, found, "traces", found[:_NAMED])


def short_trace(trace_id: str) -> str:
    """Return the last part of a trace's id; the time before it is shown beside it."""
    return _end(trace_id) or trace_id


def _end(trace_id: str) -> str:
    match = _TRACE.fullmatch(trace_id)
    return match[1] if match else ""


def _only(typed: str, found: Sequence[str], what: str, shown: Sequence[str]) -> str:
    if len(found) == 1:
        return found[0]
    named = ", ".join((shown or found)[:_NAMED])
    more = ", …" if len(found) > _NAMED else ""
    raise InvalidInputError(f"{typed!r} matches several {what}: {named}{more}; type more of the id")
