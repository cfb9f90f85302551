"""Any text, any clock: nothing raises, and nothing takes longer than its length explains."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from graphmemix.retrieve.constraints import Constraints, find_constraints
from tests.text.dates.dated import ASKED

ZONES = st.integers(-1439, 1439).map(lambda minutes: timezone(timedelta(minutes=minutes)))
MOMENTS = st.none() | st.datetimes(timezones=ZONES | st.just(UTC))
WORDS = """
last this next past first second 5th 5 31 29 00 '22 2023 9999 0 99999999 may May march Feb Friday
sat week weekend month years day decade hour minute summer winter fall Christmas Easter New Year's
Eve ago before after since until between from to and or of the a in on at early mid late end half
quarter Q2 90s couple few every yesterday today tonight morning nights day-before time back 2022/23
2023-05-05 05/06/2023 2023/05/05T10:30 2023-13-45 2023-W23 - \u2013 , . ' 's ? ( # $ vor il y a hace
letzte dernier pasado drei trois tres Wochen semaines semanas mai mayo KW 23 ann\u00e9es photo
e-mail Anna Will Rome Diwali Eid al-Adha Ramadan Lucia Hanukkah Passover Orthodox Holi Tet
midsommar due settimane fa dal al scorso met\u00e0 di estate h\u00e1 na segunda sexta passada
\u00e0 noite de a geleden van tot half jaren 's avonds sedan f\u00f6r veckor i fredags somras
p\u00e5 senaste talet :e
2025年 8月 31日 去年の 夏 3日前 から まで 上周 五 지난 9999년 12월
"""


@given(st.text(), MOMENTS)
@settings(deadline=None)
def test_any_text(text: str, asked_at: datetime | None) -> None:
    constraints = find_constraints(text, asked_at, people=("Anna", text), places=(text, "Rome"))
    assert Constraints.from_json(constraints.to_json()) == constraints


@given(st.lists(st.sampled_from(WORDS.split()), max_size=14).map(" ".join), MOMENTS)
@settings(deadline=None, max_examples=300)
@example("10000 years ago", datetime(1, 1, 1, tzinfo=UTC))
@example("next year", datetime(9999, 12, 31, 23, 59, tzinfo=UTC))
@example("yesterday", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14))))
@example("the call at 2023/05/05T10:30, or was it 05/06/2023?", ASKED)
def test_any_words_of_dates(text: str, asked_at: datetime | None) -> None:
    constraints = find_constraints(text, asked_at, people=("Anna", "Will"), places=("Rome",))
    assert Constraints.from_json(constraints.to_json()) == constraints
    assert find_constraints(text, asked_at, people=["Will", "Anna"], places={"Rome"}) == constraints
    for found in constraints.times:
        assert found.start < found.end
    for each in constraints.all:
        assert each.text in text


@pytest.mark.parametrize(
    "part",
    [
        "9",
        "9.",
        "end of ",
        "between May and ",
        "5 ",
        "a",
        "May ",
        "\u0301",
        "2023-",
        "a week of ",
        "sedan två veckor ",
        "na segunda ",
        "anno scorso a ",
    ],
)
def test_a_long_text_of_anything_is_read(part: str) -> None:
    text = part * (32_000 // len(part))  # at once; minutes if it were quadratic
    people, places = ("Anna Maria Smith", "A A A A"), ("a a a",)
    found = find_constraints(text, ASKED, people=people, places=places)
    assert all(each.text in text for each in found.all)
