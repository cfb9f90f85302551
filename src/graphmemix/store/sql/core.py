"""What all parts of a store share: database, media folder, numbers, ids, caches, encoders."""

from __future__ import annotations

import threading
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import numpy as np

from graphmemix.errors import EncoderMismatchError, InvalidDataError, MemoryNotFoundError
from graphmemix.store.backend import StoredEncoder
from graphmemix.store.sanitize import require_name
from graphmemix.store.sql.columns import picked
from graphmemix.store.unit_vectors import VectorCache

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graphmemix.store.backend import Database, Session
    from graphmemix.store.media import MediaFolder
    from graphmemix.store.protocol import Derived


_T = TypeVar("_T")
_ATTEMPTS = 3
_MOST_KEPT_IDS = 1_000_000


class Numbers(NamedTuple):
    """Numbers for new memories and views, and the number of the change if one was counted."""

    mids: range
    vids: range
    change: int


class CacheAheadError(Exception):
    """A cache is newer than the snapshot; caught in this package."""


class Core:
    """One open archive.

    Attributes:
        db: Its database.
        media: Its files.
        cache_lock: Held while a cache for searching is read or changed.
    """

    def __init__(self, db: Database, media: MediaFolder) -> None:
        self.db = db
        self.media = media
        self.cache_lock = threading.Lock()
        self._local = threading.local()
        self._ids: list[str | None] = []  # by number
        self._vectors: VectorCache | None = None
        self._forgetters: list[Callable[[], None]] = []

    # Numbers and ids

    def numbers(self, session: Session, memory_ids: Iterable[str]) -> dict[str, int]:
        """Return the internal numbers of those memories that are there."""
        return {i: mid for i, (mid, _) in self.versions(session, memory_ids).items()}

    def versions(self, session: Session, memory_ids: Iterable[str]) -> dict[str, tuple[int, int]]:
        """Return the internal numbers and the versions of those memories that are there.

        A question looks at the same few hundred memories again and again, and inside one reading
        transaction what was found stays true.
        """
        wanted = list(dict.fromkeys(memory_ids))
        found = {} if session.found is None else session.found
        if unknown := [memory_id for memory_id in wanted if memory_id not in found]:
            found.update(dict.fromkeys(unknown))
            rows = session.run(
                "SELECT id, mid, version FROM memories WHERE archive = :archive AND "
                + self.db.named(),
                ids=self.db.sequence(sorted(unknown)),
            )
            found.update({memory_id: (mid, version) for memory_id, mid, version in rows})
        return {i: numbers for i in wanted if (numbers := found[i]) is not None}

    def required_numbers(self, session: Session, memory_ids: Iterable[str]) -> dict[str, int]:
        """Return the internal numbers of memories, or raise `MemoryNotFoundError`."""
        wanted = list(memory_ids)
        mids = self.numbers(session, wanted)
        for memory_id in wanted:
            if memory_id not in mids:
                raise MemoryNotFoundError(memory_id)
        return mids

    def ids_of(self, session: Session, mids: Sequence[int]) -> list[str | None]:
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
            _keep_ids(known, rows)
            ids = [
                rows.get(mid) if found is None else found
                for mid, found in zip(mids, ids, strict=True)
            ]
        return ids

    def take_numbers(
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

    def next_change(self, session: Session) -> int:
        """Count a change that caches must apply."""
        return self.take_numbers(session, change=True).change

    def count_rows(self, table: str, condition: str = "") -> int:
        """Return how many rows a table has; `condition` begins with ``AND``."""
        with self.db.read() as session:
            [(count,)] = session.run(
                f"SELECT COUNT(*) FROM {table} WHERE archive = :archive {condition}"
            )
        return int(count)

    # Caches

    def read_in_step(self, search: Callable[[Session], _T]) -> _T:
        """Run a search on a snapshot that is not older than the caches.

        Another thread or process may have brought a cache beyond the state that this one began to
        read; then it starts again. Inside `Store.snapshot` it cannot, and builds its own cache.
        """
        for _ in range(_ATTEMPTS):
            try:
                with self.db.read() as session:
                    return search(session)
            except CacheAheadError:
                continue
        self._local.alone = True
        try:
            with self.db.read() as session:
                return search(session)
        finally:
            self._local.alone = False

    def is_ahead(self, cached: int, seen: int) -> bool:
        """Return whether a cache has seen more than the session, which must then do without it."""
        if cached <= seen:
            return False
        if not getattr(self._local, "alone", False):
            raise CacheAheadError
        return True

    def vector_cache(self, encoder: StoredEncoder) -> VectorCache:
        """Return the exact vectors of this encoder that are kept; hold `cache_lock`."""
        if self._vectors is None or self._vectors.key != encoder:
            self._vectors = VectorCache(encoder, encoder.dimension)
        return self._vectors

    def on_forget(self, forget: Callable[[], None]) -> None:
        """Register what drops a cache; it takes `cache_lock` itself if it needs it."""
        self._forgetters.append(forget)

    def forget_caches(self) -> None:
        """Drop caches, which may hold something that was erased, from memory and from the disk."""
        with self.cache_lock:
            self._ids, self._vectors = [], None
        with ExitStack() as stack:  # the others go even if one cannot
            for forget in self._forgetters:
                stack.callback(forget)


def archive_uuid(session: Session) -> str:
    """Return the archive's own name, by which files say whose they are."""
    [(uuid,)] = session.run("SELECT uuid FROM archives WHERE archive = :archive")
    return str(uuid)


def _keep_ids(known: list[str | None], rows: Mapping[int, str]) -> None:
    """Keep ids by number; in very large archives, those of the lower numbers."""
    highest = min(max(rows, default=0), _MOST_KEPT_IDS)
    known += [None] * (highest + 1 - len(known))
    for mid, found in rows.items():
        if mid <= highest:
            known[mid] = found


MOST_DIMENSIONS: Final = 4000
"""Rows of more float16 numbers do not fit into a PostgreSQL page."""


def serving_encoder(session: Session) -> StoredEncoder | None:
    """Return the encoder whose vectors are searched; None if there are no vectors yet."""
    rows = session.run(
        "SELECT encoder, identity, dimension FROM encoders WHERE archive = :archive AND serving = 1"
    )
    return StoredEncoder(*rows[0]) if rows else None


def encoder_of(session: Session, derived: Derived) -> StoredEncoder | None:
    """Return the encoder of `derived`, None if it has no vectors; the first one serves.

    Raises:
        EncoderMismatchError: There are vectors of another one.
    """
    first = next((vector for vector in derived.vectors if vector is not None), None)
    if first is None:
        return None
    serving = serving_encoder(session)
    if serving is not None:
        if serving.identity == derived.encoder:
            return serving
        if _is_used(session, serving.number):
            raise EncoderMismatchError(serving.identity, derived.encoder)
        session.run("DELETE FROM encoders WHERE archive = :archive")
    return new_encoder(session, derived.encoder, np.size(first), serving=True)


def _is_used(session: Session, encoder: int) -> bool:
    """Return whether there are vectors of this encoder."""
    return bool(
        session.run(
            "SELECT 1 FROM vectors WHERE archive = :archive AND encoder = :encoder LIMIT 1",
            encoder=encoder,
        )
    )


def new_encoder(session: Session, identity: str, dimension: int, *, serving: bool) -> StoredEncoder:
    """Add an encoder and return it.

    Raises:
        InvalidDataError: Its identity or dimension cannot be stored.
    """
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
    return StoredEncoder(number, identity, dimension)
