from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import StageCost
from graphmemix_bench.measures.lifecycle import Cost, Lifecycle, Point, add_up, pareto_front
from graphmemix_bench.measures.reliability import ReliabilityBin, reliability


def test_costs_add_up() -> None:
    stages = [StageCost("encode", 1.5), StageCost("verify", 2.0, 3, 100, 20, 0.25)]
    assert add_up(stages) == Cost(3.5, 3, 100, 20, 0.25)
    life = Lifecycle(Cost(10.0), add_up(stages), 5, 2)
    assert life.total == Cost(13.5, 3, 100, 20, 0.25)
    assert Lifecycle.from_json(life.to_json()) == life


def test_the_front_holds_what_none_beats() -> None:
    a, b, c = Point("a", 1, 50), Point("b", 2, 70), Point("c", 5, 90)
    beaten = [Point("dearer", 3, 70), Point("worse", 2, 60), Point("both", 9, 10)]
    assert pareto_front([c, *beaten, a, b]) == (a, b, c)


def test_equal_methods_stand_together_on_the_front() -> None:
    twins = (Point("a", 1, 50), Point("b", 1, 50))
    assert pareto_front(twins[::-1]) == twins
    assert pareto_front([]) == ()


def test_reliability_by_hand() -> None:
    found = reliability([0.1, 0.3, 0.8, 1.0], [False, True, True, True], bins=2)
    low, high = found.bins
    assert (low.low, low.high, low.observed, low.count) == (0, 0.5, 0.5, 2)
    assert low.predicted == pytest.approx(0.2)
    assert high.predicted == pytest.approx(0.9)
    assert high.observed == 1
    # (|0.2 - 0.5| * 2 + |0.9 - 1| * 2) / 4 and (0.01 + 0.49 + 0.04 + 0) / 4
    assert found.error == pytest.approx(0.2)
    assert found.brier == pytest.approx(0.135)


def test_a_prediction_of_one_is_in_the_last_bin_and_empty_bins_are_left_out() -> None:
    assert reliability([1.0], [True]).bins == (ReliabilityBin(0.9, 1.0, 1.0, 1.0, 1),)


@pytest.mark.parametrize(
    ("predictions", "outcomes"), [([], []), ([0.5], []), ([1.5], [True]), ([float("nan")], [True])]
)
def test_what_is_no_probability_is_refused(predictions: list[float], outcomes: list[bool]) -> None:
    with pytest.raises(InvalidInputError):
        reliability(predictions, outcomes)
