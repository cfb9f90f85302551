"""What describers told, by the hash of the file: nothing is described twice, whatever happens."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.ingest.describe.protocol import Told
from graphmemix.private import make_folder
from graphmemix.record import Record
from graphmemix.store.faults import storage_faults

if TYPE_CHECKING:
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
            handle, name = tempfile.mkstemp(dir=path.parent)  # mode 0600
            incoming = Path(name)
            try:
                with os.fdopen(handle, "w", encoding="utf-8") as stream:
                    stream.write(_Entry(identity, told).to_json())
                incoming.replace(path)
            finally:
                incoming.unlink(missing_ok=True)

    def _path(self, sha256: str, field: Field) -> Path:
        return self._media.described(sha256) / field
