"""OpenDocument: texts, spreadsheets, presentations and drawings of LibreOffice and others."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments
from graphmemix.ingest.documents.odf_words import Words
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.packed_pictures import PackedPictures
from graphmemix.ingest.documents.parts import DocumentPart, DocumentProperties, keep_file, memories
from graphmemix.ingest.documents.sheets import Room, blocks, cell
from graphmemix.ingest.node import iso_moment, short
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path
    from xml.etree.ElementTree import Element

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.record import Json

_KIND = re.compile(
    rb"PK\x03\x04.{26}mimetype(application/vnd\.oasis\.opendocument\."
    rb"(?:text|spreadsheet|presentation|graphics)(?:-[a-z]{1,20})?)",
    re.DOTALL,
)
_LONGEST_NOTE = 2_000  # characters
_MOST_REPEATED = 1_000  # equal cells or rows side by side; more are filler
_VALUES = ("date-value", "time-value", "boolean-value", "value")


class OpenDocument:
    """Reads sections by headings, sheets by rows, and slides, with their pictures.

    Args:
        zone: Time zone of the date of change, which has no offset; None for this machine's.
    """

    name = "opendocument"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether this is a package whose first file states the type."""
        return _KIND.match(found.head) is not None

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the parts in order.

        Raises:
            ImportSourceError: It is damaged, or encrypted with a password.
        """
        stated = _KIND.match(found.head)
        mime = stated[1].decode() if stated else "application/zip"
        parts: list[DocumentPart] = []
        with Packed(found) as packed:
            _refuse_encrypted(packed, found.name)
            document = _Document(packed, found, sink)
            for part in document.parts():
                if isinstance(part, Skipped):
                    yield part
                else:
                    parts.append(part)
            if document.objects:
                yield Skipped(found.name, f"charts or formulas not read: {document.objects}")
            about = self._about(packed)
        yield from memories(found, self.name, parts, about, file=keep_file(found, sink, mime))

    def _about(self, packed: Packed) -> DocumentProperties:
        """Return the properties of a document; damaged ones are ignored."""
        try:
            root = packed.xml_or_none("meta.xml")
        except ImportSourceError:
            root = None
        tags = root.iter() if root is not None else ()
        said = {each.tag: (each.text or "").strip() for each in tags}
        written = next(
            (
                when
                for name in ("date", "creation-date")
                if (when := iso_moment(said.get(name) or "-", self.zone))
            ),
            None,
        )
        kept = {"subject": "subject", "keywords": "keyword", "description": "description"}
        notes: dict[str, Json] = {
            name: said[tag][:_LONGEST_NOTE] for name, tag in kept.items() if said.get(tag)
        }
        author = said.get("initial-creator") or said.get("creator") or ""
        return DocumentProperties(short(said.get("title", "")), short(author), written, notes)


def _refuse_encrypted(packed: Packed, name: str) -> None:
    manifest = packed.xml_or_none("META-INF/manifest.xml", document_type=True)
    entries = manifest.iter("file-entry") if manifest is not None else ()
    if any(each.find("encryption-data") is not None for each in entries):
        raise ImportSourceError(f"{name}: is encrypted with a password")


class _Document:
    """The content of one file."""

    def __init__(self, packed: Packed, found: Found, sink: MediaSink) -> None:
        self._packed = packed
        self._name = found.name
        self._pictures = PackedPictures(packed, Attachments(found, sink))
        self.objects = 0

    def parts(self) -> Iterator[DocumentPart | Skipped]:
        """Yield sections, blocks of rows or slides, whichever the document has."""
        body = self._packed.xml("content.xml").find("body")
        room = Room()
        for content in body if body is not None else ():
            if content.tag == "text":
                yield from self._sections(content)
            elif content.tag == "spreadsheet":
                for table in content.iter("table"):
                    title = short(table.get("name", ""))
                    label = f"{self._name} sheet {title!r}"
                    yield from blocks(title, _rows(table), label, room)
            else:
                yield from self._slides(content)

    def _sections(self, content: Element) -> Iterator[DocumentPart]:
        title, words = "", Words()
        for block in content:
            if block.tag == "h" and words:
                yield self._part(words, {"section": title})
                words = Words()
            before = len(words.lines)
            words.add(block)
            if block.tag == "h":
                title = short(" ".join(words.lines[before:]))
        if words:
            yield self._part(words, {"section": title})

    def _slides(self, content: Element) -> Iterator[DocumentPart]:
        for number, page in enumerate(content.iter("page"), start=1):
            words, notes = Words(), Words()
            for shape in page:
                (notes if shape.tag == "notes" else words).add(shape)
            if notes.lines:
                words.lines += ["Notes:", *notes.lines]
            if words:
                yield self._part(words, {"slide": number})

    def _part(self, words: Words, metadata: dict[str, Json]) -> DocumentPart:
        self.objects += words.objects
        return DocumentPart("\n".join(words.lines), self._pictures.take(words.pictures), metadata)


def _rows(table: Element) -> Iterator[list[str]]:
    """Yield the rows of a sheet; repeated ones that are not empty as often as they are stated."""
    for row in table.iter("table-row"):
        cells: list[str] = []
        for each in row:
            if each.tag in {"table-cell", "covered-table-cell"}:
                cells += [_cell(each)] * _repeated(each, "number-columns-repeated")
        while cells and not cells[-1]:
            cells.pop()
        for _ in range(_repeated(row, "number-rows-repeated") if cells else 1):
            yield cells


def _cell(element: Element) -> str:
    words = Words()
    for child in element:
        words.add(child)
    stated = next((value for name in _VALUES if (value := element.get(name))), "")
    return cell(" ".join(words.lines) or stated)


def _repeated(element: Element, attribute: str) -> int:
    stated = element.get(attribute, "1")
    return max(1, min(int(stated), _MOST_REPEATED)) if stated[:9].isdecimal() else 1
