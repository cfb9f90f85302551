"""The same photo, video or mail in several places: one memory, with what is known of each place.

Google Takeout writes a photo into the folder of its year and into that of each album. A mail may be
in several mailboxes, and attached to another mail. The outcome does not depend on which is read
first.
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
    """Return whether two memories are copies of one file or mail, to be put together."""
    if stored.id != read.id:
        return False
    if stored.kind == read.kind == "email":
        return True
    captured = {stored.kind, read.kind} <= {"photo", "video", "audio"}
    return captured and bool(_albums(stored) | _albums(read))


def with_copy(stored: Memory, read: Memory) -> Memory:
    """Return one memory of two copies.

    That of the better folder counts: an album rather than a year, then by name. What it lacks is
    taken from the other, and the albums are those of both. A mail has the labels and the relations
    of both.
    """
    if stored.kind == "email":
        return _one_mail(stored, read)
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


def _one_mail(stored: Memory, read: Memory) -> Memory:
    labels = sorted({*_strings(stored, "labels"), *_strings(read, "labels")})
    references = {*stored.references, *read.references}
    threads = sorted({each.session for each in (stored, read) if each.session})
    # A mail that begins a thread of its own in one mailbox may belong to an older one in another.
    older = [each for each in threads if each != read.source_id] or threads
    metadata = {k: v for k, v in read.metadata.items() if k != "labels"}
    return replace(
        read,
        references=tuple(sorted(references, key=lambda each: (each.relation, each.source_id))),
        session=older[0] if older else None,
        metadata={**metadata, "labels": [*labels]} if labels else metadata,
    )


def _strings(memory: Memory, name: str) -> list[str]:
    values = memory.metadata.get(name)
    return [each for each in values if isinstance(each, str)] if isinstance(values, list) else []


def _several(albums: list[str]) -> dict[str, Json]:
    return {"albums": [*albums]} if len(albums) > 1 else {}


def _rank(memory: Memory) -> tuple[bool, bool, str]:
    album = str(memory.metadata.get("album", ""))
    return not album, _YEAR.search(album) is not None, memory.source_id or ""


def _albums(memory: Memory) -> set[str]:
    several = memory.metadata.get("albums")
    named = several if isinstance(several, list) else [memory.metadata.get("album")]
    return {each for each in named if isinstance(each, str) and each}
