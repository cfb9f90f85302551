"""The people and places of the sample archive, and its time zone. All of it is invented."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Final, NamedTuple

YEAR: Final = 2023
ZONE: Final = "Europe/Vienna"
"""The household's time zone; pass it when the files are ingested."""


class Spot(NamedTuple):
    """A place with its coordinates, in degrees."""

    name: str
    latitude: float
    longitude: float


HOME: Final = Spot("Graz", 47.0707, 15.4395)
SCHOOL: Final = Spot("Graz", 47.0745, 15.4312)
VIENNA: Final = Spot("Vienna", 48.2049, 16.3689)
NUSSDORF: Final = Spot("Vienna", 48.2597, 16.3671)
MALCESINE: Final = Spot("Malcesine", 45.7640, 10.8094)
MONTE_BALDO: Final = Spot("Malcesine", 45.7757, 10.8556)
RUTHS_GARDEN: Final = Spot("Leibnitz", 46.7816, 15.5456)
LYON: Final = Spot("Lyon", 45.7640, 4.8357)
SCHLADMING: Final = Spot("Schladming", 47.3939, 13.6867)

LENA: Final = "Lena Brandt <lena.brandt@example.org>"
TOMAS: Final = "Tomás Ferreira <tomas.ferreira@example.org>"
RUTH: Final = "Ruth Brandt <ruth.brandt@example.net>"
PRIYA: Final = "Priya Nair <priya.nair@example.net>"
OLGA: Final = "Olga Petrenko <olga.petrenko@example.net>"

_SUMMER: Final = (datetime(YEAR, 3, 26, 2), datetime(YEAR, 10, 29, 3))  # noqa: DTZ001  # wall clock


def at(month: int, day: int, hour: int = 12, minute: int = 0, second: int = 0) -> datetime:
    """Return a moment of the year in the time zone of Graz, Vienna and Malcesine."""
    wall = datetime(YEAR, month, day, hour, minute, second)  # noqa: DTZ001
    hours = 2 if _SUMMER[0] <= wall < _SUMMER[1] else 1
    return wall.replace(tzinfo=timezone(timedelta(hours=hours)))
