"""A portable copy of an archive: a folder that any store can read, and that people can too.

::

    FOLDER/
      manifest.json     format, counts, the encoder, the SHA-256 of each file below
      versions.jsonl    every version of every memory, by id and number
      views.jsonl       views by memory, with which of them have a vector
      vectors.f32       those vectors, in that order, little-endian float32
      edges.jsonl, relations.jsonl, logs.jsonl, receipts.jsonl
      media/            files by content hash

Two stores with the same content write the same bytes (but for the date in the manifest).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, TypeVar

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.fsio import is_unfinished, new_folder, open_binary, storage_faults, write_text
from graphmemix.memory import View
from graphmemix.record import Record
from graphmemix.store.media import MediaFolder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from graphmemix.evidence import Edge
    from graphmemix.store.protocol import Progress, Store, Version

FORMAT: Final = 1
_T = TypeVar("_T")
_BATCH = 200
FILES: Final = (
    "versions.jsonl", "views.jsonl", "vectors.f32", "edges.jsonl", "relations.jsonl", "logs.jsonl",
    "receipts.jsonl",
)  # fmt: skip
_MOST_LOGS = 1_000_000


@dataclass(frozen=True)
class Manifest(Record):
    """What a portable folder says about itself."""

    format: int
    exported_at: datetime
    memories: int
    versions: int
    encoder: str
    dimension: int
    files: Mapping[str, str]


@dataclass(frozen=True)
class DerivedLine(Record):
    """The views of one memory, and which of them have a vector in ``vectors.f32``."""

    memory_id: str
    views: tuple[View, ...]
    vectors: tuple[bool, ...]


@dataclass(frozen=True)
class RelationLine(Record):
    """Under which keys relations find a memory, and its nearest others with their cosines."""

    memory_id: str
    keys: tuple[str, ...]
    neighbours: tuple[tuple[str, float], ...]


class _Writer:
    """Writes files and remembers their hashes; without a folder, only their hashes."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self.hashes: dict[str, str] = {}

    def open(self, name: str) -> BinaryIO:
        """Open a file of the export for writing."""
        return open_binary(Path(os.devnull) if self._folder is None else self._folder / name)

    def lines(self, name: str, records: Iterable[Record]) -> int:
        count = 0
        digest = hashlib.sha256()
        with self.open(name) as stream:
            for record in records:
                line = record.to_json().encode() + b"\n"
                digest.update(line)
                stream.write(line)
                count += 1
        self.hashes[name] = digest.hexdigest()
        return count


def export_archive(store: Store, folder: Path, *, progress: Progress | None = None) -> bool:
    """Write the archive, as it is at this moment, into a new folder.

    Returns:
        False, and nothing written, if just this export is there already, whole.

    Raises:
        InvalidInputError: `folder` exists and holds something else.
    """
    if (folder / "manifest.json").exists() and not is_unfinished(folder):
        return _require_same(store, folder)
    with new_folder(folder), storage_faults(str(folder)), store.snapshot():
        media = MediaFolder(folder / "media")

        def keep(sha256: str) -> None:
            if sha256 not in media:
                media.put(store.media.path(sha256))

        manifest = _write(store, _Writer(folder), keep, progress)
        write_text(folder / "manifest.json", manifest.to_json() + "\n")
    return True


def _require_same(store: Store, folder: Path) -> bool:
    """Return False if a folder is a whole export of just this state; raise if it is not."""
    source = MediaFolder(folder / "media", writable=False)
    different = InvalidInputError(
        f"{folder}: holds something else, or an export of another state; name a new folder"
    )
    seen: set[str] = set()

    def compare(sha256: str) -> None:
        if sha256 not in seen and (sha256 not in source or not source.intact(sha256)):
            raise different
        seen.add(sha256)

    try:
        there = read_manifest(folder)
    except InvalidDataError:
        raise different from None
    with store.snapshot():
        now = _write(store, _Writer(None), compare, None)
    if replace(now, exported_at=there.exported_at) != there:
        raise different
    return False


def _write(
    store: Store,
    writer: _Writer,
    keep: Callable[[str], None],
    progress: Progress | None,
) -> Manifest:
    """Write everything but the manifest, which is returned; `keep` is called with every file."""
    ids: list[str] = []
    total = store.count()

    def versions() -> Iterator[Version]:
        for version in store.every_version():
            for medium in version.memory.media:
                if medium.sha256 is not None:
                    keep(medium.sha256)
            if version.replaced_at is None:
                ids.append(version.memory.id)
                if progress is not None:
                    progress(len(ids), total)
            yield version

    count = writer.lines("versions.jsonl", versions())
    dimension = _write_derived(store, writer, ids)
    writer.lines("edges.jsonl", _edges(store, ids))
    writer.lines("relations.jsonl", _relations(store, ids))
    logs = store.logs("trace", limit=_MOST_LOGS) + store.logs("job", limit=_MOST_LOGS)
    logs.sort(key=lambda log: log.id)
    writer.lines("logs.jsonl", logs)
    writer.lines("receipts.jsonl", store.receipts())
    return Manifest(
        format=FORMAT,
        exported_at=datetime.now(UTC),
        memories=len(ids),
        versions=count,
        encoder=store.encoder() or "",
        dimension=dimension,
        files=writer.hashes,
    )


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of an export whose files are all as it says; media are not looked at.

    Raises:
        InvalidDataError: Something is missing or was changed.
    """
    try:
        manifest = Manifest.from_json((folder / "manifest.json").read_bytes())
    except OSError as error:
        raise InvalidDataError(f"{folder} is not an export: {error.strerror}") from None
    if manifest.format != FORMAT:
        raise InvalidDataError(
            f"{folder}: has format {manifest.format}, and this program reads format {FORMAT}"
        )
    if sorted(manifest.files) != sorted(FILES):
        raise InvalidDataError(f"{folder}: its manifest does not list the files of an export")
    for name, digest in manifest.files.items():
        try:
            with (folder / name).open("rb") as stream:
                actual = hashlib.file_digest(stream, "sha256").hexdigest()
        except OSError as error:
            raise InvalidDataError(f"{folder / name}: {error.strerror}") from None
        if actual != digest:
            raise InvalidDataError(f"{folder / name}: is not what was exported")
    return manifest


def _write_derived(store: Store, writer: _Writer, ids: list[str]) -> int:
    """Write views and vectors; return the dimension of the vectors, 0 if there are none."""
    dimension = 0
    digest = hashlib.sha256()
    with writer.open("vectors.f32") as stream:

        def lines() -> Iterator[DerivedLine]:
            nonlocal dimension
            for batch in batches(ids):
                views, vectors = store.views(batch), store.vectors(batch)
                for memory_id in batch:
                    for vector in vectors[memory_id]:
                        if vector is not None:
                            dimension = vector.size
                            data = vector.astype("<f4").tobytes()
                            digest.update(data)
                            stream.write(data)
                    flags = tuple(vector is not None for vector in vectors[memory_id])
                    if views[memory_id]:
                        yield DerivedLine(memory_id, views[memory_id], flags)

        writer.lines("views.jsonl", lines())
    writer.hashes["vectors.f32"] = digest.hexdigest()
    return dimension


def _relations(store: Store, ids: list[str]) -> Iterator[RelationLine]:
    neighbours = store.neighbours()
    for batch in batches(ids):
        keys = store.keys(batch)
        for memory_id in batch:
            near = tuple(neighbours.get(memory_id, ()))
            named = tuple(sorted(keys.get(memory_id, ())))
            if near or named:
                yield RelationLine(memory_id, named, near)


def _edges(store: Store, ids: list[str]) -> Iterator[Edge]:
    for batch in batches(ids):
        mine = set(batch)
        yield from (edge for edge in store.edges(batch) if edge.source in mine)


def batches(items: Iterable[_T]) -> Iterator[list[_T]]:
    """Yield the items, some hundred at a time."""
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
