"""Several runs on one page: means over data sets, differences, the merged trace and lifecycles."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import partial
from html import escape
from statistics import fmean
from typing import TYPE_CHECKING, Any

from graphmemix.errors import InvalidInputError
from graphmemix.fsio import make_folder, open_binary, write_text
from graphmemix.record import Record
from graphmemix_bench.measures.comparison import Comparison, compare
from graphmemix_bench.measures.diagnostics import merged_trace
from graphmemix_bench.measures.evidence import QuestionScores
from graphmemix_bench.measures.intervals import Estimate
from graphmemix_bench.reports.html import page_head, table_html
from graphmemix_bench.reports.markdown import table_lines
from graphmemix_bench.reports.panels import draw_panels
from graphmemix_bench.reports.record import BenchReport
from graphmemix_bench.reports.tables import Table, interval, metric_name
from graphmemix_bench.reports.themes import LIGHT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

Scores = dict[str, list[QuestionScores]]
"""Scores of single questions, by configuration."""

_COMPARED = ("recall_at_10", "hit_at_10", "all_at_10", "judge")
_FOREST = "(e) + forest"


@dataclass(frozen=True)
class ComparedRuns(Record):
    """What several runs say together.

    Attributes:
        runs: Their names.
        reports: The report of each.
        macro: Configuration to metric to its mean over data sets, each counting the same.
        differences: The forest against every other configuration on all questions of all data
            sets, and runs on the same data against the first of them; paired by question.
        trace: Cumulative gain of accepted swaps over all questions of all runs.
    """

    runs: tuple[str, ...]
    reports: tuple[BenchReport, ...]
    macro: dict[str, dict[str, float]]
    differences: tuple[Comparison, ...]
    trace: tuple[Estimate, ...] = ()


def compare_runs(runs: Mapping[str, tuple[BenchReport, Scores]]) -> ComparedRuns:
    """Return what several runs say together.

    Raises:
        InvalidInputError: There are fewer than two.
    """
    if len(runs) < 2:
        raise InvalidInputError("name two runs or more to compare")
    reports = {name: report for name, (report, _) in runs.items()}
    swaps = [row for r in reports.values() if r.trace is not None for row in r.trace.swaps]
    return ComparedRuns(
        tuple(runs),
        tuple(reports.values()),
        _macro(list(reports.values())),
        (*_against_forest(runs), *_on_same_data(runs)),
        merged_trace(swaps) if swaps else (),
    )


def _macro(reports: Sequence[BenchReport]) -> dict[str, dict[str, float]]:
    """Return means over data sets of what every data set has; runs on one are averaged first."""
    datasets = list(dict.fromkeys(report.dataset for report in reports))
    found: dict[str, dict[str, dict[str, list[float]]]] = {}
    for report in reports:
        for each in report.configurations:
            for metric, estimate in each.metrics.items():
                by_set = found.setdefault(each.name, {}).setdefault(metric, {})
                by_set.setdefault(report.dataset, []).append(estimate.value)
    return {
        name: {
            metric: fmean(fmean(values) for values in by_set.values())
            for metric, by_set in metrics.items()
            if len(by_set) == len(datasets)
        }
        for name, metrics in found.items()
        if any(len(by_set) == len(datasets) for by_set in metrics.values())
    }


def _against_forest(runs: Mapping[str, tuple[BenchReport, Scores]]) -> Iterator[Comparison]:
    pooled: Scores = {}
    for name, (_, scores) in runs.items():
        for configuration, rows in scores.items():
            pooled.setdefault(configuration, []).extend(_within(name, row) for row in rows)
    ours = pooled.get(_FOREST)
    for name, rows in pooled.items():
        if ours is None or name == _FOREST:
            continue
        for metric in _COMPARED:
            if _have(metric, rows, ours):
                yield compare(metric, (name, rows), (_FOREST, ours))


def _within(run: str, row: QuestionScores) -> QuestionScores:
    """Return a score whose context is told apart from those of other runs."""
    return QuestionScores(f"{run}/{row.context}", row.question, row.type, row.values, row.group)


def _on_same_data(runs: Mapping[str, tuple[BenchReport, Scores]]) -> Iterator[Comparison]:
    first: dict[str, str] = {}
    for name, (report, scores) in runs.items():
        other = first.setdefault(report.data or report.dataset, name)
        if other == name:
            continue
        for configuration, rows in scores.items():
            before = runs[other][1].get(configuration, [])
            for metric in _COMPARED:
                if _have(metric, rows, before):
                    yield compare(
                        metric,
                        (f"{other}: {configuration}", before),
                        (f"{name}: {configuration}", rows),
                    )


def _have(metric: str, *sides: Sequence[QuestionScores]) -> bool:
    return all(any(metric in row.values for row in rows) for rows in sides)


def compared_tables(found: ComparedRuns) -> list[Table]:
    """Return the tables of the page; those without rows are left out."""
    metrics = list(dict.fromkeys(m for row in found.macro.values() for m in row))
    tables = [
        Table(
            "Means over data sets, each counting the same",
            ("configuration", *map(metric_name, metrics)),
            tuple(
                (name, *(f"{row[m]:.1f}" if m in row else "–" for m in metrics))
                for name, row in found.macro.items()
            ),
        ),
        *(_one(name, r) for name, r in zip(found.runs, found.reports, strict=True)),
        Table(
            "Differences, paired by question, with 95 % bootstrap intervals",
            ("from", "to", "metric", "difference", "significant"),
            tuple(
                (
                    each.first,
                    each.second,
                    metric_name(each.metric),
                    (
                        f"{each.difference.value:+.1f} "
                        f"[{each.difference.low:+.1f}, {each.difference.high:+.1f}]"
                    ),
                    "yes" if each.difference.low > 0 or each.difference.high < 0 else "no",
                )
                for each in found.differences
            ),
            "Significant: the interval stays clear of zero. No correction for many comparisons.",
        ),
        Table(
            "Cumulative gain of accepted swaps, all questions",
            ("swaps", "mean rise of the objective"),
            tuple(
                (str(place), f"{each.value:.4f} [{each.low:.4f}, {each.high:.4f}]")
                for place, each in enumerate(found.trace, start=1)
            ),
        ),
        _lifecycle(found),
    ]
    return [table for table in tables if table.rows]


def _one(run: str, report: BenchReport) -> Table:
    metrics = [
        name
        for name in dict.fromkeys(m for c in report.configurations for m in c.metrics)
        if not name.startswith("refined")
    ]
    return Table(
        f"{run}: {report.title}, {report.questions} questions",
        ("configuration", *map(metric_name, metrics)),
        tuple(
            (each.name, *(interval(each.metrics.get(name)) for name in metrics))
            for each in report.configurations
        ),
    )


def _lifecycle(found: ComparedRuns) -> Table:
    return Table(
        "Lifecycle, seconds and calls",
        ("run", "configuration", "construction s", "update s", "questions s", "calls"),
        tuple(
            (
                run,
                each.name,
                f"{life.digest.seconds:.1f}",
                f"{life.update.seconds:.1f}",
                f"{life.answer.seconds:.1f}",
                f"{life.total.calls:,}",
            )
            for run, report in zip(found.runs, found.reports, strict=True)
            for each in report.configurations
            if (life := each.lifecycle) is not None
        ),
    )


def draw_lifecycles(found: ComparedRuns) -> bytes:
    """Return a PNG of bars: what each configuration takes to store and to answer, a panel a run.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    panels = [
        partial(_bars, name=name, report=report)
        for name, report in zip(found.runs, found.reports, strict=True)
    ]
    return draw_panels(panels, max(len(report.configurations) for report in found.reports))


def _bars(axis: Any, name: str, report: BenchReport) -> None:
    lives = [(c.name, c.lifecycle) for c in reversed(report.configurations) if c.lifecycle]
    labels = [label for label, _ in lives]
    stored = [life.digest.seconds for _, life in lives]
    answered = [life.answer.seconds for _, life in lives]
    axis.barh(labels, stored, color=LIGHT.lines[0], label="construction")
    axis.barh(labels, answered, left=stored, color=LIGHT.lines[1], label="questions")
    axis.set_title(f"{name}: {report.title}")
    axis.set_xlabel("seconds, one after the other")
    axis.legend(loc="lower right")


def write_compared(found: ComparedRuns, folder: Path, *, plots: bool = True) -> tuple[Path, ...]:
    """Write ``compare.json``, ``compare.md`` and ``compare.html``; return the files.

    Raises:
        MissingExtraError: Plots are wanted and matplotlib is not installed; nothing was written.
    """
    picture = draw_lifecycles(found) if plots else b""
    make_folder(folder)
    tables = compared_tables(found)
    lines = ["# " + " and ".join(found.runs)]
    page = [page_head("Comparison of runs"), f"<h1>{escape(' and '.join(found.runs))}</h1>"]
    if picture:
        with open_binary(folder / "lifecycle.png") as stream:
            stream.write(picture)
        lines += ["", "![Lifecycle](lifecycle.png)"]
        data = base64.b64encode(picture).decode()
        page.append(f'<figure><img alt="Lifecycle" src="data:image/png;base64,{data}"></figure>')
    for table in tables:
        lines += table_lines(table)
        page.append(table_html(table))
    page.append("</body></html>")
    texts = {
        "compare.json": found.to_json() + "\n",
        "compare.md": "\n".join(lines) + "\n",
        "compare.html": "\n".join(page) + "\n",
    }
    for name, text in texts.items():
        write_text(folder / name, text)
    return tuple(folder / name for name in texts)
