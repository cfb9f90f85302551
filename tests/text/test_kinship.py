"""Relatives in texts and notes, by language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.text.kinship import StatedKin, relation_of_somebody, stated_kin
from tests.growth.doubling import assert_linear


@pytest.mark.parametrize(
    ("text", "kin", "name"),
    [
        ("I met my sister Lena in York.", "sister", "Lena"),
        ("our little brother Tom Boyd called", "brother", "Tom Boyd"),
        ("My mother-in-law Ruth is here", "mother-in-law", "Ruth"),
        ("avec ma sœur Léna", "sister", "Léna"),
        ("ma grand-mère Odile arrive", "grandmother", "Odile"),
        ("con mi hermana Lucía", "sister", "Lucía"),
        ("la mia sorella Giulia", "sister", "Giulia"),
        ("min syster Karin kommer", "sister", "Karin"),
        ("mijn broer Piet", "brother", "Piet"),
        ("minha irmã Ana", "sister", "Ana"),
    ],
)
def test_a_relative_is_named(text: str, kin: str, name: str) -> None:
    assert list(stated_kin(text)) == [StatedKin(kin, name, "", certain=True)]


@pytest.mark.parametrize(
    "text",
    [
        "meine Schwester Lena kommt",
        "Lena, my sister, comes",
        "Lena is my sister",
        "Lena (my sister)",
    ],
)
def test_a_name_that_may_be_another_word_is_uncertain(text: str) -> None:
    assert list(stated_kin(text)) == [StatedKin("sister", "Lena", "", certain=False)]


def test_somebody_elses_relative_is_named() -> None:
    found = list(stated_kin("Dele's brother Tunde pays"))
    assert found == [StatedKin("brother", "Tunde", "Dele", certain=True)]


@pytest.mark.parametrize(
    "text",
    [
        "my sister comes",
        "my sister Monday comes",
        "Lena, my sister and I went",
        "the sister Agnes",
        "my parents Tom and Ann",
        "my sister. Lena comes too",
        "my",
        "'s",
        "",
    ],
)
def test_nobody_is_named(text: str) -> None:
    assert list(stated_kin(text)) == []


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("sister", ("sister", "")),
        ("my sister", ("sister", "")),
        ("Schwester", ("sister", "")),
        ("Dele's brother", ("brother", "Dele")),
        ("Maisie’s mum", ("mother", "Maisie")),
        ("sœur de Sami", ("sister", "Sami")),
        ("Schwester von Anna Vogt", ("sister", "Anna Vogt")),
        ("hermana de Lucía", ("sister", "Lucía")),
        ("sorella di Luca", ("sister", "Luca")),
        ("syster till Erik", ("sister", "Erik")),
        ("Eriks syster", ("sister", "Erik")),
        ("INTE släkt med Johan!", None),
        ("boiler man, honest", None),
        ("ask for her sister in the shop", None),
        ("", None),
    ],
)
def test_a_note_says_whose_relative_somebody_is(
    note: str, expected: tuple[str, str] | None
) -> None:
    assert relation_of_somebody(note) == expected


@given(st.text(alphabet=st.sampled_from("my sistermeine Lénå's,.(MA\n\u0301"), max_size=60))
def test_any_text_is_safe(text: str) -> None:
    list(stated_kin(text))
    relation_of_somebody(text)


@pytest.mark.parametrize(
    "shape", ["my ", "my sister ", "A's ", "Lena, my sister ", "e\u0301", "s'"]
)
def test_time_grows_with_the_text(shape: str) -> None:
    assert_linear(
        lambda text: list(stated_kin(text)),
        lambda size: shape * (size // len(shape) + 1),
        start=1 << 11,
        most=1 << 15,
    )
