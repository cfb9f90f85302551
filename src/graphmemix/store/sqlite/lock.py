"""One writer per archive: a lock that the operating system releases, even after a crash."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from graphmemix.errors import ArchiveBusyError
from graphmemix.store.faults import storage_faults

if TYPE_CHECKING:
    from pathlib import Path

_PAUSE_SECONDS = 0.05
_PID_BYTES = 32


class WriterLock:
    """Held from construction to `release`. The file tells who holds it."""

    def __init__(self, file: Path, *, wait: float) -> None:
        """Take the lock, waiting up to `wait` seconds.

        Raises:
            ArchiveBusyError: Somebody else still holds it; names the process.
        """
        with storage_faults(str(file)):
            self._handle: int | None = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + wait
        while not self._taken():
            if time.monotonic() >= deadline:
                holder = self._holder()
                self._close()
                raise ArchiveBusyError(str(file.parent), holder)
            time.sleep(_PAUSE_SECONDS)
        # In place and of fixed length, which needs no new block; without it only a name is missing.
        with suppress(OSError):
            os.pwrite(self._handle, str(os.getpid()).encode().ljust(_PID_BYTES), 0)

    def _taken(self) -> bool:
        assert self._handle is not None  # noqa: S101  # for the type checker
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _holder(self) -> int | None:
        assert self._handle is not None  # noqa: S101
        text = os.pread(self._handle, _PID_BYTES, 0).strip()
        return int(text) if text.isdigit() else None

    def release(self) -> None:
        """Let the next writer in. Releasing twice is harmless."""
        self._close()

    def _close(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None:
            os.close(handle)
