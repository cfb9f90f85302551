"""What can be said of a picture in a question by an archive whose encoder does not see pictures.

The same picture in the archive, the text in it, and when and where it was taken.
"""

from __future__ import annotations

import hashlib
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from graphmemix.errors import GraphMemixError, InvalidDataError, MissingExtraError
from graphmemix.ingest.describe import Ocr, Places
from graphmemix.ingest.magic import picture_magic
from graphmemix.ingest.pictures import read_picture
from graphmemix.memory import Media, Place
from graphmemix.retrieve.facets import look, quarters
from graphmemix.retrieve.relations import same_picture
from graphmemix.text.dates.capture_time import taken

if TYPE_CHECKING:
    from datetime import datetime

    from graphmemix.archive import Archive
    from graphmemix.memory import Memory

__all__ = ["PictureFacts", "facts_of"]

_MOST_SAME: Final = 6  # memories with the same picture
_HEAD: Final = 64  # bytes that say what format it is
_LONGEST_TEXT: Final = 500  # characters of the text in it that go into a question


class PictureFacts(NamedTuple):
    """What is known of a picture; `caption` says it in a few words, for a question."""

    same: list[Memory]
    text: str
    timestamp: datetime | None
    place: Place | None
    caption: str


def facts_of(archive: Archive, data: bytes) -> PictureFacts:
    """Return what can be said of a picture. Reading its text takes about a second.

    Raises:
        InvalidDataError: It cannot be decoded.
    """
    same = _same(archive, data)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture"
        file.write_bytes(data)
        text = _text_in(file)
        timestamp, place = _taken(file, data)
    timestamp = timestamp or next((each.timestamp for each in same if each.timestamp), None)
    place = place or next((each.place for each in same if each.place), None)
    return PictureFacts(same, text, timestamp, place, _caption(same, text, timestamp, place))


def _same(archive: Archive, data: bytes) -> list[Memory]:
    """Return memories with the same file, or with a picture that looks the same."""
    store = archive.store
    ids = [memory.id for memory in store.with_media(hashlib.sha256(data).hexdigest())]
    if shown := look(data):
        links = same_picture(
            [""],  # it is no memory itself
            {"": quarters(shown)},
            lambda wanted, most: store.fetch(wanted, limit=most),
            store,
            most_bits=archive.settings.retrieval.duplicate_bits,
        )
        ids += [link.other for link in links]
    return list(store.get_many(dict.fromkeys(ids[:_MOST_SAME])).values())


def _text_in(file: Path) -> str:
    try:
        return _ocr().describe(file, Media("image", name="picture")).text
    except GraphMemixError:  # not installed, or it fails: then nothing is read
        return ""


def _taken(file: Path, data: bytes) -> tuple[datetime | None, Place | None]:
    magic = picture_magic(data[:_HEAD])
    if magic is None:
        return None, None
    try:
        facts = read_picture(file, magic).facts
    except (InvalidDataError, MissingExtraError):
        return None, None
    when = taken(facts.times, facts.point)
    return None if when is None else when.moment, _place(facts.point)


def _place(point: tuple[float, float] | None) -> Place | None:
    if point is None:
        return None
    name = ""
    with suppress(MissingExtraError):
        name = _places().name_of(*point)
    return Place(name, *point)


@cache
def _ocr() -> Ocr:
    return Ocr()


@cache
def _places() -> Places:
    return Places()


def _caption(same: list[Memory], text: str, timestamp: datetime | None, place: Place | None) -> str:
    """Return what is known as words that retrieval can use."""
    said = [words for memory in same for words in _words(memory)]
    if text:
        said.append(text)
    if timestamp is not None:
        said.append(f"{timestamp.day} {timestamp:%B %Y}")
    if place is not None and place.name:
        said.append(place.name)
    return ". ".join(dict.fromkeys(" ".join(each.split())[:_LONGEST_TEXT] for each in said))


def _words(memory: Memory) -> list[str]:
    found = [memory.text]
    for medium in memory.media:
        described = medium.description
        found += [described.caption or described.short_caption, described.ocr]
    return [each for each in found if each.strip()]
