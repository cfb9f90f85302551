"""Pictures inside a packed document, each unpacked and stored once."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.ingest.attachments import Attachments
    from graphmemix.ingest.documents.packed import Packed
    from graphmemix.memory import Media


class PackedPictures:
    """Takes pictures out of an open package by the names of its members."""

    def __init__(self, packed: Packed, attachments: Attachments) -> None:
        self._packed = packed
        self._attachments = attachments
        self._kept: dict[str, Media | None] = {}

    def take(self, members: Iterable[str]) -> tuple[Media, ...]:
        """Return the pictures among some members, each once; others are left out."""
        taken = (self._picture(name) for name in dict.fromkeys(members) if name in self._packed)
        return tuple(each for each in taken if each is not None)

    def _picture(self, member: str) -> Media | None:
        if member not in self._kept:
            data = self._packed.read(member)
            medium = self._attachments.keep(data, shown=posixpath.basename(member))
            self._kept[member] = medium if medium.modality == "image" else None
        return self._kept[member]
