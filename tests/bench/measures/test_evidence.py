from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.measures.comparison import compare
from graphmemix_bench.measures.evidence import (
    EvidenceScore,
    QuestionScores,
    by_type,
    evidence_score,
    evidence_values,
    recall_curve,
    summarise,
    values_of,
)


def row(
    context: str, question: str, kind: str = "FR", group: str = "", **values: float
) -> QuestionScores:
    return QuestionScores(context, question, kind, values, group)


@pytest.mark.parametrize(
    ("found", "gold", "expected"),
    [
        (["a", "b"], {"a", "b"}, (100, 100, 100)),
        (["a", "x"], {"a", "b", "c", "d"}, (25, 100, 0)),
        (["x"], {"a"}, (0, 0, 0)),
        (["a", "a"], {"a", "b"}, (50, 100, 0)),
    ],
)
def test_one_question_by_hand(
    found: list[str], gold: set[str], expected: tuple[float, ...]
) -> None:
    assert evidence_values(found, gold) == EvidenceScore(*expected)


def test_a_question_without_gold_has_no_evidence_metrics() -> None:
    with pytest.raises(InvalidInputError, match="without gold"):
        evidence_values(["a"], set())


def test_recall_rises_with_depth_by_hand() -> None:
    rankings = [(["a", "x", "b"], {"a", "b"}), (["x", "c", "y"], {"c"})]
    # At 1: 1/2 and 0; at 2: 1/2 and 1; at 3: 1 and 1.
    assert recall_curve(rankings, (1, 2, 3)) == {1: 25, 2: 75, 3: 100}


def test_summaries_are_over_the_questions_that_have_the_metric() -> None:
    found = summarise([row("a", "1", recall=50, judge=100), row("b", "2", recall=100)])
    assert (found["recall"].value, found["recall"].count) == (75, 2)
    assert (found["judge"].value, found["judge"].count) == (100, 1)


def test_rotations_of_a_question_count_as_one_question() -> None:
    rows = [row("a", f"1/r{i}", group="1", mcq=100.0 * (i < 3)) for i in range(4)]
    rows.append(row("a", "2/r0", group="2", mcq=0))
    found = summarise(rows)["mcq"]
    assert (found.value, found.count) == (37.5, 2)  # (75 + 0) / 2, not 300 / 5


def test_the_same_question_id_in_two_contexts_is_two_questions() -> None:
    assert summarise([row("a", "1", r=0), row("b", "1", r=100)])["r"].count == 2


def test_tables_by_type_are_sorted_and_complete() -> None:
    found = by_type(
        [row("a", "1", "VS", r=0), row("a", "2", "FR", r=100), row("b", "3", "VS", r=50)]
    )
    assert list(found) == ["FR", "VS"]
    assert (found["VS"]["r"].value, found["VS"]["r"].count) == (25, 2)


def test_intervals_are_clustered_where_there_are_enough_contexts() -> None:
    def rows(contexts: int) -> list[QuestionScores]:
        return [row(f"c{c}", str(i), r=100.0 * (c % 2)) for c in range(contexts) for i in range(10)]

    many = summarise(rows(6))["r"]
    assert many.clusters == 6
    assert many.high - many.low > 60  # six coins
    few = summarise(rows(4))["r"]
    assert few.clusters == 0
    assert few.high - few.low < 40  # forty coins


def test_one_context_has_no_false_certainty() -> None:
    found = summarise([row("atm", str(i), r=100.0 * (i % 2)) for i in range(40)])["r"]
    assert found.low < 50 < found.high


def test_values_are_by_context_and_group() -> None:
    rows = [
        row("a", "1/r1", group="1", m=100),
        row("a", "1/r2", group="1", m=0),
        row("b", "2", x=1),
    ]
    assert values_of(rows, "m") == {("a", "1"): 50}


def test_two_configurations_are_compared_on_the_questions_they_share() -> None:
    first = [row("a", "1", r=0), row("a", "2", r=50), row("a", "3", r=100)]
    second = [row("a", "2", r=100), row("a", "1", r=0), row("a", "4", r=0)]
    found = compare("r", ("low", first), ("high", second))
    assert (found.first_score.value, found.second_score.value) == (25, 50)
    assert (found.difference.value, found.difference.count) == (25, 2)
    assert (found.only_first, found.only_second) == (0, 1)


def test_configurations_without_a_common_question_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="share no question with 'r'"):
        compare("r", ("x", [row("a", "1", r=0)]), ("y", [row("a", "1", s=0)]))


def test_metrics_by_hand() -> None:
    pairs = [
        (["a", "b", "c"], {"a", "b"}),  # all
        (["a", "x"], {"a", "b", "c", "d"}),  # a quarter
        (["x", "y"], {"a"}),  # none
        (["a", "a"], {"a", "b"}),  # a half: repeats count once
    ]
    score = evidence_score(pairs)
    assert score.recall == pytest.approx(100 * (1 + 0.25 + 0 + 0.5) / 4)
    assert score.hit == pytest.approx(75)
    assert score.all == pytest.approx(25)


def test_without_questions_everything_is_zero() -> None:
    assert evidence_score([]) == EvidenceScore(0.0, 0.0, 0.0)


def test_of_metrics_by_row_every_rotation_counts() -> None:
    rows = [
        QuestionScores("c", f"Q1/r{n}", "", {"judge": value, "judge_rows": value}, "Q1")
        for n, value in enumerate((100.0, 0.0, 0.0, 0.0))
    ]
    rows.append(QuestionScores("c", "Q2/r1", "", {"judge": 100.0, "judge_rows": 100.0}, "Q2"))
    found = summarise(rows)
    assert (found["judge"].value, found["judge"].count) == (62.5, 2)
    assert (found["judge_rows"].value, found["judge_rows"].count) == (40.0, 5)
