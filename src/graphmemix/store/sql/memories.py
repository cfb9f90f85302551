"""Memories and their history."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.errors import DuplicateMemoryError, InvalidDataError, MemoryNotFoundError
from graphmemix.memory import Memory
from graphmemix.store.protocol import Added, Derived, Entry, Filter, Restored, Version
from graphmemix.store.sanitize import cleaned, is_storable, microseconds, moment
from graphmemix.store.sql.columns import (
    conditions,
    media_addresses,
    memory_columns,
    parsed,
    require_limit,
    stored,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphmemix.evidence import Edge
    from graphmemix.store.backend import Session
    from graphmemix.store.sql.core import Core
    from graphmemix.store.sql.derived import SqlDerivedData
    from graphmemix.store.sql.relations import SqlRelations

_INSERT = """
INSERT INTO memories (archive, mid, id, version, body, kind, source, session, speaker, time,
    latitude, longitude, modalities, derived)
VALUES (:archive, :mid, :id, :version, :body, :kind, :source, :session, :speaker, :time,
    :latitude, :longitude, :modalities, :derived)
"""
_REPLACE = """
UPDATE memories SET version = :version, body = :body, kind = :kind, source = :source,
    session = :session, speaker = :speaker, time = :time, latitude = :latitude,
    longitude = :longitude, modalities = :modalities
WHERE archive = :archive AND mid = :mid
"""
_INSERT_MEDIA = """
INSERT INTO media (archive, mid, version, sha256) VALUES (:archive, :mid, :version, :sha256)
"""
_KEEP_VERSION = """
INSERT INTO versions (archive, mid, version, body, replaced)
VALUES (:archive, :mid, :version, :body, :replaced)
"""
_BY_TIME = "(m.time IS NULL), m.time, m.id"
_EXPORT_BATCH = 500


class SqlMemories:
    """Implements `Memories`, but for `outlines`."""

    def __init__(self, core: Core, derived: SqlDerivedData, relations: SqlRelations) -> None:
        self._core = core
        self._db = core.db
        self._media = core.media
        self._derived = derived
        self._relations = relations

    def add(self, entries: Iterable[Entry], edges: Iterable[Edge] = ()) -> Added:
        """Store a batch with all that belongs to it, in one transaction."""
        batch = _without_repeats(entries)
        columns = {memory_id: memory_columns(entry.memory) for memory_id, entry in batch.items()}
        self._require_media(entry.memory for entry in batch.values())
        with self._db.write() as session:
            known = self._known(session, batch)
            new = [memory_id for memory_id in batch if memory_id not in known]
            derived = {i: d for i in new if (d := batch[i].derived) is not None}
            views = sum(len(each.views) for each in derived.values())
            numbers = self._core.take_numbers(
                session, mids=len(new), vids=views, change=bool(derived)
            )
            mids = dict(zip(new, numbers.mids, strict=True))
            session.run_many(
                _INSERT,
                [
                    {**columns[i], "mid": mid, "version": 1, "derived": _is_derived(batch[i])}
                    for i, mid in mids.items()
                ],
            )
            session.run_many(_INSERT_MEDIA, _media_rows(batch, mids))
            self._derived.insert(
                session, {mids[i]: (i, d) for i, d in derived.items()}, numbers.vids
            )
            self._relations.write_edges(session, add=edges, remove=())
        self._claim_media(entry.memory for entry in batch.values())
        return Added(tuple(new), tuple(known))

    def _known(self, session: Session, batch: dict[str, Entry]) -> dict[str, None]:
        ids = list(batch)
        if len(ids) == 1:  # a third of the time
            select = "SELECT id, body FROM memories WHERE archive = :archive AND id = :id"
            rows = session.run(select, id=ids[0])
        else:
            rows = session.run(
                "SELECT id, body FROM memories WHERE archive = :archive AND " + self._db.named(),
                ids=self._db.sequence(ids),
            )
        there = {memory_id: stored(Memory, body) for memory_id, body in rows}
        for memory_id, memory in there.items():
            if memory != batch[memory_id].memory:
                raise DuplicateMemoryError(memory_id)
        return {memory_id: None for memory_id in batch if memory_id in there}

    def _require_media(self, memories: Iterable[Memory]) -> None:
        for memory in memories:
            for sha256 in media_addresses(memory):
                if sha256 not in self._media:
                    raise InvalidDataError(
                        f"memory {memory.id!r}: media {sha256} was not put before"
                    )

    def _claim_media(self, memories: Iterable[Memory]) -> None:
        """Keep the files of memories that are stored by now."""
        self._media.claim(sha256 for memory in memories for sha256 in media_addresses(memory))

    def get(self, memory_id: str) -> Memory:
        """Return a memory, or raise `MemoryNotFoundError`."""
        found = self.get_many([memory_id])
        if memory_id not in found:
            raise MemoryNotFoundError(memory_id)
        return found[memory_id]

    def get_many(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return those that are there, in the order asked for."""
        wanted = list(dict.fromkeys(memory_ids))
        with self._db.read() as session:
            mids = self._core.numbers(session, wanted)
            rows = session.run(
                "SELECT body FROM memories WHERE archive = :archive AND "
                + self._db.among("mid", "mids"),
                mids=self._db.sequence(list(mids.values())),
            )
        found = {memory.id: memory for memory in parsed(rows)}
        return {memory_id: found[memory_id] for memory_id in wanted if memory_id in found}

    def ids_starting(self, prefix: str, *, limit: int) -> list[str]:
        """Return ids that start with these characters, in order, at most so many."""
        require_limit(limit)
        if not is_storable(prefix):
            return []
        with self._db.read() as session:
            rows = session.run(
                "SELECT id FROM memories WHERE archive = :archive AND id >= :prefix "
                "AND id < :above ORDER BY id LIMIT :most",
                prefix=prefix,
                above=f"{prefix}\U0010ffff",
                most=limit,
            )
        return [memory_id for (memory_id,) in rows]

    def with_media(self, sha256: str) -> list[Memory]:
        """Return the memories whose current version has this file, lowest id first."""
        self._media.path(sha256)  # raises unless it is an address
        with self._db.read() as session:
            rows = session.run(
                "SELECT m.body FROM media x JOIN memories m ON m.archive = x.archive "
                "AND m.mid = x.mid AND m.version = x.version "
                "WHERE x.archive = :archive AND x.sha256 = :sha256 ORDER BY m.id",
                sha256=sha256,
            )
        return parsed(rows)

    def find(
        self, filter: Filter | None = None, *, limit: int | None = None, after: str | None = None
    ) -> list[Memory]:
        """Return memories by time, then id; those without a time last."""
        require_limit(limit)
        where, parameters = conditions(self._db, filter)
        with self._db.read() as session:
            if after is not None:
                where += " AND " + self._behind(session, after, parameters)
            sql = f"SELECT m.body FROM memories m WHERE {where} ORDER BY {_BY_TIME}"
            if limit is not None:
                sql += " LIMIT :most"
                parameters["most"] = limit
            return parsed(session.run(sql, **parameters))

    def _behind(self, session: Session, after: str, parameters: dict[str, object]) -> str:
        """Return the condition for everything behind `after` in the order of `find`."""
        rows = is_storable(after) and session.run(
            "SELECT time FROM memories WHERE archive = :archive AND id = :id", id=after
        )
        if not rows:
            raise MemoryNotFoundError(after)
        parameters["last_id"] = after
        if rows[0][0] is None:
            return "(m.time IS NULL AND m.id > :last_id)"
        parameters["last_time"] = rows[0][0]
        return (
            "(m.time > :last_time OR (m.time = :last_time AND m.id > :last_id) OR m.time IS NULL)"
        )

    def years(self) -> range:
        """Return the years, in UTC, from the earliest to the latest time of a memory."""
        ends = []
        with self._db.read() as session:
            for order in ("", "DESC"):  # each one step along an index
                rows = session.run(
                    "SELECT m.time FROM memories m WHERE m.archive = :archive "
                    f"AND m.time IS NOT NULL ORDER BY m.time {order} LIMIT 1"
                )
                ends += [moment(time).year for (time,) in rows]
        return range(ends[0], ends[1] + 1) if ends else range(0)

    def count(self, filter: Filter | None = None) -> int:
        """Return how many memories pass."""
        where, parameters = conditions(self._db, filter)
        with self._db.read() as session:
            [(number,)] = session.run(
                f"SELECT COUNT(*) FROM memories m WHERE {where}", **parameters
            )
        return int(number)

    def passing(self, memory_ids: Iterable[str], filter: Filter) -> set[str]:
        """Return which of these memories pass."""
        where, parameters = conditions(self._db, filter)
        with self._db.read() as session:
            rows = session.run(
                f"SELECT m.id FROM memories m WHERE {where} AND " + self._db.named("m."),
                ids=self._db.sequence(list(memory_ids)),
                **parameters,
            )
        return {memory_id for (memory_id,) in rows}

    def update(self, memory: Memory, derived: Derived | None = None) -> int:
        """Replace a memory; the old state stays in `history`. Returns the version's number."""
        memory = cleaned(memory)
        columns = memory_columns(memory)
        self._require_media([memory])
        with self._db.write() as session:
            rows = session.run(
                "SELECT mid, version, body FROM memories WHERE archive = :archive AND id = :id",
                id=memory.id,
            )
            if not rows:
                raise MemoryNotFoundError(memory.id)
            mid, version, body = rows[0]
            if stored(Memory, body) == memory:
                return int(version)
            now = microseconds(datetime.now(UTC))
            session.run(_KEEP_VERSION, mid=mid, version=version, body=body, replaced=now)
            version += 1
            session.run(_REPLACE, **{**columns, "mid": mid, "version": version})
            media = [
                {"mid": mid, "version": version, "sha256": sha} for sha in media_addresses(memory)
            ]
            session.run_many(_INSERT_MEDIA, media)
            self._derived.remove(session, [mid])
            if derived is not None:
                self._derived.insert(session, {mid: (memory.id, derived)})
                self._derived.mark(session, [mid])
        self._claim_media([memory])
        return int(version)

    def history(self, memory_id: str) -> tuple[Version, ...]:
        """Return all versions, oldest first; the current one is the last."""
        with self._db.read() as session:
            return self._history(session, memory_id)

    def _history(self, session: Session, memory_id: str) -> tuple[Version, ...]:
        current = is_storable(memory_id) and session.run(
            "SELECT mid, version, body FROM memories WHERE archive = :archive AND id = :id",
            id=memory_id,
        )
        if not current:
            raise MemoryNotFoundError(memory_id)
        mid, number, body = current[0]
        earlier = session.run(
            "SELECT version, body, replaced FROM versions WHERE archive = :archive AND mid = :mid "
            "ORDER BY version",
            mid=mid,
        )
        versions = [Version(n, stored(Memory, b), moment(at)) for n, b, at in earlier]
        return (*versions, Version(number, stored(Memory, body), None))

    def every_version(self) -> Iterator[Version]:
        """Yield all versions of all memories, by id and number."""
        last = ""
        while True:
            with self._db.read() as session:
                rows = session.run(
                    "SELECT id FROM memories WHERE archive = :archive AND id > :last "
                    "ORDER BY id LIMIT :most",
                    last=last,
                    most=_EXPORT_BATCH,
                )
                versions = [v for (memory_id,) in rows for v in self._history(session, memory_id)]
            yield from versions
            if len(rows) < _EXPORT_BATCH:
                return
            last = rows[-1][0]

    def restore(self, batch: Iterable[Restored]) -> Added:
        """Store memories with their whole history, as `history` returned it, in one transaction."""
        memories = {each.versions[-1].memory.id: each for each in batch}
        self._require_media(v.memory for each in memories.values() for v in each.versions)
        with self._db.write() as session:
            current = {i: Entry(each.versions[-1].memory) for i, each in memories.items()}
            known = self._known(session, current)
            new = [memory_id for memory_id in memories if memory_id not in known]
            numbers = self._core.take_numbers(session, mids=len(new))
            mids = dict(zip(new, numbers.mids, strict=True))
            self._restore_versions(session, [(mid, memories[i]) for i, mid in mids.items()])
            derived = {i: d for i in new if (d := memories[i].derived) is not None}
            self._derived.insert(session, {mids[i]: (i, d) for i, d in derived.items()})
        self._claim_media(v.memory for each in memories.values() for v in each.versions)
        return Added(tuple(new), tuple(known))

    def _restore_versions(self, session: Session, batch: list[tuple[int, Restored]]) -> None:
        current: list[dict[str, object]] = []
        earlier: list[dict[str, object]] = []
        media: list[dict[str, object]] = []
        for mid, restored in batch:
            for version in restored.versions:
                memory = cleaned(version.memory)
                row = {**memory_columns(memory), "mid": mid, "version": version.number}
                if version.replaced_at is None:
                    current.append({**row, "derived": _is_derived(restored)})
                else:
                    kept = {key: row[key] for key in ("mid", "version", "body")}
                    earlier.append({**kept, "replaced": microseconds(version.replaced_at)})
                media += [
                    {"mid": mid, "version": version.number, "sha256": sha256}
                    for sha256 in media_addresses(memory)
                ]
        session.run_many(_INSERT, current)
        session.run_many(_KEEP_VERSION, earlier)
        session.run_many(_INSERT_MEDIA, media)


def _is_derived(entry: Entry | Restored) -> int:
    return int(entry.derived is not None)


def _without_repeats(entries: Iterable[Entry]) -> dict[str, Entry]:
    """Return cleaned entries by id; the same memory twice in a batch is one."""
    batch: dict[str, Entry] = {}
    for entry in entries:
        memory = cleaned(entry.memory)
        held = batch.get(memory.id)
        if held is None:
            batch[memory.id] = Entry(memory, entry.derived)
        elif held.memory != memory:
            raise DuplicateMemoryError(memory.id)
    return batch


def _media_rows(batch: dict[str, Entry], mids: dict[str, int]) -> list[dict[str, object]]:
    return [
        {"mid": mid, "version": 1, "sha256": sha256}
        for memory_id, mid in mids.items()
        for sha256 in media_addresses(batch[memory_id].memory)
    ]
