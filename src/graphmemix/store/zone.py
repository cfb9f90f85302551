"""The time zone of an archive, kept among its logs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.errors import MemoryNotFoundError
from graphmemix.store.records import Log

if TYPE_CHECKING:
    from graphmemix.store.protocol import Logs

_LOG = "ingest:zone"


def stored_zone(store: Logs) -> str:
    """Return the name of an archive's zone; empty if none is stored."""
    try:
        return store.log(_LOG).body
    except MemoryNotFoundError:
        return ""


def store_zone(store: Logs, name: str) -> None:
    """Store the name of an archive's zone."""
    store.put_log(Log(_LOG, "job", datetime.now(UTC), name))
