"""The photos of the sample archive: when and where each was taken, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from graphmemix.sample.household import (
    HOME,
    LYON,
    MALCESINE,
    MONTE_BALDO,
    NUSSDORF,
    RUTHS_GARDEN,
    SCHLADMING,
    SCHOOL,
    VIENNA,
    Spot,
    at,
)

Scene: TypeAlias = Literal["lake", "hill", "snow", "street", "room", "garden", "night", "paper"]


@dataclass(frozen=True)
class Shot:
    """A photo or video of the sample.

    Attributes:
        name: File name.
        when: With the zone of the place.
        spot: Where it was taken; None for one without coordinates.
        scene: The background.
        lines: The text on it.
        note: The description in its Google Takeout sidecar; a shot with a note is in Takeout.
        people: The people that the sidecar names.
    """

    name: str
    when: datetime
    spot: Spot | None
    scene: Scene
    lines: tuple[str, ...] = ()
    note: str = ""
    people: tuple[str, ...] = ()

    @property
    def is_toms(self) -> bool:
        """Whether Tomás's phone took it, the one that writes UTC offsets."""
        return self.name.startswith("IMG_4")


def _lenas(when: datetime, spot: Spot | None, scene: Scene, *lines: str) -> Shot:
    """Return a shot of Lena's phone, which names files by local time."""
    return Shot(f"IMG_{when:%Y%m%d_%H%M%S}.jpg", when, spot, scene, lines)


def _noted(when: datetime, spot: Spot, scene: Scene, note: str, *people: str) -> Shot:
    """Return a shot that was uploaded to Google Photos and described there."""
    return Shot(f"PXL_{_utc(when):%Y%m%d_%H%M%S}000.jpg", when, spot, scene, (), note, people)


def _utc(when: datetime) -> datetime:
    return when - (when.utcoffset() or timedelta())


def _series(start: datetime, spot: Spot, scene: Scene, count: int, minutes: int) -> list[Shot]:
    """Return shots of one outing, a few minutes and some metres apart."""
    return [
        _lenas(
            start + timedelta(minutes=minutes * i, seconds=7 * i),
            Spot(spot.name, spot.latitude + 0.0004 * i, spot.longitude - 0.0003 * i),
            scene,
        )
        for i in range(count)
    ]


SHOTS: Final = (
    *_series(at(1, 21, 10, 12, 30), HOME, "snow", 5, 9),
    _lenas(at(3, 6, 6, 55, 10), HOME, "room", "E07", "0.0 l/min"),
    Shot("Screenshot_20230310-091244.png", at(3, 10, 9, 12, 44), None, "paper",
         ("Graz Hbf  14.26", "Wien Hbf  17.02", "Platform 5")),
    _lenas(at(3, 17, 17, 40, 2), NUSSDORF, "street", "PENSION", "NUSSDORF"),
    *_series(at(3, 18, 11, 20, 15), VIENNA, "room", 4, 14),
    _noted(at(3, 19, 10, 5), VIENNA, "street", "Pretzel breakfast before the train", "Mia", "Noah"),
    _lenas(at(5, 14, 9, 31, 5), HOME, "garden"),
    _noted(at(5, 27, 15, 1), RUTHS_GARDEN, "garden", "Noah and his pear tree", "Noah", "Ruth"),
    *_series(at(5, 27, 15, 12, 40), RUTHS_GARDEN, "garden", 3, 6),
    Shot("IMG_4102.JPG", at(6, 20, 19, 30, 11), LYON, "street", ("HOTEL DES QUAIS",)),
    Shot("IMG_4105.JPG", at(6, 21, 18, 2, 50), LYON, "street", ("TRAMS EN BOIS", "12,00")),
    _lenas(at(7, 10, 15, 22, 18), MALCESINE, "street", "HOTEL OLIVO", "Malcesine"),
    Shot("IMG_4160.JPG", at(7, 10, 15, 31, 40), MALCESINE, "room", ("GARAGE", "LEVEL 2  ROW K")),
    *_series(at(7, 10, 16, 30, 0), MALCESINE, "lake", 4, 11),
    *(
        Shot(f"20230711_153012_{i:03}.jpg", at(7, 11, 15, 30, 12 + i // 2), MALCESINE, "lake")
        for i in range(1, 4)
    ),
    *_series(at(7, 12, 10, 10, 30), MONTE_BALDO, "hill", 5, 16),
    _lenas(at(7, 13, 19, 44, 33), MALCESINE, "night", "DA GINO", "Margherita  8.50", "Acqua  2.80"),
    _noted(at(7, 14, 8, 14), MALCESINE, "room", "The first tooth, in a napkin", "Mia"),
    Shot("IMG_4188.JPG", at(7, 14, 8, 21, 5), MALCESINE, "room"),
    *_series(at(7, 15, 11, 0, 20), MALCESINE, "lake", 3, 18),
    _lenas(at(8, 7, 18, 5, 44), HOME, "room", "FOX"),
    _noted(at(9, 1, 17, 10), HOME, "room", "Cake for the seventieth, before the glaze"),
    _lenas(at(9, 2, 8, 52, 31), HOME, "paper", "BAKERY SORGER", "31 rolls     24.80",
           "2 loaves      9.40", "TOTAL   34.20 EUR"),
    *_series(at(9, 2, 14, 20, 0), RUTHS_GARDEN, "garden", 6, 13),
    _noted(at(9, 2, 16, 15), RUTHS_GARDEN, "garden", "The choir sings for Ruth", "Ruth"),
    _lenas(at(9, 11, 8, 31, 12), SCHOOL, "street", "CLASS 1b", "Welcome"),
    _lenas(at(10, 22, 14, 8, 3), HOME, "room"),
    *_series(at(11, 10, 17, 4, 10), SCHOOL, "night", 4, 7),
    _lenas(at(11, 20, 18, 40, 29), HOME, "room", "E12"),
    Shot("IMG_4390.JPG", at(12, 20, 16, 12, 0), SCHOOL, "room"),
    *_series(at(12, 28, 11, 35, 0), SCHLADMING, "snow", 5, 21),
    _noted(at(12, 30, 13, 0), SCHLADMING, "snow", "Bibs 14 and 15 after the race", "Mia", "Noah"),
)  # fmt: skip
