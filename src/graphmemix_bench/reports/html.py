"""A report as one HTML file: no script, no fonts and no pictures from elsewhere, light and dark."""

from __future__ import annotations

import base64
from html import escape
from typing import TYPE_CHECKING

from graphmemix_bench.reports.tables import Table, tables
from graphmemix_bench.reports.terminal import headline

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graphmemix_bench.reports.plots import Plot
    from graphmemix_bench.reports.record import BenchReport

_STYLE = """
:root { color-scheme: light dark; --paper:#fff; --ink:#1f2430; --faint:#e3e6ec; --soft:#5b6472;
  --card:#f7f8fa; --theirs:#f1efe8; --accent:#0b6bcb }
@media (prefers-color-scheme: dark) { :root { --paper:#14171d; --ink:#e4e8ef; --faint:#2b313c;
  --soft:#9aa4b2; --card:#1b1f27; --theirs:#242119; --accent:#5fb0ff } }
* { box-sizing: border-box }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 72rem; background: var(--paper);
  color: var(--ink); font: 15px/1.55 system-ui, sans-serif }
h1 { font-size: 1.7rem; margin: 0 0 .25rem } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem }
p { margin: .4rem 0 } .soft { color: var(--soft); font-size: .9rem }
pre { background: var(--card); padding: .7rem .9rem; overflow-x: auto; border-radius: 6px }
.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums }
th, td { padding: .34rem .8rem; text-align: right; border-bottom: 1px solid var(--faint);
  white-space: nowrap }
th:first-child, td:first-child { text-align: left } th { color: var(--soft); font-weight: 600 }
figure { margin: 1.4rem 0 } figure img { max-width: 100%; height: auto }
img.dark { display: none }
@media (prefers-color-scheme: dark) { img.dark { display: inline } img.light { display: none } }
.theirs { background: var(--theirs); border-radius: 8px; padding: .2rem 1rem 1rem;
  margin-top: 2rem }
.tag { font-size: .72rem; border: 1px solid var(--soft); color: var(--soft); border-radius: 4px;
  padding: 0 .35rem; margin-left: .5rem; vertical-align: middle; font-weight: 400 }
.note { border-left: 3px solid var(--accent); padding-left: .8rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; font-size: .88rem }
dt { color: var(--soft) } dd { margin: 0; overflow-wrap: anywhere }
"""


def to_html(report: BenchReport, plots: Sequence[Plot] = ()) -> str:
    """Return a report as one self-contained HTML file. `plots` are SVG pictures."""
    return "\n".join(_lines(report, plots)) + "\n"


def page_head(title: str) -> str:
    """Return the beginning of a page, up to the opened body."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>"
    )


def _lines(report: BenchReport, plots: Sequence[Plot]) -> Iterator[str]:
    yield page_head(f"{report.title}: benchmark")
    yield from _head(report)
    for plot in plots:
        yield f"<figure>{_image(plot, 'light')}{_image(plot, 'dark')}</figure>"
    shown = tables(report)
    yield from (table_html(table) for table in shown if not table.published)
    theirs = [table_html(table) for table in shown if table.published]
    if theirs:
        yield '<section class="theirs"><h2>Published figures</h2>'
        yield "<p>What others published, for comparison. None of these figures is ours.</p>"
        yield from theirs
        yield "</section>"
    yield "<h2>How it was run</h2><dl>"
    for name, value in {**report.identities, **report.environment, "data": report.data}.items():
        if value:
            yield f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>"
    yield "</dl></body></html>"


def _head(report: BenchReport) -> Iterator[str]:
    yield f"<h1>{escape(report.title)}</h1><p>{escape(headline(report))}</p>"
    if report.counts is not None:
        yield f'<p class="soft">Counts: {escape(report.counts.line)}</p>'
    for note in report.notes:
        yield f'<p class="note">{escape(note)}</p>'
    if report.command:
        yield f"<pre>{escape(report.command)}</pre>"


def _image(plot: Plot, theme: str) -> str:
    data = base64.b64encode(plot.light if theme == "light" else plot.dark).decode()
    alternative = escape(plot.title, quote=True)
    return f'<img class="{theme}" alt="{alternative}" src="data:image/svg+xml;base64,{data}">'


def table_html(table: Table) -> str:
    """Return a table with its heading."""
    tag = '<span class="tag">published</span>' if table.published else ""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    note = f'<p class="soft">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2>{escape(table.title)}{tag}</h2><div class="wide"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}"
    )
