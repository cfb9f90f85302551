"""A report as files: ``report.{json,csv,md,html}`` and ``plots/``."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from graphmemix.fsio import make_folder, open_binary, write_text
from graphmemix_bench.reports.html import to_html
from graphmemix_bench.reports.markdown import to_markdown
from graphmemix_bench.reports.plots import draw
from graphmemix_bench.reports.published import published_tables
from graphmemix_bench.reports.record import BenchReport

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from graphmemix_bench.measures.intervals import Estimate

COLUMNS = (
    "dataset",
    "source",
    "part",
    "name",
    "type",
    "metric",
    "value",
    "low",
    "high",
    "count",
)


def write_report(report: BenchReport, folder: Path, *, plots: bool = True) -> tuple[Path, ...]:
    """Write a report in every form; return the files.

    Args:
        report: What was found.
        folder: Where to; files of an earlier report are replaced.
        plots: Draw them too.

    Raises:
        MissingExtraError: Plots are wanted and matplotlib is not installed; nothing was written.
    """
    pictures = draw(report) if plots else ()
    make_folder(folder)
    written = []
    names = {}
    for plot in pictures:
        path = folder / "plots" / f"{plot.name}.png"
        with open_binary(make_folder(path.parent) / path.name) as stream:
            stream.write(plot.still)
        names[plot.title] = f"plots/{path.name}"
        written.append(path)
    for name, text in (
        ("report.json", report.to_json() + "\n"),
        ("report.csv", to_csv(report)),
        ("report.md", to_markdown(report, names)),
        ("report.html", to_html(report, pictures)),
    ):
        write_text(folder / name, text)
        written.append(folder / name)
    return tuple(written)


def read_report(path: Path) -> BenchReport:
    """Return the report in a ``report.json``.

    Raises:
        InvalidDataError: It is no such report; names every field at fault.
    """
    return BenchReport.from_json(path.read_bytes())


def to_csv(report: BenchReport) -> str:
    """Return every figure on a line of its own; `source` is ``ours`` or ``published``."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(COLUMNS)
    for row in _rows(report):
        writer.writerow([report.dataset, *row])
    return stream.getvalue()


def _rows(report: BenchReport) -> Iterator[tuple[object, ...]]:
    yield from _ladder(report)
    for selector in report.selectors:
        yield from _estimates("selectors", selector.name, "", selector.metrics)
        if selector.net is not None:
            net = selector.net
            yield "ours", "selectors", selector.name, "", "net_gold", net.net, "", "", net.questions
    for curve in report.curves:
        for depth, recall in zip(curve.depths, curve.recalls, strict=True):
            yield "ours", "recall", curve.name, "", f"recall_at_{depth}", recall, "", "", ""
    for table in published_tables(report.published) if report.published else ():
        for name, values in table.rows.items():
            for column, value in zip(table.columns, values, strict=True):
                yield "published", table.name, name, "", column, value, "", "", ""


def _ladder(report: BenchReport) -> Iterator[tuple[object, ...]]:
    for each in report.configurations:
        yield from _estimates("ladder", each.name, "", each.metrics)
        for kind, metrics in each.by_type.items():
            yield from _estimates("ladder", each.name, kind, metrics)
        for name, value in {**each.figures, "seconds": each.seconds}.items():
            yield "ours", "ladder", each.name, "", name, value, "", "", ""
        if each.lifecycle is not None:
            total = each.lifecycle.total
            for name in ("seconds", "calls", "input_tokens", "output_tokens", "money"):
                yield "ours", "lifecycle", each.name, "", name, getattr(total, name), "", "", ""


def _estimates(
    part: str, name: str, kind: str, metrics: Mapping[str, Estimate]
) -> Iterator[tuple[object, ...]]:
    for metric, e in metrics.items():
        yield "ours", part, name, kind, metric, e.value, e.low, e.high, e.count
