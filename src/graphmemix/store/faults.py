"""Faults of the file system as errors of the store."""

from __future__ import annotations

import errno
import shutil
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from graphmemix.errors import ArchiveReadOnlyError, InvalidInputError, StorageFullError, StoreError
from graphmemix.fsio import make_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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
