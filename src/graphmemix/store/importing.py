"""Reading a portable folder (see `store.portable`) into an archive.

The whole folder is read and checked before anything is imported: a damaged or false export leaves
the archive as it was.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from graphmemix.errors import EncoderMismatchError, InvalidDataError
from graphmemix.evidence import Edge
from graphmemix.record import Record
from graphmemix.store.media import MediaFolder
from graphmemix.store.portable import (
    DerivedLine,
    Manifest,
    RelationLine,
    batches,
    read_manifest,
)
from graphmemix.store.protocol import Derived, Log, Receipt, Restored, Version
from graphmemix.store.unit_vectors import unit

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

    from graphmemix.store.protocol import Progress, Store, Vector

_R = TypeVar("_R", bound=Record)


def import_archive(folder: Path, store: Store, *, progress: Progress | None = None) -> int:
    """Read a portable folder into an archive; return how many memories came.

    An interrupted import can be repeated: what is there already is left alone.

    Raises:
        InvalidDataError: The folder is not a complete, undamaged export. Nothing was imported.
        DuplicateMemoryError: The archive has another memory with one of these ids.
        EncoderMismatchError: The archive is encoded with another encoder. Nothing was imported.
    """
    manifest = read_manifest(folder)
    source = MediaFolder(folder / "media", writable=False)
    _check(folder, manifest, source)
    serving = store.encoder()
    if manifest.encoder and serving not in {None, manifest.encoder}:
        raise EncoderMismatchError(str(serving), manifest.encoder)
    new = done = 0
    with (folder / "vectors.f32").open("rb") as vectors:
        derived = _Ahead(_read_derived(folder, manifest, vectors))
        for batch in batches(_histories(folder)):
            for versions in batch:
                _bring_media(versions, source, store)
            restored = [Restored(each, derived.of(each[-1].memory.id)) for each in batch]
            new += len(store.restore(restored).new)
            done += len(batch)
            if progress is not None:
                progress(done, manifest.memories)
    for edges in batches(_read(folder / "edges.jsonl", Edge)):
        store.change_edges(add=edges)
    for lines in batches(_read(folder / "relations.jsonl", RelationLine)):
        keys = {line.memory_id: line.keys for line in lines}
        near = {line.memory_id: line.neighbours for line in lines}
        store.put_derived({}, keys=keys, neighbours=near)
    for log in _read(folder / "logs.jsonl", Log):
        store.put_log(log)
    there = set(store.receipts())
    for receipt in _read(folder / "receipts.jsonl", Receipt):
        if receipt not in there:
            store.restore_receipt(receipt)
    return new


def _check(folder: Path, manifest: Manifest, source: MediaFolder) -> None:
    """Raise `InvalidDataError` for anything that could not be imported whole."""
    ids = _checked_ids(folder, manifest, source)
    _check_derived(folder, manifest, ids)
    for edge in _read(folder / "edges.jsonl", Edge):
        if edge.source not in ids or edge.target not in ids:
            raise InvalidDataError(f"edges.jsonl: {edge.source!r} or {edge.target!r} is not there")
    for line in _read(folder / "relations.jsonl", RelationLine):
        if line.memory_id not in ids or any(other not in ids for other, _ in line.neighbours):
            raise InvalidDataError(f"relations.jsonl: {line.memory_id!r} or a neighbour is missing")
    for _ in _read(folder / "logs.jsonl", Log):
        pass
    for _ in _read(folder / "receipts.jsonl", Receipt):
        pass


def _checked_ids(folder: Path, manifest: Manifest, source: MediaFolder) -> set[str]:
    ids: set[str] = set()
    checked_media: set[str] = set()
    last, count = "", 0
    for versions in _histories(folder):
        memory_id = versions[-1].memory.id
        numbers = [version.number for version in versions]
        current = [version.replaced_at is None for version in versions]
        if memory_id <= last or numbers != list(range(1, len(versions) + 1)):
            raise InvalidDataError(f"versions.jsonl: {memory_id!r} is out of order")
        if current != [False] * (len(versions) - 1) + [True]:
            raise InvalidDataError(
                f"versions.jsonl: {memory_id!r} must have exactly one current version"
            )
        for version in versions:
            for medium in version.memory.media:
                if medium.sha256 is not None and medium.sha256 not in checked_media:
                    _check_medium(source, medium.sha256)
                    checked_media.add(medium.sha256)
        last = memory_id
        ids.add(memory_id)
        count += len(versions)
    if (len(ids), count) != (manifest.memories, manifest.versions):
        raise InvalidDataError("versions.jsonl: does not have the counts given in the manifest")
    return ids


def _check_medium(source: MediaFolder, sha256: str) -> None:
    if sha256 not in source or not source.intact(sha256):
        raise InvalidDataError(f"media {sha256}: is missing or differs from what was exported")


def _check_derived(folder: Path, manifest: Manifest, ids: set[str]) -> None:
    last = ""
    with (folder / "vectors.f32").open("rb") as vectors:
        for memory_id, derived in _read_derived(folder, manifest, vectors):
            if memory_id <= last or memory_id not in ids:
                raise InvalidDataError(f"views.jsonl: {memory_id!r} is out of order or not there")
            for ordinal, view in enumerate(derived.views):
                if (view.memory_id, view.ordinal) != (memory_id, ordinal):
                    raise InvalidDataError(f"views.jsonl: {memory_id!r} has another's view")
            for vector in derived.vectors:
                if vector is not None:
                    unit(vector, f"a vector of {memory_id!r}", manifest.dimension)
            last = memory_id
        if vectors.read(1):
            raise InvalidDataError("vectors.f32: has more vectors than views.jsonl names")


def _histories(folder: Path) -> Iterator[tuple[Version, ...]]:
    lines = _read(folder / "versions.jsonl", Version)
    for _, versions in groupby(lines, key=lambda version: version.memory.id):
        yield tuple(versions)


def _bring_media(versions: tuple[Version, ...], source: MediaFolder, store: Store) -> None:
    for version in versions:
        for medium in version.memory.media:
            if medium.sha256 is not None and medium.sha256 not in store.media:
                store.media.put(source.path(medium.sha256), unclaimed=True)


class _Ahead:
    """Gives out what was derived, memory by memory; both files are in the order of ids."""

    def __init__(self, items: Iterator[tuple[str, Derived]]) -> None:
        self._items = items
        self._next = next(items, None)

    def of(self, memory_id: str) -> Derived | None:
        """Return what was derived from this memory, if anything."""
        if self._next is None or self._next[0] != memory_id:
            return None
        derived = self._next[1]
        self._next = next(self._items, None)
        return derived


def _read_derived(
    folder: Path, manifest: Manifest, vectors: BinaryIO
) -> Iterator[tuple[str, Derived]]:
    for line in _read(folder / "views.jsonl", DerivedLine):
        if len(line.vectors) != len(line.views):
            raise InvalidDataError(f"views.jsonl: {line.memory_id!r} has more views than flags")
        rows = tuple(_read_vector(vectors, manifest) if there else None for there in line.vectors)
        yield line.memory_id, Derived(line.views, rows, manifest.encoder)


def _read_vector(vectors: BinaryIO, manifest: Manifest) -> Vector:
    if manifest.dimension < 1 or not manifest.encoder:
        raise InvalidDataError("manifest.json: there are vectors, but no encoder or dimension")
    data = vectors.read(4 * manifest.dimension)
    if len(data) != 4 * manifest.dimension:
        raise InvalidDataError("vectors.f32: ends too early")
    return np.frombuffer(data, dtype="<f4")


def _read(path: Path, kind: type[_R]) -> Iterator[_R]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                yield kind.from_json(line)
            except InvalidDataError as error:
                raise InvalidDataError(f"{path.name}, line {number}: {error}") from None
