"""PostgreSQL's errors as those of the store."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors as pg
from psycopg_pool import PoolTimeout

from graphmemix.errors import (
    ArchiveDamagedError,
    ArchiveReadOnlyError,
    StorageFullError,
    StoreError,
    StoreUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def faults(place: str) -> Iterator[None]:
    """Turn PostgreSQL's errors into the store's own."""
    try:
        yield
    except (psycopg.Error, PoolTimeout) as error:
        raise _as_store_error(error, place) from error


def _as_store_error(error: Exception, place: str) -> StoreError:
    text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
    if isinstance(error, pg.ProgramLimitExceeded):
        return StoreError(f"{place}: something is too long for the database ({text})")
    if isinstance(error, (pg.DiskFull, pg.OutOfMemory)):
        return StorageFullError(f"{place}: the server has no space left")
    if isinstance(error, (pg.ReadOnlySqlTransaction, pg.InsufficientPrivilege)):
        return ArchiveReadOnlyError(f"{place}: {text}")
    if isinstance(error, (pg.DataCorrupted, pg.IndexCorrupted)):
        return ArchiveDamagedError(f"{place}: {text}; restore it from a backup")
    if isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout)):
        return StoreUnavailableError(f"{place}: the database server does not answer ({text})")
    return StoreError(f"{place}: {text}")
