"""Finds the sources below the paths that the user named, and what is skipped and why.

Nothing in a folder stops the walk: what cannot be opened, has vanished or is a link loop is
reported as skipped. The order is by name, the files of a folder before its subfolders, so that two
runs over the same files are the same. Links that lead outside the named folder are followed only
with `follow_links`.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.protocol import FolderOfFiles, Importer, Skipped
from graphmemix.ingest.recognition import GONE, OUTSIDE, leads_out, link_out, reason
from graphmemix.ingest.sources import NotRead, Source, fingerprint, short_hash
from graphmemix.ingest.tasks import (
    RecogniseFiles,
    RecogniseFolder,
    Task,
    TaskResult,
    UnpackZip,
    run_task,
)
from graphmemix.ingest.unsupported import is_junk
from graphmemix.ingest.zips import UnpackedSize, UnpackedZip, ZipLimits, private_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

ARCHIVE_FILES = frozenset({"archive.db", "writer.lock"})
_BATCH = 256  # files recognised in one task


@dataclass(frozen=True)
class _Location:
    """A file, folder or zip that the walker has met."""

    path: Path
    where: bytes  # for keys: its path; for one in a zip, the zip's path and the path inside
    name: str
    is_zip: bool = False
    container: UnpackedZip | None = None
    depth: int = 0  # how many zips it is in
    within: Path | None = None  # as in `Source`

    def below(self, child: str, *, is_zip: bool = False) -> _Location:
        name = f"{self.name}/{shown(child)}" if self.name else shown(child)
        where = self.where + b"/" + os.fsencode(child)
        path = self.path / child
        return _Location(path, where, name, is_zip, self.container, self.depth, self.within)


@dataclass
class Walker:
    """Walks the paths that the user named. Iterate once.

    Attributes:
        paths: Files and folders.
        importers: All importers, in the order in which they are asked.
        forced: The importer that reads every file, whatever its content (``--as``).
        is_done: Returns whether a zip was read before, by key and fingerprint.
        limits: Limits of unpacked zips.
        file_limits: Limits of recognising files and of unpacking a zip.
        follow_links: Whether to follow links that lead outside a named folder.
        run_task: Runs the tasks that parse untrusted files.
        finished: Zips without anything left to read after they were walked.
    """

    paths: Sequence[Path]
    importers: Sequence[Importer]
    forced: Importer | None = None
    is_done: Callable[[str, str], bool] = lambda _key, _fingerprint: False
    limits: ZipLimits = field(default_factory=ZipLimits)
    file_limits: FileLimits = field(default_factory=FileLimits)
    follow_links: bool = False
    run_task: Callable[[Task, Callable[[object], None]], TaskResult] = run_task
    finished: list[UnpackedZip] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)
    _claimed: set[str] = field(default_factory=set)
    _waiting: list[_Location | UnpackedZip] = field(default_factory=list)
    _unpacked: list[Path] = field(default_factory=list)

    def close(self) -> None:
        """Remove the unpacked files of zips that were not read to the end."""
        for folder in self._unpacked:
            shutil.rmtree(folder, ignore_errors=True)

    def __iter__(self) -> Iterator[Source | NotRead]:
        """Yield sources. One in a zip holds its `container`: release that after reading."""
        for path in self.paths:
            try:
                absolute = Path(os.path.realpath(path))
            except (OSError, ValueError) as error:
                yield NotRead(Skipped(repr(str(path)), reason(error)))
                continue
            yield from self._root(absolute, shown(path.name or absolute.name))
            while self._waiting:
                location = self._waiting.pop()
                if isinstance(location, UnpackedZip):
                    self.finished += location.release()  # all of its sources were yielded
                elif location.is_zip:
                    yield from self._zip(location)
                else:
                    yield from self._folder(location)

    def _root(self, path: Path, name: str) -> Iterator[Source | NotRead]:
        where = os.fsencode(path)
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError) as error:
            yield NotRead(Skipped(name, reason(error)))
            return
        if is_folder:
            within = None if self.follow_links else path
            self._waiting.append(_Location(path, where, "", within=within))
        elif str(path) in self._claimed or self._was_walked(path):
            yield NotRead(Skipped(name, "already read under another path"))
        else:
            parent = _Location(path.parent, os.fsencode(path.parent), "")
            yield from self._files(parent, [path.name])
            self._claimed.add(str(path))

    def _was_walked(self, path: Path) -> bool:
        """Return whether a file was met with its folder; hidden files of folders are skipped."""
        try:
            status = path.parent.stat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) in self._seen and not is_junk(path.name)

    # Folders

    def _folder(self, location: _Location) -> Iterator[Source | NotRead]:
        label = location.name or shown(location.path.name)
        try:
            status = location.path.stat()
            entries = sorted(os.scandir(location.path), key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            yield NotRead(Skipped(label, reason(error)))
            return
        identity = (status.st_dev, status.st_ino)
        if location.container is None:  # a folder of a zip is gone when the next zip is unpacked
            if identity in self._seen:
                yield NotRead(Skipped(label, "folder was read already, or is part of a link loop"))
                return
            self._seen.add(identity)
        if {entry.name for entry in entries} >= ARCHIVE_FILES:
            yield NotRead(Skipped(label, "a GraphMemix archive"))
            return
        whole = self._recognise_folder(location, label)
        if whole is not None:
            yield from whole
            return
        files, folders = [], []
        for entry in entries:
            child = location.below(entry.name)
            why = is_junk(entry.name) or _refusal(entry, location.within)
            if why:
                yield NotRead(Skipped(child.name, why), _size(entry))
            elif _is_dir(entry):
                folders.append(entry.name)
            else:
                files.append(entry.name)
        self._waiting += [location.below(folder) for folder in reversed(folders)]
        yield from self._files(location, files)

    def _recognise_folder(self, location: _Location, label: str) -> list[Source | NotRead] | None:
        """Return the sources of a folder that one importer reads; None if none does."""
        sent: list[object] = []
        task = RecogniseFolder(
            self._importers, location.path, label, self._is_forced, self.file_limits
        )
        done = self.run_task(task, sent.append)
        if done.reason:
            return [NotRead(Skipped(label, done.reason))]
        [number, *parts] = sent
        if not isinstance(number, int):
            return None
        importer = self._importers[number]
        if not isinstance(importer, FolderOfFiles):
            return [self._whole(location, importer, label)]
        return [
            self._with_companions(
                location.below(os.path.relpath(part, location.path)), importer, ()
            )
            for part in parts
            if isinstance(part, Path)
        ]

    def _whole(self, location: _Location, importer: Importer, label: str) -> Source | NotRead:
        """Return a folder as one source; its importer may open anything below it."""
        link = link_out(location.path, location.within) if location.within else ""
        if link:
            return NotRead(Skipped(f"{label}/{shown(link)}", f"{OUTSIDE}; skipped its folder too"))
        return self._source(location, importer, [location.path], is_folder=True, label=label)

    @property
    def _importers(self) -> tuple[Importer, ...]:
        return (self.forced,) if self.forced is not None else tuple(self.importers)

    @property
    def _is_forced(self) -> bool:
        return self.forced is not None

    # Files

    def _files(self, location: _Location, names: Iterable[str]) -> Iterator[Source | NotRead]:
        """Yield the files of a folder, except companions of other files."""
        children = [location.below(name) for name in names]
        met: list[tuple[_Location, Importer | Skipped | None, tuple[str, ...]]] = []
        for first in range(0, len(children), _BATCH):
            some = children[first : first + _BATCH]
            met += [(child, *seen) for child, seen in zip(some, self._recognise(some), strict=True)]
        for _, _, companions in met:
            self._claimed.update(companions)
        zips = []
        for child, reader, companions in met:
            if str(child.path) in self._claimed:
                continue
            if isinstance(reader, Skipped):
                yield NotRead(reader, _file_size(child.path))
            elif reader is None:
                zips.append(replace(child, is_zip=True))
            else:
                yield self._with_companions(child, reader, companions)
        self._waiting += reversed(zips)

    def _recognise(
        self, children: Sequence[_Location]
    ) -> list[tuple[Importer | Skipped | None, tuple[str, ...]]]:
        """Return each file's importer, why it is skipped, or None for a zip; and companions."""
        seen: list[tuple[Importer | Skipped | None, tuple[str, ...]]] = []

        def take(answer: object) -> None:
            found, companions = cast("tuple[int | Skipped | None, tuple[str, ...]]", answer)
            seen.append((self._importers[found] if isinstance(found, int) else found, companions))

        while len(seen) < len(children):
            files = tuple((child.path, child.name) for child in children[len(seen) :])
            task = RecogniseFiles(self._importers, files, self._is_forced, self.file_limits)
            done = self.run_task(task, take)
            if done.reason:  # the task failed on the first file without a result
                seen.append((Skipped(children[len(seen)].name, done.reason), ()))
        return seen

    def _with_companions(
        self, child: _Location, importer: Importer, companions: Iterable[str]
    ) -> Source | NotRead:
        paths = [child.path, *(Path(each) for each in companions)]
        return self._source(child, importer, paths, is_folder=False, label=child.name)

    def _source(
        self,
        location: _Location,
        importer: Importer,
        paths: list[Path],
        *,
        is_folder: bool,
        label: str,
    ) -> Source | NotRead:
        try:
            if location.within is not None and leads_out(location.path, location.within):
                return NotRead(Skipped(label, OUTSIDE))
            mark, size = fingerprint(paths, [importer])
        except FileNotFoundError:
            return NotRead(Skipped(label, GONE))
        except OSError as error:
            return NotRead(Skipped(label, reason(error)))
        weight = size
        if location.container is not None:
            location.container.hold()
            weight = size * location.container.size // max(1, location.container.total)
        return Source(
            short_hash(location.where),
            mark,
            location.path,
            label,
            is_folder,
            importer,
            weight,
            location.container,
            tuple(path for path in paths if path != location.path),
            size,
            location.within,
        )

    # Zips

    def _zip(self, location: _Location) -> Iterator[NotRead]:
        key = short_hash(location.where)
        if location.depth >= self.limits.depth:
            refused = f"zip refused: nested more than {self.limits.depth} levels deep"
            yield NotRead(Skipped(location.name, refused))
            return
        try:
            mark, size = fingerprint([location.path], self._importers)
        except OSError as error:
            yield NotRead(Skipped(location.name, reason(error)))
            return
        if self.is_done(key, mark):
            yield NotRead(None, size)
            return
        try:
            folder = Path(os.path.realpath(private_folder("zip")))
        except OSError as error:
            yield NotRead(Skipped(location.name, f"cannot unpack zip: {error.strerror or error}"))
            return
        self._unpacked.append(folder)
        container = UnpackedZip(folder, key, mark, size, 0, location.container)
        around = container.outermost.unpacked_size
        sent: list[object] = []
        task = UnpackZip(
            location.path, location.name, folder, self.limits, around, self.file_limits, size
        )
        done = self.run_task(task, sent.append)
        if done.reason:
            shutil.rmtree(folder, ignore_errors=True)
            yield NotRead(Skipped(location.name, done.reason))
            return
        for item in sent:
            if isinstance(item, UnpackedSize):
                container.total, container.outermost.unpacked_size = item.own, item
            elif isinstance(item, Skipped):
                yield NotRead(item)
        if location.container is not None:
            location.container.hold()
        inside = _Location(
            folder,
            location.where + b"!",
            location.name,
            container=container,
            depth=location.depth + 1,
            within=folder,
        )
        self._waiting += [container, inside]


def measure(paths: Iterable[Path], *, follow_links: bool = False) -> int:
    """Return the total size of the files below some paths. Reads no file."""
    total = 0
    seen: set[tuple[int, int]] = set()
    waiting = list(paths)
    while waiting:
        with suppress(OSError, ValueError):
            path = Path(os.path.realpath(waiting.pop()))
            status = path.stat()
            if stat.S_ISREG(status.st_mode):
                total += status.st_size
            elif stat.S_ISDIR(status.st_mode) and (status.st_dev, status.st_ino) not in seen:
                seen.add((status.st_dev, status.st_ino))
                for entry in os.scandir(path):
                    if entry.is_symlink() and not follow_links:
                        continue
                    if entry.is_dir():
                        waiting.append(Path(entry.path))
                    elif entry.is_file():
                        total += entry.stat().st_size
    return total


def shown(name: str) -> str:
    """Return a file name for reports; bytes that are not UTF-8 are shown as escapes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _refusal(entry: os.DirEntry[str], within: Path | None) -> str:
    """Return why a link is not followed; empty if it is."""
    outside = within is not None and entry.is_symlink() and leads_out(Path(entry.path), within)
    return OUTSIDE if outside else ""


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return entry.stat().st_size if entry.is_file() else 0
    except OSError:
        return 0


def _file_size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0


def _is_dir(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
