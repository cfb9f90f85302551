"""Untrusted JSON Lines: one object per line; a bad line is skipped and the rest is read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from graphmemix.record import Json

LONGEST_LINE = 64 << 20
"""Bytes; a longer line is skipped. Lines may contain pictures as data URLs."""


def raw_lines(path: Path, name: str) -> Iterator[tuple[int, bytes | Skipped]]:
    """Yield the lines that are not empty, with their numbers from 1; too long ones as `Skipped`.

    Raises:
        ImportSourceError: The file cannot be read to the end.
    """
    try:
        with path.open("rb") as stream:
            number = 0
            while line := stream.readline(LONGEST_LINE):
                number += 1
                if len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
                    while rest := stream.readline(LONGEST_LINE):
                        if rest.endswith(b"\n"):
                            break
                    yield number, Skipped(f"{name} line {number}", "is too long")
                elif line.strip(b" \t\r\n\xef\xbb\xbf"):
                    yield number, line.removeprefix(b"\xef\xbb\xbf")
    except OSError as error:
        raise ImportSourceError(f"{name}: cannot be read: {error.strerror}") from None


def json_lines(path: Path, name: str) -> Iterator[tuple[int, dict[str, Json] | Skipped]]:
    """Yield the objects of a file, with their line numbers; anything else as `Skipped`.

    Raises:
        ImportSourceError: The file cannot be read to the end.
    """
    for number, line in raw_lines(path, name):
        if isinstance(line, Skipped):
            yield number, line
            continue
        try:
            value = json.loads(line.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            yield number, value
        else:
            yield number, Skipped(f"{name} line {number}", "is not a JSON object")
