"""Room that is set aside while a disk fills up, so that an archive can still be erased from.

SQLite needs room to delete: changed pages go to its log first. On a disk that the archive has
filled there would be none, and the one thing that helps, erasing, could not be done. So while less
than a gigabyte is free, the writer keeps a file that holds nothing, and gives it up for an erasure.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from graphmemix.errors import StorageFullError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.store.sqlite.database import SqliteDatabase

NAME: Final = "reserve"
_AMPLE: Final = 1 << 30  # bytes; with more than this free, nothing is set aside
_MOST: Final = 16 << 20  # twice what the log grows to before SQLite writes it back
_LEAST: Final = 1 << 20
_SHARE: Final = 8  # of what is free, one part in so many is set aside
_ERASED_AT_ONCE: Final = 16  # memories in one transaction while there is little room
_LEFT: Final = 256 << 10  # left free when the reserve is taken back, for locks and small writes


class Reserve:
    """The file of one archive. Whatever fails here is no reason for the archive to fail."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / NAME
        self._kept = self._file.exists()

    def keep(self) -> None:
        """Set room aside, if there is little and none is yet. Cheap: called after every change."""
        if self._kept:
            return
        free = self.free()
        if free < _AMPLE:
            self._take(min(_MOST, free // _SHARE))

    def is_short(self, size: int) -> bool:
        """Return whether there may be too little room to change all of a database of this size."""
        return self.free() < max(2 * size, 2 * _MOST)

    def free(self) -> int:
        """Return how many bytes may still be written here; a lot if that is not known."""
        try:
            return shutil.disk_usage(self._file.parent).free
        except OSError:
            return _AMPLE

    @contextmanager
    def given_up(self) -> Iterator[None]:
        """Have the room inside; set aside again at the end what is left of it."""
        size = 0
        with suppress(OSError):
            size = self._file.stat().st_size
            self._file.unlink()
        self._kept = True  # as far as `keep` is concerned
        try:
            yield
        finally:
            self._kept = False
            if (free := self.free()) < _AMPLE:
                self._take(min(size, free - _LEFT))

    def _take(self, size: int) -> None:
        if size < _LEAST:
            return
        with suppress(OSError):
            try:
                _allocate(self._file, size)
                self._kept = True
            except OSError:
                self._file.unlink(missing_ok=True)


class ReservedRoom:
    """Implements `EraseRoom`."""

    def __init__(self, reserve: Reserve, database: SqliteDatabase) -> None:
        self._reserve = reserve
        self._database = database

    @contextmanager
    def open(self) -> Iterator[int | None]:
        """Give up the reserve on a disk that is nearly full, and keep transactions small there."""
        if not self._reserve.is_short(self._database.size()):
            yield None
            return
        with self._reserve.given_up():
            self.regain()
            yield _ERASED_AT_ONCE

    def regain(self) -> None:
        """Give back the room that the last transaction took, unless somebody still reads it."""
        with suppress(StorageFullError):
            self._database.empty_log()


def _allocate(file: Path, size: int) -> None:
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        if hasattr(os, "posix_fallocate"):
            os.posix_fallocate(handle, 0, size)
        else:  # macOS
            for _ in range(0, size, _LEAST):
                os.write(handle, bytes(_LEAST))
    finally:
        os.close(handle)
