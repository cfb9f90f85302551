"""Excel workbooks: a memory per sheet, or per block of rows of a long one."""

from __future__ import annotations

import warnings
from datetime import date, datetime, time
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError, MissingExtraError
from graphmemix.ingest.documents.office import about, holds
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.parts import DocumentPart, keep_file, memories
from graphmemix.ingest.documents.sheets import Room, blocks, cell
from graphmemix.ingest.node import short
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.xml_tree import refuse_document_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_MAIN = "xl/workbook.xml"
_MIME = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class Xlsx:
    """Reads values, and for formulas the last saved results. Needs ``documents``."""

    name = "xlsx"

    def recognises(self, found: Found) -> bool:
        """Return whether this is a package with a workbook in it."""
        return holds(found, _MAIN)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the sheets in order; each block repeats the first row, which has the column names.

        Raises:
            MissingExtraError: The extra ``documents`` is not installed.
        """
        parts: list[DocumentPart] = []
        with Packed(found) as packed:  # checks the limits before anything is unpacked
            said = about(packed)
            _refuse_document_types(packed, found)
        for part in _sheets(found):
            if isinstance(part, Skipped):
                yield part
            else:
                parts.append(part)
        yield from memories(found, self.name, parts, said, file=keep_file(found, sink, _MIME))


def _refuse_document_types(packed: Packed, found: Found) -> None:
    """Refuse XML that could define entities, before the library parses it."""
    for member in packed.members():
        if member.endswith((".xml", ".rels")):
            refuse_document_type(packed.read(member), f"{found.name}: {member}")


def _sheets(found: Found) -> Iterator[DocumentPart | Skipped]:
    try:
        import openpyxl
    except ImportError:
        raise MissingExtraError("documents", "reading Excel workbooks") from None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about unsupported styles and extensions
            book = openpyxl.load_workbook(found.path, read_only=True, data_only=True)
            try:
                yield from _of_book(book.worksheets, found.name)
            finally:
                book.close()
    except ImportSourceError:
        raise
    except Exception as error:  # noqa: BLE001  # the library raises what its parsers raise
        kind = type(error).__name__
        raise ImportSourceError(f"{found.name}: is not a readable workbook ({kind})") from None


def _of_book(sheets: Iterable[object], name: str) -> Iterator[DocumentPart | Skipped]:
    """Yield the sheets, each once: a malicious workbook may list one a million times."""
    room = Room()
    seen: set[str] = set()
    for sheet in sheets:
        title = short(str(getattr(sheet, "title", "")))
        path = str(getattr(sheet, "_worksheet_path", id(sheet)))
        if path not in seen:
            seen.add(path)
            yield from _sheet(sheet, title, f"{name} sheet {title!r}", room)


def _sheet(sheet: object, title: str, name: str, book: Room) -> Iterator[DocumentPart | Skipped]:
    if hasattr(sheet, "reset_dimensions"):
        sheet.reset_dimensions()  # the stated size may be wrong and would add empty cells
    rows = (list(map(_shown, row)) for row in getattr(sheet, "values", ()))
    yield from blocks(title, rows, name, book)


def _shown(value: object) -> str:
    """Return a cell as people write it: no time for midnight, no decimals for whole numbers."""
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return cell(str(value))
