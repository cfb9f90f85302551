"""Stores the files of importers in the archive, or only hashes them in a dry run."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.pictures import upright_size
from graphmemix.ingest.recognition import OUTSIDE, leads_out
from graphmemix.memory import Media

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphmemix.memory import Modality
    from graphmemix.store.media import MediaFolder


class ArchiveMediaSink:
    """Stores files by content hash; existing files are not written again.

    Thread-safe. Without a media folder nothing is written; hashes and sizes are the same, so that
    a dry run reports what a real one would do.
    """

    def __init__(
        self,
        media: MediaFolder | None,
        on_position: Callable[[int], None] | None = None,
        within: Path | None = None,
    ) -> None:
        """Set where files go.

        Args:
            media: The archive's media folder; None to write nothing.
            on_position: Called with the number of bytes that the importer has read of its source.
            within: Refuse files that links lead to outside this folder.
        """
        self._media = media
        self._on_position = on_position
        self._within = within

    def keep_bytes(self, data: bytes, *, modality: Modality, mime: str, name: str) -> Media:
        """Store bytes; storing the same bytes again costs only their hash."""
        sha256 = hashlib.sha256(data).hexdigest()
        if self._media is not None and sha256 not in self._media:
            self._media.put(data, unclaimed=True)
        medium = Media(modality, sha256, mime=mime, name=name, size=len(data))
        return _measured(medium, BytesIO(data))

    def keep_file(self, path: Path, *, modality: Modality, mime: str, name: str = "") -> Media:
        """Store a file by streaming it.

        Raises:
            ImportSourceError: It cannot be read.
        """
        if self._within is not None and leads_out(path, self._within):
            raise ImportSourceError(f"{path.name}: {OUTSIDE}")
        try:
            with path.open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
                size = stream.tell()
                if self._media is not None and sha256 not in self._media:
                    stream.seek(0)
                    sha256, size = self._media.put(stream, unclaimed=True)  # it may have changed
        except (OSError, ValueError) as error:
            raise ImportSourceError(f"{path.name}: {_reason(error)}") from None
        medium = Media(modality, sha256, mime=mime, name=name or path.name, size=size)
        return _measured(medium, path)

    def advance(self, position: int) -> None:
        """Report how many bytes of the source have been read so far."""
        if self._on_position is not None:
            self._on_position(position)


def _measured(medium: Media, picture: Path | BinaryIO) -> Media:
    """Return a medium with its width and height, from which its token cost is computed."""
    size = upright_size(picture) if medium.modality == "image" else None
    return medium if size is None else replace(medium, width=size[0], height=size[1])


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
