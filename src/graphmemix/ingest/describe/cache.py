"""What describers told, by the hash of the file: nothing is described twice, whatever happens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.fsio import make_folder, write_whole
from graphmemix.ingest.describe.protocol import Told
from graphmemix.record import Record
from graphmemix.store.faults import storage_faults

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.ingest.describe.protocol import Field
    from graphmemix.store.media import MediaFolder


@dataclass(frozen=True)
class _Entry(Record):
    by: str
    told: Told


class DescriptionCache:
    """One small file for each medium and field, beside the media themselves.

    It goes when the medium is erased: `MediaFolder.remove` takes both.
    """

    def __init__(self, media: MediaFolder) -> None:
        self._media = media

    def get(self, sha256: str, field: Field, identity: str) -> Told | None:
        """Return what this describer told about this file; None if it was not asked yet."""
        try:
            entry = _Entry.from_json(self._path(sha256, field).read_bytes())
        except (OSError, InvalidDataError):
            return None
        return entry.told if entry.by == identity else None

    def put(self, sha256: str, field: Field, identity: str, told: Told) -> None:
        """Remember what a describer told. Whole or not at all."""
        path = self._path(sha256, field)
        with storage_faults(str(path.parent)):
            make_folder(path.parent)
            write_whole(path, _Entry(identity, told).to_json(), durable=False)

    def _path(self, sha256: str, field: Field) -> Path:
        return self._media.described(sha256) / field
