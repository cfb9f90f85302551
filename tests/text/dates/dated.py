"""How the tests of dates write what was found: the words, and "start end" on the asker's clock."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from graphmemix.retrieve.constraints import EARLIEST, LATEST, find_constraints

ASKED = datetime(2024, 3, 13, 10, 30, tzinfo=timezone(timedelta(hours=1)))  # a Wednesday
FIRST, LAST = "always", "forever"


def found(question: str, asked_at: datetime | None) -> list[tuple[str, str]]:
    times = find_constraints(question, asked_at).times
    return [(time.text, f"{_short(time.start)} {_short(time.end)}") for time in times]


def _short(moment: datetime) -> str:
    if moment in {EARLIEST, LATEST}:
        return FIRST if moment == EARLIEST else LAST
    return f"{moment:%Y-%m-%dT%H:%M}".removesuffix(":00").removesuffix("T00")
