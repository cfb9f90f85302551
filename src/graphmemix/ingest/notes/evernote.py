"""Evernote's export ``.enex``: notes in XML, with their files."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.ingest.attachments import Attachments
from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.node import number, place_at, short
from graphmemix.ingest.notes.note import note
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.records import read_parts
from graphmemix.ingest.xml_stream import root_tag, xml_records

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media, Memory
    from graphmemix.record import Json

_NOTES = frozenset({"note"})
_TODO = re.compile(r"<en-todo\b([^<>]{0,200})>")
_OPENING, _CLOSING = "<en-crypt", "</en-crypt>"
_MOST_FILES = 500  # of a note


class Evernote:
    """Reads notes with their dates, tags, place, files and check boxes."""

    name = "evernote"

    def recognises(self, found: Found) -> bool:
        """Return whether the file is XML whose outermost element is that of an export."""
        return root_tag(found.head) == "en-export"

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing: files are part of the export."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the notes. Holds one at a time.

        Raises:
            ImportSourceError: The rest of the file is not XML.
        """
        attachments = Attachments(found, sink)
        for position, element in enumerate(xml_records(found.path, found.name, _NOTES), start=1):
            label = f"{found.name} note {position}"
            yield from read_parts(label, _note, element, found, attachments)
            if _OPENING in (element.findtext("content") or ""):
                yield Skipped(label, "has an encrypted part, which is left out")
            yield from attachments.refused()


def _note(element: Element, found: Found, attachments: Attachments) -> list[Memory]:
    title = short(element.findtext("title") or "")
    content = _TODO.sub(_box, _decrypted(element.findtext("content") or ""))
    created = _moment(element.findtext("created"))
    changed = _moment(element.findtext("updated"))
    about = element.find("note-attributes")
    files = element.findall("resource")[:_MOST_FILES]
    notes: dict[str, Json] = {
        "title": title,
        "notebook": short(found.path.stem),
        "labels": [short(tag.text or "") for tag in element.findall("tag")],
        "url": short(_of(about, "source-url")),
        "edited": changed.isoformat() if changed and changed != created else "",
    }
    return note(
        Evernote.name,
        [element.findtext("created") or "", title],
        "\n".join(filter(None, [title, to_text(content)])),
        speaker=short(_of(about, "author")),
        timestamp=created or changed,
        place=place_at(number(_of(about, "latitude")), number(_of(about, "longitude"))),
        media=[medium for each in files if (medium := _file(each, attachments)) is not None],
        metadata=notes,
    )


def _box(match: re.Match[str]) -> str:
    return "[x] " if 'checked="true"' in match[1] else "[ ] "


def _decrypted(content: str) -> str:
    """Return a note without its encrypted parts, which are noise to a reader."""
    pieces: list[str] = []
    position = 0
    while (start := content.find(_OPENING, position)) >= 0:
        pieces.append(content[position:start])
        end = content.find(_CLOSING, start)
        position = len(content) if end < 0 else end + len(_CLOSING)
    return "".join([*pieces, content[position:]])


def _moment(text: str | None) -> datetime | None:
    try:
        return datetime.strptime((text or "").strip(), "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None


def _of(about: Element | None, name: str) -> str:
    return "" if about is None else about.findtext(name) or ""


def _file(element: Element, attachments: Attachments) -> Media | None:
    name = _of(element.find("resource-attributes"), "file-name")
    mime = element.findtext("mime") or ""
    return attachments.keep_base64(element.findtext("data") or "", mime=mime, shown=name)
