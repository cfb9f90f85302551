"""Files that hold what somebody remembers: private, whole or not there, and locked.

Files get mode 0600 and folders 0700, whatever the umask says. A file that was there before gets the
mode too; a folder that was there before keeps its own, since others may have business in it.

`write_whole` and `partial_file` write beside a file and rename: readers see the old file or the
whole new one, also if the process is killed. ``durable`` is what a power cut adds. With it, the
content is synced before the rename, since a file system may store the new name first and leave an
empty file behind it; and the folder is synced after the rename, since the old file could come back
otherwise, such as one with a key that was revoked. Without it nothing waits for the disk: for
caches, whose readers notice damage and make the content again.

`storage_faults` turns what the operating system says into errors of the store, and `new_folder`
fills a folder or leaves none.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, Self, TextIO, cast

from graphmemix.errors import (
    ArchiveBusyError,
    ArchiveReadOnlyError,
    InvalidInputError,
    StorageFullError,
    StoreError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from io import BufferedWriter


__all__ = [
    "PARTIAL",
    "FileLock",
    "PartialFile",
    "SharedLock",
    "as_store_error",
    "is_unfinished",
    "make_folder",
    "new_folder",
    "open_binary",
    "open_text",
    "partial_file",
    "storage_faults",
    "write_text",
    "write_whole",
]

PARTIAL: Final = ".part"
"""How the name of a partial file ends; one that a killed process left behind may be deleted."""

_PAUSE_SECONDS: Final = 0.05
_PID_BYTES: Final = 32


def make_folder(folder: Path) -> Path:
    """Make a folder, and those above it that are missing; return it.

    Raises:
        OSError: It cannot be made, or is something else than a folder.
    """
    missing = [*takewhile(lambda each: not each.exists(), folder.parents)]
    for each in (*reversed(missing), folder):
        each.mkdir(mode=0o700, exist_ok=True)
    return folder


def open_binary(path: Path, mode: Literal["wb", "xb", "ab"] = "wb") -> BufferedWriter:
    """Open a file for writing bytes."""
    return open(path, mode, opener=_private)


def open_text(path: Path, mode: Literal["w", "a"] = "w") -> TextIO:
    """Open a file for writing UTF-8, with line ends as they are."""
    stream = open(path, mode, encoding="utf-8", newline="", opener=_private)  # noqa: SIM115
    return cast("TextIO", stream)


def write_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, with line ends as they are, into a file or a device."""
    with open_text(path) as stream:
        stream.write(text)


def _private(path: str, flags: int) -> int:
    handle = os.open(path, flags | os.O_CLOEXEC, 0o600)
    if stat.S_ISREG(os.fstat(handle).st_mode):  # and not /dev/stdout
        with suppress(PermissionError):  # somebody else's file, or a disk that knows no modes
            os.fchmod(handle, 0o600)
    return handle


def write_whole(path: Path, content: str | bytes, *, durable: bool = True) -> None:
    """Replace a file; see the module for what is promised.

    Raises:
        OSError: It could not be written; what was there before still is.
    """
    with partial_file(path.parent, f"{path.name}.") as partial:
        partial.stream.write(content.encode() if isinstance(content, str) else content)
        partial.publish(path, durable=durable)


@dataclass
class PartialFile:
    """A file of this process alone, until it is published."""

    path: Path
    stream: BinaryIO
    is_published: bool = False

    def publish(self, path: Path, *, durable: bool = True) -> None:
        """Give the file its name, in place of the file that has it; see the module."""
        self.stream.flush()
        if durable:
            os.fsync(self.stream.fileno())
        self.path.replace(path)
        self.is_published = True
        if durable:
            _sync_folder(path.parent)


@contextmanager
def partial_file(folder: Path, prefix: str = "") -> Iterator[PartialFile]:
    """Open a new file; what was not published at the end is removed."""
    handle, name = tempfile.mkstemp(PARTIAL, prefix, folder)  # mode 0600
    partial = PartialFile(Path(name), os.fdopen(handle, "wb"))
    try:
        with partial.stream:
            yield partial
    finally:
        if not partial.is_published:
            with suppress(OSError):  # what went wrong before is the error to report
                partial.path.unlink()


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class FileLock:
    """Keeps other processes out from construction to `release`, or to the end of a ``with``.

    The operating system releases it if the process dies. The file says which process holds it.
    """

    def __init__(self, file: Path, *, wait: float | None = None) -> None:
        """Take the lock, waiting up to `wait` seconds; None for as long as it takes.

        Raises:
            ArchiveBusyError: Somebody else still holds it; names the folder and the process.
            OSError: The file cannot be opened.
        """
        self._handle: int | None = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            self._take(self._handle, file, wait)
        except BaseException:
            self.release()
            raise
        # In place and of fixed length, which needs no new block; without it only a name is missing.
        with suppress(OSError):
            os.pwrite(self._handle, str(os.getpid()).encode().ljust(_PID_BYTES), 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def release(self) -> None:
        """Let the next one in. Releasing twice is harmless."""
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)

    @staticmethod
    def _take(handle: int, file: Path, wait: float | None) -> None:
        if wait is None:
            fcntl.flock(handle, fcntl.LOCK_EX)
            return
        deadline = time.monotonic() + wait
        while True:
            with suppress(BlockingIOError):
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() >= deadline:
                holder = os.pread(handle, _PID_BYTES, 0).strip()
                raise ArchiveBusyError(str(file.parent), int(holder) if holder.isdigit() else None)
            time.sleep(_PAUSE_SECONDS)


class SharedLock:
    """A lock of this process, held while any of its threads is inside `held`.

    Several processes can take turns with one: each holds it only while it changes something.
    """

    def __init__(
        self,
        take: Callable[[float], object],
        release: Callable[[], None],
        *,
        place: str,
        wait: float,
    ) -> None:
        """Prepare.

        Args:
            take: Takes the lock, waiting so many seconds, or raises `ArchiveBusyError`.
            release: Lets the next process in.
            place: What is locked, for errors.
            wait: Seconds to wait, unless `held` names another time.
        """
        self._take, self._release = take, release
        self._place, self._wait = place, wait
        self._guard = threading.Lock()
        self._holders = 0

    @property
    def is_held(self) -> bool:
        """Whether this process holds it now."""
        return self._holders > 0

    @contextmanager
    def held(self, wait: float | None = None) -> Iterator[None]:
        """Hold the lock inside.

        Raises:
            ArchiveBusyError: Another process still holds it after so many seconds.
        """
        patience = self._wait if wait is None else wait
        if not self._guard.acquire(timeout=patience):  # another thread waits for the lock
            raise ArchiveBusyError(self._place, None)
        try:
            if not self._holders:
                self._take(patience)
            self._holders += 1
        finally:
            self._guard.release()
        try:
            yield
        finally:
            with self._guard:
                self._holders -= 1
                if not self._holders:
                    self._release()


_UNFINISHED = ".graphmemix-unfinished"
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_READ_ONLY = {errno.EROFS, errno.EACCES, errno.EPERM}


@contextmanager
def storage_faults(place: str) -> Iterator[None]:
    """Turn what the operating system says about `place` into the store's own errors."""
    try:
        yield
    except OSError as error:
        raise as_store_error(error, place) from error


def as_store_error(error: OSError, place: str) -> StoreError:
    """Return the store's error for one of the operating system."""
    if error.errno in _FULL:
        return StorageFullError(f"{place}: no space left; free some and try again")
    if error.errno in _READ_ONLY:
        return ArchiveReadOnlyError(f"{place}: cannot be written to ({error.strerror})")
    return StoreError(f"{place}: {error.strerror or error}")


def is_unfinished(folder: Path) -> bool:
    """Return whether a process that was ended left `folder` half filled."""
    return (folder / _UNFINISHED).exists()


def require_new_folder(folder: Path) -> None:
    """Raise `InvalidInputError` unless `folder` is not there, is empty, or was left unfinished."""
    if folder.is_dir() and is_unfinished(folder):
        return
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInputError(f"{folder}: exists and is not empty")


@contextmanager
def new_folder(folder: Path) -> Iterator[None]:
    """Fill a folder that is new, or that a process which was killed did not finish.

    What could not be finished is removed again. A mark lies in the folder meanwhile, so that what a
    process leaves that is killed is known as half done and may be replaced.

    Raises:
        InvalidInputError: It holds something else; it is left alone.
        StoreError: It cannot be written.
    """
    require_new_folder(folder)
    mark, was_there = folder / _UNFINISHED, folder.exists()
    with storage_faults(str(folder)):
        if mark.exists():
            _remove(folder)
        make_folder(folder).chmod(0o700)
        mark.touch(mode=0o600)
    try:
        yield
    except BaseException:
        with suppress(OSError):
            _remove(folder)
        if was_there:
            folder.mkdir(mode=0o700, exist_ok=True)
        raise
    with storage_faults(str(folder)):
        mark.unlink()


def _remove(folder: Path) -> None:
    """Remove an unfinished folder; its mark goes last, so that it stays known as unfinished."""
    for path in folder.iterdir():
        if path.name != _UNFINISHED:
            shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    shutil.rmtree(folder)
