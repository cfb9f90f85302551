"""The ground of the shared store: the database, the archive's row, and rows of memories."""

from __future__ import annotations

from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar, get_args

import numpy as np

from graphmemix.errors import ArchiveDamagedError, InvalidDataError, InvalidInputError
from graphmemix.memory import Memory, Modality, ViewKind
from graphmemix.record import Record
from graphmemix.store.sanitize import MOST_RECORD_BYTES, microseconds, require_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphmemix.store.database import Database, Row, Session
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Filter, Vector

_R = TypeVar("_R", bound=Record)
_T = TypeVar("_T")

VIEW_KINDS: Final[tuple[ViewKind, ...]] = get_args(ViewKind)
"""A view's kind is stored as its position here; new kinds go to the end."""

_MODALITY_BITS: Final = {modality: 1 << bit for bit, modality in enumerate(get_args(Modality))}

MOST_DIMENSIONS: Final = 4000
"""Rows of more float16 numbers do not fit into a PostgreSQL page."""


_MOST_KEPT_IDS = 1_000_000
_MOST_LIMIT: Final = 2**63 - 1


class Serving(NamedTuple):
    """The encoder whose vectors are served. Numbers may come again, identities tell apart."""

    number: int
    identity: str
    dimension: int


class Numbers(NamedTuple):
    """Numbers for new memories and views, and the number of the change if one was counted."""

    mids: range
    vids: range
    change: int


class SqlBase:
    """State that all parts of the store share."""

    def __init__(self, db: Database, media: MediaFolder) -> None:
        self.db = db
        self.media = media
        self._ids: list[str | None] = []  # by number

    def _numbers(self, session: Session, memory_ids: Iterable[str]) -> dict[str, int]:
        """Return the internal numbers of those memories that are there."""
        rows = session.run(
            "SELECT id, mid FROM memories WHERE archive = :archive AND " + self.db.named(),
            ids=self.db.sequence(sorted(set(memory_ids))),
        )
        return dict(rows)

    def _ids_of(self, session: Session, mids: Sequence[int]) -> list[str | None]:
        """Return ids by number, None for those not there. They never change, so they are kept."""
        known = self._ids  # another thread may forget them meanwhile
        highest = len(known) - 1
        if max(mids, default=0) <= highest:
            ids = picked(known, mids)
        else:
            ids = [known[mid] if mid <= highest else None for mid in mids]
        if None in ids:
            unknown = [mid for mid, found in zip(mids, ids, strict=True) if found is None]
            rows: dict[int, str] = dict(
                session.run(
                    "SELECT mid, id FROM memories WHERE archive = :archive AND "
                    + self.db.among("mid", "mids"),
                    mids=self.db.sequence(unknown),
                )
            )
            self._keep_ids(known, rows)
            ids = [rows.get(mid, found) for mid, found in zip(mids, ids, strict=True)]
        return ids

    @staticmethod
    def _keep_ids(known: list[str | None], rows: Mapping[int, str]) -> None:
        """Keep ids by number; of very large archives, those of the lower numbers."""
        highest = min(max(rows, default=0), _MOST_KEPT_IDS)
        known += [None] * (highest + 1 - len(known))
        for mid, found in rows.items():
            if mid <= highest:
                known[mid] = found

    def _take_numbers(
        self, session: Session, *, mids: int = 0, vids: int = 0, change: bool = False
    ) -> Numbers:
        """Hand out numbers that were never used before, and count a change for caches."""
        if not (mids or vids or change):
            return Numbers(range(0), range(0), 0)
        [(next_mid, next_vid, counted)] = session.run(
            "UPDATE archives SET next_mid = next_mid + :mids, next_vid = next_vid + :vids, "
            "change = change + :change WHERE archive = :archive "
            "RETURNING next_mid, next_vid, change",
            mids=mids,
            vids=vids,
            change=int(change),
        )
        return Numbers(range(next_mid - mids, next_mid), range(next_vid - vids, next_vid), counted)

    def _next_change(self, session: Session) -> int:
        """Count a change that caches must hear of."""
        return self._take_numbers(session, change=True).change


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


def addresses(memory: Memory) -> list[str]:
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
        parameters["modalities"] = sum({_MODALITY_BITS[each] for each in wanted.modalities})
    for column, values in _lists(wanted):
        if values:
            parts.append(db.among(f"m.{column}", f"{column}s"))
            parameters[f"{column}s"] = db.sequence(values)
    return " AND ".join(parts), parameters


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
        ArchiveDamagedError: It is not one.
    """
    try:
        return kind.from_json(body)
    except InvalidDataError as error:
        raise ArchiveDamagedError(f"the archive holds a damaged record: {error}") from None


def parsed(rows: Iterable[Row]) -> list[Memory]:
    """Return the memories whose records stand in the first column."""
    return [stored(Memory, row[0]) for row in rows]


def from_blob(blob: bytes) -> Vector:
    """Return a stored vector.

    Raises:
        ArchiveDamagedError: It has not the length of one.
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
