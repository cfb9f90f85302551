"""The archive store: memories are durable here before any model sees them."""

from graphmemix.store.importing import import_archive
from graphmemix.store.location import open_store
from graphmemix.store.media import MediaFolder, StoredFile
from graphmemix.store.portable import export_archive
from graphmemix.store.protocol import (
    Added,
    Box,
    Derived,
    Entry,
    Filter,
    Finding,
    Hit,
    Log,
    Outline,
    Receipt,
    Restored,
    Stats,
    Store,
    Version,
)
from graphmemix.store.sqlite import SqliteStore

__all__ = [
    "Added",
    "Box",
    "Derived",
    "Entry",
    "Filter",
    "Finding",
    "Hit",
    "Log",
    "MediaFolder",
    "Outline",
    "Receipt",
    "Restored",
    "SqliteStore",
    "Stats",
    "Store",
    "StoredFile",
    "Version",
    "export_archive",
    "import_archive",
    "open_store",
]
