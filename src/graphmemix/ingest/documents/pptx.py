"""PowerPoint presentations: a memory per slide, with its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.drawings import Drawings
from graphmemix.ingest.documents.office import about, holds, related
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.parts import DocumentPart, keep_file, memories
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_MAIN = "ppt/presentation.xml"
_MIME = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


class Pptx:
    """Reads slides in the order in which they are shown."""

    name = "pptx"
    version = 2

    def recognises(self, found: Found) -> bool:
        """Return whether this is a package with a presentation in it."""
        return holds(found, _MAIN)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the slides in order; a damaged one is skipped."""
        parts: list[DocumentPart] = []
        noted: set[str] = set()
        with Packed(found) as packed:
            drawings = Drawings(packed, sink, found.name)
            for number, member in enumerate(_slides(packed), start=1):
                try:
                    text = _words(packed, member, noted)
                    drawn, pictures = drawings.of(packed.xml(member), member)
                    text = "\n".join(filter(None, [text, *drawn]))
                    parts.append(DocumentPart(text, tuple(pictures), {"slide": number}))
                except ImportSourceError:
                    yield Skipped(f"{found.name} slide {number}", "cannot be read")
            said = about(packed)
        kept = keep_file(found, sink, _MIME)
        yield from memories(found, self.name, parts or [DocumentPart("")], said, file=kept)
        yield from drawings.skipped


def _slides(packed: Packed) -> list[str]:
    """Return the slides in order, each once: a malicious file may list one a million times."""
    targets = related(packed, _MAIN)
    listed = packed.xml(_MAIN).find("sldIdLst")
    ids = [] if listed is None else [each.get("r:id", "") for each in listed]
    return list(dict.fromkeys(targets[each][1] for each in ids if each in targets))


def _words(packed: Packed, member: str, noted: set[str]) -> str:
    """Return the text of a slide and its notes, unless these are in `noted` already."""
    lines = _lines(packed.xml(member))
    for kind, target in related(packed, member).values():
        if kind == "notesSlide" and target in packed and target not in noted:
            noted.add(target)
            notes = [line for line in _lines(packed.xml(target)) if not line.isdigit()]
            lines += ["", "Notes:", *notes] if notes else []
    return "\n".join(lines)


def _lines(root: Element) -> list[str]:
    """Return paragraphs, and the rows of tables as one line each."""
    lines: list[str] = []
    _collect(root, lines)
    return lines


def _collect(element: Element, lines: list[str]) -> None:
    """Add the lines of an element; each element is visited once, however deep it lies."""
    if element.tag == "p":
        text = _paragraph(element)
        if text:
            lines.append(text)
    elif element.tag == "tr":
        cells = [_cell(cell) for cell in element.findall("tc")]
        if any(cells):
            lines.append(" | ".join(cells))
    else:
        for child in element:
            _collect(child, lines)


def _cell(element: Element) -> str:
    return " ".join(_lines(element))


def _paragraph(element: Element) -> str:
    parts = []
    for each in element.iter():
        if each.tag == "t":
            parts.append(each.text or "")
        elif each.tag == "br":
            parts.append("\n")
    return "".join(parts).strip()
