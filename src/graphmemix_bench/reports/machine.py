"""A report for machines: JSON as it is, and CSV with one figure a line."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from graphmemix_bench.reports.published import published_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graphmemix_bench.measures.intervals import Estimate
    from graphmemix_bench.reports.record import BenchReport

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
