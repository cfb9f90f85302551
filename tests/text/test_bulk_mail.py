"""Mails for many, and mails for their reader."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.text.bulk_mail import has_bulk_headers, is_bulk
from tests.growth.doubling import assert_linear

NEWS = "Spring on the lake\n\nThree ideas for a walk."

BULK = [
    (NEWS, {"List-Unsubscribe": "<mailto:out@x.example>"}),
    (NEWS, {"precedence": "bulk"}),
    (NEWS, {"bulk": True}),
    (NEWS, {"labels": ["Inbox", "Category Promotions"]}),
    (NEWS, {"from": "Lake Weekly <news@lake.example>"}),
    (NEWS, {"from": "Lake <newsletter@lake.example>"}),
    (NEWS, {"from": "Lake Digest <hello@lake.example>", "list": "lake.example"}),
    (f"{NEWS}\n\nUnsubscribe", {}),
    (f"{NEWS} Abmelden", {}),
    (f"{NEWS}\n\nSe désabonner | Mentions légales", {}),
    (f"{NEWS}\n\nDarse de baja", {}),
    (f"{NEWS}\n\nUitschrijven", {}),
    (f"{NEWS}\n\nAvregistrera dig här", {}),
    (f"View in browser\n\n{NEWS}", {}),
    ("Gardasee ab 199 €\n\nNur heute: bis zu 30 % auf alle Hotels.", {}),
    ("Soldes d'été\n\nJusqu'à -40 % sur les vélos. Profitez !", {}),
    ("Rebajas\n\nHasta el domingo, envío gratis.", {}),
    ("Fares from $49\n\nBook by Sunday.", {"from": "Air <noreply@air.example>"}),
    ("Sale\n\n" + "https://shop.example/a " * 6, {}),
    ("Sista chansen\n\nErbjudanden på cyklar.", {}),
]

NOT_BULK = [
    ("Order confirmation FW-10932\n\nThank you!", {"from": "Shop <no-reply@shop.example>"}),
    (
        "Your order VM-55190\n\n10 % off your next order!\n\nUnsubscribe",
        {"from": "Shop <noreply@shop.example>", "List-Unsubscribe": "<x>"},
    ),
    ("E-ticket H2K8WD\n\nNBO-ADD 09:35", {"from": "Air <noreply@air.example>"}),
    ("Ihre Buchung\n\nBuchungsnummer: K7QLMV2\n\nNewsletter abmelden", {}),
    ("Votre facture n° 2023-118\n\nMerci.", {"bulk": True}),
    ("Water bill, meter 77120\n\nKES 1,386.\n\nView in browser", {}),
    ("Re: the sale\n\nThe discount deal ends soon, hurry!", {}),
    ("AW: Newsletter\n\nBitte melde mich ab.\n\nAbmelden", {}),
    ("Hello\n\nThe boat is ok for Wednesday.", {"from": "Otieno <boats@lake.example>"}),
    ("Garage sale\n\nWe clear the cellar on Sunday, come over.", {"from": "Ben <ben@x.example>"}),
    ("Minutes\n\nThe roof was discussed.", {"list": "choir.example"}),
    ("Your report is available\n\nPlease log in.", {"from": "Lab <noreply@lab.example>"}),
    ("", {}),
    ("x", {"from": 7, "labels": None, "subject": ["a"], "list-unsubscribe": ""}),
]


@pytest.mark.parametrize(("text", "headers"), BULK)
def test_mail_for_many(text: str, headers: dict[str, object]) -> None:
    assert is_bulk(text, headers)


@pytest.mark.parametrize(("text", "headers"), NOT_BULK)
def test_mail_for_its_reader(text: str, headers: dict[str, object]) -> None:
    assert not is_bulk(text, headers)


def test_header_fields_that_only_say_automatic_are_not_bulk() -> None:
    assert not has_bulk_headers({"Auto-Submitted": "auto-generated", "Precedence": "first-class"})


@given(
    st.text(),
    st.dictionaries(
        st.sampled_from(["from", "list", "labels", "bulk", "subject", "Precedence"]),
        st.one_of(st.text(), st.none(), st.booleans(), st.lists(st.text())),
    ),
)
def test_any_text_and_header_is_safe(text: str, headers: dict[str, object]) -> None:
    assert is_bulk(text, headers) in {True, False}


@pytest.mark.parametrize("shape", ["order ", "order no-", "a1-", "from 1", "9 % ", "\n", "news-"])
def test_recognising_bulk_takes_time_in_proportion(shape: str) -> None:
    assert_linear(
        lambda text: is_bulk(text, {"from": text}),
        lambda size: shape * (size // len(shape) + 1),
        start=1 << 12,
        most=1 << 15,
    )
