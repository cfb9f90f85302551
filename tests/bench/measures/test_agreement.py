"""Agreement of two judges."""

from __future__ import annotations

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.measures.agreement import agreement


def test_kappa_takes_chance_away() -> None:
    pairs = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    found = agreement(pairs)
    assert (found.count, found.only_first, found.only_second) == (50, 5, 10)
    assert found.agreement == 70
    assert found.kappa == pytest.approx(0.4)  # (0.7 - 0.5) / (1 - 0.5), worked out by hand


def test_judges_that_always_say_the_same_agree_by_chance_alone() -> None:
    assert agreement([(True, True)] * 3).kappa == 0


def test_nothing_cannot_be_compared() -> None:
    with pytest.raises(InvalidInputError, match="no verdicts"):
        agreement([])
