"""Countries: their names in many languages, and in which one a point lies.

`countries.json` and `country_towns.json` are made by ``tools/make_countries.py``: names of
Unicode's CLDR, towns of GeoNames (CC BY 4.0, geonames.org). Neither is read before it is needed.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

__all__ = ["PER_DEGREE", "countries_at", "country", "country_names", "is_in", "on_sphere"]

PER_DEGREE: Final = 20
"""Towns are stored as whole numbers of this part of a degree, about 5 km."""

_FARTHEST: Final = 300 / 6371  # of the Earth's radius: beyond, a point is at sea
_BLOCK: Final = 8  # degrees; towns are narrowed down by such blocks first
_ROUNDING: Final = 1e-9


def country(code: str) -> str:
    """Return the English name of a country by its ISO 3166-1 code; the code if it is unknown."""
    english: dict[str, str] = _read("countries.json")["english"]
    return english.get(code.upper(), code)


def country_names() -> Mapping[str, str]:
    """Return the code of every name: in lower case, without accents, one space between words.

    Nations of the United Kingdom have codes of their own: ``GB-WLS``.
    """
    names: dict[str, str] = _read("countries.json")["names"]
    return names


def countries_at(points: NDArray[np.float64]) -> list[str]:
    """Return the code of the country of each point, that of the nearest town; empty at sea.

    Takes some 20 ms for 5,000 points of one continent. Wrong for about one point in 500, all of
    them near a border.

    Args:
        points: One row each: latitude and longitude, in degrees.
    """
    degrees = points.reshape(-1, 2)
    here = on_sphere(degrees)
    found = [""] * len(degrees)
    for block in _together(degrees, np.arange(len(degrees)), _BLOCK):
        towns = _around(here[block], _towns())
        for square in _together(degrees, block, 1):
            near = _around(here[square], towns)
            cosines = here[square] @ near.places.T
            best, is_land = cosines.argmax(axis=1), cosines.max(axis=1) >= np.cos(_FARTHEST)
            for point, town, land in zip(square, best, is_land, strict=True):
                found[point] = str(near.codes[town]) if land else ""
    return found


def is_in(code: str, whole: str) -> bool:
    """Return whether a country is another one or a part of it: ``GB-WLS`` of ``GB``."""
    return code == whole or code.startswith(f"{whole}-")


def on_sphere(degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points as unit vectors: their cosine gives the distance, also near poles and 180°."""
    phi, lam = np.radians(degrees).T
    return np.stack([np.cos(phi) * np.cos(lam), np.cos(phi) * np.sin(lam), np.sin(phi)], axis=1)


class _Towns(NamedTuple):
    places: NDArray[np.float64]
    codes: NDArray[np.str_]


def _together(
    degrees: NDArray[np.float64], chosen: NDArray[np.intp], size: int
) -> list[NDArray[np.intp]]:
    """Return points in groups, by squares of so many degrees."""
    squares = np.floor(degrees[chosen] / size)
    order = np.lexsort(squares.T)
    starts = np.flatnonzero(np.any(np.diff(squares[order], axis=0), axis=1)) + 1
    return np.split(chosen[order], starts) if len(chosen) else []


def _around(points: NDArray[np.float64], towns: _Towns) -> _Towns:
    """Return the towns among which is the nearest one of each point."""
    cosines = towns.places @ points[0]
    farthest = np.arccos(np.clip((points @ points[0]).min(), -1, 1))
    reach = np.arccos(np.clip(cosines.max(), -1, 1)) + 2 * farthest
    near = cosines >= np.cos(min(reach, np.pi)) - _ROUNDING
    return _Towns(towns.places[near], towns.codes[near])


@cache
def _towns() -> _Towns:
    towns = {code: np.array(at).reshape(-1, 2) for code, at in _read("country_towns.json").items()}
    codes = np.repeat(list(towns), [len(at) for at in towns.values()])
    return _Towns(on_sphere(np.concatenate(list(towns.values())) / PER_DEGREE), codes)


@cache
def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(files(__package__).joinpath(name).read_text("utf-8"))
    return content
