"""Memories as JSON Lines, in our own schema: see ``docs/jsonl.md``.

A line is a memory as `Memory.to_json` writes it, and survives the round trip unchanged. A
handwritten line may omit unknown fields, even the id, and refers to media by relative paths.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError
from graphmemix.ingest.attachments import Attachments, locate
from graphmemix.ingest.lines import json_lines
from graphmemix.ingest.outline import outline
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_record
from graphmemix.memory import Media, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.record import Json

_FIELDS = frozenset(Memory.__dataclass_fields__)
_NO_ID = "?"  # placeholder; the real id is derived from the content


class JsonLines:
    """Reads files with one memory per line."""

    name = "jsonl"

    def recognises(self, found: Found) -> bool:
        """Return whether the first line is a memory in our schema."""
        keys = outline(found.head)
        top = {key[1:] for key in keys if key.count("/") == 1}
        return "kind" in top and bool(top & {"text", "media", "id"}) and top <= _FIELDS

    def companions(self, found: Found) -> Iterator[Path]:
        """Yield the existing media files that lines refer to. Reads the whole file."""
        for _, value in json_lines(found.path, found.name):
            for path in [] if isinstance(value, Skipped) else _paths(value):
                if locate(found.path.parent, path) is not None:
                    yield found.path.parent / path

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the memory of each line; an invalid line is skipped, naming the invalid fields."""
        attachments = Attachments(found, sink)
        for number, value in json_lines(found.path, found.name):
            if isinstance(value, Skipped):
                yield value
                continue
            yield read_record(f"{found.name} line {number}", _memory, value, attachments)
            yield from attachments.refused()


def _memory(fields: Mapping[str, Json], attachments: Attachments) -> Memory | str:
    """Return the memory of a line.

    Raises:
        InvalidDataError: Names every invalid field.
    """
    fields = dict(fields)
    paths = {i: path for i, path in enumerate(_media_paths(fields)) if path is not None}
    if paths:
        fields["media"] = [_without_path(each) for each in _list(fields["media"])]
    has_id = "id" in fields
    fields.setdefault("id", _NO_ID)
    memory = Memory.from_json(_as_json(fields))
    if paths:
        media = [
            _filled(medium, attachments.take(paths[i], mime=medium.mime, shown=medium.name))
            if i in paths
            else medium
            for i, medium in enumerate(memory.media)
        ]
        memory = replace(memory, media=tuple(media))
    return memory if has_id else _with_id(memory)


def _as_json(fields: Mapping[str, Json]) -> str:
    try:
        return json.dumps(fields, allow_nan=False)
    except ValueError:  # NaN, Infinity and 1e400, which Python reads but JSON cannot represent
        raise InvalidDataError("holds a number that is not finite") from None
    except RecursionError:
        raise InvalidDataError("is nested too deeply") from None


def _with_id(memory: Memory) -> Memory:
    given = {name: getattr(memory, name) for name in _FIELDS - {"id", "kind", "text"}}
    return Memory.new(memory.kind, memory.text, **given)


def _filled(stated: Media, kept: Media) -> Media:
    """Return a medium with the stored content; what the line states takes precedence."""
    return replace(
        stated,
        sha256=kept.sha256,
        mime=stated.mime or kept.mime,
        name=stated.name or kept.name,
        size=kept.size if kept.size is not None else stated.size,
    )


def _paths(fields: Mapping[str, Json]) -> Iterator[str]:
    yield from (path for path in _media_paths(fields) if path is not None)


def _media_paths(fields: Mapping[str, Json]) -> Iterator[str | None]:
    """Yield the path of each medium; None for one without."""
    for each in _list(fields.get("media")):
        path = each.get("path") if isinstance(each, dict) else None
        yield path if isinstance(path, str) and path else None


def _without_path(medium: Json) -> Json:
    if not isinstance(medium, dict):
        return medium
    return {key: value for key, value in medium.items() if key != "path"}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []
