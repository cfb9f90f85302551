"""PowerPoint presentations: a memory per slide, with its notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.office import about, holds, related
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.parts import Part, keep_file, memories
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, Keeper, Reading

_MAIN = "ppt/presentation.xml"
_MIME = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


class Pptx:
    """Reads slides in the order in which they are shown."""

    name = "pptx"

    def recognises(self, found: Found) -> bool:
        """Say whether this is a package with a presentation in it."""
        return holds(found, _MAIN)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Name nothing."""
        yield from ()

    def read(self, found: Found, keeper: Keeper) -> Iterator[Reading]:
        """Yield the slides in order; a damaged one is skipped."""
        parts: list[Part] = []
        with Packed(found) as packed:
            for number, member in enumerate(_slides(packed), start=1):
                try:
                    parts.append(Part(_words(packed, member), metadata={"slide": number}))
                except ImportSourceError:
                    yield Skipped(f"{found.name} slide {number}", "cannot be read")
            said = about(packed)
        yield from memories(found, self.name, parts, said, file=keep_file(found, keeper, _MIME))


def _slides(packed: Packed) -> list[str]:
    targets = related(packed, _MAIN)
    listed = packed.xml(_MAIN).find("sldIdLst")
    ids = [] if listed is None else [each.get("r:id", "") for each in listed]
    return [targets[each][1] for each in ids if each in targets]


def _words(packed: Packed, member: str) -> str:
    lines = list(_lines(packed.xml(member)))
    for kind, target in related(packed, member).values():
        if kind == "notesSlide" and target in packed:
            notes = [line for line in _lines(packed.xml(target)) if not line.isdigit()]
            lines += ["", "Notes:", *notes] if notes else []
    return "\n".join(lines)


def _lines(root: Element) -> Iterator[str]:
    """Yield paragraphs, and the rows of tables as one line each."""
    inside = {id(p) for table in root.iter("tbl") for p in table.iter("p")}
    for element in root.iter():
        if element.tag == "tr":
            cells = [_cell(cell) for cell in element.findall("tc")]
            if any(cells):
                yield " | ".join(cells)
        elif element.tag == "p" and id(element) not in inside:
            text = _paragraph(element)
            if text:
                yield text


def _cell(element: Element) -> str:
    return " ".join(filter(None, map(_paragraph, element.iter("p"))))


def _paragraph(element: Element) -> str:
    parts = []
    for each in element.iter():
        if each.tag == "t":
            parts.append(each.text or "")
        elif each.tag == "br":
            parts.append("\n")
    return "".join(parts).strip()
