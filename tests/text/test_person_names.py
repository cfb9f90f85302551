"""Names of persons, and names that are none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.text.person_names import (
    Shown,
    is_person,
    is_shared,
    person_name,
    persons_in,
    shown,
)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Grace Okafor <Grace@North.example>", Shown("Grace Okafor", "grace@north.example")),
        ('"Okafor, Grace" <g@n.example>', Shown("Okafor, Grace", "g@n.example")),
        ("g@n.example", Shown("", "g@n.example")),
        ("<g@n.example>", Shown("", "g@n.example")),
        ("Grace", Shown("Grace", "")),
        ("", Shown("", "")),
    ],
)
def test_a_display_name_and_its_address(raw: str, expected: Shown) -> None:
    assert shown(raw) == expected


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Dr. Njeri Kariuki", "Njeri Kariuki"),
        ("Haddad, Nadia", "Nadia Haddad"),
        ("Håkan Berg, Bergs Tak & Plåt", "Håkan Berg"),
        ("Dele ❤️ NEW", "Dele"),
        ("Hector plumber", "Hector"),
        ("Anna Kowalska (ward)", "Anna Kowalska"),
        ("Ludwig van Beethoven", "Ludwig van Beethoven"),
        ("Nadia H.", "Nadia H"),
        ("mum", "mum"),
        ("山田太郎", "山田太郎"),
        ("Grace Hotel", ""),
        ("Anna GmbH", ""),
        ("Pearl & Sons", ""),
        ("Team 7", ""),
        ("", ""),
    ],
)
def test_the_name_of_a_person(raw: str, name: str) -> None:
    assert person_name(raw) == name


def test_one_entry_may_name_two() -> None:
    assert persons_in("Erik & Megan") == ["Erik", "Megan"]
    assert persons_in("Karanja & Mbugua Services") == []


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("Grace Muthoni <grace@gitau.example>", True),
        ("Hideki Tanabe <ht41@naniwa.example>", True),
        ("Air Levantine <book@air-levantine.example>", False),
        ("Rent Fair <info@rf.example>", False),
        ("Bookaroo <xy@z.example>", False),
        ("Mas des Tamaris <accueil@x.example>", False),
        ("Hannah (Jack's mum)", True),
    ],
)
def test_senders_that_are_persons(raw: str, expected: bool) -> None:
    assert is_person(shown(raw)) is expected


@pytest.mark.parametrize("address", ["info@x.example", "no-reply@x.example", "orders.uk@x.example"])
def test_addresses_that_nobody_has_alone(address: str) -> None:
    assert is_shared(address)
    assert not is_shared("infante@x.example")


@given(st.text(max_size=300))
def test_any_text_is_safe(text: str) -> None:
    is_person(shown(text))
    assert all(persons_in(text))
