"""What the readers of a text hand over: words and the days that they state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from datetime import date

Kind: TypeAlias = Literal["date", "day", "weekday", "week", "month", "range"]


class Stated(NamedTuple):
    """Words that state a day or an interval.

    Attributes:
        start: Where the words start.
        end: Where they end.
        first: The first day.
        last: The last day.
        kind: A "date" has a day and a month; a "day" is relative ("tomorrow"); a "weekday" is
            written alone; a "range" has both ends.
        other: A second reading of a date, such as 6 May for 05/06.
        has_year: The year is written, or the words need none.
    """

    start: int
    end: int
    first: date
    last: date
    kind: Kind = "day"
    other: date | None = None
    has_year: bool = True
