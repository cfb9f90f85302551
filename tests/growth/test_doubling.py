import re

import pytest

from tests.growth.doubling import NeverEndsError, assert_linear


def test_linear_work_passes() -> None:
    assert_linear(str.split, lambda size: "a b " * size)


def test_quadratic_work_fails() -> None:
    def every_pair(items: range) -> int:
        return sum(1 for _ in items for _ in items)

    with pytest.raises(AssertionError, match="grows with the power"):
        assert_linear(every_pair, range, start=64)


def test_a_pattern_that_backtracks_for_ever_is_interrupted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tests.growth.doubling._MOST", 0.2)
    with pytest.raises(NeverEndsError):
        assert_linear(re.compile(r"(a|a)*b").match, lambda size: "a" * size, start=64)
