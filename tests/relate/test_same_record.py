from __future__ import annotations

from datetime import timedelta
from itertools import combinations

import pytest

from graphmemix.memory import Memory
from graphmemix.settings import GraphSettings, SameRecordSettings
from tests.relate.archive import InMemory, at, linked, mail, photo

JULY = at("2023-07-01T09:00")


def later(days: float) -> timedelta:
    return timedelta(days=days)


def same(*memories: Memory, settings: GraphSettings | None = None) -> set[tuple[str, str]]:
    return linked("same_record", memories, settings or GraphSettings())


# References


def test_a_reference_links_across_subject_text_language_and_years() -> None:
    one = mail("a", subject="Your order #302-1234567 has shipped", when=JULY)
    other = mail("b", "Ihre Bestellnummer: 302-1234567", when=JULY + later(800))
    assert same(one, other, mail("c", "Order #302-7654321")) == {("a", "b")}


def test_only_mails_have_records() -> None:
    message = Memory("b", "message", "Order #302-1234567")
    assert same(mail("a", "Order #302-1234567"), message) == set()


def test_a_subject_that_is_no_text_is_ignored() -> None:
    assert same(mail("a", subject=["Trip"], when=JULY), mail("b", subject=7, when=JULY)) == set()


def test_a_reference_in_many_mails_links_a_band_in_time() -> None:
    mails = [mail(f"{99 - i}", "case number 00441288", when=JULY + later(i)) for i in range(30)]
    expected = {(one, other) for one, other in combinations(sorted(m.id for m in mails), 2)
                if int(other) - int(one) <= 8}  # fmt: skip
    assert same(*mails) == expected


def test_only_the_first_references_of_a_mail_count() -> None:
    listed = mail("a", " ".join(f"order #1000{i}" for i in range(5)))
    first, last = mail("b", "order #10000"), mail("c", "order #10004")
    few = GraphSettings(same_record=SameRecordSettings(max_references=2))
    assert same(listed, first, last) == {("a", "b"), ("a", "c")}
    assert same(listed, first, last, settings=few) == {("a", "b")}


# Occasions


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Your flight leaves on 14 July 2023.", "Check in now for your flight on 2023-07-14"),
        ("Ihr Flug am 14.07.2023", "Votre vol du 14 juillet 2023"),
        ("Hotel Post, check-in: July 14, 2023", "Anreise Freitag, 14. Juli 2023"),
        ("Delivery on Fri, 14 Jul", "Ihr Paket kommt am 14.7.2023"),
        ("Dentist appointment 14/07/2023", "Zahnarzt: 14. Juli"),
        ("您的航班：2023年7月14日", "フライト 2023年7月14日"),
    ],
)
def test_the_same_day_and_category_are_one_occasion(one: str, other: str) -> None:
    assert same(mail("a", one, when=JULY), mail("b", other, when=JULY)) == {("a", "b")}


@pytest.mark.parametrize(
    "other",
    [
        "Your flight leaves on 15 July 2023.",
        "Your hotel is booked for 14 July 2023.",
        "See you on 14 July 2023.",
        "Your flight leaves soon.",
        "About flights" + " and more" * 30 + " on 14 July 2023",
    ],
    ids=["day", "category", "no category", "no day", "too far apart"],
)
def test_another_day_or_category_is_another_occasion(other: str) -> None:
    one = mail("a", "Your flight leaves on 14 July 2023.", when=JULY)
    assert same(one, mail("b", other, when=JULY)) == set()


def test_a_category_in_the_subject_holds_for_every_day() -> None:
    long = "Dear guest" + " and more" * 30 + " on 14 July 2023"
    one = mail("a", long, subject="Your hotel in Rome", when=JULY)
    assert same(one, mail("b", "hotel, 14 July 2023", when=JULY)) == {("a", "b")}


def test_the_day_a_quoted_mail_was_sent_is_no_occasion() -> None:
    one = mail("a", "Your flight was booked.\nOn Fri, 14 Jul 2023 at 10:12, Ann wrote:\n> flight")
    other = mail("b", "flight on 14 July 2023")
    sent = mail("c", "Flug gebucht\nGesendet: Freitag, 14. Juli 2023 10:12\nflight")
    assert same(one, other, sent) == set()


# Subjects


def test_the_same_subject_links_within_two_weeks() -> None:
    one = mail("a", subject="Kitchen plans", when=JULY)
    in_time = mail("b", subject="AW: kitchen  plans", when=JULY + later(14))
    too_late = mail("c", subject="Kitchen plans", when=JULY + later(14) + timedelta(seconds=1))
    assert same(one, in_time) == {("a", "b")}
    assert same(one, too_late) == set()
    month = GraphSettings(same_record=SameRecordSettings(subject_days=30))
    assert same(one, too_late, settings=month) == {("a", "c")}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Re: Kitchen plans", "FW: Kitchen plans"),
        ("WG: Küchenplanung", "AW: Küchenplanung"),
        ("回复: 旅行计划", "转发：旅行计划"),
        ("SV: Sommerhus", "Antw: sommerhus"),
        ("RE[2]: Kitchen plans", "[house] Kitchen plans"),
        ("Résumé de la réunion", "TR: re\u0301sume\u0301 de la re\u0301union"),
    ],
)
def test_prefixes_in_many_languages_do_not_matter(one: str, other: str) -> None:
    assert same(mail("a", subject=one, when=JULY), mail("b", subject=other, when=JULY))


@pytest.mark.parametrize("subject", ["", "Re: Hello", "hi", "Re:", "(no subject)", "你好"])
def test_subjects_that_say_nothing_do_not_link(subject: str) -> None:
    assert not same(mail("a", subject=subject, when=JULY), mail("b", subject=subject, when=JULY))


def test_a_subject_without_a_time_does_not_link() -> None:
    assert not same(mail("a", subject="Kitchen plans"), mail("b", subject="Kitchen plans"))


# All together


def test_a_pair_stays_linked_while_any_reason_holds() -> None:
    archive = InMemory(GraphSettings(group_neighbours=1))
    text = "Order number 302-1234567"
    archive.change([mail("a", text, subject="Desk", when=JULY),
                    mail("c", text, subject="Desk", when=JULY + later(2))])  # fmt: skip
    archive.change([mail("b", text, when=JULY + later(1))])
    assert {key[:2] for key in archive.stored} == {("a", "b"), ("b", "c"), ("a", "c")}
    archive.change([mail("c", text, subject="Chair", when=JULY + later(2))])
    assert {key[:2] for key in archive.stored} == {("a", "b"), ("b", "c")}


def test_photos_have_no_records() -> None:
    assert not same(photo("a", JULY, tags=["Order #302-1234567"]), mail("b", "Order #302-1234567"))
