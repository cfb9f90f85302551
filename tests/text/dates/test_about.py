from __future__ import annotations

from datetime import date, datetime, timedelta, timezone

import pytest

from graphmemix.text.dates.about import LONGEST_TEXT, MOST, About, about_days

MADE = datetime(2024, 3, 13, 10, 30, tzinfo=timezone(timedelta(hours=1)))  # a Wednesday


def shown(text: str, made: datetime | None = MADE) -> str:
    """Return what a text is about as "03-15, 2023-10-01/10-31"; the year of MADE is left out."""
    return ", ".join(_shown(found) for found in about_days(text, made))


def _shown(found: About) -> str:
    first = found.first.isoformat().removeprefix("2024-")
    return first if found.first == found.last else f"{first}/{found.last:%m-%d}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dentist on 14 July 2023 at 10", "2023-07-14"),
        ("IMG 2023-07-14", "2023-07-14"),
        ("see you on 2 April", "04-02"),
        ("3 January, 12 December", "2023-12-12, 01-03"),
        ("Tue 24 September", "09-24"),  # the nearest one was no Tuesday
        ("Saturday 16th and Sunday 17th March", "03-16, 03-17"),
        ("confirmed for 9, 10 and 11 April", "04-09, 04-10, 04-11"),
        ("Stay 3 October 2024. Pay by 12 September.", "09-12, 10-03"),
        ("in October 2023", "2023-10-01/10-31"),
        ("im Oktober", "2023-10-01/10-31"),
        ("in May", "05-01/05-31"),
        ("Recording next May", "05-01/05-31"),
        ("last November", "2023-11-01/11-30"),
        ("May to July 2024", "05-01/07-31"),
        ("d'octobre à décembre 2022", "2022-10-01/12-31"),
    ],
)
def test_dates_and_months(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12-14 April", "04-12/04-14"),
        ("2–5 April", "04-02/04-05"),
        ("12th to 14th April", "04-12/04-14"),
        ("from the 12th to the 14th of April", "04-12/04-14"),
        ("April 12 to 14, 2024", "04-12/04-14"),
        ("Fri April 12 to Sun April 14", "04-12/04-14"),
        ("from Sunday 13 August to Tuesday 15 August 2023", "2023-08-13/08-15"),
        ("27 July - 3 August", "07-27/08-03"),
        ("27 Jul-03 Aug 2024", "07-27/08-03"),
        ("27 December 2023 until 3 January", "2023-12-27/01-03"),
        ("28 December to 3 January 2024", "2023-12-28/01-03"),
        ("between 3 May and 7 May", "05-03/05-07"),
        ("check-in Fri 19 Apr, check-out Sun 21 Apr", "04-19/04-21"),
        ("Arrival: 3 May 2024, from 15:00\nDeparture: 6 May 2024, by 11:00", "05-03/05-06"),
        ("arriving Sunday 12 May, leaving Friday 17 May", "05-12/05-17"),
        ("Flight MW 12, Sat 27 July, back Sat 3 August return", "07-27/08-03"),
        ("Outbound: 4 July 2024, 06:10\nReturn: 11 July 2024, 21:00", "07-04/07-11"),
        ("We come Friday night and stay till Sunday", "03-15/03-17"),
        ("away Monday to Thursday", "03-18/03-21"),
        ("Flights: Mon 15 April, 22:00; Tue 16 April, 8:00. Return 20 April", "04-15, 04-16/04-20"),
        ("Camp 14–17 May. Tuesday 7.45 at school, back on Friday", "05-14, 05-14/05-17, 05-17"),
        ("Fri 19 Apr 15:00 – Sun 21 Apr 11:00", "04-19/04-21"),
        ("10. bis 17. Juli", "07-10/07-17"),
        ("vom 10. bis zum 17. Juli", "07-10/07-17"),
        ("vom Freitag, 12.07. bis Sonntag, 14.07.2024", "07-12/07-14"),
        ("10.-17.07.2024", "07-10/07-17"),
        ("10.07.-17.07.2024", "07-10/07-17"),
        ("Anreise: 3. Mai 2024, Abreise: 6. Mai 2024", "05-03/05-06"),
        ("Hinflug 3. Mai 2024 um 6 Uhr, Rückflug 10. Mai 2024", "05-03/05-10"),
        ("Freitag abend bis Sonntag", "03-15/03-17"),
        ("du mardi 2 au vendredi 5 avril 2024", "04-02/04-05"),
        ("du 30 septembre au 18 octobre 2024", "09-30/10-18"),
        ("del 3 al 7 de mayo", "05-03/05-07"),
        ("desde el 3 de mayo hasta el 7 de mayo", "05-03/05-07"),
        ("dal 3 al 7 maggio", "05-03/05-07"),
        ("van 3 tot 7 mei", "05-03/05-07"),
        ("från den 3 maj till den 7 maj", "05-03/05-07"),
        ("3-7 augusti", "08-03/08-07"),
        ("de 3 a 7 de maio", "05-03/05-07"),
    ],
)
def test_an_interval_is_one(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3 May 2024, 7 May 2024", "05-03, 05-07"),
        ("Paid on 3 May. The parcel leaves on 7 May.", "05-03, 05-07"),
        ("3 and 7 May", "05-03, 05-07"),
        ("The visit is moved from 3 May to 7 May", "05-03, 05-07"),
        ("Cours déplacé du jeudi 2 mai au 5 mai", "05-02, 05-05"),
        ("Term: 1 April 2023 to 31 March 2025", "2023-04-01, 2025-03-31"),  # over three months
        ("Invoice of 3 May. Please return it by 7 May.", "05-03, 05-07"),
    ],
)
def test_two_days_are_two(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("today", "03-13"),
        ("tonight", "03-13"),
        ("this morning", "03-13"),
        ("last night", "03-12"),
        ("tomorrow", "03-14"),
        ("yesterday", "03-12"),
        ("the day after tomorrow", "03-15"),
        ("the day before yesterday", "03-11"),
        ("on Friday", "03-15"),
        ("Friday evening", "03-15"),
        ("on Wednesday", "03-20"),  # today is "today"
        ("this Wednesday", "03-13"),
        ("next Tuesday", "03-19"),
        ("this Saturday", "03-16"),
        ("on Sat", "03-16"),
        ("Sat 8pm", "03-16"),
        ("last Friday", "03-08"),
        ("we met on Friday", "03-08"),
        ("we were late on Friday. Can we talk?", "03-08"),
        ("we checked out Sunday", "03-10"),
        ("it left on the 6th", "03-06"),
        ("he was ill, but can come on Friday", "03-15"),
        ("Friday next week", "03-22"),
        ("next week on Friday", "03-22"),
        ("Friday 22", "03-22"),
        ("on the 27th", "03-27"),
        ("by the 5th", "04-05"),
        ("this weekend", "03-16/03-17"),
        ("at the weekend", "03-16/03-17"),
        ("last weekend", "03-09/03-10"),
        ("this week", "03-11/03-17"),
        ("next week", "03-18/03-24"),
        ("last week", "03-04/03-10"),
        ("next month", "04-01/04-30"),
        ("in two days", "03-15"),
        ("3 days ago", "03-10"),
        ("two weeks ago", "02-26/03-03"),
        ("in 3 weeks", "04-01/04-07"),
    ],
)
def test_english(text: str, expected: str) -> None:
    assert shown(text) == expected
    assert about_days(text, None) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("heute Abend", "03-13"),
        ("morgen um neun", "03-14"),
        ("Morgen früh", "03-14"),
        ("übermorgen", "03-15"),
        ("gestern", "03-12"),
        ("vorgestern", "03-11"),
        ("am Freitag", "03-15"),
        ("am Fr", "03-15"),
        ("Freitagabend", "03-15"),
        ("Wir waren am Freitag im Kino", "03-08"),
        ("Ich habe am Freitag mit ihm gesprochen", "03-08"),
        ("letzten Freitag", "03-08"),
        ("nächsten Dienstag", "03-19"),
        ("Freitag nächster Woche", "03-22"),
        ("am Wochenende", "03-16/03-17"),
        ("nächste Woche", "03-18/03-24"),
        ("letzte Woche", "03-04/03-10"),
        ("in zwei Tagen", "03-15"),
        ("vor drei Tagen", "03-10"),
        ("KW 23", "06-03/06-09"),
        ("er kann am 28. Gleicher Preis", "03-28"),
    ],
)
def test_german(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("aujourd’hui", "03-13"),
        ("ce soir", "03-13"),
        ("demain", "03-14"),
        ("après-demain", "03-15"),
        ("hier nous avons mangé avec les enfants", "03-12"),
        ("avant-hier", "03-11"),
        ("vendredi au plus tard", "03-15"),
        ("vendredi prochain", "03-15"),
        ("vendredi dernier", "03-08"),
        ("vendredi 15 à 20 h", "03-15"),
        ("ce week-end", "03-16/03-17"),
        ("la semaine prochaine", "03-18/03-24"),
        ("la semaine dernière", "03-04/03-10"),
        ("dans deux jours", "03-15"),
        ("il y a trois jours", "03-10"),
    ],
)
def test_french(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hoy", "03-13"),
        ("esta noche", "03-13"),
        ("mañana por la mañana", "03-14"),
        ("pasado mañana", "03-15"),
        ("ayer", "03-12"),
        ("anteayer", "03-11"),
        ("el viernes", "03-15"),
        ("el viernes pasado", "03-08"),
        ("el viernes estuvimos en casa", "03-08"),
        ("el próximo martes", "03-19"),
        ("este fin de semana", "03-16/03-17"),
        ("el fin de semana pasado", "03-09/03-10"),
        ("la semana que viene", "03-18/03-24"),
        ("la semana pasada", "03-04/03-10"),
        ("dentro de dos días", "03-15"),
        ("hace tres días", "03-10"),
    ],
)
def test_spanish(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("oggi", "03-13"),
        ("domani", "03-14"),
        ("ieri", "03-12"),
        ("sabato prossimo", "03-16"),
        ("la settimana prossima", "03-18/03-24"),
        ("tre giorni fa", "03-10"),
        ("vandaag", "03-13"),
        ("overmorgen", "03-15"),
        ("volgende week", "03-18/03-24"),
        ("vorige vrijdag", "03-08"),
        ("3 dagen geleden", "03-10"),
        ("i dag", "03-13"),
        ("imorgon", "03-14"),
        ("på fredag", "03-15"),
        ("i fredags", "03-08"),
        ("lördag 16/3", "03-16"),
        ("nästa vecka", "03-18/03-24"),
        ("för tre dagar sedan", "03-10"),
        ("vecka 32", "08-05/08-11"),
        ("amanhã", "03-14"),
        ("na sexta-feira", "03-15"),
        ("na próxima semana", "03-18/03-24"),
    ],
)
def test_basics_of_other_languages(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "version 1.2.34, 3.50 EUR, call 0176 04 06 90",
        "at 12:30, from 9 to 17",
        "1/2 cup, won 3-2, 12 High Street",
        "You may 2 times. May I? Thank May!",
        "in 2023",
        "Friday's paper",
        "every Friday, on Fridays, jeden Freitag, tous les vendredis, los viernes",
        "every week on Friday",
        "It was on a Friday",
        "le vendredi je cours",
        "Good Friday, Black Friday, mardi gras",
        "Monday to Friday 9-17",
        "Dienstag bis Donnerstag 9-12 Uhr",
        "guten Morgen, am Morgen",
        "ich bin hier",
        "the sun and the cat sat, mon ami",
        "for the last night and the next day",
        "Pool twice a week from now",
        "segunda vez, a quinta parte",
        "on the 5th floor, am 2. Advent",
        "3 to 5 working days",
        "",
    ],
)
def test_what_is_no_day(text: str) -> None:
    assert shown(text) == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Due 05/06/2024", "05-06, 06-05"),
        ("Due 05/06/2024, sent 13/05/2024", "05-13, 06-05"),
        ("Due 05/06/2024, sent 05/13/2024", "05-06, 05-13"),
        ("Thu 06/06/2024, Wed 05/06/2024", "06-05, 06-06"),
        ("Due 05/06/2024, as said: 5 June 2024", "06-05"),
        ("Le 05/06/2024 pour les enfants et vous", "06-05"),
        ("03/12/2024 12:01", "03-12, 12-03"),
        ("13 March: 03/13/2024, then 03/12/2024", "03-12, 03-13"),
    ],
)
def test_day_and_month_are_told_apart_by_other_dates_and_the_language(
    text: str, expected: str
) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Fine!\n\nOn Tue, 5 Mar 2024 at 10:12, Ann wrote:\n> Ok?",
        "Gut!\n\nAm 5. März 2024 schrieb Ann:\n> Ok?",
        "Bra!\n\nDen 5 mars 2024 skrev Ann:\n> Ok?",
        "Ok\n\nVon: Ann\nGesendet: Dienstag, 5. März 2024 10:12\nAn: Bob",
        "Ok\n\nFrom: Ann\nDate: Tue, 5 Mar 2024",
        "Oui.\n\nAnn Lee – 05/03/2024 16:40:\n> Ok ?",
    ],
)
def test_when_a_quoted_mail_was_sent_is_no_subject(text: str) -> None:
    assert shown(text) == ""


def test_relative_words_of_a_quoted_mail_count_from_another_day() -> None:
    assert shown("Yes, on Friday.\n\n> Are you back tomorrow, or on 2 April?") == "03-15, 04-02"


def test_a_weekday_may_repeat_a_date_before_it() -> None:
    assert shown("Wedding: Saturday 10 August 2024. Bring a coat on Saturday.") == "08-10"
    assert shown("On Saturday? The wedding is on 10 August 2024.") == "03-16, 08-10"


def test_without_a_moment_a_full_date_settles_the_year() -> None:
    assert shown("Stay 3 October 2024, pay by 12 September", None) == "09-12, 10-03"
    assert shown("pay by 12 September", None) == ""


def test_the_day_is_that_of_the_writers_clock() -> None:
    late = datetime(2024, 3, 13, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    assert shown("tomorrow", late) == "03-14"


def test_only_the_first_ones_of_many_are_returned() -> None:
    text = ", ".join(f"{day} May {year}" for year in (2025, 2024) for day in range(1, 31))
    found = about_days(text, MADE)
    assert len(found) == MOST
    assert found[0].first == date(2025, 5, 1)


def test_no_more_than_the_beginning_is_read() -> None:
    assert shown("x" * LONGEST_TEXT + " tomorrow") == ""
