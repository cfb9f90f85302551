"""What file names of cameras, phones and messengers tell: the time, a burst, a screenshot."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.text.dates.capture_time import Hint, require_plausible

if TYPE_CHECKING:
    from re import Match

_SOURCE = "file name"

# A day, and mostly a time behind it: 20220430_132212, 2022-04-30 at 13.22.12, 2022-04-30-13-22-12,
# 20220430-WA0012, "2022-04-30 at 1.22.12 PM".
_DATED = re.compile(
    r"(?<!\d)(?P<year>19[0-9]{2}|20[0-9]{2})(?P<s>[-_.]?)(?P<month>[01]\d)(?P=s)(?P<day>[0-3]\d)"
    r"(?:(?:[T ,_.\-]{1,2}|[ _](?:at|um|à|a las|alle|om|kl|klo|às|o)\.?[ _])?"
    r"(?P<hour>[0-2]?\d)(?P<t>[-_.:h]?)(?P<minute>[0-5]\d)(?P=t)(?P<second>[0-5]\d)"
    r"(?:[._]?(?P<fraction>\d{3}))?(?:[\s_\u202f]?(?P<half>[AaPp])\.?[Mm])?(?!\d))?"
)
# Milliseconds since 1970 as the whole name, or behind a known word (Facebook, other apps).
_MILLISECONDS = re.compile(r"(?:\A|(?<=[_-]))(?P<ms>1\d{12})(?!\d)")


def name_time(name: str) -> Hint | None:
    """Return the time that a file's name states, if it does.

    Names of Pixel phones are in UTC; all others show the phone's clock.
    """
    stem = name.rpartition("/")[2][:255]
    epoch = _MILLISECONDS.search(stem)
    if epoch is not None:
        return _checked(datetime.fromtimestamp(int(epoch["ms"]) / 1000, UTC), whole_day=False)
    for match in _DATED.finditer(stem):
        hint = _dated(match, in_utc=stem.startswith("PXL_"))
        if hint is not None:
            return hint
    return None


def _dated(match: Match[str], *, in_utc: bool) -> Hint | None:
    whole_day = match["hour"] is None
    if whole_day and match.string[match.end() : match.end() + 1].isdigit():
        return None  # a longer number that happens to begin like a date
    hour = 12 if whole_day else int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    minute, second = int(match["minute"] or 0), int(match["second"] or 0)
    try:
        moment = datetime(  # noqa: DTZ001  # what the phone's clock showed
            year, month, day, hour, minute, second, int(match["fraction"] or 0) * 1000
        )
    except ValueError:
        return None
    if in_utc and not whole_day:
        moment = moment.replace(tzinfo=UTC)
    return _checked(moment, whole_day=whole_day)


def _checked(moment: datetime, *, whole_day: bool) -> Hint | None:
    try:
        require_plausible(moment)
    except ValueError:
        return None
    return Hint(_SOURCE, moment, "utc" if moment.tzinfo is UTC else "wall", whole_day)


_BURSTS = (
    re.compile(r"(?P<id>.*BURST\d{6,})(?:_COVER)?\Z", re.IGNORECASE),  # 00001IMG_00001_BURST2019…
    re.compile(r"(?P<id>.+?)[._-]BURST[-_]?\d{1,3}(?:[._-]COVER)?\Z", re.IGNORECASE),
    re.compile(r"(?P<id>(?:IMG_)?\d{8}_\d{6})_\d{3}\Z"),  # Samsung: 20220430_132212_001
)
_BURST_COUNTER = re.compile(r"\A\d{5}IMG_\d{5}_")


def name_burst(stem: str) -> str | None:
    """Return what names the burst that a photo belongs to, by its name without extension."""
    for pattern in _BURSTS:
        match = pattern.match(stem)
        if match is not None:
            return _BURST_COUNTER.sub("", match["id"])
    return None


_SCREENSHOT = re.compile(
    r"(?:\A|[^a-z])(?:screen[-_ ]?shots?|bildschirmfoto|capture d[’'_ ]?[eé]cran"
    r"|captura de pantalla|captura de ecrã|schermata|schermafbeelding"
    r"|スクリーンショット|截屏|截图)",
    re.IGNORECASE,
)


def names_a_screenshot(name: str) -> bool:
    """Say whether the path or the name calls it a screenshot, in the usual languages."""
    return _SCREENSHOT.search(name) is not None
