"""Views, vectors, postings and edges: what is derived from memories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import EncoderMismatchError, InvalidDataError, MemoryNotFoundError
from graphmemix.evidence import Edge
from graphmemix.memory import View
from graphmemix.store.sanitize import cleaned_record, require_name, require_size
from graphmemix.store.sql.base import (
    MOST_DIMENSIONS,
    VIEW_KINDS,
    Serving,
    from_blob,
    require_limit,
    view_kind,
)
from graphmemix.store.sql.relations import Relations
from graphmemix.store.unit_vectors import unit
from graphmemix.text import words

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graphmemix.store.database import Session
    from graphmemix.store.protocol import Derived, Neighbour, Vector

_INSERT_VIEW = """
INSERT INTO views (archive, vid, mid, ordinal, kind, text, media_sha256, seconds, length, terms)
VALUES (:archive, :vid, :mid, :ordinal, :kind, :text, :media_sha256, :seconds, :length, :terms)
"""
_INSERT_VECTOR = """
INSERT INTO vectors (archive, encoder, vid, mid, kind, ordinal, vector)
VALUES (:archive, :encoder, :vid, :mid, :kind, :ordinal, :vector)
"""
_INSERT_EDGE = """
INSERT INTO edges (archive, source, target, relation, confidence)
VALUES (:archive, :source, :target, :relation, :confidence)
ON CONFLICT (archive, source, target, relation) DO UPDATE SET confidence = excluded.confidence
"""
_MOST_NOTED = 10_000  # removed views that caches are told of
_DELETE_EDGE = """
DELETE FROM edges WHERE archive = :archive AND source = :source AND target = :target
    AND relation = :relation
"""


class DerivedData(Relations):
    """The part of the store that keeps what can be made again."""

    vector_tables: tuple[str, ...] = ("vectors",)

    def views(self, memory_ids: Iterable[str]) -> dict[str, tuple[View, ...]]:
        """Return the views of those memories that are there, in order."""
        wanted = list(dict.fromkeys(memory_ids))
        with self.db.read() as session:
            rows = session.run(
                "SELECT m.id, v.kind, v.ordinal, v.text, v.media_sha256, v.seconds FROM memories m "
                "LEFT JOIN views v ON v.archive = m.archive AND v.mid = m.mid "
                "WHERE m.archive = :archive AND " + self.db.named("m.") + " ORDER BY v.ordinal",
                ids=self.db.sequence(wanted),
            )
        found: dict[str, list[View]] = {row[0]: [] for row in rows}
        for memory_id, kind, *rest in rows:
            if kind is not None:
                found[memory_id].append(View(memory_id, view_kind(kind), *rest))
        return {memory_id: tuple(found[memory_id]) for memory_id in wanted if memory_id in found}

    def vectors(self, memory_ids: Iterable[str]) -> dict[str, tuple[Vector | None, ...]]:
        """Return the vectors of those memories that are there, by view, of the serving encoder."""
        wanted = list(dict.fromkeys(memory_ids))
        with self.db.read() as session:
            rows = session.run(
                "SELECT m.id, v.ordinal, x.vector FROM memories m "
                "LEFT JOIN views v ON v.archive = m.archive AND v.mid = m.mid "
                "LEFT JOIN encoders e ON e.archive = m.archive AND e.serving = 1 "
                "LEFT JOIN vectors x ON x.archive = m.archive AND x.encoder = e.encoder "
                "AND x.vid = v.vid "
                "WHERE m.archive = :archive AND " + self.db.named("m.") + " ORDER BY v.ordinal",
                ids=self.db.sequence(wanted),
            )
        found: dict[str, list[Vector | None]] = {row[0]: [] for row in rows}
        for memory_id, ordinal, blob in rows:
            if ordinal is not None:
                found[memory_id].append(None if blob is None else from_blob(blob))
        return {memory_id: tuple(found[memory_id]) for memory_id in wanted if memory_id in found}

    def encoder(self) -> str | None:
        """Return the identity of the encoder whose vectors are served; None if there are none."""
        with self.db.read() as session:
            serving = self._serving(session)
        return serving.identity if serving else None

    def state(self) -> str:
        """Return a word that is another one after every change of views or vectors."""
        with self.db.read() as session:
            [(uuid, change)] = session.run(
                "SELECT uuid, change FROM archives WHERE archive = :archive"
            )
        return f"{uuid}/{change}"

    def _serving(self, session: Session) -> Serving | None:
        """Return the serving encoder; None if there are no vectors yet."""
        rows = session.run(
            "SELECT encoder, identity, dimension FROM encoders "
            "WHERE archive = :archive AND serving = 1"
        )
        return Serving(*rows[0]) if rows else None

    def without_vectors(self, *, limit: int | None = None) -> list[str]:
        """Return ids of memories that have no views yet, lowest id first."""
        require_limit(limit)
        sql = "SELECT id FROM memories WHERE archive = :archive AND derived = 0 ORDER BY id"
        with self.db.read() as session:
            if limit is None:
                return [row[0] for row in session.run(sql)]
            return [row[0] for row in session.run(sql + " LIMIT :most", most=limit)]

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
        with self.db.write() as session:
            mids = self._required_numbers(session, derived)
            if derived:
                # Before the old vectors go: an archive without any takes every encoder.
                for each in {each.encoder: each for each in derived.values()}.values():
                    self._encoder_for(session, each)
                self._remove_derived(session, list(mids.values()))
                self._insert_derived(session, {mids[i]: (i, d) for i, d in derived.items()})
                self._mark_derived(session, list(mids.values()))
            self._change_edges(session, add=edges, remove=removed_edges)
            self._put_keys(session, keys or {})
            self._put_neighbours(session, neighbours or {})
            if waiting := list(self._numbers(session, list(pending)).values()):
                self._mark_derived(session, waiting, derived=False)

    def _required_numbers(self, session: Session, memory_ids: Iterable[str]) -> dict[str, int]:
        wanted = list(memory_ids)
        mids = self._numbers(session, wanted)
        for memory_id in wanted:
            if memory_id not in mids:
                raise MemoryNotFoundError(memory_id)
        return mids

    def _insert_derived(
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
            vids = self._take_numbers(session, vids=count, change=True).vids
        numbers = iter(vids)
        views: list[dict[str, object]] = []
        vectors: list[dict[str, object]] = []
        encoders: dict[str, tuple[int, int] | None] = {}
        for mid, (memory_id, each) in derived.items():
            _require_vectors(memory_id, each)
            if each.encoder not in encoders or encoders[each.encoder] is None:
                encoders[each.encoder] = self._encoder_for(session, each)
            encoder = encoders[each.encoder]
            for ordinal, view in enumerate(each.views):
                row = _view_row(memory_id, mid, ordinal, view) | {"vid": next(numbers)}
                views.append(row)
                vector = each.vectors[ordinal] if each.vectors else None
                if vector is not None and encoder is not None:
                    what = f"vector of view {ordinal} of memory {memory_id!r}"
                    blob = unit(vector, what, encoder[1]).tobytes()
                    vectors.append(vector_row(row, encoder[0], blob))
        session.run_many(_INSERT_VIEW, views)
        self._insert_vectors(session, vectors)

    def _insert_vectors(self, session: Session, rows: Sequence[dict[str, object]]) -> None:
        session.run_many(_INSERT_VECTOR, rows)

    def _mark_derived(self, session: Session, mids: Sequence[int], *, derived: bool = True) -> None:
        session.run(
            "UPDATE memories SET derived = :derived WHERE archive = :archive AND "
            + self.db.among("mid", "mids"),
            derived=int(derived),
            mids=self.db.sequence(mids),
        )

    def _encoder_for(self, session: Session, derived: Derived) -> tuple[int, int] | None:
        """Return number and dimension of the encoder of `derived`; the first one serves."""
        first = next((v for v in derived.vectors if v is not None), None)
        if first is None:
            return None
        serving = self._serving(session)
        if serving is None:
            return self._new_encoder(session, derived.encoder, np.size(first), serving=True)
        if serving.identity != derived.encoder:
            if self._is_used(session, serving.number):
                raise EncoderMismatchError(serving.identity, derived.encoder)
            session.run("DELETE FROM encoders WHERE archive = :archive")
            return self._new_encoder(session, derived.encoder, np.size(first), serving=True)
        return serving.number, serving.dimension

    def _is_used(self, session: Session, encoder: int) -> bool:
        """Return whether there are vectors of this encoder."""
        return bool(
            session.run(
                "SELECT 1 FROM vectors WHERE archive = :archive AND encoder = :encoder LIMIT 1",
                encoder=encoder,
            )
        )

    def _new_encoder(
        self, session: Session, identity: str, dimension: int, *, serving: bool
    ) -> tuple[int, int]:
        require_name("encoder", identity)
        if not 1 <= dimension <= MOST_DIMENSIONS:
            raise InvalidDataError(
                f"encoder {identity!r}: 1 to {MOST_DIMENSIONS} dimensions, not {dimension}"
            )
        rows = session.run("SELECT MAX(encoder) FROM encoders WHERE archive = :archive")
        number = (rows[0][0] or 0) + 1
        session.run(
            "INSERT INTO encoders (archive, encoder, identity, dimension, serving) "
            "VALUES (:archive, :encoder, :identity, :dimension, :serving)",
            encoder=number,
            identity=identity,
            dimension=dimension,
            serving=int(serving),
        )
        return number, dimension

    def _remove_derived(self, session: Session, mids: Sequence[int]) -> tuple[int, int]:
        """Remove views, vectors and postings; return how many views and vectors there were."""
        mine = "archive = :archive AND " + self.db.among("mid", "mids")
        parameter = self.db.sequence(mids)
        vids = [
            vid for (vid,) in session.run(f"SELECT vid FROM views WHERE {mine}", mids=parameter)
        ]
        change = self._next_change(session)
        vectors = self._remove_views(session, vids, change) if vids else 0
        session.run(f"UPDATE memories SET derived = 0 WHERE {mine}", mids=parameter)
        return len(vids), vectors

    def _remove_views(self, session: Session, vids: Sequence[int], change: int) -> int:
        """Remove views by number, and note it for caches; return how many vectors there were."""
        # The index of vectors begins with the encoder.
        encoded = (
            "archive = :archive AND encoder IN "
            "(SELECT e.encoder FROM encoders e WHERE e.archive = :archive) AND "
            + self.db.among("vid", "vids")
        )
        listed = self.db.sequence(vids)
        [(vectors,)] = session.run(f"SELECT COUNT(*) FROM vectors WHERE {encoded}", vids=listed)
        for table in self.vector_tables:
            session.run(f"DELETE FROM {table} WHERE {encoded}", vids=listed)
        session.run(
            "DELETE FROM views WHERE archive = :archive AND " + self.db.among("vid", "vids"),
            vids=listed,
        )
        session.run_many(
            "INSERT INTO removed_views (archive, change, vid) VALUES (:archive, :change, :vid)",
            [{"change": change, "vid": vid} for vid in vids],
        )
        [(noted,)] = session.run("SELECT COUNT(*) FROM removed_views WHERE archive = :archive")
        if noted > _MOST_NOTED:
            self._prune_removed(session, change - 1)
        return int(vectors)

    def _prune_removed(self, session: Session, change: int) -> None:
        """Forget which views were removed until `change`: caches that are older begin anew."""
        session.run(
            "DELETE FROM removed_views WHERE archive = :archive AND change <= :change",
            change=change,
        )
        session.run("UPDATE archives SET pruned = :change WHERE archive = :archive", change=change)

    def edges(self, memory_ids: Iterable[str]) -> list[Edge]:
        """Return the edges that touch any of these, ordered by (source, target, relation)."""
        with self.db.read() as session:
            mids = self.db.sequence(list(self._numbers(session, memory_ids).values()))
            select = (
                "SELECT source, target, relation, confidence FROM edges "
                "WHERE archive = :archive AND "
            )
            # Two lookups by index, then a union: an OR would scan the table.
            rows = set(session.run(select + self.db.among("source", "mids"), mids=mids))
            rows |= set(session.run(select + self.db.among("target", "mids"), mids=mids))
            ends = list({end for row in rows for end in row[:2]})
            ids = dict(zip(ends, self._ids_of(session, ends), strict=True))
        named = ((ids[a], ids[b], relation, weight) for a, b, relation, weight in rows)
        return [Edge(*row) for row in sorted(named)]

    def change_edges(self, *, add: Iterable[Edge] = (), remove: Iterable[Edge] = ()) -> None:
        """Add and remove edges in one transaction."""
        with self.db.write() as session:
            self._change_edges(session, add=add, remove=remove)

    def _change_edges(
        self, session: Session, *, add: Iterable[Edge], remove: Iterable[Edge]
    ) -> None:
        added, removed = list(add), list(remove)
        if not added and not removed:
            return
        mids = self._required_numbers(session, {end for edge in added for end in _ends(edge)})
        mids |= self._numbers(session, {end for edge in removed for end in _ends(edge)})
        there = [edge for edge in removed if edge.source in mids and edge.target in mids]
        session.run_many(_DELETE_EDGE, [_edge_row(edge, mids) for edge in there])
        session.run_many(_INSERT_EDGE, [_edge_row(edge, mids) for edge in added])


def _require_vectors(memory_id: str, derived: Derived) -> None:
    """Raise unless there is a vector or None for every view, and an encoder for vectors."""
    if derived.vectors and len(derived.vectors) != len(derived.views):
        raise InvalidDataError(f"memory {memory_id!r}: needs one vector (or None) per view")
    if not derived.encoder and any(vector is not None for vector in derived.vectors):
        raise InvalidDataError(f"memory {memory_id!r}: vectors need their encoder's identity")


def _ends(edge: Edge) -> tuple[str, str]:
    return edge.source, edge.target


def _view_row(memory_id: str, mid: int, ordinal: int, view: View) -> dict[str, object]:
    if view.memory_id != memory_id or view.ordinal != ordinal:
        raise InvalidDataError(
            f"memory {memory_id!r}: view {ordinal} is view {view.ordinal} of {view.memory_id!r}"
        )
    view = cleaned_record(view)
    require_size(f"view {ordinal} of memory {memory_id!r}", view.text)
    counts = words.terms(view.text)
    return {
        "mid": mid,
        "ordinal": ordinal,
        "kind": VIEW_KINDS.index(view.kind),
        "text": view.text,
        "media_sha256": view.media_sha256,
        "seconds": view.seconds,
        "length": sum(counts.values()),
        "terms": words.pack(counts),
    }


def vector_row(view: Mapping[str, object], encoder: int, blob: bytes) -> dict[str, object]:
    """Return the row of a view's vector."""
    row = {key: view[key] for key in ("vid", "mid", "kind", "ordinal")}
    return {**row, "encoder": encoder, "vector": blob}


def _edge_row(edge: Edge, mids: Mapping[str, int]) -> dict[str, object]:
    return {
        "source": mids[edge.source],
        "target": mids[edge.target],
        "relation": edge.relation,
        "confidence": edge.confidence,
    }
