"""Feasts of other calendars: Diwali, Eid, Hanukkah, Lunar New Year and the like.

Dates are those on which the feasts were kept, not those that the code computes.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest

from graphmemix.text.dates import dates_of_any_year, find_dates
from graphmemix.text.dates.feasts import FEASTS, ISLAMIC, islamic_year, rosh_hashanah
from tests.text.dates.dated import ASKED, FIRST, found

DAY = timedelta(days=1)
TABLES = ("lunar new year", "mid-autumn festival", "diwali", "holi")

# Asked on Wednesday 13 March 2024, 10:30, in the first days of Ramadan.
ENGLISH = [
    ("our photos of Diwali 2023", "Diwali 2023", "2023-11-11 2023-11-14"),
    ("Where were we at Deepavali?", "Deepavali", "2023-11-11 2023-11-14"),
    ("Who came for Holi?", "Holi", "2023-03-07 2023-03-10"),
    ("What did I read during Ramadan 2022?", "Ramadan 2022", "2022-04-02 2022-05-04"),
    ("What did we cook last Eid?", "last Eid", "2023-04-21 2023-04-26"),
    ("What did we cook at eid?", "eid", "2023-04-21 2023-04-26"),
    ("the guests at Eid al-Fitr 2022", "Eid al-Fitr 2022", "2022-05-02 2022-05-07"),
    ("the guests at Eid ul Adha 2023", "Eid ul Adha 2023", "2023-06-28 2023-07-04"),
    ("dinner on Chinese New Year 2023", "Chinese New Year 2023", "2023-01-21 2023-01-24"),
    ("Who cooked at Lunar New Year?", "Lunar New Year", "2024-02-09 2024-02-12"),
    ("our photos of Tết 2023", "Tết 2023", "2023-01-21 2023-01-24"),
    ("Who came during Tet?", "Tet", "2024-02-09 2024-02-12"),
    ("at the Mid-Autumn Festival", "Mid-Autumn Festival", "2023-09-29 2023-09-30"),
    ("Where were we at Passover 2023?", "Passover 2023", "2023-04-05 2023-04-14"),
    ("Who came on Rosh Hashanah?", "Rosh Hashanah", "2023-09-15 2023-09-18"),
    ("Who came at Jewish New Year?", "Jewish New Year", "2023-09-15 2023-09-18"),
    ("Who fasted on Yom Kippur?", "Yom Kippur", "2023-09-24 2023-09-26"),
    ("the candles at Hanukkah", "Hanukkah", "2023-12-07 2023-12-16"),
    ("at Orthodox Easter 2023", "Orthodox Easter 2023", "2023-04-14 2023-04-18"),
    ("Where were we at Nowruz 2022?", "Nowruz 2022", "2022-03-20 2022-03-22"),
    ("Who danced at Midsummer?", "Midsummer", "2023-06-23 2023-06-25"),
    ("fireworks on Bastille Day 2022", "Bastille Day 2022", "2022-07-14 2022-07-15"),
    ("Who sang on Lucia Day?", "Lucia Day", "2023-12-13 2023-12-14"),
    ("Who sang at Lucia?", "Lucia", "2023-12-13 2023-12-14"),
]
COMBINED = [
    ("What did I do this Ramadan?", "this Ramadan", "2024-03-10 2024-04-11"),
    ("the guests next Diwali", "next Diwali", "2024-10-30 2024-11-02"),
    ("Where were we two Diwalis ago?", "two Diwalis ago", "2022-10-23 2022-10-26"),
    ("Where were we two Ramadans ago?", "two Ramadans ago", "2022-04-02 2022-05-04"),
    ("our Diwali dinner last year", "Diwali dinner last year", "2023-11-11 2023-11-14"),
    ("What did I read before Diwali 2023?", "before Diwali 2023", f"{FIRST} 2023-11-11"),
    ("the week after Ramadan 2023", "week after Ramadan 2023", "2023-04-23 2023-04-30"),
    ("the week after Hanukkah 2023", "week after Hanukkah 2023", "2023-12-16 2023-12-23"),
    ("two days before Diwali 2023", "two days before Diwali 2023", "2023-11-10 2023-11-11"),
    ("between Diwali and Christmas 2023", "between Diwali and Christmas 2023",
     "2023-11-11 2023-12-27"),
]  # fmt: skip
GERMAN = [
    ("Wer war an Diwali da?", "Diwali", "2023-11-11 2023-11-14"),
    ("Was gab es beim Zuckerfest 2022?", "Zuckerfest 2022", "2022-05-02 2022-05-07"),
    ("Was haben wir zum Ramadanfest gekocht?", "Ramadanfest", "2023-04-21 2023-04-26"),
    ("die Fotos vom Opferfest 2023", "Opferfest 2023", "2023-06-28 2023-07-04"),
    ("Was war während des Ramadan 2022?", "Ramadan 2022", "2022-04-02 2022-05-04"),
    ("Was war zum chinesischen Neujahr?", "chinesischen Neujahr", "2024-02-09 2024-02-12"),
    ("Wer kam an Chanukka 2023?", "Chanukka 2023", "2023-12-07 2023-12-16"),
    ("Wo waren wir an Pessach 2023?", "Pessach 2023", "2023-04-05 2023-04-14"),
    ("Was war am Holi-Fest?", "Holi-Fest", "2023-03-07 2023-03-10"),
    ("Wo waren wir an Mittsommer 2022?", "Mittsommer 2022", "2022-06-24 2022-06-26"),
]
FRENCH = [
    ("Qui était là à Diwali ?", "Diwali", "2023-11-11 2023-11-14"),
    ("Qu'avons-nous mangé pour l'Aïd ?", "Aïd", "2023-04-21 2023-04-26"),
    ("Qui était là à l'Aïd el-Kébir 2023 ?", "Aïd el-Kébir 2023", "2023-06-28 2023-07-04"),
    ("ce que j'ai lu pendant le Ramadan 2022", "Ramadan 2022", "2022-04-02 2022-05-04"),
    ("Qui était là au Nouvel An chinois ?", "Nouvel An chinois", "2024-02-09 2024-02-12"),
    ("les photos de Hanoucca 2023", "Hanoucca 2023", "2023-12-07 2023-12-16"),
    ("les photos du 14 juillet", "14 juillet", "2023-07-14 2023-07-15"),
]
SPANISH = [
    ("¿Qué hicimos en Diwali?", "Diwali", "2023-11-11 2023-11-14"),
    ("¿Dónde estuvimos durante el Ramadán de 2022?", "Ramadán de 2022", "2022-04-02 2022-05-04"),
    ("las fotos de la Fiesta del Cordero de 2023", "Fiesta del Cordero de 2023",
     "2023-06-28 2023-07-04"),
    ("las fotos del Año Nuevo chino", "Año Nuevo chino", "2024-02-09 2024-02-12"),
    ("¿Quién vino en Janucá de 2023?", "Janucá de 2023", "2023-12-07 2023-12-16"),
    ("¿Quién vino en Acción de Gracias?", "Acción de Gracias", "2023-11-23 2023-11-24"),
]  # fmt: skip
SWEDISH = [
    ("Vad gjorde vi på midsommar?", "midsommar", "2023-06-23 2023-06-25"),
    ("Vilka kom på midsommarafton 2022?", "midsommarafton 2022", "2022-06-24 2022-06-26"),
    ("Vem sjöng vid Lucia?", "Lucia", "2023-12-13 2023-12-14"),
    ("Vem sjöng på Luciadagen 2021?", "Luciadagen 2021", "2021-12-13 2021-12-14"),
    ("bilder av Luciatåget 2022", "Luciatåget 2022", "2022-12-13 2022-12-14"),
    ("bilder Lucia 2023", "Lucia 2023", "2023-12-13 2023-12-14"),
]


@pytest.mark.parametrize(
    ("question", "words", "period"), ENGLISH + COMBINED + GERMAN + FRENCH + SPANISH + SWEDISH
)
def test_a_feast_is_a_date(question: str, words: str, period: str) -> None:
    assert found(question, ASKED) == [(words, period)]


@pytest.mark.parametrize(
    "question",
    [
        "How was Diwali?",
        "What do we eat every Eid?",
        "Where were we on holiday?",
        "Who plays Tetris?",
        "the history of the Tet Offensive",
        "our tickets for A Midsummer Night's Dream",
        "When did I buy the hearing aid?",
        "What did Eid say?",
        "a letter from Sara Eid",
        "a letter from Dr. Eid",
        "the key at Eid's house",
        "What did Lucia say?",
        "a letter from Lucia",
        "dinner for Lucia",
        "dinner at Lucia's",
        "dinner at Lucia Moreno and Ben",
        "our hotel at St Lucia",
        "la carta de Lucía",
        "ein Brief an Lucia",
    ],
)
def test_what_looks_like_a_feast(question: str) -> None:
    assert found(question, ASKED) == []


@pytest.mark.parametrize(
    "question",
    [
        "mails by Sara Eid 2023",
        "mails by Dr. Eid in 2023",
        "photos with Lucia in 2023",
        "photos with Lucia, 2023",
        "photos of Maria Lucia 2023",
        "our trip to St Lucia 2023",
        "our holiday 2023",
        "my hearing aid 2023",
    ],
)
def test_the_year_stays_where_a_name_is_no_feast(question: str) -> None:
    assert found(question, ASKED) == [("2023", "2023-01-01 2024-01-01")]


@pytest.mark.parametrize("question", ["Who sang at Lucia?", "What did we cook at Eid?"])
def test_a_known_person_is_no_feast(question: str) -> None:
    assert find_dates(question, ASKED)
    assert not find_dates(question, ASKED, names=("lucia", "eid"))


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("diwali", "2010-11-05 2016-10-30 2020-11-14 2021-11-04 2022-10-24 2023-11-12 2024-10-31"),
        ("holi", "2012-03-08 2018-03-02 2021-03-29 2022-03-18 2023-03-08 2024-03-25 2025-03-14"),
        ("lunar new year", "2000-02-05 2015-02-19 2020-01-25 2022-02-01 2023-01-22 2025-01-29"),
        ("rosh hashanah", "2013-09-05 2021-09-07 2022-09-26 2023-09-16 2024-10-03 2025-09-23"),
    ],
)
def test_the_main_day_is_in_the_middle(name: str, kept: str) -> None:
    for day in map(date.fromisoformat, kept.split()):
        assert FEASTS[name](day.year) == (day - DAY, 3)


@pytest.mark.parametrize(
    ("name", "kept", "count"),
    [
        ("mid-autumn festival", "2020-10-01 2021-09-21 2022-09-10 2023-09-29 2024-09-17", 1),
        ("passover", "2021-03-27 2022-04-15 2023-04-05 2024-04-22 2025-04-12", 9),  # the Seder
        ("yom kippur", "2021-09-15 2022-10-04 2023-09-24 2024-10-11 2025-10-01", 2),
        ("hanukkah", "2013-11-27 2021-11-28 2022-12-18 2023-12-07 2024-12-25 2025-12-14", 9),
        ("orthodox easter", "2021-04-30 2022-04-22 2023-04-14 2024-05-03 2025-04-18", 4),
        ("midsummer", "2020-06-19 2021-06-25 2022-06-24 2023-06-23 2024-06-21", 2),
    ],
)
def test_the_first_day(name: str, kept: str, count: int) -> None:
    for day in map(date.fromisoformat, kept.split()):
        assert FEASTS[name](day.year) == (day, count)


@pytest.mark.parametrize(
    ("name", "kept"),
    [  # in Saudi Arabia
        ("ramadan", "2019-05-06 2020-04-24 2021-04-13 2022-04-02 2023-03-23 2024-03-11 2025-03-01"),
        ("eid al-fitr", "2010-09-10 2013-08-08 2016-07-06 2019-06-04 2020-05-24 2021-05-13"),
        ("eid al-fitr", "2022-05-02 2023-04-21 2024-04-10 2025-03-30"),
        ("eid al-adha", "2010-11-16 2012-10-26 2015-09-24 2018-08-21 2020-07-31 2021-07-20"),
        ("eid al-adha", "2022-07-09 2023-06-28 2024-06-16 2025-06-06"),
    ],
)
def test_islamic_feasts_start_within_a_day_of_the_tabular_calendar(name: str, kept: str) -> None:
    for day in map(date.fromisoformat, kept.split()):
        first, count = ISLAMIC[name](islamic_year(day + 7 * DAY))
        assert abs((first + DAY - day).days) <= 1
        assert first + count * DAY > day + (28 if name == "ramadan" else 2) * DAY


def test_tables_follow_the_moon() -> None:
    """Chinese years and Diwali at a new moon, Holi and mid-autumn at a full one."""
    new_moon, month = date(2000, 1, 6).toordinal() + 0.76, 29.530588  # on the average; 18:14 UTC
    for name in TABLES:
        phase = 0.0 if name in {"lunar new year", "diwali"} else month / 2
        for year in range(2000, 2036):
            period = FEASTS[name](year)
            assert period
            middle = period[0].toordinal() + period[1] / 2
            off = (middle - new_moon - phase + month / 2) % month - month / 2
            assert abs(off) < 1.8, (name, year)


def test_the_hebrew_year_never_starts_on_three_weekdays() -> None:
    starts = [rosh_hashanah(year) for year in range(1900, 2101)]
    assert {day.weekday() for day in starts} == {0, 1, 3, 5}
    lengths = {(b - a).days for a, b in pairwise(starts)}
    assert lengths == {353, 354, 355, 383, 384, 385}


@pytest.mark.parametrize("year", [1999, 2036])
def test_a_year_without_a_known_date_is_no_date(year: int) -> None:
    for name in ("Diwali", "Holi", "Lunar New Year"):
        for question in (f"at {name}", f"last {name}", f"next {name}", f"two {name}s ago"):
            assert find_dates(question, datetime(year, 12, 1, tzinfo=UTC)) == []
        period = f"{year}-01-01 {year + 1}-01-01"
        assert found(f"at {name} {year}", ASKED) == [(f"{year}", period)]
        assert found(f"at {name} in {year}", ASKED) == [(f"{name} in {year}", period)]


def test_a_feast_that_comes_twice_in_a_year_is_both() -> None:
    assert found("photos of Eid 2000", ASKED) == [
        ("Eid 2000", "2000-01-07 2000-01-12"),
        ("Eid 2000", "2000-12-27 2001-01-01"),
    ]
    assert found("during Ramadan 1998", ASKED) == [  # that of January had begun on New Year's Eve
        ("Ramadan 1998", "1997-12-30 1998-01-31"),
        ("Ramadan 1998", "1998-12-19 1999-01-20"),
    ]
    in_summer = datetime(2000, 7, 1, tzinfo=UTC)
    days = [
        find_dates(f"{which} Eid", in_summer)[0].start.date() for which in ("this", "at", "next")
    ]
    assert days == [date(2000, 1, 7), date(2000, 1, 7), date(2000, 12, 27)]


def test_a_year_that_is_said_needs_no_clock() -> None:
    assert len(find_dates("Diwali 2023", None)) == 1
    assert find_dates("at Diwali", None) == []


def test_a_fixed_feast_may_be_in_any_year_of_the_archive() -> None:
    dates = dates_of_any_year("Who came at Nowruz?", None, range(2020, 2022))
    assert [each.start.date() for each in dates] == [date(2021, 3, 20), date(2020, 3, 20)]
