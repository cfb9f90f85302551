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
_NEVER = 1 << 62  # after every moment, in microseconds


class FacetSearch:
    """The part of the store that finds memories by their facets."""

    def __init__(self, core: Core) -> None:
        self._db = core.db

    def fetch(self, wanted: Facets, *, limit: int = 200, filter: Filter | None = None) -> list[str]:
        """Return ids of memories that satisfy facets, by time, then id.

        Every statement walks an index from one end and stops at `limit`, so that the cost depends
        on what is asked for and not on the size of the archive.
        """
        require_limit(limit, least=1)
        found: dict[str, int | None] = {}
        with self._db.read() as session:
            for statement, parameters in _statements(self._db, wanted, filter):
                found |= dict(session.run(f"{statement} LIMIT :most", most=limit, **parameters))
        return sorted(found, key=lambda i: (_NEVER if (t := found[i]) is None else t, i))[:limit]


def _statements(
    db: Database, wanted: Facets, filter: Filter | None
) -> Iterator[tuple[str, dict[str, object]]]:
    where, parameters = conditions(db, filter)
    rest = _rest(db, wanted, parameters)
    select = "SELECT m.id, m.time FROM memories m"
    joined = (
        "SELECT m.id, m.time FROM relation_keys k "
        "JOIN memories m ON m.archive = k.archive AND m.mid = k.mid"
    )
    if wanted.periods:
        keyed = [db.keyed("m.")] if wanted.keys else []
        names = {"names": db.sequence(list(wanted.keys))} if wanted.keys else {}
        for start, end in wanted.periods:
            if end <= start:
                continue
            made = ["m.time >= :start", "m.time < :end"]
            times = {"start": microseconds(start), "end": microseconds(end)}
            by_time = f"{select} WHERE {' AND '.join([where, *made, *keyed, *rest])}"
            yield f"{by_time} ORDER BY m.time, m.id", {**parameters, **names, **times}
            about = ["k.archive = :archive", "k.name >= :first", "k.name <= :last"]
            by_day = f"{joined} WHERE {' AND '.join([*about, where, *keyed, *rest])}"
            days = _days(start, end, wanted.about_prefix)
            yield f"{by_day} ORDER BY k.name, k.mid", {**parameters, **names, **days}
    elif wanted.keys:
        yield (
            f"{select} WHERE {' AND '.join([where, db.keyed('m.'), *rest])} ORDER BY m.time, m.id",
            {**parameters, "names": db.sequence(list(wanted.keys))},
        )
    elif rest:
        yield f"{select} WHERE {' AND '.join([where, *rest])} ORDER BY m.time, m.id", parameters


def _days(start: datetime, end: datetime, prefix: str) -> dict[str, object]:
    """Return the first and the last key of the days of a period."""
    first = start.date()
    try:
        last = (end - _INSTANT).date()
    except OverflowError:  # the first moment of the calendar
        last = end.date()
    return {"first": f"{prefix}{first.isoformat()}", "last": f"{prefix}{last.isoformat()}"}


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
