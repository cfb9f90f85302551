"""The same photo or video in several folders: one memory, with all of its albums.

Google Takeout writes a photo into the folder of its year and into that of each album. The outcome
does not depend on which is read first.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmemix.memory import Memory
    from graphmemix.record import Json

_YEAR = re.compile(r"(?:19|20)\d\d\Z")  # of "Photos from 2023", "Fotos von 2023"


def is_copy(stored: Memory, read: Memory) -> bool:
    """Return whether two memories are copies of one file in folders."""
    captured = {stored.kind, read.kind} <= {"photo", "video", "audio"}
    return captured and stored.id == read.id and bool(_albums(stored) | _albums(read))


def with_copy(stored: Memory, read: Memory) -> Memory:
    """Return one memory of two copies.

    That of the better folder counts: an album rather than a year, then by name. What it lacks is
    taken from the other, and the albums are those of both.
    """
    first, second = sorted((stored, read), key=_rank)
    albums = sorted(_albums(stored) | _albums(read))
    metadata: dict[str, Json] = dict(first.metadata)
    if len(albums) > 1:
        metadata["albums"] = [*albums]
    if stored.source_id == read.source_id:
        return replace(read, metadata={**read.metadata, **_several(albums)})
    timed = first if first.timestamp is not None or second.timestamp is None else second
    if timed is second:
        metadata |= {k: v for k, v in second.metadata.items() if k.startswith(("time_", "zone_"))}
    return replace(
        first,
        text=first.text or second.text,
        timestamp=timed.timestamp,
        place=first.place or second.place,
        speaker=first.speaker or second.speaker,
        metadata=metadata,
    )


def _several(albums: list[str]) -> dict[str, Json]:
    return {"albums": [*albums]} if len(albums) > 1 else {}


def _rank(memory: Memory) -> tuple[bool, bool, str]:
    album = str(memory.metadata.get("album", ""))
    return not album, _YEAR.search(album) is not None, memory.source_id or ""


def _albums(memory: Memory) -> set[str]:
    several = memory.metadata.get("albums")
    named = several if isinstance(several, list) else [memory.metadata.get("album")]
    return {each for each in named if isinstance(each, str) and each}
