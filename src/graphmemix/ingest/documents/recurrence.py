"""Recurrences of calendar entries in words, and the days that they add or leave out."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import tzinfo

    from graphmemix.ingest.documents.content_lines import ContentLine

__all__ = ["DaysOfRule", "spoken_rule"]

_UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year", "HOURLY": "hour"}
_DAYS = {"MO": "Monday", "TU": "Tuesday", "WE": "Wednesday", "TH": "Thursday", "FR": "Friday",
         "SA": "Saturday", "SU": "Sunday"}  # fmt: skip
_DAY = re.compile(r"([+-]?\d{1,2})?(MO|TU|WE|TH|FR|SA|SU)")
_NTH: Final = {1: "first", 2: "second", 3: "third", 4: "fourth", 5: "fifth", -1: "last",
               -2: "second last"}  # fmt: skip
_NUMBER = re.compile(r"[+-]?\d{1,3}")
_MOST_NAMED = 31  # days of the week or the month that a rule names
_MOST_DAYS = 20
_STAMP = re.compile(r"\d{8}(?:T\d{6})?Z?")


@dataclass
class DaysOfRule:
    """Days of EXDATE or RDATE lines; the first ones are named, the others counted."""

    lines: list[ContentLine] = field(default_factory=list)
    more: int = 0

    def add(self, line: ContentLine) -> None:
        """Take a line in."""
        if len(self.lines) < _MOST_DAYS:
            self.lines.append(line)
        else:
            self.more += line.value.count(",") + 1

    def spoken(self, zone: tzinfo | None) -> str:
        """Return the days, such as ``2024-06-03, 2024-06-10``; by the clock of `zone`."""
        days: dict[str, None] = {}
        for line in self.lines:
            for each in line.value.split(","):
                if day := _day(each, zone):
                    days[day] = None
        more = self.more + max(0, len(days) - _MOST_DAYS)
        named = ", ".join(list(days)[:_MOST_DAYS])
        return f"{named} and {more} more" if more else named


def spoken_rule(rule: str, zone: tzinfo | None = None) -> str:
    """Return a recurrence in words, such as ``every 2 weeks on Monday until 2024-06-30``.

    Args:
        rule: The value of RRULE.
        zone: The zone by whose clock its last day is told if it is stated in UTC.
    """
    fields = dict(part.split("=", 1) for part in rule.upper().split(";") if "=" in part)
    unit = _UNITS.get(fields.get("FREQ", ""))
    if unit is None:
        return rule
    interval = fields.get("INTERVAL", "1")
    words = [f"every {unit}" if interval == "1" else f"every {interval} {unit}s"]
    days = [*_weekdays(fields), *_days_of_month(fields)]
    if days:
        words.append("on " + ", ".join(days))
    months = [calendar.month_name[number] for number in _numbers(fields, "BYMONTH", 12)]
    if months:
        words.append("in " + ", ".join(months))
    if "COUNT" in fields:
        words.append(f"{fields['COUNT']} times")
    until = _day(fields.get("UNTIL", ""), zone)
    if until:
        words.append(f"until {until}")
    return " ".join(words)


def _weekdays(fields: dict[str, str]) -> list[str]:
    """Return days of the week, with which of them in the month or year is meant."""
    written = fields.get("BYDAY", "").split(",")[:_MOST_NAMED]
    found = [match for each in written if (match := _DAY.fullmatch(each.strip()))]
    chosen = _numbers(fields, "BYSETPOS", 366)
    if chosen and len(found) > 1:
        among = " or ".join(_DAYS[match[2]] for match in found)
        return [f"the {_nth(number)} {among}" for number in chosen]
    alone = chosen[0] if chosen else 0
    return [_weekday(int(match[1] or alone), _DAYS[match[2]]) for match in found]


def _weekday(number: int, name: str) -> str:
    return f"the {_nth(number)} {name}" if number else name


def _days_of_month(fields: dict[str, str]) -> list[str]:
    return [
        f"day {number}" if number > 0 else f"the {_nth(number)} day"
        for number in _numbers(fields, "BYMONTHDAY", 31)
    ]


def _nth(number: int) -> str:
    return _NTH.get(number, f"{number}th" if number > 0 else f"{-number}th last")


def _numbers(fields: dict[str, str], name: str, most: int) -> list[int]:
    written = fields.get(name, "").split(",")[:_MOST_NAMED]
    numbers = [int(each) for each in written if _NUMBER.fullmatch(each)]
    return [each for each in numbers if 0 < abs(each) <= most and (each > 0 or most != 12)]


def _day(written: str, zone: tzinfo | None) -> str:
    """Return the day of a date, a time or a period; a time in UTC by the clock of `zone`."""
    value = written.strip().upper().partition("/")[0]
    if not _STAMP.match(value):
        return ""
    if zone is not None and value.endswith("Z") and "T" in value:
        try:
            moment = datetime.strptime(value, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            return moment.astimezone(zone).date().isoformat()
        except (ValueError, OverflowError):
            return ""
    return f"{value[:4]}-{value[4:6]}-{value[6:8]}"
