"""One note as a memory; a long one as several that are linked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.ingest.documents.parts import split
from graphmemix.memory import Media, Memory, Place, Reference, content_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from graphmemix.record import Json


def note(
    source: str,
    identity: Sequence[Json],
    text: str,
    *,
    speaker: str = "",
    timestamp: datetime | None = None,
    place: Place | None = None,
    media: Sequence[Media] = (),
    metadata: Mapping[str, Json] | None = None,
) -> list[Memory]:
    """Return the parts of a note; files belong to the first. Empty metadata are left out.

    Args:
        source: The name of the importer.
        identity: What tells the note from others at its source and stays when it is edited.
        text: Its words, with the title.
        speaker: Who wrote it.
        timestamp: When it was written.
        place: Where.
        media: Its pictures and files.
        metadata: Anything else.
    """
    name = f"{source}:{content_id(list(identity))[:32]}"
    kept = {k: v for k, v in (metadata or {}).items() if v not in (None, "", [], False)}
    parts = split(text) or [""]
    return [
        Memory.new(
            "note",
            part,
            source=source,
            source_id=f"{name}#{number}" if number else name,
            session=name if len(parts) > 1 else None,
            sequence=number if len(parts) > 1 else None,
            speaker=speaker or None,
            timestamp=timestamp,
            place=place,
            media=tuple(media) if number == 0 else (),
            references=(Reference("same_document", name),) if len(parts) > 1 else (),
            metadata=kept,
        )
        for number, part in enumerate(parts)
    ]
