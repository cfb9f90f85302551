"""Keys and nearest neighbours: what keeps relations up to date as memories come and go."""

from __future__ import annotations

import hashlib
from itertools import groupby
from typing import TYPE_CHECKING

from graphmemix.store.sanitize import is_storable
from graphmemix.store.sql.base import SqlBase, from_blob, parsed, view_kind
from graphmemix.store.unit_vectors import graph_vector

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from graphmemix.memory import Memory
    from graphmemix.store.database import Session
    from graphmemix.store.protocol import Neighbour, Vector

_ROWS_PER_READ = 10_000
_LONGEST_KEY = 300  # characters


def _short(key: str) -> str:
    """Return a key that an index can hold: a long one is known by its beginning and its hash."""
    if len(key) <= _LONGEST_KEY:
        return key
    return key[:_LONGEST_KEY] + hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()


class Relations(SqlBase):
    """The part of the store that `relate` builds on."""

    def with_keys(self, keys: Iterable[str]) -> list[Memory]:
        """Return the memories that have any of these keys, lowest id first."""
        with self.db.read() as session:
            rows = session.run(
                "SELECT m.body FROM memories m WHERE m.archive = :archive AND "
                + self.db.keyed("m.")
                + " ORDER BY m.id",
                names=self.db.sequence(sorted({_short(key) for key in keys})),
            )
        return parsed(rows)

    def keys(self, memory_ids: Iterable[str], *, prefix: str = "") -> dict[str, set[str]]:
        """Return the keys with this prefix of those memories that have any."""
        if not is_storable(prefix):
            return {}
        with self.db.read() as session:
            rows = session.run(
                "SELECT m.id, k.name FROM memories m JOIN relation_keys k "
                "ON k.archive = m.archive AND k.mid = m.mid WHERE m.archive = :archive AND "
                + self.db.named("m.")
                + " AND k.name >= :prefix AND k.name < :behind",
                ids=self.db.sequence(list(memory_ids)),
                prefix=prefix,
                behind=prefix + "\U0010ffff",
            )
        found: dict[str, set[str]] = {}
        for memory_id, name in rows:
            found.setdefault(memory_id, set()).add(name)
        return found

    def key_names(self, prefix: str) -> list[str]:
        """Return all distinct keys with this prefix, without it, in order."""
        if not is_storable(prefix):
            return []
        with self.db.read() as session:
            rows = session.run(
                "SELECT DISTINCT name FROM relation_keys WHERE archive = :archive "
                "AND name >= :prefix AND name < :behind ORDER BY name",
                prefix=prefix,
                behind=prefix + "\U0010ffff",
            )
        return [name.removeprefix(prefix) for (name,) in rows]

    def speakers(self) -> list[str]:
        """Return everybody who wrote, said or took something."""
        with self.db.read() as session:
            # From name to name by index: there are far fewer speakers than memories.
            rows = session.run(
                "WITH RECURSIVE names (name) AS (SELECT MIN(speaker) FROM memories "
                "WHERE archive = :archive AND speaker IS NOT NULL UNION ALL "
                "SELECT (SELECT MIN(m.speaker) FROM memories m WHERE m.archive = :archive "
                "AND m.speaker > names.name) FROM names WHERE names.name IS NOT NULL) "
                "SELECT name FROM names WHERE name IS NOT NULL"
            )
        return sorted(name for (name,) in rows)

    def _put_keys(self, session: Session, keys: Mapping[str, Iterable[str]]) -> None:
        if not keys:
            return
        mids = self._numbers(session, keys)
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
        with self.db.read() as session:
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

    def _put_neighbours(
        self, session: Session, neighbours: Mapping[str, Iterable[Neighbour]]
    ) -> None:
        if not neighbours:
            return
        lists = {memory_id: list(others) for memory_id, others in neighbours.items()}
        named = {other for others in lists.values() for other, _ in others}
        mids = self._numbers(session, named | set(lists))
        session.run_many(
            "DELETE FROM neighbours WHERE archive = :archive AND mid = :mid",
            [{"mid": mids[memory_id]} for memory_id in lists if memory_id in mids],
        )
        session.run_many(
            "INSERT INTO neighbours (archive, mid, other, cosine) "
            "VALUES (:archive, :mid, :other, :cosine)",
            [
                {"mid": mids[memory_id], "other": mids[other], "cosine": cosine}
                for memory_id, others in lists.items()
                for other, cosine in others
                if memory_id in mids and other in mids
            ],
        )

    def _remove_relations(self, session: Session, mids: object) -> None:
        """Remove keys and neighbours of memories; `mids` is a list parameter."""
        for table, column in (
            ("relation_keys", "mid"),
            ("neighbours", "mid"),
            ("neighbours", "other"),
        ):
            session.run(
                f"DELETE FROM {table} WHERE archive = :archive AND "
                + self.db.among(column, "mids"),
                mids=mids,
            )

    def graph_vectors(self) -> Iterator[tuple[str, Vector]]:
        """Yield the graph vector of every memory that has vectors, by internal number."""
        last = -1
        while True:
            with self.db.read() as session:
                rows = session.run(
                    "SELECT m.mid, m.id, x.kind, x.vector FROM "
                    "(SELECT mid, id FROM memories WHERE archive = :archive AND mid > :last "
                    "ORDER BY mid LIMIT :most) m "
                    "LEFT JOIN encoders e ON e.archive = :archive AND e.serving = 1 "
                    "LEFT JOIN views v ON v.archive = :archive AND v.mid = m.mid "
                    "LEFT JOIN vectors x ON x.archive = :archive AND x.encoder = e.encoder "
                    "AND x.vid = v.vid ORDER BY m.mid, x.ordinal",
                    last=last,
                    most=_ROWS_PER_READ,
                )
            for memory_id, views in groupby(rows, key=lambda row: str(row[1])):
                vector = graph_vector([(view_kind(k), from_blob(b)) for _, _, k, b in views if b])
                if vector is not None:
                    yield memory_id, vector
            if not rows:
                return
            last = rows[-1][0]
