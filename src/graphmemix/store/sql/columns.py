"""Records as columns of the database, and back; filters as SQL."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from operator import itemgetter
from typing import TYPE_CHECKING, Final, TypeVar, get_args

import numpy as np

from graphmemix.errors import ArchiveDamagedError, InvalidDataError, InvalidInputError
from graphmemix.memory import Memory, Modality, ViewKind
from graphmemix.record import Record
from graphmemix.store.sanitize import MOST_RECORD_BYTES, microseconds, require_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graphmemix.store.backend import Database, Row
    from graphmemix.store.protocol import Filter, Vector

_R = TypeVar("_R", bound=Record)
_T = TypeVar("_T")

VIEW_KINDS: Final[tuple[ViewKind, ...]] = get_args(ViewKind)
"""A view's kind is stored as its position here; new kinds go to the end."""

_DAY: Final = 86_400_000_000  # microseconds
_FIRST: Final = date(1970, 1, 1).toordinal()  # days from the first day of the calendar to time 0
DAY_OF_TIME: Final = f"(m.time + {_FIRST * _DAY}) / {_DAY}"
"""The day of a memory ``m`` in UTC, as `date.toordinal` counts.

Divided after a shift that makes all times positive: databases round negative ones apart.
"""

_MODALITY_BITS: Final = {modality: 1 << bit for bit, modality in enumerate(get_args(Modality))}

_MOST_LIMIT: Final = 2**63 - 1


def memory_columns(memory: Memory) -> dict[str, object]:
    """Return the columns by which a memory is filtered, and its record.

    Raises:
        InvalidDataError: The record would not come back from JSON as it is.
    """
    body = memory.to_json()
    require_size(f"text of memory {memory.id!r}", memory.text)
    if len(body) > MOST_RECORD_BYTES:
        require_size(f"memory {memory.id!r} beside its text", replace(memory, text="").to_json())
    if Memory.from_json(body) != memory:
        raise InvalidDataError(f"memory {memory.id!r}: holds something that JSON cannot say")
    place = memory.place
    return {
        "id": memory.id,
        "body": body,
        "kind": memory.kind,
        "source": memory.source,
        "session": memory.session,
        "speaker": memory.speaker,
        "time": None if memory.timestamp is None else microseconds(memory.timestamp),
        "latitude": place.latitude if place else None,
        "longitude": place.longitude if place else None,
        "modalities": sum(_MODALITY_BITS[modality] for modality in memory.modalities),
    }


def media_addresses(memory: Memory) -> list[str]:
    """Return the distinct media that the archive holds for a memory."""
    return sorted({medium.sha256 for medium in memory.media if medium.sha256 is not None})


def conditions(db: Database, wanted: Filter | None) -> tuple[str, dict[str, object]]:
    """Return a filter as SQL over the columns of ``memories m``, with its parameters."""
    parts = ["m.archive = :archive"]
    parameters: dict[str, object] = {}
    if wanted is None:
        return parts[0], {}
    for name, sql in (
        ("since", "m.time >= :since"),
        ("until", "m.time < :until"),
        ("as_of", "(m.time IS NULL OR m.time < :as_of)"),
    ):
        moment = getattr(wanted, name)
        if moment is not None:
            parts.append(sql)
            parameters[name] = microseconds(moment)
    if wanted.place is not None:
        box = wanted.place
        crossing = "OR" if box.west > box.east else "AND"
        parts.append("m.latitude BETWEEN :south AND :north")
        parts.append(f"(m.longitude >= :west {crossing} m.longitude <= :east)")
        parameters |= {"south": box.south, "north": box.north, "west": box.west, "east": box.east}
    if wanted.modalities:
        parts.append("(m.modalities & :modalities) <> 0")
        parameters["modalities"] = modality_bits(wanted.modalities)
    for column, values in _lists(wanted):
        if values:
            parts.append(db.among(f"m.{column}", f"{column}s"))
            parameters[f"{column}s"] = db.sequence(values)
    return " AND ".join(parts), parameters


def modality_bits(modalities: Iterable[Modality]) -> int:
    """Return modalities as the column holds them."""
    return sum({_MODALITY_BITS[each] for each in modalities})


def _lists(wanted: Filter) -> list[tuple[str, Sequence[str]]]:
    return [
        ("kind", wanted.kinds),
        ("session", wanted.sessions),
        ("source", wanted.sources),
        ("speaker", wanted.speakers),
    ]


def stored(kind: type[_R], body: str) -> _R:
    """Return a record that was stored.

    Raises:
        ArchiveDamagedError: It cannot be read as one.
    """
    try:
        return kind.from_json(body)
    except InvalidDataError as error:
        raise ArchiveDamagedError(f"the archive holds a damaged record: {error}") from None


def parsed(rows: Iterable[Row]) -> list[Memory]:
    """Return the memories whose records are in the first column."""
    return [stored(Memory, row[0]) for row in rows]


def from_blob(blob: bytes) -> Vector:
    """Return a stored vector.

    Raises:
        ArchiveDamagedError: Its length is not that of a vector.
    """
    if not blob or len(blob) % 4:
        raise ArchiveDamagedError(f"the archive holds a vector of {len(blob)} bytes")
    return np.frombuffer(blob, dtype="<f4")


def view_kind(code: int) -> ViewKind:
    """Return the kind of view that has this code."""
    if not 0 <= code < len(VIEW_KINDS):
        raise ArchiveDamagedError(f"the archive holds a view of unknown kind {code}")
    return VIEW_KINDS[code]


def view_kinds(codes: Sequence[int]) -> list[ViewKind]:
    """Return the kinds of views that have these codes."""
    if min(codes, default=0) < 0 or max(codes, default=0) >= len(VIEW_KINDS):
        return [view_kind(code) for code in codes]  # names the one that is unknown
    return picked(VIEW_KINDS, codes)


def picked(values: Sequence[_T], places: Sequence[int]) -> list[_T]:
    """Return the values at these places; four times faster than a comprehension."""
    if len(places) < 2:  # then `itemgetter` returns no tuple
        return [values[place] for place in places]
    return list(itemgetter(*places)(values))


def view_codes(kinds: Sequence[ViewKind] | None) -> list[int] | None:
    """Return the codes of kinds, ascending; None for all.

    Raises:
        InvalidInputError: There is no such kind.
    """
    if kinds is None:
        return None
    for kind in kinds:
        if kind not in VIEW_KINDS:
            raise InvalidInputError(f"kinds: there is no kind {kind!r}")
    codes = sorted({VIEW_KINDS.index(kind) for kind in kinds})
    return None if len(codes) == len(VIEW_KINDS) else codes


def require_limit(limit: int | None, *, least: int = 0) -> None:
    """Raise `InvalidInputError` unless `limit` is None or a number that databases can count to."""
    if limit is not None and not least <= limit <= _MOST_LIMIT:
        raise InvalidInputError(f"limit: must be within {least} and {_MOST_LIMIT}, not {limit}")
