"""A picture of ours beside other systems: one panel a data set, dots with intervals."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from graphmemix_bench.reports.panels import draw_panels

if TYPE_CHECKING:
    from collections.abc import Sequence

_COLOURS = {"ours": "#0b6bcb", "other": "#5b6472", "bound": "#b8892b"}
_LABELS = {"ours": "GraphMemix", "other": "other systems", "bound": "bounds"}


def draw_others(reports: Sequence[dict[str, Any]], metric: str = "recall") -> bytes:
    """Return a PNG of one metric at K for every system, best first, in each data set.

    Args:
        reports: What `baselines_report` returns, one a data set.
        metric: ``recall``, ``hit`` or ``all``.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    panels = [partial(_panel, report=report, metric=metric) for report in reports]
    return draw_panels(panels, max(len(report["rows"]) for report in reports))


def _panel(axis: Any, report: dict[str, Any], metric: str) -> None:
    key = f"{metric}_at_{report['budget']}"
    rows = sorted(report["rows"], key=lambda row: (row[key], row["name"]))
    labelled: set[str] = set()
    for place, row in enumerate(rows):
        low, high = row["intervals"][key]
        label = None if row["kind"] in labelled else _LABELS[row["kind"]]
        labelled.add(row["kind"])
        axis.errorbar(
            row[key],
            place,
            xerr=[[max(0.0, row[key] - low)], [max(0.0, high - row[key])]],
            fmt="o",
            color=_COLOURS[row["kind"]],
            label=label,
        )
    axis.set_yticks(range(len(rows)), [row["name"] for row in rows])
    axis.set_title(f"{report['dataset']}, {report['questions']} questions")
    axis.set_xlim(0, 102)
    axis.set_xlabel(f"{metric.capitalize()}@{report['budget']}, %, 95 % interval")
    axis.legend(loc="lower right")
