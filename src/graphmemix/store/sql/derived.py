"""Views, vectors and postings: what is derived from memories, and can be made again."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, cast

from graphmemix.memory import View
from graphmemix.store.records import Derived
from graphmemix.store.sql.columns import from_blob, require_limit, view_kind
from graphmemix.store.sql.core import encoder_of, serving_encoder
from graphmemix.store.sql.view_rows import require_vectors, vector_row, view_row, words_hash
from graphmemix.store.unit_vectors import graph_vector, unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphmemix.evidence import Edge
    from graphmemix.memory import ViewKind
    from graphmemix.store.backend import Session, StoredEncoder, VectorIndex
    from graphmemix.store.protocol import Neighbour, Vector
    from graphmemix.store.sql.core import Core
    from graphmemix.store.sql.relations import SqlRelations

_INSERT_VIEW = """
INSERT INTO views
(archive, vid, mid, ordinal, kind, text, media_sha256, seconds, length, terms, words_hash)
VALUES (:archive, :vid, :mid, :ordinal, :kind, :text, :media_sha256, :seconds, :length, :terms,
:words_hash)
"""
_INSERT_VECTOR = """
INSERT INTO vectors (archive, encoder, vid, mid, kind, ordinal, vector)
VALUES (:archive, :encoder, :vid, :mid, :kind, :ordinal, :vector)
"""
_WAITING = "SELECT {columns} FROM memories m WHERE m.archive = :archive AND m.derived = 0"
_MOST_NOTED = 10_000  # removed views, for caches to catch up with
_ROWS_PER_READ = 10_000  # of memories, for their graph vectors


class SqlDerivedData:
    """Implements `DerivedData`. All that is derived is written and removed through here."""

    def __init__(self, core: Core, relations: SqlRelations, index: VectorIndex) -> None:
        self._core = core
        self._db = core.db
        self._relations = relations
        self._index = index
        self._tables = (*index.tables, "vectors")

    def views(self, memory_ids: Iterable[str]) -> dict[str, tuple[View, ...]]:
        """Return the views of those memories that are there, in order."""
        wanted = list(dict.fromkeys(memory_ids))
        with self._db.read() as session:
            rows = session.run(
                "SELECT m.id, v.kind, v.ordinal, v.text, v.media_sha256, v.seconds FROM memories m "
                "LEFT JOIN views v ON v.archive = m.archive AND v.mid = m.mid "
                "WHERE m.archive = :archive AND " + self._db.named("m.") + " ORDER BY v.ordinal",
                ids=self._db.sequence(wanted),
            )
        found: dict[str, list[View]] = {row[0]: [] for row in rows}
        for memory_id, kind, *rest in rows:
            if kind is not None:
                found[memory_id].append(View(memory_id, view_kind(kind), *rest))
        return {memory_id: tuple(found[memory_id]) for memory_id in wanted if memory_id in found}

    def vectors(self, memory_ids: Iterable[str]) -> dict[str, tuple[Vector | None, ...]]:
        """Return the vectors of those memories that are there, by view, of the serving encoder."""
        wanted = list(dict.fromkeys(memory_ids))
        with self._db.read() as session:
            rows = session.run(
                "SELECT m.id, v.ordinal, x.vector FROM memories m "
                "LEFT JOIN views v ON v.archive = m.archive AND v.mid = m.mid "
                "LEFT JOIN encoders e ON e.archive = m.archive AND e.serving = 1 "
                "LEFT JOIN vectors x ON x.archive = m.archive AND x.encoder = e.encoder "
                "AND x.vid = v.vid "
                "WHERE m.archive = :archive AND " + self._db.named("m.") + " ORDER BY v.ordinal",
                ids=self._db.sequence(wanted),
            )
        found: dict[str, list[Vector | None]] = {row[0]: [] for row in rows}
        for memory_id, ordinal, blob in rows:
            if ordinal is not None:
                found[memory_id].append(None if blob is None else from_blob(blob))
        return {memory_id: tuple(found[memory_id]) for memory_id in wanted if memory_id in found}

    def vectors_by_kind(
        self, memory_ids: Iterable[str]
    ) -> dict[str, tuple[tuple[ViewKind, Vector], ...]]:
        """Return the vectors of memories with the kinds of their views, in their order."""
        with self._db.read() as session:
            mids = self._core.numbers(session, memory_ids)
            rows = session.run(
                "SELECT m.id, v.kind, x.vector FROM memories m "
                "LEFT JOIN views v ON v.archive = m.archive AND v.mid = m.mid "
                "LEFT JOIN encoders e ON e.archive = m.archive AND e.serving = 1 "
                "LEFT JOIN vectors x ON x.archive = m.archive AND x.encoder = e.encoder "
                "AND x.vid = v.vid "
                "WHERE m.archive = :archive AND "
                + self._db.among("m.mid", "mids")
                + " ORDER BY v.ordinal",
                mids=self._db.sequence(list(mids.values())),
            )
        found: dict[str, list[tuple[ViewKind, Vector]]] = {}
        for memory_id, kind, blob in rows:
            if blob is not None:
                found.setdefault(memory_id, []).append((view_kind(kind), from_blob(blob)))
        return {memory_id: tuple(of) for memory_id, of in found.items()}

    def vectors_of_texts(self, texts: Iterable[str]) -> dict[str, Vector]:
        """Return the vectors of views with these very words, of the serving encoder."""
        hashes = {hashed: text for text in texts if (hashed := words_hash(text)) is not None}
        if not hashes:
            return {}
        with self._db.read() as session:
            rows = session.run(
                # Crossed, so that SQLite begins with the words, and does not read all vectors.
                "SELECT v.text, x.vector FROM views v CROSS JOIN encoders e CROSS JOIN vectors x "
                "WHERE v.archive = :archive AND e.archive = :archive AND e.serving = 1 "
                "AND x.archive = :archive AND x.encoder = e.encoder AND x.vid = v.vid AND "
                + self._db.among("v.words_hash", "hashes"),
                hashes=self._db.sequence(list(hashes)),
            )
        wanted = set(hashes.values())
        return {text: from_blob(blob) for text, blob in rows if text in wanted}

    def graph_vectors(self) -> Iterator[tuple[str, Vector]]:
        """Yield the graph vector of every memory that has vectors, by internal number."""
        last = -1
        while True:
            with self._db.read() as session:
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

    def encoder(self) -> str | None:
        """Return the identity of the encoder whose vectors are served; None if there are none."""
        with self._db.read() as session:
            serving = serving_encoder(session)
        return serving.identity if serving else None

    def state(self) -> str:
        """Return a word that is another one after every change of views or vectors."""
        with self._db.read() as session:
            [(uuid, change)] = session.run(
                "SELECT uuid, change FROM archives WHERE archive = :archive"
            )
        return f"{uuid}/{change}"

    def without_vectors(self, *, limit: int | None = None) -> list[str]:
        """Return ids of memories that wait for their vectors, newest first, then by id."""
        require_limit(limit)
        sql = _WAITING.format(columns="m.id") + " ORDER BY (m.time IS NULL), m.time DESC, m.id"
        with self._db.read() as session:
            if limit is None:
                return [row[0] for row in session.run(sql)]
            return [row[0] for row in session.run(sql + " LIMIT :most", most=limit)]

    def without_words(self) -> list[str]:
        """Return ids of memories that have neither views nor keys yet, lowest id first."""
        sql = _WAITING.format(columns="m.id") + (
            " AND NOT EXISTS (SELECT 1 FROM relation_keys k "
            "WHERE k.archive = :archive AND k.mid = m.mid) ORDER BY m.id"
        )
        with self._db.read() as session:
            return [row[0] for row in session.run(sql)]

    def waiting(self, memory_ids: Iterable[str]) -> set[str]:
        """Return which of these memories wait for their vectors."""
        with self._db.read() as session:
            rows = session.run(
                _WAITING.format(columns="m.id") + " AND " + self._db.named("m."),
                ids=self._db.sequence(list(memory_ids)),
            )
        return {row[0] for row in rows}

    def count_without_vectors(self) -> int:
        """Return how many memories wait for their vectors."""
        with self._db.read() as session:
            [(count,)] = session.run(_WAITING.format(columns="COUNT(*)"))
        return int(count)

    def put_derived(
        self,
        derived: Mapping[str, Derived],
        edges: Iterable[Edge] = (),
        *,
        removed_edges: Iterable[Edge] = (),
        keys: Mapping[str, Iterable[str]] | None = None,
        neighbours: Mapping[str, Iterable[Neighbour]] | None = None,
        pending: Iterable[str] = (),
    ) -> None:
        """Replace what is derived from memories, in one transaction."""
        with self._db.write() as session:
            session.found = {}  # no memory comes or goes in here
            mids = self._core.required_numbers(session, derived)
            if derived:
                # Before the old vectors go: an archive without any takes every encoder.
                for each in {each.encoder: each for each in derived.values()}.values():
                    encoder_of(session, each)
                self.remove(session, list(mids.values()))
                self.insert(session, {mids[i]: (i, d) for i, d in derived.items()})
                self.mark(session, list(mids.values()))
            self._relations.write_edges(session, add=edges, remove=removed_edges)
            self._relations.put_keys(session, keys or {})
            self._relations.put_neighbours(session, neighbours or {})
            if waiting := list(self._core.numbers(session, list(pending)).values()):
                self.mark(session, waiting, derived=False)

    def put_vectors(
        self,
        vectors: Mapping[str, Sequence[Vector | None]],
        encoder: str,
        edges: Iterable[Edge] = (),
        *,
        removed_edges: Iterable[Edge] = (),
        neighbours: Mapping[str, Iterable[Neighbour]] | None = None,
    ) -> None:
        """Give stored views the vectors that they lack, in one transaction."""
        with self._db.write() as session:
            session.found = {}  # no memory comes or goes in here
            mids = self._core.required_numbers(session, vectors)
            made = [vector for each in vectors.values() for vector in each if vector is not None]
            if made:
                serving = encoder_of(session, Derived((), tuple(made), encoder))
                assert serving is not None  # noqa: S101  # for the type checker
                rows = self._missing(session, serving, {mids[i]: v for i, v in vectors.items()})
                change = self._core.next_change(session)
                self.insert_vectors(session, rows)
                self._index.note_late(session, [cast("int", row["vid"]) for row in rows], change)
            self.mark(session, list(mids.values()))
            self._relations.write_edges(session, add=edges, remove=removed_edges)
            self._relations.put_neighbours(session, neighbours or {})

    def _missing(
        self,
        session: Session,
        encoder: StoredEncoder,
        vectors: Mapping[int, Sequence[Vector | None]],
    ) -> list[dict[str, object]]:
        """Return the rows of vectors, by memory number and ordinal, that are not there yet."""
        stored = session.run(
            "SELECT v.vid, v.mid, v.ordinal, v.kind, x.vid FROM views v "
            "LEFT JOIN vectors x ON x.archive = v.archive AND x.encoder = :encoder "
            "AND x.vid = v.vid WHERE v.archive = :archive AND " + self._db.among("v.mid", "mids"),
            encoder=encoder.number,
            mids=self._db.sequence(list(vectors)),
        )
        rows = []
        for vid, mid, ordinal, kind, there in sorted(stored):
            vector = vectors[mid][ordinal] if ordinal < len(vectors[mid]) else None
            if vector is None or there is not None:
                continue
            blob = unit(vector, f"vector of view {vid}", encoder.dimension).tobytes()
            view = {"vid": vid, "mid": mid, "kind": kind, "ordinal": ordinal}
            rows.append(vector_row(view, encoder.number, blob))
        return rows

    def insert(
        self,
        session: Session,
        derived: Mapping[int, tuple[str, Derived]],
        vids: Iterable[int] | None = None,
    ) -> None:
        """Insert by memory number; `derived` holds each memory's id with its views.

        With `vids`, numbers were taken for all views, and the change was counted, before.
        """
        if not derived:
            return
        if vids is None:
            count = sum(len(each.views) for _, each in derived.values())
            vids = self._core.take_numbers(session, vids=count, change=True).vids
        numbers = iter(vids)
        views: list[dict[str, object]] = []
        vectors: list[dict[str, object]] = []
        encoders: dict[str, StoredEncoder | None] = {}
        for mid, (memory_id, each) in derived.items():
            require_vectors(memory_id, each)
            if each.encoder not in encoders or encoders[each.encoder] is None:
                encoders[each.encoder] = encoder_of(session, each)
            encoder = encoders[each.encoder]
            for ordinal, view in enumerate(each.views):
                row = view_row(memory_id, mid, ordinal, view) | {"vid": next(numbers)}
                views.append(row)
                vector = each.vectors[ordinal] if each.vectors else None
                if vector is not None and encoder is not None:
                    what = f"vector of view {ordinal} of memory {memory_id!r}"
                    blob = unit(vector, what, encoder.dimension).tobytes()
                    vectors.append(vector_row(row, encoder.number, blob))
        session.run_many(_INSERT_VIEW, views)
        self.insert_vectors(session, vectors)

    def insert_vectors(self, session: Session, rows: Sequence[dict[str, object]]) -> None:
        """Insert rows made by `vector_row`."""
        session.run_many(_INSERT_VECTOR, rows)
        self._index.insert(session, rows)

    def mark(self, session: Session, mids: Sequence[int], *, derived: bool = True) -> None:
        """Note that memories have, or wait for, what is derived from them."""
        session.run(
            "UPDATE memories SET derived = :derived WHERE archive = :archive AND "
            + self._db.among("mid", "mids"),
            derived=int(derived),
            mids=self._db.sequence(mids),
        )

    def remove(self, session: Session, mids: Sequence[int]) -> tuple[int, int]:
        """Remove views, vectors and postings; return how many views and vectors there were."""
        mine = "archive = :archive AND " + self._db.among("mid", "mids")
        parameter = self._db.sequence(mids)
        vids = [
            vid for (vid,) in session.run(f"SELECT vid FROM views WHERE {mine}", mids=parameter)
        ]
        change = self._core.next_change(session)
        vectors = self._remove_views(session, vids, change) if vids else 0
        session.run(f"UPDATE memories SET derived = 0 WHERE {mine}", mids=parameter)
        return len(vids), vectors

    def _remove_views(self, session: Session, vids: Sequence[int], change: int) -> int:
        """Remove views by number, and note it for caches; return how many vectors there were."""
        # The index of vectors begins with the encoder.
        encoded = (
            "archive = :archive AND encoder IN "
            "(SELECT e.encoder FROM encoders e WHERE e.archive = :archive) AND "
            + self._db.among("vid", "vids")
        )
        listed = self._db.sequence(vids)
        [(vectors,)] = session.run(f"SELECT COUNT(*) FROM vectors WHERE {encoded}", vids=listed)
        for table in self._tables:
            session.run(f"DELETE FROM {table} WHERE {encoded}", vids=listed)
        session.run(
            "DELETE FROM views WHERE archive = :archive AND " + self._db.among("vid", "vids"),
            vids=listed,
        )
        session.run_many(
            "INSERT INTO removed_views (archive, change, vid) VALUES (:archive, :change, :vid)",
            [{"change": change, "vid": vid} for vid in vids],
        )
        [(noted,)] = session.run("SELECT COUNT(*) FROM removed_views WHERE archive = :archive")
        if noted > _MOST_NOTED:
            prune_removed(session, change - 1)
        return int(vectors)

    def delete_vectors(self, session: Session, *, keep: int) -> None:
        """Remove the vectors of all encoders but one."""
        for table in self._tables:
            session.run(
                f"DELETE FROM {table} WHERE archive = :archive AND encoder <> :encoder",
                encoder=keep,
            )


def prune_removed(session: Session, change: int) -> None:
    """Forget which views were removed until `change`: caches that are older start again."""
    session.run(
        "DELETE FROM removed_views WHERE archive = :archive AND change <= :change",
        change=change,
    )
    session.run("UPDATE archives SET pruned = :change WHERE archive = :archive", change=change)
