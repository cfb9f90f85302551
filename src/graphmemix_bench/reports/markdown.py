"""A report as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix_bench.reports.tables import Table, tables
from graphmemix_bench.reports.terminal import headline

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graphmemix_bench.reports.record import BenchReport

_ESCAPED = str.maketrans({"|": "\\|", "\n": " ", "<": "&lt;", "*": "\\*", "_": "\\_", "`": "\\`"})


def to_markdown(report: BenchReport, plots: Mapping[str, str] | None = None) -> str:
    """Return a report as Markdown.

    Args:
        report: What was found.
        plots: Title to the path of its picture, relative to the file.
    """
    return "\n".join(_lines(report, plots or {})) + "\n"


def _lines(report: BenchReport, plots: Mapping[str, str]) -> Iterator[str]:
    yield f"# {_plain(report.title)}"
    yield ""
    yield _plain(headline(report)) + "."
    if report.counts is not None:
        yield ""
        yield f"Counts: {_plain(report.counts.line)}."
    for note in report.notes:
        yield ""
        yield f"> {_plain(note)}"
    if report.command:
        yield from ("", "```sh", report.command, "```")
    for title, path in plots.items():
        yield ""
        yield f"![{_plain(title)}]({path})"
    ours = [table for table in tables(report) if not table.published]
    theirs = [table for table in tables(report) if table.published]
    for table in ours:
        yield from table_lines(table)
    if theirs:
        yield from ("", "## Published figures", "")
        yield "What others published, for comparison. None of these figures is ours."
        for table in theirs:
            yield from table_lines(table)
    yield from ("", "## How it was run", "")
    for name, value in {**report.identities, **report.environment, "data": report.data}.items():
        if value:
            yield f"- {_plain(name)}: {_plain(value)}"


def table_lines(table: Table) -> Iterator[str]:
    """Yield a table with its heading, as lines of Markdown."""
    yield ""
    yield (
        f"### {_plain(table.title)} (published)" if table.published else f"## {_plain(table.title)}"
    )
    yield ""
    yield "| " + " | ".join(map(_plain, table.head)) + " |"
    yield "|" + "|".join("---" if index == 0 else "---:" for index in range(len(table.head))) + "|"
    for row in table.rows:
        yield "| " + " | ".join(map(_plain, row)) + " |"
    if table.note:
        yield ""
        yield _plain(table.note)


def _plain(text: str) -> str:
    return text.translate(_ESCAPED)
