"""What a question leads to without sharing a word: by what it names, by what its hits are about.

The relations `within`, `episode`, `same_identifier` and `same_picture` are worked out for the
question at hand, from keys of memories (`facets`), in `relations.py`. Nothing of them is stored,
so nothing of them can be out of date.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

from graphmemix.evidence import UnknownName
from graphmemix.retrieve.facets import ABOUT, ALBUM, NAME, NUMBER, about_of, cells_around
from graphmemix.retrieve.relations import (
    HitLink,
    episode,
    in_range,
    same_identifier,
    same_picture,
    within,
)
from graphmemix.store.protocol import Facets, Filter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphmemix.retrieve.constraints import Constraint, Constraints
    from graphmemix.retrieve.relations import StayAway
    from graphmemix.settings import ReachSettings
    from graphmemix.store.protocol import Store

__all__ = ["HitLink", "Reach"]

_TOO_COMMON = frozenset({"speakers", "media"})  # to fetch without anything else
_FEW_PERIODS = 2  # more are a date without a year, in every year
_MOST_OF_EACH = 400  # memories of an album, a file name or a place, if two of them are named


_UNMATCHED: Final[Mapping[str, tuple[str, Callable[[Constraints], Sequence[Constraint]]]]] = {
    "time": ("nothing here is from {}", lambda named: named.times),
    "place": ("nothing here is from {}", lambda named: named.places),
    "album": ("there is no such {} here", lambda named: named.albums),
    "file": ("there is no {} here", lambda named: named.files),
    "speakers": ("nothing here is by {}", lambda named: named.people),
    "media": ("there are no {} here", lambda named: named.media),
}
"""What is said of each sort that nothing satisfies, and its constraints."""


class Reach:
    """Finds memories by facets, for one question."""

    def __init__(
        self,
        store: Store,
        settings: ReachSettings,
        filter: Filter | None,
        *,
        duplicate_bits: int = 6,
    ) -> None:
        """Prepare; nothing is fetched yet.

        Args:
            store: The archive's store.
            settings: How many of everything.
            filter: What may be found.
            duplicate_bits: In how many bits the looks of two copies of a picture may differ.
        """
        self._store = store
        self._settings = settings
        self._filter = filter
        self._bits = duplicate_bits
        self._fetched: dict[tuple[Facets, int, bool], list[str]] = {}
        self._met: list[tuple[str, ...]] = []  # sorts that something satisfies together
        self._unknown: tuple[UnknownName, ...] | None = None

    def named(self, constraints: Constraints) -> dict[str, int]:
        """Return what satisfies the constraints, each with how many of their sorts it satisfies.

        Those that satisfy all come first, then those that satisfy all but one, and so on. One sort
        alone does not fetch if it is a person or a medium, which are too common.
        """
        if not self._settings.named:
            return {}
        sorts = self._sorts(constraints)
        found: dict[str, int] = {}
        for size in range(len(sorts), 0, -1):
            for chosen in combinations(sorts, size):
                if size == 1 and size < len(sorts) and chosen[0] in _TOO_COMMON:
                    continue
                room = self._settings.named - len(found)
                if room <= 0:
                    return found
                fetched = self._fetch_sorts(sorts, chosen)
                if fetched:
                    self._met.append(chosen)
                for memory_id in fetched:
                    if len(found) < self._settings.named:
                        found.setdefault(memory_id, size)
        return found

    def unmatched(self, constraints: Constraints) -> tuple[str, ...]:
        """Return in words what the question names and no memory satisfies."""
        sorts = self._sorts(constraints)
        missing = [sort for sort in sorts if not self._holds(sorts, sort)]
        said = [
            phrase.format(words)
            for sort in missing
            for phrase, named in (_UNMATCHED[sort],)
            for words in dict.fromkeys(each.text for each in named(constraints))
            if sort != "speakers" or self._is_unknown(words)
        ]
        said += [
            f"nothing here mentions {each.name}"
            + (f"; {each.meant} is known here" if each.meant else "")
            for each in self.unknown(constraints)
        ]
        return tuple(said)

    def _holds(self, sorts: Mapping[str, dict[str, tuple[object, ...]]], sort: str) -> bool:
        """Return whether anything satisfies a sort; mostly known from what was fetched."""
        met = any(sort in chosen for chosen in self._met)
        return met or bool(self._fetch_sorts(sorts, [sort], limit=1))

    def unknown(self, constraints: Constraints) -> tuple[UnknownName, ...]:
        """Return the names of the question that no memory holds."""
        if self._unknown is None:
            meant = dict(constraints.meant)
            self._unknown = tuple(
                UnknownName(name, meant.get(name, ""))
                for name in constraints.unknown
                if self._is_unknown(name)
            )
        return self._unknown

    def _is_unknown(self, name: str) -> bool:
        """Return whether no memory holds any word of a name, or the name with an s behind it."""
        return not self._store.search_text(f"{name} {name}s", limit=1, filter=self._filter)

    def _sorts(self, constraints: Constraints) -> dict[str, dict[str, tuple[object, ...]]]:
        """Return the sorts of constraints that a question has, as parts of facets."""
        sorts: dict[str, dict[str, tuple[object, ...]]] = {}
        if constraints.times:
            sorts["time"] = {
                "periods": tuple((in_range(t.start), in_range(t.end)) for t in constraints.times),
            }
        if constraints.places:
            cells = (cell for place in constraints.places for cell in place.cells)
            names = [n for place in constraints.places for n in (place.name, *place.inside)]
            sorts["place"] = {"keys": tuple(dict.fromkeys((*self._place_keys(names), *cells)))}
        if constraints.albums:
            sorts["album"] = {"keys": tuple(f"{ALBUM}{album.name}" for album in constraints.albums)}
        if constraints.files:
            sorts["file"] = {"keys": tuple(f"{NAME}{file.name}" for file in constraints.files)}
        if constraints.people:
            sorts["speakers"] = {"speakers": tuple(p.name for p in constraints.people)}
        if constraints.media:
            sorts["media"] = {
                "kinds": tuple(kind for m in constraints.media for kind in m.kinds),
                "modalities": tuple(each for m in constraints.media for each in m.modalities),
            }
        return sorts

    def _place_keys(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the keys of places, and of the cells in which memories of these places lie."""
        keys = [f"place:{name}" for name in names]
        # What is hidden does not say where a place is; a filter for kinds may hide all that does.
        hidden = None if self._filter is None else Filter(as_of=self._filter.as_of)
        there = self._found(Facets(keys=tuple(keys)), self._settings.named, hidden)
        cells = {
            cell
            for outline in self._store.outlines(there).values()
            for cell in cells_around(outline.place, reach=0)
        }
        return (*keys, *sorted(cells))

    def _fetch_sorts(
        self,
        sorts: Mapping[str, dict[str, tuple[object, ...]]],
        chosen: Sequence[str],
        *,
        limit: int | None = None,
    ) -> list[str]:
        """Return what satisfies all of these sorts."""
        most = self._settings.named if limit is None else limit
        by_key = [sort for sort in chosen if "keys" in sorts[sort]]
        if len(by_key) > 1:  # facets have one list of keys, any of which will do
            others = [sort for sort in chosen if sort not in by_key]
            each = [self._fetch_sorts(sorts, [*others, s], limit=_MOST_OF_EACH) for s in by_key]
            return [i for i in each[0] if all(i in found for found in each[1:])][:most]
        parts: dict[str, tuple[object, ...]] = {}
        for sort in chosen:
            parts |= sorts[sort]
        wanted = Facets(**parts, own_clocks=True)  # type: ignore[arg-type]  # built by sort above
        if len(wanted.periods) <= _FEW_PERIODS:
            return self._found(wanted, most, self._filter)
        found: dict[str, None] = {}
        for time in wanted.periods:  # the latest July comes before those of other years
            found |= dict.fromkeys(
                self._found(replace(wanted, periods=(time,)), most, self._filter)
            )
            if len(found) >= most:
                break
        return list(found)[:most]

    def _fetch(self, wanted: Facets, most: int) -> list[str]:
        return self._found(wanted, most, self._filter)

    def _found(self, wanted: Facets, most: int, filter: Filter | None) -> list[str]:
        """Fetch memories; what was fetched is kept, since hits are often of the same day."""
        if not most:
            return []
        asked = (wanted, most, filter is self._filter)
        if asked not in self._fetched:
            self._fetched[asked] = self._store.fetch(wanted, limit=most, filter=filter)
        return self._fetched[asked]

    def around(
        self, hits: Sequence[str], *, shift: int = 0, stays: Sequence[StayAway] = ()
    ) -> list[HitLink]:
        """Return what the best hits lead to: by days, by numbers, by copies of their pictures.

        Args:
            hits: Best first. Fewer are followed by their own day than by the days they state.
            shift: -1 to look at the days before each, 1 at those after it.
            stays: Days away from the usual places that belong together (`episode`).
        """
        stating, near = hits[: self._settings.stating_hits], hits[: self._settings.nearby_hits]
        both = list(dict.fromkeys([*stating, *near]))
        keys, outlines = self._store.keys(both), self._store.outlines(both)
        most = self._settings.fetched
        links: list[HitLink] = []
        for hit in both:
            if hit not in outlines:
                continue
            outline = outlines[hit]
            if hit in stating:
                stated = about_of(key for key in keys.get(hit, ()) if key.startswith(ABOUT))
                links += within(
                    hit, outline, stated, self._fetch, self._store.outlines, most=most, shift=shift
                )
            if hit in near:
                links += episode(
                    hit,
                    outline,
                    self._fetch,
                    self._store.outlines,
                    most=most,
                    shift=shift,
                    stays=stays,
                )
        numbers = {i: [key for key in of if key.startswith(NUMBER)] for i, of in keys.items()}
        links += same_identifier(stating, numbers, self._fetch)
        links += same_picture(stating, keys, self._fetch, self._store, most_bits=self._bits)
        return links
