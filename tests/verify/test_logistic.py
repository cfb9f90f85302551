from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

from graphmemix.errors import InvalidDataError
from graphmemix.verify.logistic import Logistic, Weight, log_loss, log_odds, sigmoids

RNG = np.random.default_rng(3)
ROWS = RNG.normal(2.0, 3.0, (400, 3)) * [1.0, 10.0, 0.1]
LABELS = (RNG.random(400) < sigmoids(ROWS @ [0.5, -0.05, 3.0] - 1)).astype(float)
NAMES = ["a", "b", "c"]


def objective(weights: np.ndarray, rows: np.ndarray, labels: np.ndarray, ridge: float) -> float:
    odds = weights[0] + rows @ weights[1:]
    missed = np.logaddexp(0, odds) - labels * odds
    return float(missed.sum() + ridge / 2 * (weights[1:] ** 2).sum())


@pytest.mark.parametrize("ridge", [0.1, 5.0, 100.0])
def test_a_fit_is_the_summit_that_scipy_finds(ridge: float) -> None:
    fitted = Logistic.fit(NAMES, ROWS, LABELS, ridge=ridge)
    scaled = (ROWS - ROWS.mean(axis=0)) / ROWS.std(axis=0)
    found = minimize(
        objective, np.zeros(4), (scaled, LABELS, ridge), method="BFGS", options={"gtol": 1e-8}
    )
    ours = [fitted.intercept, *(part.weight for part in fitted.weights.values())]
    assert ours == pytest.approx(found.x, abs=1e-5)
    assert [part.mean for part in fitted.weights.values()] == pytest.approx(ROWS.mean(axis=0))
    assert [part.scale for part in fitted.weights.values()] == pytest.approx(ROWS.std(axis=0))


def test_without_features_that_tell_anything_the_intercept_is_the_base_rate() -> None:
    fitted = Logistic.fit(["same"], np.full((4, 1), 7.0), np.array([1.0, 0, 0, 0]))
    assert fitted.intercept == pytest.approx(math.log(1 / 3))
    assert fitted.weights["same"].weight == 0
    assert fitted.probability(np.array([[7.0], [900.0]])) == pytest.approx([0.25, 0.25])


@pytest.mark.parametrize("factor", [0.0, 1.01, -3.0, 1e4])
def test_where_the_search_starts_has_no_influence_on_where_it_ends(factor: float) -> None:
    fitted = Logistic.fit(NAMES, ROWS, LABELS)
    weights = {
        k: Weight(factor * v.weight, 2 * v.mean, 3 * v.scale) for k, v in fitted.weights.items()
    }
    again = Logistic.fit(NAMES, ROWS, LABELS, start=Logistic(factor * 50, weights))
    assert again.intercept == pytest.approx(fitted.intercept, abs=1e-6)
    for name in NAMES:
        assert again.weights[name].weight == pytest.approx(fitted.weights[name].weight, abs=1e-6)


def test_a_search_may_come_down_from_a_cheaper_summit() -> None:
    fitted = Logistic.fit(NAMES, ROWS, LABELS, ridge=60.0)
    cheaper = Logistic.fit(NAMES, ROWS, LABELS, ridge=40.0)
    again = Logistic.fit(NAMES, ROWS, LABELS, ridge=60.0, start=cheaper)
    for name in NAMES:
        assert again.weights[name].weight == pytest.approx(fitted.weights[name].weight, abs=1e-6)


def test_no_chance_is_certain_however_far_the_odds() -> None:
    never, always = sigmoids(np.array([-1e9, 1e9]))
    assert 0 < never < 1e-9
    assert 0 < 1 - always < 1e-9


def test_outcomes_that_a_feature_decides_still_have_a_summit() -> None:
    rows = np.linspace(-1, 1, 50)[:, None]
    fitted = Logistic.fit(["x"], rows, (rows[:, 0] > 0.9).astype(float), ridge=0.01)
    chances = fitted.probability(rows)
    assert np.isfinite(chances).all()
    assert (chances[-2:] > 0.5).all()
    assert (chances[:40] < 0.5).all()


def test_a_feature_that_does_not_apply_counts_as_average() -> None:
    model = Logistic(-1.0, {"x": Weight(2.0, 10.0, 4.0), "y": Weight(1.0, 0.0, 1.0)})
    odds = model.log_odds(np.array([[np.nan, 3.0], [10.0, 3.0], [14.0, np.nan]]))
    assert odds == pytest.approx([2.0, 2.0, 1.0])


def test_rows_where_it_does_not_apply_teach_nothing_about_a_feature() -> None:
    rows, labels = ROWS.copy(), LABELS.copy()
    rows[:100, 0] = np.nan
    fitted = Logistic.fit(NAMES, rows, labels)
    assert fitted.weights["a"].mean == pytest.approx(rows[100:, 0].mean())
    labels[:100] = 1 - labels[:100]  # turns what b and c seem to say, not a's mean
    assert Logistic.fit(NAMES, rows, labels).weights["a"].mean == fitted.weights["a"].mean


@pytest.mark.parametrize("labels", [[], [1.0, 1.0], [0.0]])
def test_without_both_outcomes_there_is_nothing_to_learn(labels: list[float]) -> None:
    with pytest.raises(InvalidDataError, match="both outcomes"):
        Logistic.fit(["x"], np.zeros((len(labels), 1)), np.array(labels))


def test_rows_with_other_features_are_refused() -> None:
    model = Logistic(0.0, {"x": Weight(1.0, 0.0, 1.0)})
    with pytest.raises(InvalidDataError, match="has 1 features, but the rows have 2"):
        model.probability(np.zeros((1, 2)))


def test_a_model_is_the_same_after_json() -> None:
    fitted = Logistic.fit(NAMES, ROWS, LABELS)
    assert Logistic.from_json(fitted.to_json()) == fitted


def test_odds_and_losses_by_hand() -> None:
    assert sigmoids(np.array([0.0, math.log(3), -1e9])) == pytest.approx([0.5, 0.75, 0.0])
    assert log_odds(np.array([0.5, 0.75])) == pytest.approx([0.0, math.log(3)])
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()
    assert log_loss(np.array([0.5, 0.75]), np.array([1.0, 0.0])) == pytest.approx(
        (math.log(2) + math.log(4)) / 2
    )


def test_plain_factors_say_the_same_about_features_as_they_are() -> None:
    fitted = Logistic.fit(NAMES, ROWS, LABELS)
    *factors, offset = fitted.plain()
    assert ROWS @ np.array(factors) + offset == pytest.approx(fitted.log_odds(ROWS))


def test_a_feature_that_applies_to_one_row_has_the_mean_of_that_row() -> None:
    rows = np.array([[4.0], [np.nan], [np.nan]])
    fitted = Logistic.fit(["rare"], rows, np.array([1.0, 0.0, 1.0]))
    assert fitted.weights["rare"].mean == 4.0


def test_one_outcome_alone_teaches_nothing_and_is_told_so() -> None:
    for labels in (np.zeros(0), np.ones(3)):
        with pytest.raises(InvalidDataError) as caught:
            Logistic.fit(["x"], np.zeros((len(labels), 1)), labels)
        assert str(caught.value) == "fit: needs rows with both outcomes"


def test_a_step_that_would_go_too_far_is_shortened() -> None:
    # One row of eleven is set apart from the rest, and at this ridge Newton's step overshoots.
    rows = np.array(
        [[-4.5, -1.3], [4.2, 3.5], [1.4, -1.2], [-4.0, -5.9], [3.5, 3.7], [-1.0, 42.6],
         [-2.0, -10.5], [4.5, 19.1], [-0.8, 0.5], [2.9, -0.5], [0.0, -3.8]]
    )  # fmt: skip
    labels = np.zeros(11)
    labels[1] = 1.0
    fitted = Logistic.fit(["a", "b"], rows, labels, ridge=1e-6)
    weights = np.array([part.weight for part in fitted.weights.values()])
    scaled = (rows - rows.mean(axis=0)) / rows.std(axis=0)
    missed = fitted.probability(rows) - labels
    assert missed.sum() == pytest.approx(0, abs=1e-6)
    assert scaled.T @ missed + 1e-6 * weights == pytest.approx(np.zeros(2), abs=1e-6)


def test_a_certain_mistake_costs_much_but_not_everything() -> None:
    worst = log_loss(np.array([0.0, 1.0]), np.array([1.0, 0.0]))
    assert worst == pytest.approx(-math.log(1e-6), rel=1e-6)
    assert log_loss(np.array([0.0, 1.0]), np.array([0.0, 1.0])) == pytest.approx(1e-6, rel=1e-3)


def test_a_row_that_counts_twice_is_like_two_rows() -> None:
    counts = np.where(np.arange(400) % 3 == 0, 2.0, 1.0)
    counted = Logistic.fit(NAMES, ROWS, LABELS, ridge=1e-9, counts=counts)
    often = counts.astype(int)
    repeated = Logistic.fit(NAMES, ROWS.repeat(often, axis=0), LABELS.repeat(often), ridge=1e-9)
    assert counted.probability(ROWS) == pytest.approx(repeated.probability(ROWS), abs=1e-6)
    plain = Logistic.fit(NAMES, ROWS, LABELS, ridge=1e-9)
    assert counted.probability(ROWS) != pytest.approx(plain.probability(ROWS), abs=1e-3)


def test_counts_of_one_change_nothing() -> None:
    assert Logistic.fit(NAMES, ROWS, LABELS, counts=np.ones(400)) == Logistic.fit(
        NAMES, ROWS, LABELS
    )
