"""The embedded store."""

from graphmemix.store.sqlite.store import SqliteStore

__all__ = ["SqliteStore"]
