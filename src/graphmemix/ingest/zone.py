"""The time zone of an archive: stored at the first ingestion, and kept unless another is named.

Chats, cameras and calendars write clock times without an offset. Read in another zone, the same
file would be other memories, so a run on another machine must not change it silently.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.errors import MemoryNotFoundError, SettingsError
from graphmemix.store.records import Log
from graphmemix.text.dates.zones import parse_zone

if TYPE_CHECKING:
    from datetime import tzinfo

    from graphmemix.store.protocol import Logs

_LOG: Final = "ingest:zone"  # the archive's zone is kept among its logs


class ArchiveZone(NamedTuple):
    """The zone of a run.

    Attributes:
        zone: None for this machine's, if that has no name.
        note: What changed, in words; empty if nothing did.
    """

    zone: tzinfo | None
    note: str = ""


def stored_zone(store: Logs) -> str:
    """Return the name of an archive's zone; empty if none is stored."""
    try:
        return store.log(_LOG).body
    except MemoryNotFoundError:
        return ""


def store_zone(store: Logs, name: str) -> None:
    """Store the name of an archive's zone."""
    store.put_log(Log(_LOG, "job", datetime.now(UTC), name))


def settle(store: Logs | None, named: str, *, dry_run: bool) -> ArchiveZone:
    """Return the zone of a run, and store it in the archive.

    Args:
        store: The archive; None if there is none yet.
        named: What the user named; empty for the archive's, or else this machine's.
        dry_run: Store nothing.
    """
    before = "" if store is None else stored_zone(store)
    name = named or before or _machine_zone()
    if store is not None and name != before and not dry_run:
        store_zone(store, name)
    note = ""
    if before and name != before:
        note = (
            f"the time zone of this archive was {before} and is now {name}: "
            "files with clock times are read again"
        )
    return ArchiveZone(parse_zone(name) if name else None, note)


def _machine_zone() -> str:
    """Return the name of this machine's zone; empty if it has none that can be read elsewhere."""
    from tzlocal import get_localzone_name

    try:
        name = get_localzone_name() or ""
        if name:
            parse_zone(name)
    except (LookupError, ValueError, OSError, SettingsError):
        return ""
    return name
