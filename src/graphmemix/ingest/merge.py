"""A memory read again: what the source says now, with what was derived since."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graphmemix.memory import Description, Media, Memory, Place

if TYPE_CHECKING:
    from collections.abc import Iterable


def merged(stored: Memory, read: Memory) -> Memory:
    """Return `read` with what `stored` knows beyond it.

    Descriptions of the same media and the name of the same place were derived after the first
    reading, and stay.
    """
    return replace(
        read, media=_with_descriptions(stored.media, read.media), place=_named(stored.place, read)
    )


def _with_descriptions(stored: Iterable[Media], read: Iterable[Media]) -> tuple[Media, ...]:
    known = {medium.sha256: medium for medium in stored if medium.sha256 is not None}
    return tuple(
        _described(medium, known[medium.sha256]) if medium.sha256 in known else medium
        for medium in read
    )


def _described(read: Media, stored: Media) -> Media:
    new, old = read.description, stored.description
    description = Description(
        caption=new.caption or old.caption,
        short_caption=new.short_caption or old.short_caption,
        ocr=new.ocr or old.ocr,
        transcript=new.transcript or old.transcript,
    )
    return replace(read, description=description)


def _named(stored: Place | None, read: Memory) -> Place | None:
    place = read.place
    if place is None or stored is None or place.name:
        return place
    same = (place.latitude, place.longitude) == (stored.latitude, stored.longitude)
    return stored if same else place
