from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.measures.reliability import auroc


@pytest.mark.parametrize(
    ("predictions", "outcomes", "area"),
    [
        ((0.9, 0.8, 0.1), (True, True, False), 1.0),
        ((0.1, 0.9), (True, False), 0.0),
        ((0.5, 0.5), (True, False), 0.5),
        # Of the pairs 0.7 > 0.6, 0.7 > 0.2, 0.4 < 0.6 and 0.4 > 0.2, three are in order.
        ((0.7, 0.6, 0.4, 0.2), (True, False, True, False), 0.75),
        ((0.7, 0.6), (True, True), None),
        ((), (), None),
    ],
)
def test_auroc_counts_pairs_in_order(
    predictions: tuple[float, ...], outcomes: tuple[bool, ...], area: float | None
) -> None:
    assert auroc(predictions, outcomes) == area


def test_predictions_and_outcomes_have_to_pair() -> None:
    with pytest.raises(InvalidInputError, match="one outcome for each"):
        auroc((0.5,), ())
