"""Makes the packet that a reader gets from a forest (METHOD section 6)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from graphmemix.errors import MemoryNotFoundError
from graphmemix.evidence import Block, Packet
from graphmemix.read.budget import fitted, room_for_packet
from graphmemix.read.packet_text import canonical
from graphmemix.text.dates.zones import parse_zone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.evidence import Forest, Question
    from graphmemix.memory import Memory, Place
    from graphmemix.settings import Settings

__all__ = ["make_packet"]


def make_packet(
    forest: Forest,
    memories: Mapping[str, Memory],
    settings: Settings,
    instruction: str = "",
    *,
    question: Question | None = None,
    visual: bool = True,
) -> Packet:
    """Return the evidence as labelled blocks, in the forest's order, within the model's context.

    No file is opened: `load_pictures` does that, and drops pictures that do not fit.

    Args:
        forest: The selection. Scores and roles are not passed on: the reader judges for itself.
        memories: The memories of the forest, by id.
        settings: Sections `reader`, `verifier` (context, edge of pictures) and `views` (frames).
        instruction: The data set's or the user's own.
        question: Its size is deducted from the context.
        visual: Whether to include pictures and videos; without, a reader gets text only.

    Raises:
        MemoryNotFoundError: A memory of the forest is missing in `memories`.
    """
    blocks = []
    for rank, memory_id in enumerate(forest.memory_ids, start=1):
        if memory_id not in memories:
            raise MemoryNotFoundError(memory_id)
        blocks.append(_block(rank, memories[memory_id], settings, visual=visual))
    packet = Packet(tuple(blocks), instruction)
    return fitted(packet, room_for_packet(packet, question, settings), settings)


def _block(rank: int, memory: Memory, settings: Settings, *, visual: bool) -> Block:
    shown = settings.reader.show_date_and_place
    media = tuple(medium for medium in memory.media if medium.modality in {"image", "video"})
    return Block(
        rank,
        memory.id,
        memory.source_id,
        memory.modalities,
        canonical(memory),
        _date(memory, settings.ingest.zone) if shown else "",
        _place(memory.place) if shown else "",
        media if visual else (),
        memory.kind if shown else None,
        memory.speaker or "" if shown else "",
    )


def _date(memory: Memory, zone: str) -> str:
    """Return day and time; midnight is omitted, since it means that only the day is known.

    The clock is that of the place where it happened. Where only UTC is known, as calendars and
    servers write it, it is that of the archive's zone, if one is set.
    """
    when = memory.timestamp
    if when is None:
        return ""
    if zone and (when.hour or when.minute) and not when.utcoffset():
        with suppress(OverflowError):  # at either end of the calendar
            when = when.astimezone(parse_zone(zone))
    return f"{when:%Y-%m-%d}" if not (when.hour or when.minute) else f"{when:%Y-%m-%d %H:%M}"


def _place(place: Place | None) -> str:
    if place is None or place.name:
        return place.name if place else ""
    if place.latitude is None or place.longitude is None:
        return ""
    return f"{place.latitude:.4f}, {place.longitude:.4f}"
