from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.measures.intervals import (
    Estimate,
    mean_interval,
    paired_difference,
)


def test_equal_values_have_an_interval_of_no_width() -> None:
    assert mean_interval([40.0] * 7) == Estimate(40, 40, 40, 7)


def test_the_interval_of_two_values_by_hand() -> None:
    # Means of resamples of {0, 100} are 0, 50 or 100 with chances 1/4, 1/2, 1/4: the middle 95 %
    # reach both ends, and the middle 40 % are all 50.
    assert mean_interval([0.0, 100.0]) == Estimate(50, 0, 100, 2)
    narrow = mean_interval([0.0, 100.0], level=0.4)
    assert (narrow.low, narrow.high) == (50, 50)


def test_the_interval_of_many_coins_is_the_normal_one() -> None:
    values = [0.0, 100.0] * 200
    found = mean_interval(values, resamples=4000)
    # The standard error is 50 / sqrt(400) = 2.5, and 1.96 of it is 4.9.
    assert found.value == 50
    assert found.low == pytest.approx(45.1, abs=0.4)
    assert found.high == pytest.approx(54.9, abs=0.4)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = [float(i * i % 17) for i in range(60)]
    assert mean_interval(values, seed=3) == mean_interval(values, seed=3)
    assert mean_interval(values, seed=3) != mean_interval(values, seed=4)


def test_clusters_are_drawn_whole() -> None:
    # Two contexts, one always right and one always wrong: resamples are all right, half or all
    # wrong, so the interval reaches both ends however many questions there are.
    values = [100.0] * 50 + [0.0] * 50
    found = mean_interval(values, ["a"] * 50 + ["b"] * 50)
    assert (found.value, found.low, found.high, found.clusters) == (50, 0, 100, 2)
    assert mean_interval(values).low > 35


def test_the_mean_of_drawn_clusters_is_over_their_questions() -> None:
    # Sizes 1 and 3: draws give 0, 100, or both together 25.
    found = mean_interval([100.0, 0.0, 0.0, 0.0], ["a", "b", "b", "b"], level=0.4)
    assert (found.value, found.low, found.high) == (25, 25, 25)


def test_a_paired_difference_does_not_see_how_questions_differ() -> None:
    theirs = [float(10 * (i % 10)) for i in range(100)]
    ours = [value + 1 for value in theirs]
    paired = paired_difference(ours, theirs)
    assert (paired.value, paired.low, paired.high) == (1, 1, 1)


def test_the_sign_is_ours_minus_theirs() -> None:
    assert paired_difference([10.0, 20.0], [30.0, 50.0]).value == -25


@pytest.mark.parametrize(
    ("values", "clusters", "options"),
    [
        ([], None, {}),
        ([float("nan")], None, {}),
        ([float("inf"), 1.0], None, {}),
        ([1.0, 2.0], ["a"], {}),
        ([1.0], None, {"level": 1.0}),
        ([1.0], None, {"resamples": 0}),
    ],
)
def test_what_has_no_interval_is_refused(
    values: list[float], clusters: list[str] | None, options: dict[str, float]
) -> None:
    with pytest.raises(InvalidInputError):
        mean_interval(values, clusters, **options)  # type: ignore[arg-type]


def test_values_that_do_not_pair_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="2 values do not pair with 1"):
        paired_difference([1.0, 2.0], [1.0])
