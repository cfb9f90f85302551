"""What time a memory is about: days and intervals that its words state.

=================  ===============================================================================
dates              14 July 2023, 14.07.2023, July 14 (the year that the day of writing suggests)
intervals          12-14 October, from 13 August to 15 August, check-in Fri 19 Apr, check-out Sun
                   21 Apr; 10. bis 17. Juli, du mardi 2 au vendredi 5 avril, del 3 al 7 de mayo
months             October 2023, in October
relative           today, tomorrow, on Friday, last Friday, this weekend, next week, 3 days ago
not               times, versions, prices, a lone year, every Friday, Monday to Friday 9-17, when
                   a quoted mail was sent
=================  ===============================================================================

English, German, French and Spanish; the basics in Italian, Dutch, Swedish and Portuguese. Unlike
`find_dates`, which reads a question, this looks forward: "on Friday" is the next one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.text.dates.about_dates import stated_dates
from graphmemix.text.dates.about_ranges import LONGEST, joined
from graphmemix.text.dates.about_relative import relative_days
from graphmemix.text.dates.sent_lines import without_sent_lines
from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from datetime import date, datetime

__all__ = ["About", "about_days"]

MOST: Final = 24
LONGEST_TEXT: Final = 20_000  # characters
_YEARS: Final = range(1900, 2101)


class About(NamedTuple):
    """Days from `first` to `last`, both included."""

    first: date
    last: date


def about_days(text: str, made: datetime | None) -> tuple[About, ...]:
    """Return the days and intervals that a text states, ascending and distinct.

    At most 24, those that are written first; of at most 92 days each. Linear in the text, of which
    20,000 characters are read; never raises.

    Args:
        text: The words of a memory.
        made: When it was written or taken, on the writer's clock. Without it, relative dates and
            those without a year are left out, unless another date settles the year.
    """
    read = without_sent_lines(plain(text[:LONGEST_TEXT]))
    day = made.date() if made and made.year in _YEARS else None
    stated = stated_dates(read, day)
    if day:
        stated += relative_days(read, day, stated)
        stated.sort(key=lambda each: each[:2])
    found: dict[About, None] = {}
    for each in joined(stated, read.lower()):
        if (each.last - each.first).days >= LONGEST:
            ends = {each.first, each.last}
            found |= dict.fromkeys(About(end, end) for end in sorted(ends))
            continue
        found[About(each.first, each.last)] = None
        if each.other:
            found[About(each.other, each.other)] = None
    return tuple(sorted(list(found)[:MOST]))
