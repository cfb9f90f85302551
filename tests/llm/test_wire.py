from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from graphmemix.llm.wire import retry_after


@pytest.mark.parametrize(("said", "seconds"), [("0", 0.0), ("1.5", 1.5), ("120", 120.0)])
def test_a_pause_is_told_in_seconds(said: str, seconds: float) -> None:
    assert retry_after({"Retry-After": said}) == seconds


def test_or_as_a_date_that_has_not_passed() -> None:
    now = datetime.now(UTC)
    later = retry_after({"Retry-After": format_datetime(now + timedelta(hours=1))})
    assert later is not None
    assert 3500 < later <= 3600
    assert retry_after({"Retry-After": format_datetime(now - timedelta(hours=1))}) is None


@pytest.mark.parametrize("said", ["", "soon", "-1", "nan", "inf", "Wed, 99 Foo 2024", "1 2 3 4 5"])
def test_nonsense_is_no_pause(said: str) -> None:
    assert retry_after({"Retry-After": said}) is None
    assert retry_after({}) is None
