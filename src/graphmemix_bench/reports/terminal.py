"""A report on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.table import Table as RichTable
from rich.text import Text

from graphmemix_bench.reports.tables import Table, tables

if TYPE_CHECKING:
    from rich.console import Console

    from graphmemix_bench.reports.record import BenchReport


def show(report: BenchReport, console: Console) -> None:
    """Print a report's head, tables and notes."""
    console.print(Text(headline(report), style="bold"))
    if report.counts is not None:
        console.print(Text(report.counts.line, style="dim"))
    shown = tables(report)
    for table, after in zip(shown, [*shown[1:], None], strict=True):
        show_table(table, console, noted=after is None or after.note != table.note)
    for note in report.notes:
        console.print(Text(f"Note: {note}"))


def show_table(table: Table, console: Console, *, noted: bool = True) -> None:
    """Print a table with its title and, if `noted`, its note."""
    console.print()
    title = f"{table.title} (published)" if table.published else table.title
    console.print(Text(title, style="bold"))
    console.print(rich_table(table))
    if table.note and noted:
        console.print(Text(table.note, style="dim italic"))


def headline(report: BenchReport) -> str:
    """Return the first line of every report."""
    return (
        f"{report.title}: {len(report.contexts)} contexts, {report.questions:,} questions "
        f"({report.annotated:,} with gold), {report.seconds:,.0f} s"
    )


def rich_table(table: Table) -> RichTable:
    """Return a table for rich; published ones are dim."""
    made = RichTable(box=box.SIMPLE_HEAD, style="dim" if table.published else "")
    for index, name in enumerate(table.head):
        made.add_column(Text(name), justify="left" if index == 0 else "right", overflow="fold")
    for row in table.rows:
        made.add_row(*map(Text, row))
    return made
