"""Tables: fitted to the width of a terminal, tab-separated lines in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from graphmemix.cli.terminal import say, visible_in_line

__all__ = ["show_rows"]

_GAP = 2
_LEAST = 10  # columns of text that are worth a column


def show_rows(
    console: Console,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    texts: Sequence[str] = (),
) -> None:
    """Print a table on a terminal, tab-separated lines in a pipe.

    Args:
        console: Where to.
        columns: Their titles.
        rows: The cells.
        texts: Columns that may be cut to fit the width; all others, such as ids, are whole. On a
            terminal too narrow even so, each row becomes a line with its texts below.
    """
    cells = [tuple(map(visible_in_line, row)) for row in rows]
    if not console.is_terminal:
        for row in (tuple(columns), *cells):
            say("\t".join(row))
        return
    flexible = [columns.index(name) for name in texts]
    widths = _widths([tuple(columns), *cells], flexible, console.width)
    if widths is None:
        _show_stacked(console, cells, flexible)
        return
    titles = [
        Column(title, width=width, no_wrap=True, overflow="ellipsis")
        for title, width in zip(columns, widths, strict=True)
    ]
    table = Table(*titles, box=None, padding=(0, _GAP, 0, 0), pad_edge=False)
    for row in cells:
        table.add_row(*row)
    console.print(table)


def _widths(rows: Sequence[Sequence[str]], flexible: Sequence[int], most: int) -> list[int] | None:
    """Return the widths of columns; None if texts would get too little."""
    wanted = [max(map(cell_len, cells)) for cells in zip(*rows, strict=True)]
    fixed = sum(width for i, width in enumerate(wanted) if i not in flexible)
    room = most - fixed - _GAP * len(wanted)
    left = list(flexible)
    while left:  # narrow texts first: the others share what these leave
        i = min(left, key=lambda each: wanted[each])
        share = room // len(left)
        if wanted[i] > share:
            wanted[i] = share
            if share < _LEAST:
                return None
        room -= wanted[i]
        left.remove(i)
    return wanted if room >= 0 else None


def _show_stacked(console: Console, rows: Sequence[Sequence[str]], flexible: Sequence[int]) -> None:
    for row in rows:
        facts = "  ".join(cell for i, cell in enumerate(row) if cell and i not in flexible)
        console.print(facts, soft_wrap=True)
        for i in flexible:
            if row[i]:
                console.print(Padding(Text(row[i]), (0, 0, 0, 4)), soft_wrap=False)
