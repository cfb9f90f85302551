"""What the constraints of a question need: memories by days, places, people and kinds; outlines."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from pydantic_core import from_json

from graphmemix.errors import ArchiveDamagedError, InvalidDataError
from graphmemix.memory import Place
from graphmemix.store.protocol import Outline
from graphmemix.store.sanitize import microseconds
from graphmemix.store.sql.columns import conditions, modality_bits, require_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graphmemix.store.backend import Database, Session
    from graphmemix.store.records import Facets, Filter
    from graphmemix.store.sql.core import Core


_INSTANT = timedelta(microseconds=1)
_CLOCKS_APART = 26 * 3_600_000_000  # microseconds between the times of day of any two time zones
_NEVER = 1 << 62  # after every moment, in microseconds
_FEW = 2_000  # memories that are looked at one by one
_FEW_KEYS = 16  # that are looked up for each memory; of more, those that have any are listed first
_WALKED = 8_000  # earliest memories, of which one in two hundred has to have a common key


class FacetSearch:
    """The part of the store that finds memories by their facets."""

    def __init__(self, core: Core) -> None:
        self._db = core.db

    def fetch(self, wanted: Facets, *, limit: int = 200, filter: Filter | None = None) -> list[str]:
        """Return ids of memories that satisfy facets, by time, then id.

        Periods are walked by index from one end until `limit`. Keys that few memories have are
        followed to these; of a key that many have, the earliest memories are tried first, and all
        that have it only if too few of those satisfy the rest.
        """
        require_limit(limit, least=1)
        with self._db.read() as session:
            asked = _Asked(self._db, wanted, filter, self._holders(session, wanted.keys))
            found: dict[str, int | None] = {}
            if asked.is_common and not wanted.periods:
                statement, parameters = asked.earliest(limit)
                found = dict(session.run(statement, **parameters))
            if len(found) < limit:
                for statement, parameters in asked.statements():
                    found |= dict(session.run(f"{statement} LIMIT :most", most=limit, **parameters))
        return sorted(found, key=lambda i: (_NEVER if (t := found[i]) is None else t, i))[:limit]

    def _holders(self, session: Session, keys: Sequence[str]) -> list[int] | None:
        """Return the numbers of the memories that have a key; None if they are many."""
        if not keys:
            return []
        rows = session.run(
            "SELECT mid FROM relation_keys WHERE archive = :archive AND "
            + self._db.among("name", "names")
            + " LIMIT :most",
            names=self._db.sequence(list(keys)),
            most=_FEW + 1,
        )
        return None if len(rows) > _FEW else [mid for (mid,) in rows]


class _Asked:
    """The statements that fetch memories by their facets."""

    def __init__(
        self, db: Database, wanted: Facets, filter: Filter | None, holders: Sequence[int] | None
    ) -> None:
        self._db = db
        self._wanted = wanted
        where, parameters = conditions(db, filter)
        self._conditions = [where, *_rest(db, wanted, parameters)]
        self._has_rest = len(self._conditions) > 1
        self._parameters = parameters
        self.is_common = holders is None
        if wanted.keys and holders is None:
            is_few = len(wanted.keys) <= _FEW_KEYS
            self._conditions.append(_has_key(db) if is_few else _is_holder(db))
            parameters["names"] = db.sequence(list(wanted.keys))
        elif wanted.keys and holders is not None:
            self._conditions.append(db.among("m.mid", "holders"))
            parameters["holders"] = db.sequence(list(holders))

    def earliest(self, limit: int) -> tuple[str, dict[str, object]]:
        """Return the statement that tries the earliest memories only; a prefix of the result."""
        walked = (
            "(SELECT * FROM memories WHERE archive = :archive AND time IS NOT NULL "
            "ORDER BY time, id LIMIT :walked)"
        )
        where = " AND ".join(self._conditions)
        statement = f"SELECT m.id, m.time FROM {walked} m WHERE {where} ORDER BY m.time, m.id"
        return f"{statement} LIMIT :most", {**self._parameters, "walked": _WALKED, "most": limit}

    def statements(self) -> Iterator[tuple[str, dict[str, object]]]:
        """Yield statements that together find everything, each in the order of the result."""
        select, where = "SELECT m.id, m.time FROM memories m", " AND ".join(self._conditions)
        if not self._wanted.periods:
            if self._wanted.keys or self._has_rest:
                yield f"{select} WHERE {where} ORDER BY m.time, m.id", self._parameters
            return
        joined = (
            "SELECT m.id, m.time FROM relation_keys d "
            "JOIN memories m ON m.archive = d.archive AND m.mid = d.mid "
            "WHERE d.archive = :archive AND d.name >= :first AND d.name <= :last AND "
        )
        for start, end in self._wanted.periods:
            if end <= start:
                continue
            made = f"{select} WHERE m.time >= :start AND m.time < :end AND "
            times = {"start": microseconds(start), "end": microseconds(end)}
            yield f"{made}{where} ORDER BY m.time, m.id", {**self._parameters, **times}
            if self._wanted.own_clocks:
                clocks = {"clock_start": _clock(start), "clock_end": _clock(end)}
                clock = self._db.clock("m.")
                by_clock = f"{made}{clock} >= :clock_start AND {clock} < :clock_end AND "
                for around in _around(**times):
                    parameters = {**self._parameters, **clocks, **around}
                    yield f"{by_clock}{where} ORDER BY m.time, m.id", parameters
            days = _days(start, end, self._wanted.about_prefix)
            yield f"{joined}{where} ORDER BY d.name, d.mid", {**self._parameters, **days}


def _has_key(db: Database) -> str:
    """Return the condition that a memory has one of these keys, asked of each memory by itself."""
    return (
        "EXISTS (SELECT 1 FROM relation_keys k WHERE k.archive = m.archive AND k.mid = m.mid "
        f"AND {db.among('k.name', 'names')})"
    )


def _is_holder(db: Database) -> str:
    """Return the condition that a memory has one of these keys, by a list of all that have one."""
    return (
        "m.mid IN (SELECT k.mid FROM relation_keys k WHERE k.archive = :archive "
        f"AND {db.among('k.name', 'names')})"
    )


def _days(start: datetime, end: datetime, prefix: str) -> dict[str, object]:
    """Return the first and the last key of the days of a period."""
    first = start.date()
    try:
        last = (end - _INSTANT).date()
    except OverflowError:  # the first moment of the calendar
        last = end.date()
    return {"first": f"{prefix}{first.isoformat()}", "last": f"{prefix}{last.isoformat()}"}


def _around(start: int, end: int) -> Iterator[dict[str, int]]:
    """Yield the times before and after a period at which a clock elsewhere may be inside it."""
    yield {"start": start - _CLOCKS_APART, "end": start}
    yield {"start": end, "end": end + _CLOCKS_APART}


def _clock(moment: datetime) -> str:
    return moment.replace(tzinfo=None).isoformat(timespec="seconds")


def _rest(db: Database, wanted: Facets, parameters: dict[str, object]) -> Sequence[str]:
    """Return the conditions on a memory's own columns; adds their parameters."""
    rest = []
    if wanted.speakers:
        rest.append(db.among("m.speaker", "wanted_speakers"))
        parameters["wanted_speakers"] = db.sequence(list(wanted.speakers))
    sorts = []
    if wanted.kinds:
        sorts.append(db.among("m.kind", "wanted_kinds"))
        parameters["wanted_kinds"] = db.sequence(list(wanted.kinds))
    if wanted.modalities:
        sorts.append("(m.modalities & :wanted_modalities) <> 0")
        parameters["wanted_modalities"] = modality_bits(wanted.modalities)
    if sorts:
        rest.append(f"({' OR '.join(sorts)})")
    return rest


_MOST_CHARACTERS = 32 << 20  # of all texts that are kept
_LEAST_CHARACTERS = 200  # what an outline takes beside their texts, roughly
_DESCRIPTIONS = ("caption", "short_caption", "ocr", "transcript")


class Outlines:
    """Reads outlines, and keeps those that it read."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._db = core.db
        self._forget()
        core.on_forget(self._forget)

    def outlines(self, memory_ids: Iterable[str]) -> dict[str, Outline]:
        """Return the outlines of those that are there, in the order asked for."""
        wanted = list(dict.fromkeys(memory_ids))
        with self._db.read() as session:
            versions = self._core.versions(session, wanted)
            kept = self._kept  # another thread may forget them meanwhile
            unknown = [mid for mid, version in versions.values() if (mid, version) not in kept]
            read = self._read(session, unknown) if unknown else {}
        found = {}
        for memory_id in wanted:
            if memory_id in versions:
                outline = kept.get(versions[memory_id])
                found[memory_id] = outline if outline is not None else read[versions[memory_id]]
        return found

    def _read(self, session: Session, mids: Sequence[int]) -> dict[tuple[int, int], Outline]:
        """Read outlines by memory and version, which never change, and keep them."""
        rows = session.run(
            "SELECT mid, version, body FROM memories WHERE archive = :archive AND "
            + self._db.among("mid", "mids"),
            mids=self._db.sequence(mids),
        )
        read = {(mid, version): _outline(body) for mid, version, body in rows}
        self._characters += sum(
            _LEAST_CHARACTERS + sum(map(len, outline.texts)) for outline in read.values()
        )
        if self._characters > _MOST_CHARACTERS:
            self._forget()
        else:
            self._kept |= read
        return read

    def _forget(self) -> None:
        self._kept: dict[tuple[int, int], Outline] = {}
        self._characters = 0


def _outline(body: str) -> Outline:
    """Return the outline of a record; three times faster than reading the memory.

    Raises:
        ArchiveDamagedError: It is not the record of a memory.
    """
    try:
        memory: dict[str, Any] = from_json(body)
        when, where, text = memory["timestamp"], memory["place"], memory["text"]
        texts, modalities = [text], ["text"] if text else []
        for medium in memory["media"]:
            modalities.append(medium["modality"])
            texts += [medium["description"][name] for name in _DESCRIPTIONS]
        return Outline(
            memory["kind"],
            None if when is None else datetime.fromisoformat(when),
            None if where is None else Place(**where),
            memory["speaker"],
            tuple(dict.fromkeys(modalities)),  # type: ignore[arg-type]  # checked when stored
            tuple(filter(None, texts)),
        )
    except (KeyError, TypeError, ValueError, InvalidDataError) as error:
        raise ArchiveDamagedError(f"the archive holds a damaged record: {error}") from None
