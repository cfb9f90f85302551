"""Any text, any clock: `about_days` never raises, is bounded, and takes linear time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphmemix.text.dates.about import LONGEST_TEXT, MOST, about_days
from graphmemix.text.dates.about_dates import LONGEST
from tests.growth.doubling import assert_linear

MADE = datetime(2024, 3, 13, 10, 30, tzinfo=UTC)
WORDS = """
last this next every on by until from to the in 3 14 14th 31 29 2023 2024 99 may May march Feb fin
de semana Friday fri sat Mo weekend week weeks days ago vor il y a hace dentro tomorrow hier morgen
manana i dag vecka KW 53 fredags segunda feira check-in check-out return out 05/06/2023 31/02/2023
2024-02-29 10.07. 17.07.2024 - \u2013 , . ( > \n 's and between moved was will October octobre
8月 31日 2月30日 (木) 〜 より 2泊 明日 来週の 9999年12月31日 200年後 今月末 まで
上周 五 내일 금요일에 3일 전
"""
MOMENTS = st.none() | st.datetimes(timezones=st.just(UTC) | st.none())
TEXTS = st.text() | st.lists(st.sampled_from([*WORDS.split(" "), "\n"]), max_size=16).map(" ".join)


@given(TEXTS, MOMENTS)
@settings(deadline=None, max_examples=300)
def test_any_text(text: str, made: datetime | None) -> None:
    found = about_days(text, made)
    assert list(found) == sorted(set(found))
    assert len(found) <= MOST
    assert all(0 <= (last - first).days < LONGEST for first, last in found)


@given(TEXTS, MOMENTS)
@settings(deadline=None, max_examples=200)
def test_a_sentence_without_dates_changes_nothing(text: str, made: datetime | None) -> None:
    assert about_days(f"{text}\n\nBlue cups.", made) == about_days(f"{text}\n\n", made)


@pytest.mark.parametrize(
    "unit",
    ["1 ", "May ", "12 May to ", "Friday ", "next week ", "9, ", "check-in 3 May out ", "> a\n"],
)
def test_long_texts_take_linear_time(unit: str) -> None:
    most = LONGEST_TEXT // len(unit)
    assert_linear(
        lambda text: about_days(text, MADE), lambda size: unit * size, start=most >> 5, most=most
    )
