"""The plots of a report, each a pure function from the record to a picture.

Needs the extra `bench`. Every plot is drawn twice, for light and for dark pages, without any text
that a reader would have to look up elsewhere.
"""

from __future__ import annotations

import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphmemix.errors import MissingExtraError
from graphmemix_bench.measures.lifecycle import Point, pareto_front
from graphmemix_bench.reports.panels import reliability_curves
from graphmemix_bench.reports.published import published_tables
from graphmemix_bench.reports.tables import metric_name
from graphmemix_bench.reports.themes import DARK, LIGHT, Theme, style

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graphmemix_bench.measures.intervals import Estimate
    from graphmemix_bench.reports.record import BenchReport


_NEAR = 0.06  # of the plot's width or height: a label's height


@dataclass(frozen=True)
class Plot:
    """A drawn plot.

    Attributes:
        name: For files.
        title: For people.
        light: SVG for light pages.
        dark: SVG for dark pages.
        still: PNG for light pages.
    """

    name: str
    title: str
    light: bytes
    dark: bytes
    still: bytes


def draw(report: BenchReport) -> tuple[Plot, ...]:
    """Return all plots for which the report has figures. The same report gives the same bytes.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("bench", "Plots of a benchmark report") from None
    made = []
    for name, title, present, paint, size in _PLOTS:
        if not present(report):
            continue
        saved: dict[tuple[str, str], bytes] = {}
        for theme in (LIGHT, DARK):
            parameters: Any = {**style(theme), "svg.hashsalt": name}
            with mpl.rc_context(parameters):
                figure = Figure(figsize=size, layout="constrained")
                paint(report, figure, theme)
                for form in ("svg", "png") if theme is LIGHT else ("svg",):
                    saved[theme.name, form] = _saved(figure, form)
                    figure.set_layout_engine("none")  # what was laid out once stays so
        made.append(
            Plot(name, title, saved["light", "svg"], saved["dark", "svg"], saved["light", "png"])
        )
    return tuple(made)


def _saved(figure: Any, form: str) -> bytes:
    stream = io.BytesIO()
    metadata = {"Date": None} if form == "svg" else {"Software": None}
    figure.savefig(stream, format=form, dpi=150, metadata=metadata)
    return stream.getvalue()


def _ladder(report: BenchReport, figure: Any, theme: Theme) -> None:
    """Draw our rungs with intervals, and beside them, on an axis of their own, published ones."""
    theirs = (
        next((t for t in published_tables(report.published) if t.name == "ladder_judge"), None)
        if report.published
        else None
    )
    axes = figure.subplots(1, 2 if theirs else 1, squeeze=False)[0]
    rungs = [
        (each.name, each.metrics[report.headline])
        for each in report.configurations
        if report.headline in each.metrics
    ]
    _rungs(axes[0], [name for name, _ in rungs], [e for _, e in rungs], theme)
    axes[0].set_title(f"Ours: {metric_name(report.headline)}, 95 % intervals")
    axes[0].set_xlabel("%")
    if theirs is not None:
        names = [name.replace("_", " ") for name in theirs.rows]
        values = [row[0] for row in theirs.rows.values()]
        places = list(range(len(names)))[::-1]
        axes[1].plot(
            values, places, "D", mfc=theme.paper, mec=theme.theirs, mew=1.8, ms=8, clip_on=False
        )
        for value, place in zip(values, places, strict=True):
            _label(axes[1], value, place, theme.theirs)
        _rows(axes[1], names, values, theme)
        axes[1].set_title("Published: judge accuracy", color=theme.theirs)
        axes[1].set_xlabel("%")


def _rungs(axis: Any, names: list[str], found: list[Estimate], theme: Theme) -> None:
    colour = theme.lines[0]
    places = list(range(len(names)))[::-1]
    for place, each in zip(places, found, strict=True):
        axis.plot([each.low, each.high], [place, place], color=colour, lw=2.4, alpha=0.55)
        axis.plot(each.value, place, "o", color=colour, ms=8)
        _label(axis, each.value, place, theme.ink)
    _rows(axis, names, [end for each in found for end in (each.low, each.high)], theme)


def _label(axis: Any, value: float, place: float, colour: str) -> None:
    axis.annotate(
        f"{value:.1f}",
        (value, place),
        xytext=(0, 8),
        textcoords="offset points",
        ha="center",
        color=colour,
        fontsize=8.5,
    )


def _rows(axis: Any, names: list[str], values: Sequence[float], theme: Theme) -> None:
    axis.set_yticks(list(range(len(names)))[::-1], names)
    axis.set_ylim(-0.6, len(names) - 0.3)
    low, high = min(values), max(values)
    pad = max(2.0, 0.12 * (high - low))
    axis.set_xlim(max(0.0, low - pad), min(101.5, high + pad))
    axis.grid(visible=False, axis="y")
    axis.tick_params(axis="y", length=0)
    axis.spines["left"].set_visible(False)
    axis.spines["bottom"].set_color(theme.ink)


def _cost(report: BenchReport, figure: Any, theme: Theme) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    axis = figure.subplots()
    points = _points(report)
    front = pareto_front(points)
    axis.set_xscale("log")
    axis.step(
        [p.cost for p in front],
        [p.accuracy for p in front],
        where="post",
        color=theme.lines[0],
        alpha=0.5,
        lw=2,
        label="Pareto front",
    )
    for point in points:
        best = point in front
        colour = theme.lines[1 if point.name in report.others else 0]
        axis.plot(
            point.cost,
            point.accuracy,
            "o",
            ms=9,
            color=colour if best else theme.paper,
            mec=colour if best or point.name in report.others else theme.theirs,
            mew=1.8,
            zorder=3,
        )
    _names(axis, points, theme)
    axis.margins(x=0.16, y=0.14)
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:,g}"))
    axis.xaxis.set_minor_locator(NullLocator())
    axis.set_xlabel("lifecycle seconds (digest once + answer once), logarithmic")
    axis.set_ylabel(f"{metric_name(report.headline)}, %")
    axis.set_title("Accuracy against lifecycle cost")
    axis.legend(loc="lower right")


def _names(axis: Any, points: Sequence[Point], theme: Theme) -> None:
    """Write each name to the upper left of its point, where the front never runs.

    The cheapest have theirs at the lower right, since the axis is close at the left. Points that
    lie on each other share a label.
    """
    cheap = min(point.cost for point in points)
    reach = max(point.cost for point in points) / cheap
    for heap in _heaps(points):
        point = heap[0]
        left = point.cost / cheap > reach**0.2
        axis.annotate(
            "\n".join(each.name for each in heap),
            (point.cost, point.accuracy),
            xytext=(-6, 6) if left else (5, -6),
            textcoords="offset points",
            ha="right" if left else "left",
            va="bottom" if left else "top",
            color=theme.ink,
            fontsize=8.5,
        )


def _heaps(points: Sequence[Point]) -> list[list[Point]]:
    """Return points by heaps whose labels would cover each other, in order."""
    costs = [math.log(point.cost) for point in points]
    heights = [point.accuracy for point in points]
    wide = (max(costs) - min(costs)) or 1.0
    high = (max(heights) - min(heights)) or 1.0
    heaps: list[list[Point]] = []
    for point in points:
        for heap in heaps:
            near = abs(math.log(point.cost / heap[0].cost)) < _NEAR * wide
            if near and abs(point.accuracy - heap[0].accuracy) < _NEAR * high:
                heap.append(point)
                break
        else:
            heaps.append([point])
    return heaps


def _points(report: BenchReport) -> list[Point]:
    return [
        Point(each.name, each.lifecycle.total.seconds, each.metrics[report.headline].value)
        for each in report.configurations
        if each.lifecycle is not None
        and report.headline in each.metrics
        and each.lifecycle.total.seconds > 0
    ]


def _trace(report: BenchReport, figure: Any, theme: Theme) -> None:
    assert report.trace is not None  # noqa: S101  # asked by `draw`
    left, right = figure.subplots(1, 2)
    _positions(left, report.trace.cumulative, theme, theme.lines[0])
    left.set_title("Cumulative gain of accepted swaps, all questions")
    left.set_xlabel("accepted swap")
    left.set_ylabel("mean rise of the objective")
    _positions(right, report.trace.edge_gains, theme, theme.lines[2])
    right.set_title("Cumulative gain of the forest's links")
    right.set_xlabel("accepted Kruskal edge")
    right.set_ylabel("mean cumulative gain")


def _positions(axis: Any, found: Sequence[Estimate], theme: Theme, colour: str) -> None:
    if not found:
        axis.text(
            0.5,
            0.5,
            "none accepted",
            ha="center",
            va="center",
            transform=axis.transAxes,
            color=theme.theirs,
        )
        axis.set_xticks([])
        axis.set_yticks([])
        return
    places = range(1, len(found) + 1)
    axis.fill_between(
        places, [e.low for e in found], [e.high for e in found], color=colour, alpha=0.18, lw=0
    )
    axis.errorbar(
        places,
        [e.value for e in found],
        yerr=[[e.value - e.low for e in found], [e.high - e.value for e in found]],
        fmt="o-",
        color=colour,
        capsize=3,
        ms=5,
    )
    before = 0
    for place, each in zip(places, found, strict=True):
        if each.count == before:
            continue  # said already
        before = each.count
        axis.annotate(
            f"n={each.count}",
            (place, each.high),
            xytext=(0, 5),
            textcoords="offset points",
            ha="center",
            fontsize=7.5,
            color=theme.theirs,
        )
    axis.set_xticks(list(places))
    axis.set_ylim(0, 1.15 * max(each.high for each in found))
    axis.set_xlim(0.6, len(found) + 0.4)


def _reliability(report: BenchReport, figure: Any, theme: Theme) -> None:
    axis = figure.subplots()
    reliability_curves(report.reliability, axis, theme)
    axis.set_title("Reliability (larger dots: more predictions)")


def _curves(report: BenchReport, figure: Any, theme: Theme) -> None:
    axis = figure.subplots()
    for index, curve in enumerate(report.curves):
        axis.plot(
            curve.depths,
            curve.recalls,
            marker="osD^vPX"[index % 7],
            ms=4.5,
            color=theme.lines[index % len(theme.lines)],
            label=curve.name,
        )
    depths = sorted({depth for curve in report.curves for depth in curve.depths})
    axis.set_xscale("log", base=2)
    axis.set_xticks(depths, [str(depth) for depth in depths])
    axis.minorticks_off()
    axis.set_xlabel("K, logarithmic")
    axis.set_ylabel("recall, %")
    axis.set_title("Recall against K")
    axis.legend(loc="lower right")


_PLOTS: tuple[
    tuple[
        str,
        str,
        Callable[[BenchReport], object],
        Callable[[BenchReport, Any, Theme], None],
        tuple[float, float],
    ],
    ...,
] = (
    (
        "ladder",
        "The ladder",
        lambda report: any(report.headline in each.metrics for each in report.configurations),
        _ladder,
        (9.6, 3.6),
    ),
    ("cost", "Accuracy against lifecycle cost", _points, _cost, (7.2, 4.4)),
    ("trace", "What the search did", lambda report: report.trace, _trace, (9.6, 3.8)),
    ("reliability", "Reliability", lambda report: report.reliability, _reliability, (5.4, 5.0)),
    ("recall", "Recall against K", lambda report: report.curves, _curves, (7.2, 4.4)),
)
