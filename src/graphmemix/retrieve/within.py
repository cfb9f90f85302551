"""`within` (ours): one memory states a day or an interval, and another lies inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.retrieve.following import HitLink, not_elsewhere, period, shifted
from graphmemix.store.protocol import Facets

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graphmemix.retrieve.following import Fetch, Outlines
    from graphmemix.store.protocol import Outline
    from graphmemix.text.dates.about import About

_LONGEST_STAY: Final = 21  # days; a longer interval says little about what lies inside
_MOST_SPANS: Final = 6  # of one hit: a mail that lists more dates is a calendar


def within(
    hit: str,
    outline: Outline,
    stated: Iterable[About],
    fetch: Fetch,
    outlines: Outlines,
    *,
    most: int,
    shift: int = 0,
) -> Iterator[HitLink]:
    """Yield links to what was made, or states a day, inside the days that a hit states.

    Where both say where, they have to agree.

    Args:
        hit: The memory.
        outline: What is known of it.
        stated: The days and intervals that it states.
        fetch: Finds memories by their days.
        outlines: Says where they are.
        most: How many of them.
        shift: -1 to look at the days before as well, 1 at those after.
    """
    zone = None if outline.timestamp is None else outline.timestamp.tzinfo
    stays = [span for span in stated if (span.last - span.first).days < _LONGEST_STAY]
    periods = tuple(
        period(*shifted(span.first, span.last, shift), zone) for span in stays[:_MOST_SPANS]
    )
    if not periods:
        return
    found = [other for other in fetch(Facets(periods=periods), most) if other != hit]
    for other in not_elsewhere(outline.place, found, outlines):
        yield HitLink(hit, other, "within")
