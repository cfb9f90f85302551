"""Edges between memories, and what `relate` finds them by: keys and nearest neighbours."""

from __future__ import annotations

import hashlib
from datetime import date
from typing import TYPE_CHECKING

from graphmemix.evidence import Edge
from graphmemix.store.sanitize import is_storable
from graphmemix.store.sql.columns import DAY_OF_TIME, parsed, require_limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphmemix.memory import Memory
    from graphmemix.store.backend import Session
    from graphmemix.store.protocol import Neighbour
    from graphmemix.store.sql.core import Core

_INSERT_EDGE = """
INSERT INTO edges (archive, source, target, relation, confidence)
VALUES (:archive, :source, :target, :relation, :confidence)
ON CONFLICT (archive, source, target, relation) DO UPDATE SET confidence = excluded.confidence
"""
_DELETE_EDGE = """
DELETE FROM edges WHERE archive = :archive AND source = :source AND target = :target
    AND relation = :relation
"""
_LONGEST_KEY = 300  # characters


def _short(key: str) -> str:
    """Return a key that an index can hold: a long one is known by its beginning and its hash."""
    if len(key) <= _LONGEST_KEY:
        return key
    return key[:_LONGEST_KEY] + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


class SqlRelations:
    """Implements `Relations`."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._db = core.db

    def edges(
        self, memory_ids: Iterable[str], *, among: bool = False, relation: str | None = None
    ) -> list[Edge]:
        """Return the edges that touch any of these, ordered by (source, target, relation)."""
        with self._db.read() as session:
            mids = self._db.sequence(list(self._core.numbers(session, memory_ids).values()))
            select = (
                "SELECT source, target, relation, confidence FROM edges "
                "WHERE archive = :archive AND "
            )
            to, from_ = self._db.among("target", "mids"), self._db.among("source", "mids")
            only = {} if relation is None else {"relation": relation}
            behind = "" if relation is None else " AND relation = :relation"
            if among:
                rows = set(session.run(f"{select}{from_} AND {to}{behind}", mids=mids, **only))
            else:  # two lookups by index, then a union: an OR would scan the table
                rows = set(session.run(select + from_ + behind, mids=mids, **only))
                rows |= set(session.run(select + to + behind, mids=mids, **only))
            ends = list({end for row in rows for end in row[:2]})
            ids = dict(zip(ends, self._core.ids_of(session, ends), strict=True))
        named = ((ids[a], ids[b], name, weight) for a, b, name, weight in rows)
        return [Edge(*row) for row in sorted(named)]

    def change_edges(self, *, add: Iterable[Edge] = (), remove: Iterable[Edge] = ()) -> None:
        """Add and remove edges in one transaction."""
        with self._db.write() as session:
            self.write_edges(session, add=add, remove=remove)

    def write_edges(self, session: Session, *, add: Iterable[Edge], remove: Iterable[Edge]) -> None:
        """Add and remove edges.

        Raises:
            MemoryNotFoundError: An end of an added edge is not there.
        """
        added, removed = list(add), list(remove)
        if not added and not removed:
            return
        mids = self._core.required_numbers(session, {end for edge in added for end in _ends(edge)})
        mids |= self._core.numbers(session, {end for edge in removed for end in _ends(edge)})
        there = [edge for edge in removed if edge.source in mids and edge.target in mids]
        session.run_many(_DELETE_EDGE, [_edge_row(edge, mids) for edge in there])
        session.run_many(_INSERT_EDGE, [_edge_row(edge, mids) for edge in added])

    def with_keys(self, keys: Iterable[str]) -> list[Memory]:
        """Return the memories that have any of these keys, lowest id first."""
        with self._db.read() as session:
            rows = session.run(
                "SELECT m.body FROM memories m WHERE m.archive = :archive AND "
                + self._db.keyed("m.")
                + " ORDER BY m.id",
                names=self._db.sequence(sorted({_short(key) for key in keys})),
            )
        return parsed(rows)

    def keys(self, memory_ids: Iterable[str], *, prefix: str = "") -> dict[str, set[str]]:
        """Return the keys with this prefix of those memories that have any."""
        if not is_storable(prefix):
            return {}
        with self._db.read() as session:
            mids = self._core.numbers(session, memory_ids)
            rows = session.run(
                # A left join, so that the few memories come first, and not all keys of the prefix.
                "SELECT m.id, k.name FROM memories m LEFT JOIN relation_keys k "
                "ON k.archive = m.archive AND k.mid = m.mid "
                "AND k.name >= :prefix AND k.name < :behind WHERE m.archive = :archive AND "
                + self._db.among("m.mid", "mids"),
                mids=self._db.sequence(list(mids.values())),
                prefix=prefix,
                behind=prefix + "\U0010ffff",
            )
        found: dict[str, set[str]] = {}
        for memory_id, name in rows:
            if name is not None:
                found.setdefault(memory_id, set()).add(name)
        return found

    def key_days(self, prefix: str, *, most: int = 20_000) -> list[tuple[date, str]]:
        """Return each day, in UTC, of memories that have keys with this prefix, with these keys."""
        if not is_storable(prefix):
            return []
        require_limit(most, least=1)
        with self._db.read() as session:
            [(numbers,)] = session.run("SELECT next_mid FROM archives WHERE archive = :archive")
            rows = session.run(
                f"SELECT DISTINCT {DAY_OF_TIME}, k.name FROM relation_keys k "
                "JOIN memories m ON m.archive = k.archive AND m.mid = k.mid "
                "WHERE k.archive = :archive AND k.name >= :prefix AND k.name < :behind "
                "AND k.mid / :step * :step = k.mid AND m.time IS NOT NULL ORDER BY 1, 2",
                prefix=prefix,
                behind=prefix + "\U0010ffff",
                step=-(-max(numbers, 1) // most),
            )
        return [(date.fromordinal(day), name) for day, name in rows]

    def key_names(self, prefix: str) -> list[str]:
        """Return all distinct keys with this prefix, without it, in order."""
        if not is_storable(prefix):
            return []
        with self._db.read() as session:
            rows = session.run(
                "SELECT DISTINCT name FROM relation_keys WHERE archive = :archive "
                "AND name >= :prefix AND name < :behind ORDER BY name",
                prefix=prefix,
                behind=prefix + "\U0010ffff",
            )
        return [name.removeprefix(prefix) for (name,) in rows]

    def speakers(self) -> list[str]:
        """Return everybody who wrote, said or took something."""
        with self._db.read() as session:
            # From name to name by index: there are far fewer speakers than memories.
            rows = session.run(
                "WITH RECURSIVE names (name) AS (SELECT MIN(speaker) FROM memories "
                "WHERE archive = :archive AND speaker IS NOT NULL UNION ALL "
                "SELECT (SELECT MIN(m.speaker) FROM memories m WHERE m.archive = :archive "
                "AND m.speaker > names.name) FROM names WHERE names.name IS NOT NULL) "
                "SELECT name FROM names WHERE name IS NOT NULL"
            )
        return sorted(name for (name,) in rows)

    def put_keys(self, session: Session, keys: Mapping[str, Iterable[str]]) -> None:
        """Replace the keys of memories."""
        if not keys:
            return
        mids = self._core.numbers(session, keys)
        session.run_many(
            "DELETE FROM relation_keys WHERE archive = :archive AND mid = :mid",
            [{"mid": mid} for mid in mids.values()],
        )
        session.run_many(
            "INSERT INTO relation_keys (archive, name, mid) VALUES (:archive, :name, :mid)",
            [
                {"name": n, "mid": mid}
                for i, mid in mids.items()
                for n in sorted({_short(key) for key in keys[i]})
            ],
        )

    def neighbours(self) -> dict[str, list[Neighbour]]:
        """Return the nearest others of every memory that has any, nearest first."""
        with self._db.read() as session:
            rows = session.run(
                "SELECT a.id, b.id, n.cosine FROM neighbours n "
                "JOIN memories a ON a.archive = n.archive AND a.mid = n.mid "
                "JOIN memories b ON b.archive = n.archive AND b.mid = n.other "
                "WHERE n.archive = :archive"
            )
        found: dict[str, list[Neighbour]] = {}
        for memory_id, other, cosine in sorted(rows, key=lambda row: (row[0], -row[2], row[1])):
            found.setdefault(memory_id, []).append((other, cosine))
        return found

    def put_neighbours(
        self, session: Session, neighbours: Mapping[str, Iterable[Neighbour]]
    ) -> None:
        """Replace the nearest others of memories; rows that stay as they are are not touched."""
        if not neighbours:
            return
        mids = self._core.numbers(session, neighbours)
        wanted = {mid: dict(neighbours[memory_id]) for memory_id, mid in mids.items()}
        rows = session.run(
            "SELECT mid, other, cosine FROM neighbours WHERE archive = :archive AND "
            + self._db.among("mid", "mids"),
            mids=self._db.sequence(list(wanted)),
        )
        # Compared by id, which is at hand; only what is new has to be looked up by number.
        others = self._core.ids_of(session, [other for _, other, _ in rows])
        stored: dict[int, dict[str | None, float]] = {mid: {} for mid in wanted}
        gone = []
        for (mid, other, cosine), other_id in zip(rows, others, strict=True):
            stored[mid][other_id] = cosine
            if other_id is None or wanted[mid].get(other_id) != cosine:
                gone.append({"mid": mid, "other": other})
        new = [
            (mid, other, cosine)
            for mid, near in wanted.items()
            if near != stored[mid]
            for other, cosine in near.items()
            if stored[mid].get(other) != cosine
        ]
        there = self._core.numbers(session, {other for _, other, _ in new})
        session.run_many(
            "DELETE FROM neighbours WHERE archive = :archive AND mid = :mid AND other = :other",
            gone,
        )
        session.run_many(
            "INSERT INTO neighbours (archive, mid, other, cosine) "
            "VALUES (:archive, :mid, :other, :cosine)",
            [
                {"mid": mid, "other": there[other], "cosine": cosine}
                for mid, other, cosine in new
                if other in there
            ],
        )

    def remove(self, session: Session, mids: Sequence[int]) -> int:
        """Remove everything that relates to these memories; return how many edges there were."""
        listed = self._db.sequence(mids)
        touching = (
            f"archive = :archive AND ({self._db.among('source', 'mids')} "
            f"OR {self._db.among('target', 'mids')})"
        )
        [(edges,)] = session.run(f"SELECT COUNT(*) FROM edges WHERE {touching}", mids=listed)
        session.run(f"DELETE FROM edges WHERE {touching}", mids=listed)
        for table, column in (
            ("relation_keys", "mid"),
            ("neighbours", "mid"),
            ("neighbours", "other"),
        ):
            session.run(
                f"DELETE FROM {table} WHERE archive = :archive AND "
                + self._db.among(column, "mids"),
                mids=listed,
            )
        return int(edges)


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.source, edge.target


def _edge_row(edge: Edge, mids: Mapping[str, int]) -> dict[str, object]:
    return {
        "source": mids[edge.source],
        "target": mids[edge.target],
        "relation": edge.relation,
        "confidence": edge.confidence,
    }
