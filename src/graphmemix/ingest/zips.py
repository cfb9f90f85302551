"""Zip files as sources: unpacked into a private folder, within limits, and removed once read.

Takeout and chat exports come as zips. They are unpacked as a whole, because sidecars, media and
folders that belong together must be seen together. The folder is made where temporary files go
(``TMPDIR``); nothing is unpacked that its disk could not hold.
"""

from __future__ import annotations

import os
import re
import shutil
import struct
import tempfile
import time
import zipfile
import zlib
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from threading import Lock
from typing import TYPE_CHECKING, BinaryIO, Literal

from graphmemix.errors import ImportSourceError
from graphmemix.fsio import make_folder, open_binary
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CHUNK = 1 << 20
_TAIL = 66_000  # bytes at the end of a zip in which its directory is announced
_PREFIX = "graphmemix-"
_OWN = re.compile(r"graphmemix-(?:zip|read)-(\d+)-")  # with the number of the process
_LONGEST_NAME = 200  # bytes of one part of a path; file systems take 255
_DEEPEST = 100  # folders in one another
_ENCRYPTED, _UTF8 = 0x1, 0x800  # flags of an entry
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class ZipLimits:
    """What a zip may become before it is refused.

    Attributes:
        entries: Files and folders in it.
        directory: Bytes of its directory.
        total: Bytes of its files together.
        ratio: How many times larger than the zip they may be together.
        free_ratio: Bytes up to which any ratio is fine: a small text may shrink a lot.
        depth: Zips in zips; 1 means none. The other limits hold for all of them together.
    """

    entries: int = 500_000
    directory: int = 256 << 20
    total: int = 64 << 30
    ratio: float = 200.0
    free_ratio: int = 64 << 20
    depth: int = 3


@dataclass(frozen=True)
class Grown:
    """What a zip becomes, together with the zips that it lies in and those beside it in them.

    Attributes:
        size: Bytes of the outermost zip; 0 for none.
        own: Bytes of the zip's own files.
        total: Bytes of all files that came out of the outermost zip.
        entries: How many files and folders these are.
    """

    size: int = 0
    own: int = 0
    total: int = 0
    entries: int = 0


@dataclass
class Unpacked:
    """A zip whose files are in a private folder until all of them have been read.

    Attributes:
        folder: Where they are.
        key: What the journal calls the zip.
        fingerprint: How it was when it was unpacked.
        size: Bytes of the zip.
        total: Bytes of its files.
        outer: The zip that holds this one.
        grown: For the outermost one: what came out of it so far.
    """

    folder: Path
    key: str
    fingerprint: str
    size: int
    total: int
    outer: Unpacked | None = None
    grown: Grown = field(default_factory=Grown)
    _open: int = 1  # the walker itself, and every source that is not yet read
    _failed: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def outermost(self) -> Unpacked:
        """The zip that lies in no other one."""
        return self if self.outer is None else self.outer.outermost

    def hold(self) -> None:
        """Count one more that needs the files."""
        with self._lock:
            self._open += 1

    def release(self, *, failed: bool = False) -> list[Unpacked]:
        """Count one less; the last one removes the files.

        Returns:
            The zips that are now done, this one and those around it, if nothing in them failed.
        """
        with self._lock:
            self._open -= 1
            self._failed |= failed
            if self._open:
                return []
        shutil.rmtree(self.folder, ignore_errors=True)
        done = [] if self._failed else [self]
        return done + (self.outer.release(failed=self._failed) if self.outer else [])


def extract(
    path: Path,
    name: str,
    folder: Path,
    limits: ZipLimits,
    around: Grown,
    alive: Callable[[], object],
) -> Iterator[Grown | Skipped]:
    """Unpack a zip into an empty folder; yield what it grows to, then what is left out.

    Args:
        path: The zip.
        name: What reports call it.
        folder: Where its files go; the caller removes it if this raises.
        limits: What it may become.
        around: What the zips around it have become, and those beside it in them.
        alive: Is called now and then.

    Raises:
        ImportSourceError: It is damaged, too large, or a bomb.
    """
    try:
        with path.open("rb") as stream:
            _check_directory(stream, limits)
            with zipfile.ZipFile(stream) as opened:
                grown = _checked(opened, path.stat().st_size, limits, around, folder.parent)
                yield grown
                yield from _extracted(opened, folder, name, alive)
    except ImportSourceError:
        raise
    except OSError as error:
        raise ImportSourceError(f"zip cannot be unpacked: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise ImportSourceError(f"zip is damaged: {error}") from None


def _check_directory(stream: BinaryIO, limits: ZipLimits) -> None:
    """Refuse a zip whose directory alone would fill the memory, before it is read."""
    end = stream.seek(0, os.SEEK_END)
    stream.seek(max(0, end - _TAIL))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + 22:
        raise ImportSourceError("zip is damaged: its end is missing")
    entries, size = struct.unpack_from("<HI", tail, at + 10)
    if at >= 20 and tail[at - 20 : at - 16] == b"PK\x06\x07":
        (offset,) = struct.unpack_from("<Q", tail, at - 12)
        if offset + 56 <= end:
            stream.seek(offset)
            entries, size = struct.unpack_from("<QQ", stream.read(56), 32)
    if entries > limits.entries or size > limits.directory:
        raise ImportSourceError(f"zip is refused: more than {limits.entries} entries")
    stream.seek(0)


def _checked(
    opened: zipfile.ZipFile, size: int, limits: ZipLimits, around: Grown, disk: Path
) -> Grown:
    """Return what a zip grows to, if that is within the limits.

    They hold for the outermost file: a zip in a zip is no larger than what it came in.
    """
    infos = opened.infolist()
    own = sum(info.file_size for info in infos)
    grown = Grown(around.size or size, own, around.total + own, around.entries + len(infos))
    if grown.entries > limits.entries:
        raise ImportSourceError(f"zip is refused: more than {limits.entries} entries")
    if grown.total > limits.total:
        raise ImportSourceError(f"zip is refused: it unpacks to more than {limits.total} bytes")
    if grown.total > limits.free_ratio and grown.total > limits.ratio * grown.size:
        whose = "the size of the file around it" if around.size else "its size"
        raise ImportSourceError(
            f"zip is refused: it unpacks to more than {limits.ratio:g} times {whose}"
        )
    if sum(info.compress_size for info in infos) > size:
        raise ImportSourceError("zip is refused: its entries overlap")
    if own > shutil.disk_usage(disk).free:
        raise ImportSourceError(
            f"zip is not unpacked: {own} bytes do not fit into {disk}; "
            "set TMPDIR to a folder with more space"
        )
    return grown


def _extracted(
    opened: zipfile.ZipFile, folder: Path, name: str, alive: Callable[[], object]
) -> Iterator[Skipped]:
    """Write all files below `folder`; yield what was left out."""
    for info in opened.infolist():
        alive()
        inside = _readable_name(info)
        parts = _safe_parts(inside)
        label = f"{name}/{inside}"
        if parts is None:
            yield Skipped(label, "a name that leads out of the zip, or that no file can have")
        elif info.is_dir():
            continue  # they come with their files
        elif (info.external_attr >> 16) & 0o170000 == 0o120000:
            yield Skipped(label, "a link; links in zips are not followed")
        elif info.flag_bits & _ENCRYPTED:
            yield Skipped(label, "encrypted")
        else:
            reason = _extract(opened, info, folder.joinpath(*parts), alive)
            if reason:
                yield Skipped(label, reason)


def _extract(
    opened: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, alive: Callable[[], object]
) -> str:
    """Write one file; return why not, or nothing. Raises OSError only if the disk is full."""
    if target.exists():
        return "the zip holds this name twice"
    try:
        make_folder(target.parent)
    except (FileExistsError, NotADirectoryError):
        return "the zip holds this name as a file and as a folder"
    try:
        with opened.open(info) as source, open_binary(target, "xb") as sink:
            while chunk := source.read(_CHUNK):  # reads no more than the entry declares
                sink.write(chunk)
                alive()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        target.unlink(missing_ok=True)
        return f"damaged in the zip: {error}"
    with suppress(OSError, ValueError, OverflowError):  # an impossible date
        then = time.mktime((*info.date_time, 0, 0, -1))
        os.utime(target, (then, then))
    return ""


def _readable_name(info: zipfile.ZipInfo) -> str:
    """Return an entry's name; many programs write UTF-8 without saying so."""
    if not info.flag_bits & _UTF8:
        with suppress(UnicodeError):
            return info.filename.encode("cp437").decode("utf-8")
    return info.filename


def _safe_parts(inside: str) -> tuple[str, ...] | None:
    """Return the parts of a path below the folder, or None if it is none."""
    path = PurePosixPath(inside.replace("\\", "/"))
    parts = tuple(part for part in path.parts if part != ".")
    if not parts or path.is_absolute() or ".." in parts or ":" in parts[0][1:2]:
        return None
    if len(parts) > _DEEPEST or any(
        _UNSAFE.search(p) or len(os.fsencode(p)) > _LONGEST_NAME for p in parts
    ):
        return None
    return parts


def private_folder(what: Literal["zip", "read"]) -> Path:
    """Make a folder that `remove_leftovers` removes if this process cannot."""
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{what}-{os.getpid()}-"))  # mode 0700


def remove_leftovers() -> None:
    """Remove what runs that were killed left behind: folders of our own whose process is gone."""
    for folder in Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        named = _OWN.match(folder.name)
        with suppress(OSError):
            if named and not _is_alive(int(named[1])) and _is_own(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _is_own(folder: Path) -> bool:
    return not folder.is_symlink() and folder.stat().st_uid == os.getuid()
