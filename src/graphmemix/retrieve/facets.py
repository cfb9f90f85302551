"""Keys that find a memory without any word of the question: its days, place, numbers, looks.

=====================  =========================================================================
``about:2023-07-14``   a day that its words or its event state; a stay of a week has seven
``cell:456,61``        where it is, on a grid of tenths of a degree
``number:PT88213``     an order, booking, invoice, claim or tracking number
``look:00183c7e…``     what a picture shows: a hash that survives resizing and compression; only of
                       memories without words of their own
``quarter:03c7e``      a quarter of that hash, by which copies of a picture are found; of all
``file:9f86d0…``       the content of another file, or of a picture that shows nothing
``album:Summer 2023``  the album or folder that it is in, with those around it
``name:img_2034``      the name of a file, with and without what is behind its last point
``bulk:``              a mail that was written for many
=====================  =========================================================================

Each is a function of one memory alone, so they are the same however the archive came about, and go
with the memory.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Final

from graphmemix.encode.views import spoken
from graphmemix.imaging import decode_picture
from graphmemix.relate.references import references_in
from graphmemix.text.bulk_mail import is_bulk
from graphmemix.text.dates.about import About, about_days
from graphmemix.text.folding import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphmemix.memory import Memory, Place
    from graphmemix.store.protocol import Relations


__all__ = [
    "ABOUT",
    "ALBUM",
    "BULK",
    "CELL",
    "FILE",
    "LOOK",
    "NAME",
    "NUMBER",
    "QUARTER",
    "about_of",
    "cells_around",
    "days_about",
    "facet_keys",
    "look",
    "neighbouring",
    "passed_over",
    "quarters",
    "stated_days",
]

ABOUT: Final = "about:"
CELL: Final = "cell:"
NUMBER: Final = "number:"
LOOK: Final = "look:"
QUARTER: Final = "quarter:"
FILE: Final = "file:"
ALBUM: Final = "album:"
NAME: Final = "name:"
BULK: Final = "bulk:"

_MOST_DAYS: Final = 92  # of one interval; what is about a year is about no day of it
_MOST_KEYS: Final = 200  # days of one memory
_MOST_NUMBERS: Final = 24
_MOST_FILES: Final = 24  # of one memory that are found by their names
_LONGEST_EXTENSION: Final = 5
_LONGEST: Final = 120  # characters of a key of what users name; a database indexes it
# Capitals and digits, as HL-448120, SA/2311, LOSMW22841, ZK4T9P are; no amount, no date, no word.
# A set of characters comes first, so that the engine passes over all others at once.
_CODE: Final = re.compile(
    r"[A-Z](?<![\w/-][A-Z])(?:[A-Z]{0,5}[-/ ]?[0-9][0-9A-Z]{3,14}|[0-9A-Z]{4,9})"
    r"(?:[-/][0-9A-Z]{1,8})?(?!\w)"
)
_DIGITS: Final = re.compile(r"[0-9]")
_SIGNS: Final = re.compile(r"[^0-9A-Za-z]+")


def facet_keys(memory: Memory) -> Iterator[str]:
    """Yield the keys of a memory."""
    days = {
        about.first + timedelta(days=step)
        for about in stated_days(memory)
        for step in range((about.last - about.first).days + 1)
    }
    yield from (f"{ABOUT}{day.isoformat()}" for day in sorted(days)[:_MOST_KEYS])
    yield from (f"{CELL}{x},{y}" for x, y in _cells(memory.place, 0))
    yield from (f"{NUMBER}{value}" for value in numbers_of(memory))
    yield from (f"{ALBUM}{album}" for album in _albums(memory))
    yield from (f"{NAME}{name}" for name in _file_names(memory))
    if memory.kind == "email" and is_bulk(memory.text, memory.metadata):
        yield BULK


def _albums(memory: Memory) -> Iterator[str]:
    """Yield the album of a memory: the name of its folder, and of the folders around that."""
    album = memory.metadata.get("album")
    parts = album.split("/") if isinstance(album, str) else ()
    names = dict.fromkeys(" ".join(part.split()) for part in parts)
    yield from (name for name in names if name and _is_key(name))


def _file_names(memory: Memory) -> Iterator[str]:
    """Yield the names of a memory's files in lower case, whole and without their extension."""
    for medium in memory.media[:_MOST_FILES]:
        name = plain(medium.name or "").rpartition("/")[2].strip().lower()
        stem, _, extension = name.rpartition(".")
        names = {name, stem} if stem and len(extension) <= _LONGEST_EXTENSION else {name}
        yield from (each for each in sorted(names) if each and _is_key(each))


def _is_key(name: str) -> bool:
    return len(name) <= _LONGEST and name.isprintable()


def stated_days(memory: Memory) -> tuple[About, ...]:
    """Return the days and intervals that a memory's words, or its event, are about."""
    found: set[About] = set()
    for text in (spoken(memory), *_descriptions(memory)):
        found.update(about_days(text, memory.timestamp))
    if memory.kind == "event" and memory.timestamp is not None:
        first = memory.timestamp.date()
        found.add(About(first, max(first, _event_end(memory) or first)))
    return tuple(sorted(each for each in found if (each.last - each.first).days < _MOST_DAYS))


def about_of(keys: Iterable[str]) -> tuple[About, ...]:
    """Return the days of a memory's keys, joined to intervals without gaps, ascending."""
    days = {date.fromisoformat(key.removeprefix(ABOUT)) for key in keys}
    found: list[About] = []
    for day in sorted(days):
        if found and day.toordinal() - found[-1].last.toordinal() == 1:
            found[-1] = About(found[-1].first, day)
        else:
            found.append(About(day, day))
    return tuple(found)


def days_about(store: Relations, memory_ids: Sequence[str]) -> dict[str, tuple[About, ...]]:
    """Return the days that stored memories are about, empty for those that state none."""
    keys = store.keys(memory_ids, prefix=ABOUT)
    return {memory_id: about_of(keys.get(memory_id, ())) for memory_id in memory_ids}


def _event_end(memory: Memory) -> date | None:
    """Return the last day of an event; one that ends at midnight ends the day before."""
    end = memory.metadata.get("end")
    if not isinstance(end, str):
        return None
    try:
        moment = datetime.fromisoformat(end)
        at_midnight = moment.time() == datetime.min.time()
        return moment.date() - timedelta(days=at_midnight)
    except (ValueError, OverflowError):  # no time, or the first day of the calendar
        return None


def numbers_of(memory: Memory) -> list[str]:
    """Return the numbers that a memory shares with others of the same matter."""
    found: dict[str, None] = {}
    for text in (memory.text, *_descriptions(memory)):
        folded = plain(text[:20_000])
        for reference in references_in(folded):
            found.setdefault(reference.rpartition(":")[2])
        for match in _CODE.finditer(folded):
            bare = _SIGNS.sub("", match[0])
            if len(_DIGITS.findall(bare)) >= 2:
                found.setdefault(bare)
    return list(found)[:_MOST_NUMBERS]


def cells_around(place: Place | None, *, reach: int) -> Iterator[str]:
    """Yield the keys of the cell that a place is in, and of those up to `reach` cells away."""
    yield from (f"{CELL}{x},{y}" for x, y in _cells(place, reach))


def neighbouring(cell: str) -> Iterator[str]:
    """Yield the key of a cell, and those of the eight around it."""
    x, y = map(int, cell.removeprefix(CELL).split(","))
    yield from (f"{CELL}{i},{j}" for i, j in _square(x, y, 1))


def _square(x: int, y: int, reach: int) -> Iterator[tuple[int, int]]:
    steps = range(-reach, reach + 1)
    yield from ((x + i, (y + j + 1800) % 3600 - 1800) for i in steps for j in steps)


def _cells(place: Place | None, reach: int) -> Iterator[tuple[int, int]]:
    if place is None or place.latitude is None or place.longitude is None:
        return
    x, y = math.floor(place.latitude * 10), math.floor(place.longitude * 10)
    yield from _square(x, y, reach)


def _descriptions(memory: Memory) -> Iterator[str]:
    for medium in memory.media:
        described = medium.description
        yield from filter(None, (described.caption, described.ocr, described.transcript))


_SIDE = 8
_BOX = 4  # Pillow's number of the box filter
_LEAST_CONTRAST = 8  # of 255


def look(data: bytes) -> str:
    """Return the look of an encoded picture as 16 hexadecimal digits; empty for a plain one.

    Each bit says whether a pixel of the picture, shrunk to 9 x 8 grey ones, is darker than the one
    to its right.

    Raises:
        InvalidDataError: This is not a picture that can be decoded.
    """
    grey = decode_picture(data, "image").convert("L")
    small = grey.resize((_SIDE + 1, _SIDE), _BOX)
    pixels = small.tobytes()
    if max(pixels) - min(pixels) < _LEAST_CONTRAST:
        return ""  # nothing to recognise it by
    bits = 0
    for row in range(_SIDE):
        for column in range(_SIDE):
            at = row * (_SIDE + 1) + column
            bits = bits << 1 | (pixels[at] < pixels[at + 1])
    return f"{bits:016x}"


def quarters(shown: str) -> list[str]:
    """Return the keys of the four quarters of a look."""
    return [f"{QUARTER}{i}{shown[4 * i : 4 * i + 4]}" for i in range(4)]


def passed_over(
    ranked: Sequence[str], keys: Mapping[str, set[str]], *, most_bits: int
) -> dict[str, str]:
    """Return which of the ranked memories show the same as a better one, and which that is.

    Two memories show the same if each picture of the lesser one looks like one of the better one.
    """
    kept: list[tuple[str, list[int]]] = []
    duplicates: dict[str, str] = {}
    for memory_id in ranked:
        mine = (key for key in keys.get(memory_id, ()) if key.startswith(LOOK))
        looks = [int(key.removeprefix(LOOK), 16) for key in mine]
        if not looks:
            continue
        for better, others in kept:
            if all(any((a ^ b).bit_count() <= most_bits for b in others) for a in looks):
                duplicates[memory_id] = better
                break
        else:
            kept.append((memory_id, looks))
    return duplicates
