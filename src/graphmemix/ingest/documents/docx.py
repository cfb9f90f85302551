"""Word documents: a memory per section, as headings cut them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.office import about, holds
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.parts import Part, keep_file, memories

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, Keeper, Reading

_BODY = "word/document.xml"
_MIME = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_HEADING = re.compile(r"(?:heading|title|subtitle)\b\s*(\d*)", re.IGNORECASE)
_SPACES = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


class Docx:
    """Reads the text, its tables and its notes as they are after all accepted changes."""

    name = "docx"

    def recognises(self, found: Found) -> bool:
        """Say whether this is a package with a Word document in it."""
        return holds(found, _BODY)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Name nothing."""
        yield from ()

    def read(self, found: Found, keeper: Keeper) -> Iterator[Reading]:
        """Yield the sections in order."""
        with Packed(found) as packed:
            parts = list(_sections(packed))
            said = about(packed)
        yield from memories(found, self.name, parts, said, file=keep_file(found, keeper, _MIME))


def _sections(packed: Packed) -> Iterator[Part]:
    styles = _Styles(packed)
    body = packed.xml(_BODY).find("body")
    title, lines = "", list[str]()
    for block in body if body is not None else ():
        is_heading = block.tag == "p" and styles.is_heading(block)
        if is_heading and any(lines):
            yield Part("\n".join(lines), metadata={"section": title})
            lines = []
        for line in _lines(block, styles):
            if is_heading:
                title = line.strip()
            lines.append(line)
    if any(lines):
        yield Part("\n".join(lines), metadata={"section": title})
    for member in ("word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"):
        root = packed.xml_or_none(member)
        notes = [line for note in ([] if root is None else root) for line in _lines(note, styles)]
        if any(notes):
            yield Part("\n".join(filter(None, notes)), metadata={"section": member[5:-4]})


class _Styles:
    """Which paragraphs are headings and list items: ids of styles are translated, names are not."""

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


def _lines(block: Element, styles: _Styles) -> Iterator[str]:
    """Yield the lines of a paragraph, a table, or whatever holds them."""
    if block.tag == "p":
        text = "".join(_runs(block)).strip()
        yield f"- {text}" if text and styles.is_item(block) else text
    elif block.tag == "tbl":
        for row in block.iter("tr"):
            cells = [_cell(cell, styles) for cell in row.findall("tc")]
            if any(cells):
                yield " | ".join(cells)
    elif block.tag not in {"pPr", "rPr", "sectPr", "del", "moveFrom", "Fallback"}:
        for child in block:
            yield from _lines(child, styles)


def _cell(element: Element, styles: _Styles) -> str:
    lines = (line.strip() for child in element for line in _lines(child, styles))
    return " ".join(filter(None, lines))


def _runs(element: Element) -> Iterator[str]:
    """Yield the text of a paragraph; deleted text and the fallbacks of drawings are passed over."""
    for child in element:
        if child.tag == "t":
            yield child.text or ""
        elif child.tag in _SPACES:
            yield _SPACES[child.tag]
        elif child.tag == "p":  # the text of a drawing
            yield "\n" + "".join(_runs(child))
        elif child.tag not in {"del", "moveFrom", "Fallback", "pPr", "rPr", "instrText"}:
            yield from _runs(child)
