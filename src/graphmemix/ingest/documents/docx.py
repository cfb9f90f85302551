"""Word documents: a memory per section, split at headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.drawings import Drawings
from graphmemix.ingest.documents.office import about, holds
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.parts import DocumentPart, keep_file, memories
from graphmemix.ingest.node import short

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media

_BODY = "word/document.xml"
_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_HEADING = re.compile(r"(?:heading|title|subtitle)\b\s*(\d*)", re.IGNORECASE)
_SPACES = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_UNREAD = frozenset({"pPr", "rPr", "sectPr", "tblPr", "tblGrid", "del", "moveFrom", "Fallback"})


class Docx:
    """Reads text, tables, notes, pictures and charts, with all tracked changes accepted."""

    name = "docx"
    version = 2

    def recognises(self, found: Found) -> bool:
        """Return whether this is a package with a Word document in it."""
        return holds(found, _BODY)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the sections in order; an empty document is one that holds its file."""
        with Packed(found) as packed:
            drawings = Drawings(packed, sink, found.name)
            parts = list(_sections(packed, drawings)) or [DocumentPart("")]
            said = about(packed)
        yield from memories(found, self.name, parts, said, file=keep_file(found, sink, _MIME))
        yield from drawings.skipped


def _sections(packed: Packed, drawings: Drawings) -> Iterator[DocumentPart]:
    styles = _Styles(packed)
    body = packed.xml(_BODY).find("body")
    title, lines = "", list[str]()
    pictures: list[Media] = []
    for block in body if body is not None else ():
        is_heading = block.tag == "p" and styles.is_heading(block)
        if is_heading and (any(lines) or pictures):
            yield DocumentPart("\n".join(lines), tuple(pictures), {"section": title})
            lines, pictures = [], []
        for line in _lines(block, styles):
            if is_heading:
                title = short(line)
            lines.append(line)
        drawn, shown = drawings.of(block, _BODY)
        lines += drawn
        pictures += shown
    if any(lines) or pictures:
        yield DocumentPart("\n".join(lines), tuple(pictures), {"section": title})
    for member in ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"):
        root = packed.xml_or_none(member)
        notes = [line for note in ([] if root is None else root) for line in _lines(note, styles)]
        if any(notes):
            yield DocumentPart("\n".join(filter(None, notes)), metadata={"section": member[5:-4]})


class _Styles:
    """Finds headings and list items by style name: ids of styles are translated, names are not."""

    def __init__(self, packed: Packed) -> None:
        self._headings: set[str] = set()
        self._lists: set[str] = set()
        root = packed.xml_or_none("word/styles.xml")
        for style in root.iter("style") if root is not None else ():
            name = style.find("name")
            if name is not None and _HEADING.match(name.get("val", "")):
                self._headings.add(style.get("styleId", ""))
            elif style.find("pPr/numPr") is not None:
                self._lists.add(style.get("styleId", ""))

    def is_heading(self, paragraph: Element) -> bool:
        style = _style_of(paragraph)
        outlined = paragraph.find("pPr/outlineLvl") is not None
        return style in self._headings or bool(_HEADING.match(style)) or outlined

    def is_item(self, paragraph: Element) -> bool:
        return paragraph.find("pPr/numPr") is not None or _style_of(paragraph) in self._lists


def _style_of(paragraph: Element) -> str:
    style = paragraph.find("pPr/pStyle")
    return "" if style is None else style.get("val", "")


def _lines(block: Element, styles: _Styles) -> list[str]:
    """Return the lines of a paragraph, a table or another container."""
    lines: list[str] = []
    _collect(block, styles, lines)
    return lines


def _collect(block: Element, styles: _Styles, lines: list[str]) -> None:
    """Add the lines of a block; each element is visited once, however deep it lies."""
    if block.tag == "p":
        parts: list[str] = []
        _collect_runs(block, parts)
        text = "".join(parts).strip()
        lines.append(f"- {text}" if text and styles.is_item(block) else text)
    elif block.tag == "tr":
        cells = [_cell(cell, styles) for cell in block.findall("tc")]
        if any(cells):
            lines.append(" | ".join(cells))
    elif block.tag not in _UNREAD:
        for child in block:
            _collect(child, styles, lines)


def _cell(element: Element, styles: _Styles) -> str:
    """Return a cell on one line, with the rows of tables in it."""
    lines: list[str] = []
    for child in element:
        _collect(child, styles, lines)
    return " ".join(filter(None, (line.strip() for line in lines)))


def _collect_runs(element: Element, parts: list[str]) -> None:
    """Add the text of a paragraph, without deleted text and fallbacks of drawings."""
    for child in element:
        if child.tag == "t":
            parts.append(child.text or "")
        elif child.tag in _SPACES:
            parts.append(_SPACES[child.tag])
        elif child.tag not in _UNREAD and child.tag != "instrText":
            if child.tag == "p":  # the text of a drawing
                parts.append("\n")
            _collect_runs(child, parts)
