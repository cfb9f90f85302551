"""Which memories are wanted, as callers say it: dates, kinds, people, a place, sessions.

The same words mean the same in Python, on the command line, over HTTP and for agents: `since` is
from then on, `until` is before then, and a day or a period that is named begins with its first
moment, so that ``since="2023", until="2024"`` is the year 2023.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypedDict, TypeVar, Unpack, cast, get_args

from graphmemix.errors import InvalidInputError
from graphmemix.memory import Kind, Place
from graphmemix.relate.people import People
from graphmemix.store.protocol import Box, Facets, Filter
from graphmemix.text.dates.given import Moment, moment_of
from graphmemix.text.dates.zones import parse_zone
from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from datetime import datetime

    from graphmemix.store.protocol import Store

__all__ = ["Names", "Near", "Wanted", "lists_wanted", "require_known", "wanted_filter", "wanted_in"]

Names: TypeAlias = str | Iterable[str]
"""One name, or several of which any will do."""

Near: TypeAlias = str | Place | Box | tuple[float, ...]
"""The name of a place in the archive, coordinates, or a box: ``"Lake Garda"``, ``(45.6, 10.7)``,
``(45.6, 10.7, 25)`` with kilometres around, or the same as a text: ``"45.6,10.7,25"``."""

_AROUND: Final = 10.0  # km around coordinates
_BESIDE: Final = 2.0  # km around the places of one name
_WIDEST: Final = 300.0  # km between places of one name
_KM_PER_DEGREE: Final = 111.2
_MOST_PLACED: Final = 1_000  # memories that say where a name is
_SHOWN: Final = 8  # known names in a message


class Wanted(TypedDict, total=False):
    """The keywords that say which memories are wanted; everything that is set must hold.

    Attributes:
        since: From this moment on; words such as "last May" mean its beginning.
        until: Before this moment.
        kinds: Of one of these kinds, such as "photo".
        people: Written, said or taken by one of these people, by any name that the archive knows.
        near: Made near a place.
        sessions: In one of these conversations, threads, documents or albums.
    """

    since: Moment | None
    until: Moment | None
    kinds: Names | None
    people: Names | None
    near: Near | None
    sessions: Names | None


_Method = TypeVar("_Method", bound=Callable[..., Any])


def lists_wanted(method: _Method) -> _Method:
    """Let the signature of a method with ``**wanted: Unpack[Wanted]`` name each keyword.

    Type checkers read `Wanted`; ``help``, notebooks and `inspect.signature` read this.
    """
    own = signature(method)
    wanted = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None, annotation=kind.__forward_arg__)
        for name, kind in Wanted.__annotations__.items()
    ]
    before = [each for each in own.parameters.values() if each.kind < Parameter.KEYWORD_ONLY]
    after = [each for each in own.parameters.values() if each.kind == Parameter.KEYWORD_ONLY]
    method.__signature__ = own.replace(parameters=[*before, *wanted, *after])  # type: ignore[attr-defined]
    return method


def require_known(wanted: Wanted) -> None:
    """Refuse a keyword that is not one of `Wanted`, as Python does for other functions.

    Raises:
        TypeError: Names the keyword, and the one that may be meant.
    """
    known = list(Wanted.__annotations__)
    for name in wanted:
        if name not in known:
            similar = get_close_matches(name, known, n=1)
            advice = f"did you mean {similar[0]!r}?" if similar else f"there are {', '.join(known)}"
            raise TypeError(f"unexpected keyword argument {name!r}; {advice}")


def wanted_in(request: object) -> Wanted:
    """Return the keywords that a request has as attributes, such as the body of an HTTP request."""
    names = [name for name in Wanted.__annotations__ if hasattr(request, name)]
    return cast("Wanted", {name: getattr(request, name) for name in names})


def wanted_filter(
    store: Store,
    zone: str,
    filter: Filter | None = None,
    *,
    now: datetime | None = None,
    **wanted: Unpack[Wanted],
) -> Filter | None:
    """Return a filter with what the keywords of `Wanted` add to it; None if nothing is wanted.

    Args:
        store: Knows names of people and places.
        zone: The archive's zone; empty for this machine's.
        filter: Holds as well.
        now: What "yesterday" counts from; None for this moment.

    Raises:
        InvalidInputError: Names the keyword and what is wrong with it.
        TypeError: There is no such keyword.
    """
    require_known(wanted)
    if filter is not None and not isinstance(filter, Filter):
        raise InvalidInputError(f"filter: must be a Filter, not {type(filter).__name__}")
    clock = parse_zone(zone) if zone else None
    added: dict[str, Any] = {
        "since": moment_of("since", wanted.get("since"), clock, now=now),
        "until": moment_of("until", wanted.get("until"), clock, now=now),
        "kinds": _kinds(wanted.get("kinds")),
        "speakers": _speakers(store, several("people", wanted.get("people"))),
        "place": None if (near := wanted.get("near")) is None else _box(store, near),
        "sessions": several("sessions", wanted.get("sessions")),
    }
    added = {name: value for name, value in added.items() if value}
    if not added:
        return filter
    base = filter or Filter()
    for name in added:
        if getattr(base, name):
            raise InvalidInputError(f"{name}: is set both in the filter and as a keyword")
    return replace(base, **added)


def several(name: str, given: Names | None) -> tuple[str, ...]:
    """Return names as a tuple; a text is one name.

    Raises:
        InvalidInputError: It is neither a text nor several texts.
    """
    if given is None:
        return ()
    if isinstance(given, str):
        return (given,)
    if isinstance(given, Iterable):
        names = tuple(given)
        if all(isinstance(each, str) for each in names):
            return names
    raise InvalidInputError(f"{name}: must be a text or several texts, not {given!r:.80}")


def _kinds(given: Names | None) -> tuple[Kind, ...]:
    names = several("kinds", given)
    known = get_args(Kind)
    for each in names:
        if each not in known:
            raise InvalidInputError(f"kinds: {each[:80]!r} is not one of {', '.join(known)}")
    return tuple(kind for kind in known if kind in names)


def _speakers(store: Store, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the authors who are meant, under all their names."""
    if not names:
        return ()
    authors = store.speakers()
    who = People.read(store.key_names)
    found: dict[str, None] = {}
    for name in names:
        bearers = _authors(authors, who, name)
        if not bearers:
            raise InvalidInputError(
                f"people: nothing here was written, said or taken by {name[:80]!r}; "
                f"{_some(authors)}"
            )
        found |= dict.fromkeys(bearers)
    return tuple(found)


def _some(authors: list[str]) -> str:
    if not authors:
        return "no memory here names its author"
    more = f" and {len(authors) - _SHOWN} more" if len(authors) > _SHOWN else ""
    return f"authors here are {', '.join(authors[:_SHOWN])}{more}"


def _authors(authors: list[str], who: People, name: str) -> list[str]:
    persons = (who.same(name), *who.names(name), *who.names(name.title()))
    called = {_folded(each) for each in (name, *(each for person in persons for each in person))}
    found = [author for author in authors if _folded(author) in called]
    if found:
        return found
    words = set(_folded(name).split())
    return [author for author in authors if words and words <= set(_folded(author).split())]


def _box(store: Store, near: Near) -> Box:
    """Return a box around a place."""
    if isinstance(near, Box):
        return near
    if isinstance(near, Place):
        if near.latitude is None or near.longitude is None:
            return _box_of_name(store, near.name)
        return _around([(near.latitude, near.longitude)], _AROUND)
    if isinstance(near, str):
        numbers = _numbers(near.split(","))
        return _box_of_name(store, near) if numbers is None else _around_point(numbers)
    numbers = _numbers(near) if isinstance(near, tuple | list) else None
    if numbers is None:
        raise InvalidInputError(
            "near: must be the name of a place, (latitude, longitude) or (latitude, longitude, "
            f"kilometres), not {near!r:.80}"
        )
    return _around_point(numbers)


def _numbers(parts: Iterable[object]) -> list[float] | None:
    try:
        numbers = [float(part) for part in parts]  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None
    return numbers if len(numbers) in {2, 3} else None


def _around_point(numbers: list[float]) -> Box:
    latitude, longitude, *distance = numbers
    if not (abs(latitude) <= 90 and abs(longitude) <= 180):  # degrees
        raise InvalidInputError(
            "near: latitude must be between -90 and 90, longitude between -180 and 180"
        )
    kilometres = distance[0] if distance else _AROUND
    if not 0 < kilometres <= 20_000:  # half way round the earth
        raise InvalidInputError("near: the distance must be more than 0 and at most 20,000 km")
    return _around([(latitude, longitude)], kilometres)


def _box_of_name(store: Store, name: str) -> Box:
    """Return a box around the memories of places with this name."""
    words = set(_folded(name).replace(",", " ").split())
    names = [
        each
        for each in store.key_names("place:")
        if words and words <= set(_folded(each).replace(",", " ").split())
    ]
    if not names:
        raise InvalidInputError(f"near: no memory is from a place called {name[:80]!r}")
    keys = tuple(f"place:{each}" for each in names)
    outlines = store.outlines(store.fetch(Facets(keys=keys), limit=_MOST_PLACED))
    points = [
        (each.place.latitude, each.place.longitude)
        for each in outlines.values()
        if each.place and each.place.latitude is not None and each.place.longitude is not None
    ]
    if not points:
        raise InvalidInputError(f"near: the memories from {name[:80]!r} have no coordinates")
    box = _around(points, _BESIDE)
    if (box.north - box.south) * _KM_PER_DEGREE > _WIDEST or not box.east - box.west < 10:
        raise InvalidInputError(
            f"near: places called {name[:80]!r} are far apart; use coordinates instead"
        )
    return box


def _around(points: list[tuple[float, float]], kilometres: float) -> Box:
    """Return the box with so many kilometres around all points."""
    high = kilometres / _KM_PER_DEGREE
    south = max(-90.0, min(latitude for latitude, _ in points) - high)
    north = min(90.0, max(latitude for latitude, _ in points) + high)
    wide = high / max(0.01, math.cos(math.radians(max(abs(south), abs(north)))))
    west = min(longitude for _, longitude in points) - wide
    east = max(longitude for _, longitude in points) + wide
    if east - west >= 360:  # all around
        return Box(south, -180.0, north, 180.0)
    return Box(south, _wrapped(west), north, _wrapped(east))


def _folded(text: str) -> str:
    return plain(text).casefold()


def _wrapped(longitude: float) -> float:
    return (longitude + 180.0) % 360.0 - 180.0
