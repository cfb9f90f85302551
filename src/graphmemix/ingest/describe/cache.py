"""Results of describers by the hash of the file, so that no file is described twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.fsio import make_folder, storage_faults, write_whole
from graphmemix.ingest.describe.protocol import MediaText
from graphmemix.record import Record

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.ingest.describe.protocol import Field
    from graphmemix.store.media import MediaFolder


@dataclass(frozen=True)
class _Entry(Record):
    by: str
    told: MediaText  # the name is stored on disk


class DescriptionCache:
    """One small file for each medium and field, stored beside the media.

    `MediaFolder.remove` deletes it together with the medium.
    """

    def __init__(self, media: MediaFolder) -> None:
        self._media = media

    def get(self, sha256: str, field: Field, identity: str) -> MediaText | None:
        """Return this describer's result for this file; None if there is none yet."""
        try:
            entry = _Entry.from_json(self._path(sha256, field).read_bytes())
        except (OSError, InvalidDataError):
            return None
        return entry.told if entry.by == identity else None

    def put(self, sha256: str, field: Field, identity: str, text: MediaText) -> None:
        """Store a describer's result, atomically."""
        path = self._path(sha256, field)
        with storage_faults(str(path.parent)):
            make_folder(path.parent)
            write_whole(path, _Entry(identity, text).to_json(), durable=False)

    def _path(self, sha256: str, field: Field) -> Path:
        return self._media.described(sha256) / field
