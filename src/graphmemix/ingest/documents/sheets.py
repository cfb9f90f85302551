"""Sheets of a workbook as parts: blocks of rows, each with the row that has the column names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.ingest.documents.parts import LONGEST_PART, DocumentPart
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_MOST_CELLS = 1_000_000
_LONGEST_CELL = 4_000  # characters
_LONGEST_SHEET = 32 << 20  # characters; a text that is stored once may be used in each cell
_MOST_OF_A_BOOK = 4  # sheets of maximum size


class Room:
    """How much more of a sheet or workbook may be read."""

    def __init__(self, share: int = _MOST_OF_A_BOOK) -> None:
        self.cells = share * _MOST_CELLS
        self.characters = share * _LONGEST_SHEET

    def take(self, cells: int, characters: int) -> bool:
        """Deduct this much; return whether it may be read."""
        self.cells -= cells
        self.characters -= characters
        return self.cells >= 0 and self.characters >= 0


def blocks(
    title: str, rows: Iterable[Sequence[str]], name: str, book: Room
) -> Iterator[DocumentPart | Skipped]:
    """Yield blocks of rows that fit into a part.

    Args:
        title: The name of the sheet, which starts each block.
        rows: The cells of each row, as people write them.
        name: The sheet's name in reports.
        book: What may still be read of the workbook.
    """
    room = Room(1)
    header, lines, size = "", list[str](), 0
    for row in rows:
        cells, line = len(row) + 1, " | ".join(row).strip(" |")
        if not (room.take(cells, len(line)) and book.take(cells, len(line))):
            yield Skipped(
                name, f"has more than {_MOST_CELLS:,} cells, or too much text; the rest is left out"
            )
            break
        if not line:
            continue
        if size + len(line) > LONGEST_PART - len(title) - 2 and lines:
            yield _part(title, lines)
            lines, size = [header], len(header) + 1
        header = header or line[:500]
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield _part(title, lines)


def cell(text: str) -> str:
    """Return the text of a cell on one line and of bounded length."""
    return " ".join(text[: 4 * _LONGEST_CELL].split())[:_LONGEST_CELL]


def _part(title: str, lines: list[str]) -> DocumentPart:
    return DocumentPart("\n".join([title, *lines]), metadata={"sheet": title})
