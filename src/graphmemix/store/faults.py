"""Faults of the file system, told as errors of the store."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphmemix.errors import ArchiveReadOnlyError, InvalidInputError, StorageFullError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

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


def require_new_folder(folder: Path) -> None:
    """Raise `InvalidInputError` unless `folder` is not there, or is an empty folder."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidInputError(f"{folder}: exists and is not empty")
