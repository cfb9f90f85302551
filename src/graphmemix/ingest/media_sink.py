"""Where importers put files: into the archive, or nowhere in a dry run."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.looking import OUTSIDE, leads_out
from graphmemix.ingest.pictures import upright_size
from graphmemix.memory import Media

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from graphmemix.memory import Modality
    from graphmemix.store.media import MediaFolder


class ArchiveMediaSink:
    """Keeps files by their content hash; what is there already is not written again.

    Safe to use from several threads. Without a folder nothing is written: hashes and sizes are
    the same, so that a dry run tells what a real one would do.
    """

    def __init__(
        self,
        media: MediaFolder | None,
        advanced: Callable[[int], None] | None = None,
        within: Path | None = None,
    ) -> None:
        """Keep files in `media`; tell `advanced` how far into its source an importer is.

        No file is kept that a link makes of one outside of the folder `within`.
        """
        self._media = media
        self._advanced = advanced
        self._within = within

    def keep_bytes(self, data: bytes, *, modality: Modality, mime: str, name: str) -> Media:
        """Keep some bytes; the same bytes again cost only their hash."""
        sha256 = hashlib.sha256(data).hexdigest()
        if self._media is not None and sha256 not in self._media:
            self._media.put(data, unclaimed=True)
        medium = Media(modality, sha256, mime=mime, name=name, size=len(data))
        return _measured(medium, BytesIO(data))

    def keep_file(self, path: Path, *, modality: Modality, mime: str, name: str = "") -> Media:
        """Keep a file by streaming it.

        Raises:
            ImportSourceError: It cannot be read, or not any more.
        """
        if self._within is not None and leads_out(path, self._within):
            raise ImportSourceError(f"{path.name}: {OUTSIDE}")
        try:
            with path.open("rb") as stream:
                sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
                size = stream.tell()
                if self._media is not None and sha256 not in self._media:
                    stream.seek(0)
                    sha256, size = self._media.put(stream, unclaimed=True)  # may be changed by now
        except (OSError, ValueError) as error:
            raise ImportSourceError(f"{path.name}: {_reason(error)}") from None
        medium = Media(modality, sha256, mime=mime, name=name or path.name, size=size)
        return _measured(medium, path)

    def advance(self, position: int) -> None:
        """Say how many bytes of the source have been read so far."""
        if self._advanced is not None:
            self._advanced(position)


def _measured(medium: Media, picture: Path | BinaryIO) -> Media:
    """Return a medium with the size of its picture: what it will cost a reader depends on it."""
    size = upright_size(picture) if medium.modality == "image" else None
    return medium if size is None else replace(medium, width=size[0], height=size[1])


def _reason(error: OSError | ValueError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
