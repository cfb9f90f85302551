"""What the SQL stores share: the same statements, so that they behave the same."""

from graphmemix.store.sql.store import SqlStore

__all__ = ["SqlStore"]
