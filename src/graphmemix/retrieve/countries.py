"""The countries of an archive: in which cells memories were made there, and what places there are.

"Photos from Italy" means photos in Arezzo, whether or not anything here says that Arezzo is in
Italy. Coordinates say so, by cells of a tenth of a degree, so that within some 10 km of a border a
memory may count for the neighbour; and so do names of places, "Kyoto, Japan".
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from graphmemix.retrieve.constraints_words import NameFound, folded, is_common, place_parts
from graphmemix.retrieve.country_names import code_of, named_countries
from graphmemix.retrieve.facets import CELL, cells_around
from graphmemix.store.protocol import Facets, Filter
from graphmemix.text.countries import countries_at, country, is_in
from graphmemix.text.folding import place_names

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from graphmemix.store.protocol import Store
    from graphmemix.store.records import Outline

__all__ = ["Countries", "CountryFound", "any_country"]

_MOST_NAMES: Final = 12  # of places in a country that texts are searched for
_LOOKED_AT: Final = 150  # memories of a country whose places are read
_SHORTEST: Final = 3  # letters of a word that names a place on its own
_FEW_ABROAD: Final = 0.25  # of the memories of a place: those near a border, and wrong positions
_MOST_KEPT: Final = 256  # countries at a time
_MIDDLE: Final = 0.5
_PER_DEGREE: Final = 10  # cells


class CountryFound(NamedTuple):
    """A country in a question that the archive knows.

    Attributes:
        named: Where it stands in the question, and its name there.
        inside: Names of places there, the most common first, and other names of the country.
        cells: Keys of the cells there in which memories were made.
    """

    named: NameFound
    inside: tuple[str, ...]
    cells: tuple[str, ...]


class Countries:
    """The countries of one archive, in one state of it."""

    def __init__(self, store: Store, places: Sequence[str]) -> None:
        """Prepare; nothing is read before a question names a country.

        Args:
            store: Holds the memories.
            places: Names of all places, and their parts.
        """
        self._store = store
        self._places = places
        self._known: dict[tuple[str, datetime | None], tuple[list[str], tuple[str, ...]]] = {}

    def find(self, text: str, as_of: datetime | None = None) -> list[CountryFound]:
        """Return the countries that a text names and the archive knows, in order.

        The first one costs some 20 ms for 5,000 different cells, the same one again nothing.

        Args:
            text: The question.
            as_of: What was stored later is not looked at.
        """
        found: list[CountryFound] = []
        for named in named_countries(text):
            code = named.name
            if (code, as_of) not in self._known:
                if len(self._known) >= _MOST_KEPT:
                    self._known.clear()
                self._known[code, as_of] = self._read(code, as_of)
            inside, cells = self._known[code, as_of]
            if not inside and not cells:
                continue
            shown = text[named.first : named.last]
            names = dict.fromkeys([*inside, country(code)] if country(code) != code else inside)
            others = tuple(name for name in names if folded(name) != folded(shown))
            found.append(CountryFound(named._replace(name=shown), others, cells))
        return found

    def _read(self, code: str, as_of: datetime | None) -> tuple[list[str], tuple[str, ...]]:
        """Return the names of places in a country and of the country, and the cells there."""
        cells = tuple(cell for cell, where in self._country_of.items() if is_in(where, code))
        spelled = [name for name in self._places if code_of(name) == code]
        there = self._outlines(cells, as_of)
        if not there:
            return spelled, ()
        counts = Counter(name for each in there for name in _place_names(each, code))
        common = sorted(counts, key=lambda name: -counts[name])[:_MOST_NAMES]
        with_these = self._outlines([f"place:{name}" for name in common], as_of)
        elsewhere = _found_elsewhere(with_these, frozenset(cells))
        return [*(name for name in common if name not in elsewhere), *spelled], cells

    def _outlines(self, keys: Collection[str], as_of: datetime | None) -> list[Outline]:
        if not keys:
            return []
        filter = None if as_of is None else Filter(as_of=as_of)
        ids = self._store.fetch(Facets(keys=tuple(keys)), limit=_LOOKED_AT, filter=filter)
        return list(self._store.outlines(ids).values())

    @cached_property
    def _country_of(self) -> Mapping[str, str]:
        """The country of each cell in which a memory was made, by the key of the cell."""
        cells = self._store.key_names(CELL)
        numbers = [int(number) for cell in cells for number in cell.split(",")]
        corners = np.array(numbers, dtype=float).reshape(-1, 2)
        where = countries_at((corners + _MIDDLE) / _PER_DEGREE)
        return {f"{CELL}{cell}": code for cell, code in zip(cells, where, strict=True)}


def any_country(text: str) -> list[CountryFound]:
    """Return every country that a text names, for whoever has no archive to look it up in."""
    return [
        CountryFound(named._replace(name=text[named.first : named.last]), (), ())
        for named in named_countries(text)
    ]


def _place_names(outline: Outline, code: str) -> list[str]:
    """Return the parts of a memory's place by which texts name it; none if it is abroad."""
    parts = place_parts(outline.place.name) if outline.place is not None else []
    if any(other and not is_in(code, other) for other in map(code_of, parts[-1:])):
        return []
    return [
        part
        for part in dict.fromkeys(parts)
        # "Home" and "Beach" are in many countries.
        if not is_common(folded(part)) and place_names(part, _SHORTEST) and not code_of(part)
    ]


def _found_elsewhere(outlines: Sequence[Outline], cells: frozenset[str]) -> set[str]:
    """Return names of places that are often not in these cells: "Parents" moved abroad."""
    inside: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for outline in outlines:
        here = next(cells_around(outline.place, reach=0), None)
        if outline.place is not None and here is not None:
            (inside if here in cells else outside).update(place_parts(outline.place.name))
    return {name for name in outside if outside[name] > _FEW_ABROAD * inside[name]}
