"""Rebuilding what is derived, and re-encoding it with another encoder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from graphmemix.errors import InvalidDataError
from graphmemix.memory import Memory, View
from graphmemix.store.sanitize import require_name
from graphmemix.store.sql.columns import parsed, view_kind
from graphmemix.store.sql.core import new_encoder, serving_encoder
from graphmemix.store.sql.derived import prune_removed
from graphmemix.store.sql.view_rows import vector_row
from graphmemix.store.unit_vectors import unit
from graphmemix.text import postings, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.store.backend import Row
    from graphmemix.store.protocol import Derive, EncodeViews, Progress, Vector
    from graphmemix.store.sql.core import Core
    from graphmemix.store.sql.derived import SqlDerivedData

_BATCH = 256
_VIEWS_BEHIND = (
    "SELECT v.vid, v.mid, v.kind, v.ordinal, m.id, v.text, v.media_sha256, v.seconds "
    "FROM views v JOIN memories m ON m.archive = v.archive AND m.mid = v.mid "
    "WHERE v.archive = :archive AND v.vid > :last ORDER BY v.vid "
)
_VIEWS_BEHIND_OF = _VIEWS_BEHIND.replace(":last ORDER", ":last AND v.mid = :mid ORDER")


class Rebuild:
    """Makes again what is derived from memories."""

    def __init__(self, core: Core, derived: SqlDerivedData) -> None:
        self._core = core
        self._db = core.db
        self._derived = derived

    def rebuild(self, derive: Derive | None = None, *, progress: Progress | None = None) -> None:
        """Make again what is derived: views and vectors with `derive`, the rest always."""
        total = self._core.count_rows("memories")
        done, last = 0, ""
        while batch := self._memories_behind(last):
            last = batch[-1].id
            if derive is not None:
                made = list(derive(batch))
                if len(made) != len(batch):
                    raise InvalidDataError(f"derive made {len(made)} for {len(batch)} memories")
                self._derived.put_derived({m.id: each for m, each in zip(batch, made, strict=True)})
            else:
                self._rebuild_postings([memory.id for memory in batch])
            done += len(batch)
            if progress is not None:
                progress(done, total)
        with self._db.write() as session:
            # Views kept their numbers, so caches cannot see what is new: they start again.
            prune_removed(session, self._core.next_change(session))
        self._core.forget_caches()

    def _memories_behind(self, last: str) -> list[Memory]:
        with self._db.read() as session:
            return parsed(
                session.run(
                    "SELECT body FROM memories WHERE archive = :archive AND id > :last "
                    "ORDER BY id LIMIT :most",
                    last=last,
                    most=_BATCH,
                )
            )

    def _rebuild_postings(self, memory_ids: list[str]) -> None:
        with self._db.write() as session:
            mids = list(self._core.numbers(session, memory_ids).values())
            rows = session.run(
                "SELECT vid, text FROM views WHERE archive = :archive AND "
                + self._db.among("mid", "mids"),
                mids=self._db.sequence(mids),
            )
            counted = [(vid, words.terms(text)) for vid, text in rows]
            session.run_many(
                "UPDATE views SET length = :length, terms = :terms "
                "WHERE archive = :archive AND vid = :vid",
                [
                    {"vid": vid, "length": sum(terms.values()), "terms": postings.pack(terms)}
                    for vid, terms in counted
                ],
            )

    def reencode(
        self, encoder: str, encode: EncodeViews, *, progress: Progress | None = None
    ) -> None:
        """Give every view a vector of another encoder, then switch; resumable."""
        require_name("encoder", encoder)
        with self._db.read() as session:
            serving = serving_encoder(session)
        if serving is not None and serving.identity == encoder:
            return
        total = self._core.count_rows("views")
        number = self._filling_encoder(encoder)
        done = 0 if number is None else self._core.count_rows("vectors", f"AND encoder = {number}")
        last = -1
        while True:
            while batch := self._views_behind(last):
                last = batch[-1][0]
                missing = self._without_vector(batch, number)
                vectors = encode([_view(row) for row in missing]) if missing else []
                number = self._fill(encoder, number, missing, vectors)
                done += len(missing)
                if progress is not None:
                    progress(min(done, total), total)
            if self._switched(number, last):
                return

    def _filling_encoder(self, identity: str) -> int | None:
        with self._db.read() as session:
            rows = session.run(
                "SELECT encoder FROM encoders WHERE archive = :archive AND identity = :identity",
                identity=identity,
            )
        return rows[0][0] if rows else None

    def _views_behind(self, last: int) -> list[Row]:
        """Return the next views, those of the last memory to the end.

        An encoder may leave out views that repeat others of their memory, so it must see them all.
        """
        with self._db.read() as session:
            rows = session.run(_VIEWS_BEHIND + "LIMIT :most", last=last, most=_BATCH)
            if rows:
                mid, behind = rows[-1][1], rows[-1][0]
                rows += session.run(_VIEWS_BEHIND_OF, last=behind, mid=mid)
            return rows

    def _without_vector(self, batch: list[Row], encoder: int | None) -> list[Row]:
        """Return the views of memories that have no vector yet: each gets all of its at once."""
        if encoder is None:
            return batch
        with self._db.read() as session:
            rows = session.run(
                "SELECT vid FROM vectors WHERE archive = :archive AND encoder = :encoder AND "
                + self._db.among("vid", "vids"),
                encoder=encoder,
                vids=self._db.sequence([row[0] for row in batch]),
            )
        there = {vid for (vid,) in rows}
        done = {mid for vid, mid, *_ in batch if vid in there}
        return [row for row in batch if row[1] not in done]

    def _fill(
        self,
        identity: str,
        encoder: int | None,
        views: list[Row],
        vectors: Sequence[Vector | None],
    ) -> int | None:
        """Insert vectors for `views` and return the encoder's number, once it has one."""
        if len(vectors) != len(views):
            raise InvalidDataError(
                f"encoder {identity!r} returned {len(vectors)} vectors for {len(views)} views"
            )
        made = [(row, v) for row, v in zip(views, vectors, strict=True) if v is not None]
        if not made:
            return encoder
        with self._db.write() as session:
            if encoder is None:
                size = int(np.size(made[0][1]))
                encoder = new_encoder(session, identity, size, serving=False).number
            [(dimension,)] = session.run(
                "SELECT dimension FROM encoders WHERE archive = :archive AND encoder = :encoder",
                encoder=encoder,
            )
            there = session.run(
                "SELECT vid FROM views WHERE archive = :archive AND "
                + self._db.among("vid", "vids"),
                vids=self._db.sequence([row[0] for row, _ in made]),
            )
            alive = {vid for (vid,) in there}  # others were erased or replaced meanwhile
            rows = []
            for (vid, mid, kind, ordinal, *_), vector in made:
                if vid not in alive:
                    continue
                blob = unit(vector, f"vector of view {vid}", dimension).tobytes()
                view = {"vid": vid, "mid": mid, "kind": kind, "ordinal": ordinal}
                rows.append(vector_row(view, encoder, blob))
            self._derived.insert_vectors(session, rows)
        return encoder

    def _switched(self, encoder: int | None, last: int) -> bool:
        """Serve the new vectors and drop the old, in one transaction.

        False, and nothing done, if views came behind `last` in the meantime.
        """
        with self._db.write() as session:
            newer = session.run(
                "SELECT 1 FROM views WHERE archive = :archive AND vid > :last LIMIT 1", last=last
            )
            if newer:
                return False
            keep = -1 if encoder is None else encoder  # an encoder that saw nothing has no number
            self._derived.delete_vectors(session, keep=keep)
            session.run(
                "DELETE FROM encoders WHERE archive = :archive AND encoder <> :encoder",
                encoder=keep,
            )
            session.run("UPDATE encoders SET serving = 1 WHERE archive = :archive")
            self._core.next_change(session)
        self._core.forget_caches()
        return True


def _view(row: Row) -> View:
    _, _, kind, ordinal, memory_id, text, media_sha256, seconds = row
    return View(memory_id, view_kind(kind), ordinal, text, media_sha256, seconds)
