"""Metadata of a picture or recording, and how that of several origins is merged."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.record import Json
    from graphmemix.text.coordinates import Point
    from graphmemix.text.dates.capture_time import Hint

_LONGEST_TEXT = 10_000  # characters; a file may claim to describe itself in megabytes
_LONGEST_MACHINE_TEXT = 200
_LONGEST_NAME = 200
_MOST_COMPARED = 64  # texts; every field and language of a real picture are fewer


@dataclass(frozen=True)
class Facts:
    """What EXIF, XMP, a sidecar or a container may state.

    Attributes:
        times: Times of capture, the most trusted first.
        point: Coordinates.
        place_name: As a person wrote it.
        texts: Title, description and comment.
        tags: Keywords.
        people: People in the picture.
        creator: Who took it.
        camera: Make and model.
        burst: The id that all photos of one burst share.
        others: Anything else worth keeping.
        notes: Problems, described without content.
    """

    times: tuple[Hint, ...] = ()
    point: Point | None = None
    place_name: str = ""
    texts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    people: tuple[str, ...] = ()
    creator: str = ""
    camera: str = ""
    burst: str = ""
    others: dict[str, Json] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def merge_facts(origins: Iterable[Facts]) -> Facts:
    """Merge facts: lists are joined without repeats, of other fields the first value is taken.

    Args:
        origins: The most trusted first.
    """
    all_facts = list(origins)
    joined: dict[str, object] = {}
    for each in fields(Facts):
        values = [getattr(facts, each.name) for facts in all_facts]
        if each.name == "others":
            joined[each.name] = {k: v for value in reversed(values) for k, v in value.items()}
        elif isinstance(each.default, tuple):
            joined[each.name] = tuple(dict.fromkeys(item for value in values for item in value))
        else:
            joined[each.name] = next((value for value in values if value), each.default)
    return Facts(**joined)  # type: ignore[arg-type]


def clean(text: object) -> str:
    """Return an untrusted text without control characters, with white space folded per line."""
    if not isinstance(text, str):
        return ""
    kept = "".join(c if c.isprintable() or c in "\n\t" else " " for c in text[:_LONGEST_TEXT])
    lines = (" ".join(line.split()) for line in kept.splitlines())
    return "\n".join(line for line in lines if line).strip()


def one_line(text: str) -> str:
    """Return a name as one line; what follows in further lines is an address or a copyright."""
    return text.partition("\n")[0][:_LONGEST_NAME]


# What cameras and programs write where people describe a picture.
_MACHINE_WORDS: Final = frozenset({
    "olympus", "sanyo", "sony", "samsung", "kodak", "konica", "minolta", "nikon", "canon",
    "casio", "pentax", "ricoh", "fujifilm", "fuji", "panasonic", "vivitar", "polaroid", "benq",
    "medion", "traveler", "toshiba", "epson", "leica", "kyocera", "hp", "ge", "gopro", "digital",
    "still", "camera", "dcim", "dcf", "dsc", "corporation", "corp", "imaging", "co", "ltd",
    "inc", "hdr", "default", "untitled", "image", "picture", "img", "hdrpl", "cof", "sdr", "bty",
    "dav", "oznor", "rbt", "rhdr", "edf", "mde", "ptr", "jpeg", "jpg", "exif", "title",
    "description", "caption", "user", "comment", "comments", "ascii", "charset", "version",
    "screenshot", "applemark", "videophoto",
})  # fmt: skip
_MACHINE_PHRASES: Final = (
    "dcim\\", "dcim/", "creator:", "lead technologies", "created with", "file written by",
    "optimized by", "handmade software", "intel(r) jpeg", "processed with", "my beautiful picture",
    "exif_jpeg", "<kenox",
)  # fmt: skip
_FILE_NAME: Final = re.compile(r"[A-Za-z]{1,4}[_-]?\d{3,10}(?:\.\w{3,4})?")
_LETTERS: Final = re.compile(r"[^\W\d_]+")


def is_machine_text(text: str) -> bool:
    """Return whether a camera or a program wrote it, such as "OLYMPUS DIGITAL CAMERA"."""
    if len(text) > _LONGEST_MACHINE_TEXT or not text.isascii():
        return False
    folded = text.lower()
    if folded.startswith(_MACHINE_PHRASES) or _FILE_NAME.fullmatch(text):
        return True
    return all(word in _MACHINE_WORDS for word in _LETTERS.findall(folded))


def words(facts: Facts) -> str:
    """Return the text of a memory: title, description, people and tags."""
    written = [text for text in map(clean, facts.texts) if text and not is_machine_text(text)]
    parts = _without_parts_of_others(written)
    if facts.people:
        parts.append("People: " + ", ".join(facts.people))
    if facts.tags:
        parts.append("Tags: " + ", ".join(facts.tags))
    return "\n".join(parts)


def _without_parts_of_others(texts: list[str]) -> list[str]:
    """Drop texts contained in another one: files repeat descriptions in several fields."""
    distinct = list(dict.fromkeys(texts))
    if len(distinct) > _MOST_COMPARED:  # comparing each with each takes quadratic time
        return distinct
    return [t for t in distinct if not any(t != other and t in other for other in distinct)]
