"""Several runs on one page."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.measures.diagnostics import SearchTrace
from graphmemix_bench.measures.evidence import QuestionScores
from graphmemix_bench.reports.build import configuration
from graphmemix_bench.reports.compare import compare_runs, write_compared
from graphmemix_bench.reports.record import BenchReport

Scores = dict[str, list[QuestionScores]]


def run(dataset: str, **recalls: list[float]) -> tuple[BenchReport, Scores]:
    names = {"ours": "(e) + forest", "theirs": "BM25"}
    scores = {
        names[key]: [
            QuestionScores("c", f"Q{n}", "", {"recall_at_10": value})
            for n, value in enumerate(values)
        ]
        for key, values in recalls.items()
    }
    report = BenchReport(
        dataset,
        dataset,
        ("c",),
        2,
        2,
        "recall_at_10",
        tuple(configuration(name, rows) for name, rows in scores.items()),
        trace=SearchTrace((), (), 2, 1, (), ((0.5,), ())),
    )
    return report, scores


def test_each_data_set_counts_the_same_in_the_mean() -> None:
    runs = {
        "a": run("small", ours=[100, 100], theirs=[0, 100]),
        "b": run("large", ours=[50, 50, 50, 50], theirs=[0, 0, 0, 0]),
    }
    found = compare_runs(runs)
    assert found.macro["(e) + forest"] == {"recall_at_10": 75.0}
    assert found.macro["BM25"] == {"recall_at_10": 25.0}
    (difference,) = found.differences
    assert (difference.first, difference.difference.count) == ("BM25", 6)
    assert difference.difference.value == pytest.approx(50.0)
    assert [each.value for each in found.trace] == pytest.approx([0.25])  # of four questions


def test_runs_on_the_same_data_are_paired_by_question() -> None:
    found = compare_runs({"old": run("same", ours=[0, 50]), "new": run("same", ours=[100, 50])})
    (difference,) = found.differences
    assert (difference.first, difference.second) == ("old: (e) + forest", "new: (e) + forest")
    assert difference.difference.value == 50


def test_the_page_is_written_in_every_form(tmp_path: Path) -> None:
    found = compare_runs({"a": run("x", ours=[1, 2]), "b": run("y", ours=[3, 4])})
    paths = write_compared(found, tmp_path / "out", plots=False)
    assert [path.name for path in paths] == ["compare.json", "compare.md", "compare.html"]
    page = paths[2].read_text("utf-8")
    assert "Means over data sets" in page
    assert "<script" not in page
    assert "| (e) + forest | 2.5 |" in paths[1].read_text("utf-8")


def test_one_run_is_nothing_to_compare() -> None:
    with pytest.raises(InvalidInputError, match="two runs or more"):
        compare_runs({"a": run("x", ours=[1, 2])})
