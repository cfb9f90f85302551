"""A picture of ours beside other systems: one panel a data set, dots with intervals."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from graphmemix.errors import MissingExtraError
from graphmemix_bench.reports.themes import LIGHT, style

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
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("bench", "Plots of a benchmark report") from None
    parameters: Any = style(LIGHT)
    with mpl.rc_context(parameters):
        most = max(len(report["rows"]) for report in reports)
        figure = Figure(figsize=(5.6 * len(reports), 1.4 + 0.3 * most), layout="constrained")
        for axis, report in zip(
            figure.subplots(1, len(reports), squeeze=False)[0], reports, strict=True
        ):
            _panel(axis, report, f"{metric}_at_{report['budget']}")
            axis.set_xlabel(f"{metric.capitalize()}@{report['budget']}, %, 95 % interval")
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
        return stream.getvalue()


def _panel(axis: Any, report: dict[str, Any], key: str) -> None:
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
    axis.legend(loc="lower right")
