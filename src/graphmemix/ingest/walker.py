"""From paths to sources: what is there, who reads it, and what is left out and why.

Nothing that lies in a folder stops the walk: what cannot be opened, has vanished, or loops back is
told as skipped, and the walk goes on. The order is that of names, the files of a folder before its
folders, so that two runs over the same files are the same.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.fingerprint import digest, fingerprint
from graphmemix.ingest.protocol import HEAD_BYTES, FolderOfFiles, Found, Importer, Skipped
from graphmemix.ingest.strangers import is_junk, is_package, is_zip, unknown
from graphmemix.ingest.zips import Unpacked, ZipLimits, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_ARCHIVE_FILES = frozenset({"archive.db", "writer.lock"})
_GONE = "is no longer there"


@dataclass(frozen=True)
class Source:
    """Something to read, and with what.

    Attributes:
        key: What the journal calls the place where it is; no path can be read from it.
        fingerprint: Changes when the source, or a file that is read along with it, changes.
        path: Where it is now; inside a zip, where it was unpacked.
        name: As `Found.name`.
        is_folder: Whether it is read as a whole folder.
        importer: What reads it.
        weight: Bytes on the way to the end, for progress.
        box: The zip that it lies in.
        along: Files that are read along with it.
    """

    key: str
    fingerprint: str
    path: Path
    name: str
    is_folder: bool
    importer: Importer
    weight: int = 0
    box: Unpacked | None = None
    along: tuple[Path, ...] = ()

    def is_as_it_was(self) -> bool:
        """Return whether all of its files are still there, as the walker met them."""
        try:
            mark, _ = fingerprint([self.path, *self.along], [self.importer])
        except OSError:
            return False
        return mark == self.fingerprint

    def found(self) -> Found:
        """Return the source as an importer sees it.

        Raises:
            OSError: It has vanished or cannot be opened.
        """
        head = b"" if self.is_folder else _head(self.path)
        return Found(self.path, self.name, head, self.is_folder)


@dataclass(frozen=True)
class Passed:
    """Something that is not read.

    Attributes:
        skipped: What, and why; None for a zip that was read before and has not changed.
        weight: As in `Source`.
    """

    skipped: Skipped | None
    weight: int = 0


@dataclass(frozen=True)
class _Place:
    """A folder or a zip that is still to be walked."""

    path: Path
    where: bytes  # for keys: its path, or that of the zip and the path inside
    name: str
    is_zip: bool = False
    box: Unpacked | None = None
    depth: int = 0  # of zips

    def below(self, child: str, *, is_zip: bool = False) -> _Place:
        name = f"{self.name}/{shown(child)}" if self.name else shown(child)
        where = self.where + b"/" + os.fsencode(child)
        return _Place(self.path / child, where, name, is_zip, self.box, self.depth)


@dataclass
class Walker:
    """Walks what the user named. Iterate once.

    Attributes:
        paths: Files and folders.
        importers: Who is asked, in order.
        forced: The importer that reads every file, whatever it holds (``--as``).
        is_done: Says whether a zip was read before, by key and fingerprint.
        limits: What a zip may become.
        finished: Zips of which nothing was left to read once they had been walked.
    """

    paths: Sequence[Path]
    importers: Sequence[Importer]
    forced: Importer | None = None
    is_done: Callable[[str, str], bool] = lambda _key, _fingerprint: False
    limits: ZipLimits = field(default_factory=ZipLimits)
    finished: list[Unpacked] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)
    _claimed: set[str] = field(default_factory=set)
    _waiting: list[_Place | Unpacked] = field(default_factory=list)

    def __iter__(self) -> Iterator[Source | Passed]:
        """Yield what is there. A source in a zip holds its `box`; release it once it is read."""
        for path in self.paths:
            try:
                absolute = Path(os.path.realpath(path))
            except (OSError, ValueError) as error:
                yield Passed(Skipped(repr(str(path)), _reason(error)))
                continue
            yield from self._root(absolute, shown(path.name or absolute.name))
            while self._waiting:
                place = self._waiting.pop()
                if isinstance(place, Unpacked):
                    self.finished += place.release()  # all that is in it is on its way
                elif place.is_zip:
                    yield from self._zip(place)
                else:
                    yield from self._folder(place)

    def _root(self, path: Path, name: str) -> Iterator[Source | Passed]:
        where = os.fsencode(path)
        try:
            is_folder = stat.S_ISDIR(path.stat().st_mode)
        except (OSError, ValueError) as error:
            yield Passed(Skipped(name, _reason(error)))
            return
        if is_folder:
            self._waiting.append(_Place(path, where, ""))
        elif str(path) in self._claimed or self._was_walked(path):
            yield Passed(Skipped(name, "was read already, with or as another path"))
        else:
            parent = _Place(path.parent, os.fsencode(path.parent), "")
            yield from self._files(parent, [path.name])
            self._claimed.add(str(path))

    def _was_walked(self, path: Path) -> bool:
        """Return whether a file was met in its folder; what is hidden there was passed over."""
        try:
            status = path.parent.stat()
        except OSError:
            return False
        return (status.st_dev, status.st_ino) in self._seen and not is_junk(path.name)

    # Folders

    def _folder(self, place: _Place) -> Iterator[Source | Passed]:
        label = place.name or shown(place.path.name)
        try:
            status = place.path.stat()
            entries = sorted(os.scandir(place.path), key=lambda entry: os.fsencode(entry.name))
        except OSError as error:
            yield Passed(Skipped(label, _reason(error)))
            return
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            yield Passed(Skipped(label, "this folder was walked already, or links into itself"))
            return
        self._seen.add(identity)
        if {entry.name for entry in entries} >= _ARCHIVE_FILES:
            yield Passed(Skipped(label, "a GraphMemix archive"))
            return
        importer = self._reader(Found(place.path, label, is_folder=True))
        if importer is not None:
            yield from self._whole(importer, place, label)
            return
        files, folders = [], []
        for entry in entries:
            reason = is_junk(entry.name)
            if reason:
                yield Passed(Skipped(place.below(entry.name).name, reason), _size(entry))
            elif _is_dir(entry):
                folders.append(entry.name)
            else:
                files.append(entry.name)
        self._waiting += [place.below(folder) for folder in reversed(folders)]
        yield from self._files(place, files)

    def _whole(self, importer: Importer, place: _Place, label: str) -> Iterator[Source | Passed]:
        """Yield a folder that one importer reads: as one source, or file by file."""
        if not isinstance(importer, FolderOfFiles):
            yield self._source(place, importer, [place.path], is_folder=True, label=label)
            return
        try:
            parts = list(importer.parts(Found(place.path, label, is_folder=True)))
        except OSError as error:
            yield Passed(Skipped(label, _reason(error)))
            return
        for path in parts:
            child = place.below(os.path.relpath(path, place.path))
            yield self._with_companions(child, importer, [])

    # Files

    def _files(self, place: _Place, names: Iterable[str]) -> Iterator[Source | Passed]:
        """Yield the files of a folder, but for those that are read along with another one."""
        met: list[tuple[str, Importer | Skipped | None, tuple[str, ...]]] = []
        for name in names:
            reader, companions = self._look(place.below(name))
            self._claimed.update(companions)
            met.append((name, reader, companions))
        zips = []
        for name, reader, companions in met:
            child = place.below(name)
            if str(child.path) in self._claimed:
                continue
            if isinstance(reader, Skipped):
                yield Passed(reader, _file_size(child.path))
            elif reader is None:
                zips.append(place.below(name, is_zip=True))
            else:
                yield self._with_companions(child, reader, companions)
        self._waiting += reversed(zips)

    def _look(self, child: _Place) -> tuple[Importer | Skipped | None, tuple[str, ...]]:
        """Return who reads a file, or why nobody does, or None for a zip; and its companions."""
        try:
            status = child.path.stat()
            if not stat.S_ISREG(status.st_mode):  # a pipe would wait for ever
                return Skipped(child.name, "is not a file"), ()
            if status.st_size == 0:
                return Skipped(child.name, "is empty"), ()
            found = Found(child.path, child.name, _head(child.path))
        except (OSError, ValueError) as error:
            return Skipped(child.name, _reason(error)), ()
        importer = self._reader(found)
        if importer is not None:
            return importer, _companions(importer, found)
        if is_zip(found.head) and not is_package(found.path):
            return None, ()
        return Skipped(child.name, unknown(found.head)), ()

    def _reader(self, found: Found) -> Importer | None:
        if self.forced is not None:
            if found.is_folder and not _recognises(self.forced, found):
                return None
            return self.forced
        return next((each for each in self.importers if _recognises(each, found)), None)

    def _with_companions(
        self, child: _Place, importer: Importer, companions: Iterable[str]
    ) -> Source | Passed:
        paths = [child.path, *(Path(each) for each in companions)]
        return self._source(child, importer, paths, is_folder=False, label=child.name)

    def _source(
        self, place: _Place, importer: Importer, paths: list[Path], *, is_folder: bool, label: str
    ) -> Source | Passed:
        try:
            mark, size = fingerprint(paths, [importer])
        except FileNotFoundError:
            return Passed(Skipped(label, _GONE))
        except OSError as error:
            return Passed(Skipped(label, _reason(error)))
        if place.box is not None:
            place.box.hold()
            size = size * place.box.size // max(1, place.box.total)
        key = digest(place.where)
        along = tuple(path for path in paths if path != place.path)
        return Source(key, mark, place.path, label, is_folder, importer, size, place.box, along)

    # Zips

    def _zip(self, place: _Place) -> Iterator[Passed]:
        key = digest(place.where)
        try:
            if place.depth >= self.limits.depth:
                raise ImportSourceError(  # noqa: TRY301  # told like every other refusal
                    f"zip is refused: more than {self.limits.depth} zips in one another"
                )
            readers = [self.forced] if self.forced else self.importers
            mark, size = fingerprint([place.path], readers)
            if self.is_done(key, mark):
                yield Passed(None, size)
                return
            box = unpack(
                place.path,
                place.name,
                self.limits,
                key=key,
                fingerprint=mark,
                outer=place.box,
            )
        except ImportSourceError as error:
            yield Passed(Skipped(place.name, str(error)))
            return
        except OSError as error:
            yield Passed(Skipped(place.name, _reason(error)))
            return
        yield from map(Passed, box.skipped)
        inside = _Place(box.folder, place.where + b"!", place.name, box=box, depth=place.depth + 1)
        self._waiting += [box, inside]


def measure(paths: Iterable[Path]) -> int:
    """Return how many bytes lie below some paths, for the remaining time. Looks, and reads none."""
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
                    if entry.is_dir():
                        waiting.append(Path(entry.path))
                    elif entry.is_file():
                        total += entry.stat().st_size
    return total


def shown(name: str) -> str:
    """Return a name without bytes that are no text: they are shown as they are written in code."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _head(path: Path) -> bytes:
    with path.open("rb", buffering=0) as stream:
        return stream.read(HEAD_BYTES)


def _recognises(importer: Importer, found: Found) -> bool:
    try:
        return importer.recognises(found)
    except Exception:  # noqa: BLE001  # another package's importer may break its promise
        return False


def _companions(importer: Importer, found: Found) -> tuple[str, ...]:
    try:
        named = sorted({str(path.absolute()) for path in importer.companions(found)})
    except Exception:  # noqa: BLE001  # as above
        return ()
    return tuple(path for path in named if path != str(found.path))


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


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, FileNotFoundError):
        return _GONE
    if isinstance(error, OSError):
        return f"cannot be opened: {error.strerror or error}"
    return f"cannot be opened: {error}"
