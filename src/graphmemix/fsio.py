"""Files that hold what somebody remembers: private, whole or not there, and locked.

Files get mode 0600 and folders 0700, whatever the umask says. A file that was there before gets the
mode too; a folder that was there before keeps its own, since others may have business in it.

`write_whole` and `partial_file` write beside a file and rename: readers see the old file or the
whole new one, also if the process is killed. ``durable`` is what a power cut adds. With it, the
content is synced before the rename, since a file system may store the new name first and leave an
empty file behind it; and the folder is synced after the rename, since the old file could come back
otherwise, such as one with a key that was revoked. Without it nothing waits for the disk: for
caches, whose readers notice damage and make the content again.
"""

from __future__ import annotations

import fcntl
import os
import stat
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, Literal, Self, TextIO, cast

from graphmemix.errors import ArchiveBusyError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedWriter

__all__ = [
    "FileLock",
    "PARTIAL",
    "PartialFile",
    "make_folder",
    "open_binary",
    "open_text",
    "partial_file",
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
