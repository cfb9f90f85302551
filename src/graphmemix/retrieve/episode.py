"""`episode` (ours): two memories were made at about the same time and place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.retrieve.following import Link, not_elsewhere, period, shifted, widened
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.retrieve.following import Fetch, Outlines
    from graphmemix.store.protocol import Outline


def episode(
    hit: str, outline: Outline, fetch: Fetch, outlines: Outlines, *, most: int, shift: int = 0
) -> Iterator[Link]:
    """Yield links to what was made within a day of a hit, or states a day within one.

    Where both say where, they are within some ten kilometres of each other.

    Args:
        hit: The memory.
        outline: What is known of it; without a time it has no episode.
        fetch: Finds memories by their days.
        outlines: Says where they are.
        most: How many of them.
        shift: -1 to look at the days shortly before instead, 1 at those shortly after.
    """
    if outline.timestamp is None:
        return
    day = outline.timestamp.date()
    first, last = shifted(day, day, shift) if shift else widened(day, day, 1, 1)
    around = period(first, last, outline.timestamp.tzinfo)
    found = [other for other in fetch(Facets(periods=(around,)), most) if other != hit]
    for other in not_elsewhere(outline.place, found, outlines):
        yield Link(hit, other, "episode")
