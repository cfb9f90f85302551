"""A report as tables of text; terminal, Markdown and HTML show the same ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphmemix_bench.measures.diagnostics import FIXED_WEIGHT
from graphmemix_bench.reports.published import published_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graphmemix_bench.measures.comparison import Comparison
    from graphmemix_bench.measures.diagnostics import (
        EdgeComparison,
        GoldAccessibility,
        StructuralRecovery,
    )
    from graphmemix_bench.measures.intervals import Estimate
    from graphmemix_bench.reports.record import BenchReport, ConfigurationResult

NAMES = {
    "all_at_10": "All@10",
    "auroc": "AUROC",
    "em": "EM",
    "exact_match": "EM",
    "hit_at_10": "Hit@10",
    "judge": "Judge",
    "judge_rows": "Judge, every rotation",
    "lexical_recall": "Lexical recall",
    "mcq_em": "MCQ EM",
    "mcq_exact_match": "MCQ EM",
    "net_gold": "Net gold",
    "pool_recall": "Pool recall",
    "qs": "QS",
    "release_choice_match": "MCQ EM (release)",
    "release_exact_match": "EM (release)",
    "release_list_overlap": "List overlap (release)",
    "release_atm_match": "Lenient match (release)",
    "release_recall": "Lexical recall (release)",
    "recall_at_10": "Recall@10",
    "refined_all": "Refined all",
    "refined_hit": "Refined hit",
    "refined_recall": "Refined recall",
    "refined_size": "Refined size",
}
"""Metrics as people call them; others are shown under their own name."""


@dataclass(frozen=True)
class Table:
    """One table.

    Attributes:
        title: What it shows.
        head: The columns; the first one names the row.
        rows: Cells as text.
        note: What to know about it.
        published: Whether others published it; such tables hold none of our figures.
    """

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    published: bool = False


def tables(report: BenchReport) -> tuple[Table, ...]:
    """Return our tables, then the published ones."""
    return tuple(table for table in (*_ours(report), *_published(report)) if table.rows)


def metric_name(metric: str) -> str:
    """Return a metric as people call it."""
    return NAMES.get(metric, metric.replace("_", " "))


def interval(estimate: Estimate | None) -> str:
    """Return a mean with its interval, such as ``81.2 [79.0, 83.5]``."""
    if estimate is None:
        return "–"
    return f"{estimate.value:.1f} [{estimate.low:.1f}, {estimate.high:.1f}]"


def _ours(report: BenchReport) -> Iterator[Table]:
    ladder = [each for each in report.configurations if each.name not in report.others]
    others = [each for each in report.configurations if each.name in report.others]
    steps = tuple(each for each in report.comparisons if each.first not in report.others)
    beside = tuple(each for each in report.comparisons if each.first in report.others)
    yield _configurations("Ladder", ladder, _interval_note(report))
    yield _configurations("Other systems", others, "Bounds are no methods; notes say what differs.")
    yield _types(report)
    yield _comparisons("Steps of the ladder", steps)
    yield _comparisons("The forest against other systems", beside)
    yield _selectors(report)
    yield from _diagnostics(report)
    yield _comparisons("Joint against two calls", report.joint)
    yield _lifecycle(report)


def _configurations(title: str, found: Sequence[ConfigurationResult], note: str) -> Table:
    metrics = _keys(each.metrics for each in found)
    figures = _keys(each.figures for each in found)
    return Table(
        title,
        ("configuration", *map(metric_name, [*metrics, *figures]), "seconds"),
        tuple(
            (
                each.name,
                *(interval(each.metrics.get(name)) for name in metrics),
                *(_number(each.figures.get(name)) for name in figures),
                _number(each.seconds),
            )
            for each in found
        ),
        note,
    )


def _types(report: BenchReport) -> Table:
    kinds = _keys(each.by_type for each in report.configurations)
    rows = []
    for kind in kinds:
        found = [each.by_type.get(kind, {}).get(report.headline) for each in report.configurations]
        count = max((each.count for each in found if each is not None), default=0)
        if count:
            rows.append((kind or "(none)", str(count), *map(interval, found)))
    return Table(
        f"{metric_name(report.headline)} by type of question",
        ("type", "questions", *(each.name for each in report.configurations)),
        tuple(rows),
    )


def _selectors(report: BenchReport) -> Table:
    metrics = _keys(each.metrics for each in report.selectors)
    return Table(
        "Selectors on the same frozen candidates, exactly K",
        ("selector", *map(metric_name, metrics), "net gold", "recoverable questions"),
        tuple(
            (
                each.name,
                *(interval(each.metrics.get(name)) for name in metrics),
                *(
                    ("–", "–")
                    if each.net is None
                    else (f"{each.net.net:+d}", f"{each.net.questions}")
                ),
            )
            for each in report.selectors
        ),
        "Net gold: gold selected minus gold in top-K, where the pool holds more than top-K takes.",
    )


def _diagnostics(report: BenchReport) -> Iterator[Table]:
    if report.accessibility is not None:
        yield _accessibility(report.accessibility)
    if report.recovery is not None:
        yield _recovery("Structural recovery", report.recovery)
    if report.received is not None:
        yield _recovery("Structural recovery, of what the reader receives", report.received)
    if report.edges is not None:
        yield _edges(report.edges)
    if report.reliability:
        yield Table(
            "Reliability",
            ("probabilities", "count", "expected calibration error", "Brier score"),
            tuple(
                (name, f"{each.count:,}", f"{each.error:.3f}", f"{each.brier:.3f}")
                for name, each in report.reliability.items()
            ),
        )


def _accessibility(found: GoldAccessibility) -> Table:
    shares = map(_number, (found.direct, found.recoverable, found.no_access))
    return Table(
        "Gold accessibility, % of gold",
        ("direct", "recoverable", "no access", "gold memories"),
        ((*shares, f"{found.gold:,}"),),
        "Direct: in the source's first ten. Recoverable: not there, but among the candidates.",
    )


def _recovery(title: str, found: StructuralRecovery) -> Table:
    counts = map(str, (found.recoverable_questions, found.recovered_questions))
    return Table(
        title,
        ("R.Q.", "C.Q.", "rate %", "share of retained gold %"),
        ((*counts, _number(found.rate), _number(found.share)),),
    )


def _edges(found: EdgeComparison) -> Table:
    fixed = (found.fixed_edges, found.fixed_components, found.fixed_hit)
    trusted = (found.ecv_edges, found.ecv_components, found.ecv_hit)
    return Table(
        "Fixed edges against ECV edges, means on the K-node proposal",
        ("edges", "in the forest", "components", "Hit@K"),
        (
            (f"fixed at {FIXED_WEIGHT:g}", *map(_number, fixed)),
            ("trusted by ECV", *map(_number, trusted)),
        ),
    )


def _comparisons(title: str, pairs: tuple[Comparison, ...]) -> Table:
    return Table(
        title,
        ("from", "to", "metric", "from %", "to %", "difference", "better", "worse"),
        tuple(
            (
                each.first,
                each.second,
                metric_name(each.metric),
                _number(each.first_score.value),
                _number(each.second_score.value),
                _signed(each.difference),
                str(each.only_second),
                str(each.only_first),
            )
            for each in pairs
        ),
        "Paired by question. Better and worse count questions.",
    )


def _lifecycle(report: BenchReport) -> Table:
    return Table(
        "Lifecycle: digest every memory once, answer every question once",
        (
            "configuration",
            "digest s",
            "update s",
            "answer s",
            "total s",
            "calls",
            "tokens in",
            "tokens out",
            "money",
        ),
        tuple(
            (
                each.name,
                _number(life.digest.seconds),
                _number(life.update.seconds),
                *map(_number, (life.answer.seconds, life.total.seconds)),
                f"{life.total.calls:,}",
                f"{life.total.input_tokens:,}",
                f"{life.total.output_tokens:,}",
                f"{life.total.money:.4g}",
            )
            for each in report.configurations
            if (life := each.lifecycle) is not None
        ),
        "Update: what of digest the last tenth of each archive took, added to the rest.",
    )


def _published(report: BenchReport) -> Iterator[Table]:
    for table in published_tables(report.published) if report.published else ():
        yield Table(
            table.title,
            ("", *map(metric_name, table.columns)),
            tuple((name, *map(_number, row)) for name, row in table.rows.items()),
            f"Published: {table.source}",
            published=True,
        )


def _signed(estimate: Estimate) -> str:
    return f"{estimate.value:+.1f} [{estimate.low:+.1f}, {estimate.high:+.1f}]"


def _interval_note(report: BenchReport) -> str:
    found = [each for row in report.configurations for each in row.metrics.values()]
    if not found:
        return ""
    drawn = f"{found[0].clusters} contexts" if found[0].clusters else f"{found[0].count} questions"
    return f"In percent, with {100 * found[0].level:g} % bootstrap intervals over {drawn}."


def _keys(mappings: Iterable[Mapping[str, object]]) -> list[str]:
    return list(dict.fromkeys(key for each in mappings for key in each))


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"
