"""What one source says about a picture or a recording, and how several are put together."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.record import Json
    from graphmemix.text.coordinates import Point
    from graphmemix.text.dates.capture_time import Hint

_LONGEST_TEXT = 10_000  # characters; a file may claim to describe itself in megabytes
_MOST_COMPARED = 64  # texts; every field and language of a real picture are fewer


@dataclass(frozen=True)
class Facts:
    """Everything that EXIF, XMP, a sidecar or a container may say.

    Attributes:
        times: What it says about the time, the most trusted first.
        point: Coordinates.
        place_name: As a person wrote it.
        texts: What people wrote about it: title, description, comment.
        tags: Keywords.
        people: Who is to be seen.
        creator: Who took it.
        camera: Make and model.
        burst: What the shots of one burst share.
        others: Anything else worth keeping.
        notes: What was wrong, in words without content.
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


def together(sources: Iterable[Facts]) -> Facts:
    """Return the facts of all sources: lists joined without repeats, else the first that says it.

    Args:
        sources: The most trusted first.
    """
    all_of_them = list(sources)
    joined: dict[str, object] = {}
    for each in fields(Facts):
        values = [getattr(facts, each.name) for facts in all_of_them]
        if each.name == "others":
            joined[each.name] = {k: v for value in reversed(values) for k, v in value.items()}
        elif isinstance(each.default, tuple):
            joined[each.name] = tuple(dict.fromkeys(item for value in values for item in value))
        else:
            joined[each.name] = next((value for value in values if value), each.default)
    return Facts(**joined)  # type: ignore[arg-type]


def clean(text: object) -> str:
    """Return a text of foreign origin without control characters, white space folded by line."""
    if not isinstance(text, str):
        return ""
    kept = "".join(c if c.isprintable() or c in "\n\t" else " " for c in text[:_LONGEST_TEXT])
    lines = (" ".join(line.split()) for line in kept.splitlines())
    return "\n".join(line for line in lines if line).strip()


def words(facts: Facts) -> str:
    """Return what people wrote about a picture as the text of its memory."""
    parts = _without_parts_of_others([text for text in map(clean, facts.texts) if text])
    if facts.people:
        parts.append("People: " + ", ".join(facts.people))
    if facts.tags:
        parts.append("Tags: " + ", ".join(facts.tags))
    return "\n".join(parts)


def _without_parts_of_others(texts: list[str]) -> list[str]:
    """Leave out a text that another one holds: files repeat descriptions in several fields."""
    distinct = list(dict.fromkeys(texts))
    if len(distinct) > _MOST_COMPARED:  # comparing each with each takes quadratic time
        return distinct
    return [t for t in distinct if not any(t != other and t in other for other in distinct)]
