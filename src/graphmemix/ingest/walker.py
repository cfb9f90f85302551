"""From paths to sources: what is there, who reads it, and what is left out and why.

Nothing that lies in a folder stops the walk: what cannot be opened, has vanished, or loops back is
told as skipped, and the walk goes on. The order is that of names, the files of a folder before its
folders, so that two runs over the same files are the same. A link that leads out of the folder that
was named is not followed unless that is asked for.
"""

from __future__ import annotations

import os
import shutil
import stat
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, cast

from graphmemix.ingest.fingerprint import digest, fingerprint
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.looking import GONE, OUTSIDE, leads_out, link_out, reason
from graphmemix.ingest.protocol import FolderOfFiles, Importer, Skipped
from graphmemix.ingest.tasks import Done, Look, LookAtFolder, Read, Task, Unpack, carry_out
from graphmemix.ingest.unsupported import is_junk
from graphmemix.ingest.zips import Grown, Unpacked, ZipLimits, private_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_ARCHIVE_FILES = frozenset({"archive.db", "writer.lock"})
_AT_ONCE = 256  # files that are looked at in one task


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
        size: Bytes of all its files.
        within: The folder that links must not lead out of; None if they may.
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
    size: int = 0
    within: Path | None = None

    def is_as_it_was(self) -> bool:
        """Return whether all of its files are still there, as the walker met them."""
        try:
            mark, _ = fingerprint([self.path, *self.along], [self.importer])
        except OSError:
            return False
        return mark == self.fingerprint

    def reading(self, media: Path | None, limits: FileLimits) -> Read:
        """Return the task of reading it; files that belong to it go to `media`."""
        return Read(
            self.importer,
            self.path,
            self.name,
            self.is_folder,
            media,
            self.within,
            limits,
            self.size,
        )


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
    within: Path | None = None  # as in `Source`

    def below(self, child: str, *, is_zip: bool = False) -> _Place:
        name = f"{self.name}/{shown(child)}" if self.name else shown(child)
        where = self.where + b"/" + os.fsencode(child)
        path = self.path / child
        return _Place(path, where, name, is_zip, self.box, self.depth, self.within)


@dataclass
class Walker:
    """Walks what the user named. Iterate once.

    Attributes:
        paths: Files and folders.
        importers: Who is asked, in order.
        forced: The importer that reads every file, whatever it holds (``--as``).
        is_done: Says whether a zip was read before, by key and fingerprint.
        limits: What a zip may become.
        file_limits: What looking at files and unpacking one may cost.
        follow_links: Whether links are followed that lead out of a folder that was named.
        carry_out: Does what looks at foreign bytes.
        finished: Zips of which nothing was left to read once they had been walked.
    """

    paths: Sequence[Path]
    importers: Sequence[Importer]
    forced: Importer | None = None
    is_done: Callable[[str, str], bool] = lambda _key, _fingerprint: False
    limits: ZipLimits = field(default_factory=ZipLimits)
    file_limits: FileLimits = field(default_factory=FileLimits)
    follow_links: bool = False
    carry_out: Callable[[Task, Callable[[object], None]], Done] = carry_out
    finished: list[Unpacked] = field(default_factory=list)
    _seen: set[tuple[int, int]] = field(default_factory=set)
    _claimed: set[str] = field(default_factory=set)
    _waiting: list[_Place | Unpacked] = field(default_factory=list)
    _unpacked: list[Path] = field(default_factory=list)

    def close(self) -> None:
        """Remove what is left of zips that were not read to their end."""
        for folder in self._unpacked:
            shutil.rmtree(folder, ignore_errors=True)

    def __iter__(self) -> Iterator[Source | Passed]:
        """Yield what is there. A source in a zip holds its `box`; release it once it is read."""
        for path in self.paths:
            try:
                absolute = Path(os.path.realpath(path))
            except (OSError, ValueError) as error:
                yield Passed(Skipped(repr(str(path)), reason(error)))
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
            yield Passed(Skipped(name, reason(error)))
            return
        if is_folder:
            within = None if self.follow_links else path
            self._waiting.append(_Place(path, where, "", within=within))
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
            yield Passed(Skipped(label, reason(error)))
            return
        identity = (status.st_dev, status.st_ino)
        if identity in self._seen:
            yield Passed(Skipped(label, "this folder was walked already, or links into itself"))
            return
        self._seen.add(identity)
        if {entry.name for entry in entries} >= _ARCHIVE_FILES:
            yield Passed(Skipped(label, "a GraphMemix archive"))
            return
        whole = self._look_at_folder(place, label)
        if whole is not None:
            yield from whole
            return
        files, folders = [], []
        for entry in entries:
            child = place.below(entry.name)
            why = is_junk(entry.name) or _refusal(entry, place.within)
            if why:
                yield Passed(Skipped(child.name, why), _size(entry))
            elif _is_dir(entry):
                folders.append(entry.name)
            else:
                files.append(entry.name)
        self._waiting += [place.below(folder) for folder in reversed(folders)]
        yield from self._files(place, files)

    def _look_at_folder(self, place: _Place, label: str) -> list[Source | Passed] | None:
        """Return a folder that one importer reads: as one source, or file by file. Else None."""
        answers: list[object] = []
        task = LookAtFolder(self._asked, place.path, label, self._is_forced, self.file_limits)
        done = self.carry_out(task, answers.append)
        if done.reason:
            return [Passed(Skipped(label, done.reason))]
        [number, *parts] = answers
        if not isinstance(number, int):
            return None
        importer = self._asked[number]
        if not isinstance(importer, FolderOfFiles):
            return [self._whole(place, importer, label)]
        return [
            self._with_companions(place.below(os.path.relpath(part, place.path)), importer, ())
            for part in parts
            if isinstance(part, Path)
        ]

    def _whole(self, place: _Place, importer: Importer, label: str) -> Source | Passed:
        """Return a folder as one source; its importer opens what is below it as it likes."""
        link = link_out(place.path, place.within) if place.within else ""
        if link:
            return Passed(Skipped(f"{label}/{shown(link)}", OUTSIDE + ", and the folder it is in"))
        return self._source(place, importer, [place.path], is_folder=True, label=label)

    @property
    def _asked(self) -> tuple[Importer, ...]:
        return (self.forced,) if self.forced is not None else tuple(self.importers)

    @property
    def _is_forced(self) -> bool:
        return self.forced is not None

    # Files

    def _files(self, place: _Place, names: Iterable[str]) -> Iterator[Source | Passed]:
        """Yield the files of a folder, but for those that are read along with another one."""
        children = [place.below(name) for name in names]
        met: list[tuple[_Place, Importer | Skipped | None, tuple[str, ...]]] = []
        for first in range(0, len(children), _AT_ONCE):
            some = children[first : first + _AT_ONCE]
            met += [(child, *seen) for child, seen in zip(some, self._look(some), strict=True)]
        for _, _, companions in met:
            self._claimed.update(companions)
        zips = []
        for child, reader, companions in met:
            if str(child.path) in self._claimed:
                continue
            if isinstance(reader, Skipped):
                yield Passed(reader, _file_size(child.path))
            elif reader is None:
                zips.append(replace(child, is_zip=True))
            else:
                yield self._with_companions(child, reader, companions)
        self._waiting += reversed(zips)

    def _look(
        self, children: Sequence[_Place]
    ) -> list[tuple[Importer | Skipped | None, tuple[str, ...]]]:
        """Return who reads each file, why nobody does, or None for a zip; and its companions."""
        seen: list[tuple[Importer | Skipped | None, tuple[str, ...]]] = []

        def take(answer: object) -> None:
            found, companions = cast("tuple[int | Skipped | None, tuple[str, ...]]", answer)
            seen.append((self._asked[found] if isinstance(found, int) else found, companions))

        while len(seen) < len(children):
            files = tuple((child.path, child.name) for child in children[len(seen) :])
            task = Look(self._asked, files, self._is_forced, self.file_limits)
            done = self.carry_out(task, take)
            if done.reason:  # of the file after the last one that was answered
                seen.append((Skipped(children[len(seen)].name, done.reason), ()))
        return seen

    def _with_companions(
        self, child: _Place, importer: Importer, companions: Iterable[str]
    ) -> Source | Passed:
        paths = [child.path, *(Path(each) for each in companions)]
        return self._source(child, importer, paths, is_folder=False, label=child.name)

    def _source(
        self, place: _Place, importer: Importer, paths: list[Path], *, is_folder: bool, label: str
    ) -> Source | Passed:
        try:
            if place.within is not None and leads_out(place.path, place.within):
                return Passed(Skipped(label, OUTSIDE))
            mark, size = fingerprint(paths, [importer])
        except FileNotFoundError:
            return Passed(Skipped(label, GONE))
        except OSError as error:
            return Passed(Skipped(label, reason(error)))
        weight = size
        if place.box is not None:
            place.box.hold()
            weight = size * place.box.size // max(1, place.box.total)
        return Source(
            digest(place.where),
            mark,
            place.path,
            label,
            is_folder,
            importer,
            weight,
            place.box,
            tuple(path for path in paths if path != place.path),
            size,
            place.within,
        )

    # Zips

    def _zip(self, place: _Place) -> Iterator[Passed]:
        key = digest(place.where)
        if place.depth >= self.limits.depth:
            refused = f"zip is refused: more than {self.limits.depth} zips in one another"
            yield Passed(Skipped(place.name, refused))
            return
        try:
            mark, size = fingerprint([place.path], self._asked)
        except OSError as error:
            yield Passed(Skipped(place.name, reason(error)))
            return
        if self.is_done(key, mark):
            yield Passed(None, size)
            return
        try:
            folder = Path(os.path.realpath(private_folder("zip")))
        except OSError as error:
            yield Passed(Skipped(place.name, f"zip cannot be unpacked: {error.strerror or error}"))
            return
        self._unpacked.append(folder)
        box = Unpacked(folder, key, mark, size, 0, place.box)
        around = box.outermost.grown
        told: list[object] = []
        task = Unpack(place.path, place.name, folder, self.limits, around, self.file_limits, size)
        done = self.carry_out(task, told.append)
        if done.reason:
            shutil.rmtree(folder, ignore_errors=True)
            yield Passed(Skipped(place.name, done.reason))
            return
        for item in told:
            if isinstance(item, Grown):
                box.total, box.outermost.grown = item.own, item
            elif isinstance(item, Skipped):
                yield Passed(item)
        if place.box is not None:
            place.box.hold()
        inside = _Place(
            folder,
            place.where + b"!",
            place.name,
            box=box,
            depth=place.depth + 1,
            within=folder,
        )
        self._waiting += [box, inside]


def measure(paths: Iterable[Path], *, follow_links: bool = False) -> int:
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
                    if entry.is_symlink() and not follow_links:
                        continue
                    if entry.is_dir():
                        waiting.append(Path(entry.path))
                    elif entry.is_file():
                        total += entry.stat().st_size
    return total


def shown(name: str) -> str:
    """Return a name without bytes that are no text: they are shown as they are written in code."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _refusal(entry: os.DirEntry[str], within: Path | None) -> str:
    """Return why a link is not followed, or nothing."""
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
