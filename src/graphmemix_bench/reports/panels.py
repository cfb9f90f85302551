"""Pictures of panels side by side: of runs or data sets, of other systems, of predictions."""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING, Any

from graphmemix.errors import MissingExtraError
from graphmemix_bench.reports.themes import LIGHT, style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from graphmemix_bench.measures.reliability import Reliability
    from graphmemix_bench.reports.themes import Theme

_WIDE = 5.5  # inches of a panel
_ROW = 0.31  # inches of a row
_COLOURS = {"ours": "#0b6bcb", "other": "#5b6472", "bound": "#b8892b"}
_LABELS = {"ours": "GraphMemix", "other": "other systems", "bound": "bounds"}


def draw_panels(paint: Sequence[Callable[[Any], None]], rows: int) -> bytes:
    """Return a PNG of panels side by side.

    Args:
        paint: What draws each panel on its axis.
        rows: How many rows the longest has.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    return _drawn(paint, _WIDE, 1.4 + _ROW * rows, "Plots of a benchmark report")


def draw_others(reports: Sequence[dict[str, Any]], metric: str = "recall") -> bytes:
    """Return a PNG of one metric at K for every system, best first, in each data set.

    Args:
        reports: What `baselines_report` returns, one a data set.
        metric: ``recall``, ``hit`` or ``all``.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    panels = [partial(_systems, report=report, metric=metric) for report in reports]
    return draw_panels(panels, max(len(report["rows"]) for report in reports))


def _systems(axis: Any, report: dict[str, Any], metric: str) -> None:
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


def draw_reliability(panels: Mapping[str, Mapping[str, Reliability]]) -> bytes:
    """Return a PNG of how often what was predicted came true.

    Args:
        panels: What was predicted, and its curves by name; one panel for each that has any.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """

    def paint(axis: Any, title: str, curves: Mapping[str, Reliability]) -> None:
        reliability_curves(curves, axis, LIGHT)
        axis.set_title(f"{title} (larger dots: more predictions)")

    painted = [
        partial(paint, title=title, curves=curves) for title, curves in panels.items() if curves
    ]
    return _drawn(painted, 5.4, 5.0, "Plots of a calibration")


def reliability_curves(curves: Mapping[str, Reliability], axis: Any, theme: Theme) -> None:
    """Draw curves by name on an axis, over the line of what would be perfect."""
    axis.plot([0, 1], [0, 1], "--", color=theme.theirs, lw=1.2, label="perfect")
    for colour, (name, each) in zip(theme.lines, curves.items(), strict=False):
        axis.plot(
            [b.predicted for b in each.bins],
            [b.observed for b in each.bins],
            "-",
            color=colour,
            alpha=0.6,
        )
        axis.scatter(
            [b.predicted for b in each.bins],
            [b.observed for b in each.bins],
            s=[18 + 160 * (b.count / each.count) ** 0.5 for b in each.bins],
            color=colour,
            label=f"{name} (ECE {each.error:.3f})",
            zorder=3,
            clip_on=False,
        )
    axis.set_xlim(0, 1)
    axis.set_ylim(0, 1)
    axis.set_xlabel("predicted probability")
    axis.set_ylabel("share that came true")
    axis.legend(loc="upper left")


def _drawn(paint: Sequence[Callable[[Any], None]], width: float, height: float, what: str) -> bytes:
    """Return a PNG of panels, each so many inches wide and high."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("bench", what) from None
    parameters: Any = style(LIGHT)
    with mpl.rc_context(parameters):
        figure = Figure(figsize=(width * len(paint), height), layout="constrained")
        for axis, draw in zip(figure.subplots(1, len(paint), squeeze=False)[0], paint, strict=True):
            draw(axis)
        stream = io.BytesIO()
        figure.savefig(stream, format="png", dpi=150, metadata={"Software": None})
        return stream.getvalue()
