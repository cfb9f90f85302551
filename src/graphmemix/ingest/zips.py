"""Unpacks zip files into a private folder, within limits; the folder is removed after reading.

Takeout and chat exports come as zips. They are unpacked as a whole, because sidecars, media and
folders belong together. The folder is created in ``TMPDIR``; a zip that does not fit on that disk
is not unpacked.
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
_TAIL = 66_000  # bytes at the end of a zip that contain the end-of-directory record
_PREFIX = "graphmemix-"
_OWN = re.compile(r"graphmemix-(?:zip|read)-(\d+)-")  # with the process id
_LONGEST_NAME = 200  # bytes of one path component; file systems allow 255
_DEEPEST = 100  # nested folders
_ENCRYPTED, _UTF8 = 0x1, 0x800  # flags of an entry
_UNSAFE = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class ZipLimits:
    """Limits beyond which a zip is refused.

    Attributes:
        entries: Files and folders in it.
        directory: Bytes of its directory.
        total: Unpacked bytes.
        ratio: How many times larger than the zip the unpacked files may be.
        free_ratio: Unpacked bytes up to which any ratio is accepted: small texts compress well.
        depth: Levels of zips in zips; 1 means none. The other limits apply to all of them together.
    """

    entries: int = 500_000
    directory: int = 256 << 20
    total: int = 64 << 30
    ratio: float = 200.0
    free_ratio: int = 64 << 20
    depth: int = 3


@dataclass(frozen=True)
class UnpackedSize:
    """The unpacked size of a zip, and of everything unpacked from its outermost zip.

    Attributes:
        size: Bytes of the outermost zip; 0 for none.
        own: Unpacked bytes of this zip.
        total: Bytes of all files unpacked from the outermost zip.
        entries: Number of those files and folders.
    """

    size: int = 0
    own: int = 0
    total: int = 0
    entries: int = 0


@dataclass
class UnpackedZip:
    """A zip whose files are in a private folder until all of them have been read.

    Attributes:
        folder: The private folder.
        key: The zip's key in the journal.
        fingerprint: Of the zip when it was unpacked.
        size: Bytes of the zip.
        total: Unpacked bytes.
        outer: The zip that contains this one.
        unpacked_size: For the outermost zip: what was unpacked from it so far.
    """

    folder: Path
    key: str
    fingerprint: str
    size: int
    total: int
    outer: UnpackedZip | None = None
    unpacked_size: UnpackedSize = field(default_factory=UnpackedSize)
    _users: int = 1  # the walker, and every source that is not yet read
    _failed: bool = False
    _lock: Lock = field(default_factory=Lock)

    @property
    def outermost(self) -> UnpackedZip:
        """The zip that is in no other zip."""
        return self if self.outer is None else self.outer.outermost

    def hold(self) -> None:
        """Count one more user of the files."""
        with self._lock:
            self._users += 1

    def release(self, *, failed: bool = False) -> list[UnpackedZip]:
        """Count one user less; the last one removes the files.

        Returns:
            The zips that are now done without a failure: this one and those that contain it.
        """
        with self._lock:
            self._users -= 1
            self._failed |= failed
            if self._users:
                return []
        shutil.rmtree(self.folder, ignore_errors=True)
        done = [] if self._failed else [self]
        return done + (self.outer.release(failed=self._failed) if self.outer else [])


def extract(
    path: Path,
    name: str,
    folder: Path,
    limits: ZipLimits,
    around: UnpackedSize,
    alive: Callable[[], object],
) -> Iterator[UnpackedSize | Skipped]:
    """Unpack a zip into an empty folder; yield its unpacked size, then what is skipped.

    Args:
        path: The zip.
        name: Its name in reports.
        folder: Where its files go; the caller removes it if this raises.
        limits: Limits of the unpacked files.
        around: What was unpacked from the outermost zip so far.
        alive: Called regularly while unpacking.

    Raises:
        ImportSourceError: It is damaged, too large, or a bomb.
    """
    try:
        with path.open("rb") as stream:
            _check_directory(stream, limits)
            with zipfile.ZipFile(stream) as opened:
                yield _checked(opened, path.stat().st_size, limits, around, folder.parent)
                yield from _extracted(opened, folder, name, alive)
    except ImportSourceError:
        raise
    except OSError as error:
        raise ImportSourceError(f"cannot unpack zip: {error.strerror or error}") from None
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise ImportSourceError(f"zip is damaged: {error}") from None


def _check_directory(stream: BinaryIO, limits: ZipLimits) -> None:
    """Refuse a zip whose directory alone would fill the memory, before reading it."""
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
        raise ImportSourceError(f"zip refused: more than {limits.entries} entries")
    stream.seek(0)


def _checked(
    opened: zipfile.ZipFile, size: int, limits: ZipLimits, around: UnpackedSize, disk: Path
) -> UnpackedSize:
    """Return the unpacked size of a zip if it is within the limits.

    They apply to the outermost zip together with all zips in it.
    """
    infos = opened.infolist()
    own = sum(info.file_size for info in infos)
    grown = UnpackedSize(around.size or size, own, around.total + own, around.entries + len(infos))
    if grown.entries > limits.entries:
        raise ImportSourceError(f"zip refused: more than {limits.entries} entries")
    if grown.total > limits.total:
        raise ImportSourceError(f"zip refused: it unpacks to more than {limits.total} bytes")
    if grown.total > limits.free_ratio and grown.total > limits.ratio * grown.size:
        whose = "the size of the outermost zip" if around.size else "its size"
        raise ImportSourceError(
            f"zip refused: it unpacks to more than {limits.ratio:g} times {whose}"
        )
    if sum(info.compress_size for info in infos) > size:
        raise ImportSourceError("zip refused: its entries overlap")
    if own > shutil.disk_usage(disk).free:
        raise ImportSourceError(
            f"zip not unpacked: {own} bytes do not fit on the disk of {disk}; "
            "set TMPDIR to a folder with more space"
        )
    return grown


def _extracted(
    opened: zipfile.ZipFile, folder: Path, name: str, alive: Callable[[], object]
) -> Iterator[Skipped]:
    """Write all files below `folder`; yield what is skipped."""
    for info in opened.infolist():
        alive()
        inside = _readable_name(info)
        parts = _safe_parts(inside)
        label = f"{name}/{inside}"
        if parts is None:
            yield Skipped(label, "unsafe or invalid file name")
        elif info.is_dir():
            with suppress(OSError):  # such as a name that a file has too
                make_folder(folder.joinpath(*parts))
        elif (info.external_attr >> 16) & 0o170000 == 0o120000:
            yield Skipped(label, "a link; links in zips are not followed")
        elif info.flag_bits & _ENCRYPTED:
            yield Skipped(label, "is locked with a password; unpack the zip and read the folder")
        else:
            reason = _extract(opened, info, folder.joinpath(*parts), alive)
            if reason:
                yield Skipped(label, reason)


def _extract(
    opened: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, alive: Callable[[], object]
) -> str:
    """Write one file; return why it is skipped, if so. Raises OSError only if the disk is full."""
    if target.exists():
        return "duplicate name in the zip"
    try:
        make_folder(target.parent)
    except (FileExistsError, NotADirectoryError):
        return "the zip has this name as a file and as a folder"
    try:
        with opened.open(info) as source, open_binary(target, "xb") as sink:
            while chunk := source.read(_CHUNK):  # reads no more than the entry declares
                sink.write(chunk)
                alive()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        target.unlink(missing_ok=True)
        return f"damaged zip entry: {error}"
    with suppress(OSError, ValueError, OverflowError):  # an impossible date
        then = time.mktime((*info.date_time, 0, 0, -1))
        os.utime(target, (then, then))
    return ""


def _readable_name(info: zipfile.ZipInfo) -> str:
    """Return an entry's name; many programs write UTF-8 without setting the flag."""
    if not info.flag_bits & _UTF8:
        with suppress(UnicodeError):
            return info.filename.encode("cp437").decode("utf-8")
    return info.filename


def _safe_parts(inside: str) -> tuple[str, ...] | None:
    """Return the components of a path below the folder; None if it leads outside or is invalid."""
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
    """Create a temporary folder that `remove_leftovers` removes if this process cannot."""
    return Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{what}-{os.getpid()}-"))  # mode 0700


def remove_leftovers() -> None:
    """Remove temporary folders of killed runs: our own ones whose process no longer exists."""
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
