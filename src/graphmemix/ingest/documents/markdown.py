"""Markdown: a memory per section, split at headings."""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.parts import DocumentPart, DocumentProperties, memories, read_small
from graphmemix.ingest.node import iso_moment, short
from graphmemix.ingest.text import decode, looks_like_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_SUFFIXES = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mdx"})
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:={2,}|-{2,})[ \t]*")
_PLAIN = re.compile(r"[ ]{0,3}[^\s>|#*+=-]")  # a paragraph, not a list, a quote or a table
_FENCE = re.compile(r"[ ]{0,3}(```+|~~~+)")
_FIELD = re.compile(r"([A-Za-z_-]{1,40}):[ \t]*+(.*)")
_SHORTEST = 200  # characters; a shorter section is joined with the next one


class Markdown:
    """Reads notes; title, author and date come from the front matter.

    Args:
        zone: Time zone for dates without an offset; None for this machine's.
    """

    name = "markdown"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether this is text with a Markdown extension; the content can be any text."""
        return found.suffix in _SUFFIXES and looks_like_text(found.head)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing: pictures next to a note are imported as photos."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the sections in order."""
        text = decode(read_small(found)).replace("\r\n", "\n").replace("\r", "\n")
        front, body = _front_matter(text)
        title = front.get("title", "")
        said = DocumentProperties(
            short(title),
            short(front.get("author", "")),
            iso_moment(front.get("date") or front.get("created") or "-", self.zone),
        )
        yield from memories(found, self.name, _sections(body), said)


def _front_matter(text: str) -> tuple[dict[str, str], str]:
    """Return the fields between two lines of dashes at the start, and the rest."""
    lines = text.split("\n", 200)
    if lines[0].rstrip() != "---":
        return {}, text
    for end, line in enumerate(lines[1:-1] if len(lines) > 200 else lines[1:], start=1):
        if line.rstrip() in {"---", "..."}:
            fields = [match for each in lines[1:end] if (match := _FIELD.fullmatch(each))]
            return (
                {match[1].lower(): match[2].strip().strip("\"'") for match in fields},
                "\n".join(lines[end + 1 :]),
            )
    return {}, text


def _sections(text: str) -> Iterator[DocumentPart]:
    """Yield sections with their headings; very short ones are joined with the next."""
    title, lines, size = "", list[str](), 0
    for line, heading in _with_headings(text.split("\n")):
        if heading:
            if size >= _SHORTEST:
                yield DocumentPart("\n".join(lines), metadata={"section": short(title)})
                title, lines, size = "", [], 0
            title = title or heading
        lines.append(line)
        size += len(line)
    if any(line.strip() for line in lines):
        yield DocumentPart("\n".join(lines), metadata={"section": short(title)})


def _with_headings(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield each line with the heading that it is, if any; code between fences has none."""
    fence = ""
    for line, behind in zip_longest(lines, lines[1:], fillvalue=""):
        mark = _FENCE.match(line)
        if mark is not None and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        heading = ""
        if not fence and mark is None:
            match = _HEADING.match(line)
            if match is not None:
                # Not a regular expression: one that strips closing signs takes cubic time.
                heading = line[match.end() :].rstrip(" \t").rstrip("#").rstrip(" \t") or line
            elif _UNDERLINE.fullmatch(behind) and _PLAIN.match(line):
                heading = line.strip()
        yield line, heading
