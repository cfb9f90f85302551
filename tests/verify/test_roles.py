from __future__ import annotations

from itertools import product
from typing import get_args

import pytest

from graphmemix.evidence import Role
from graphmemix.memory import Description, Media, Memory
from graphmemix.settings import LocalSettings
from graphmemix.verify.links import role_of

ANCHOR = Memory("a", "message", "Which hotel did we take?")
QUESTION = "Which hotel in Lisbon?"


def role(text: str, likeness: float = 0.3, question: str = QUESTION) -> Role:
    return role_of(Memory("c", "message", text), ANCHOR, question, likeness, LocalSettings())


@pytest.mark.parametrize(
    ("text", "likeness", "expected"),
    [
        ("Lisbon is far.", 0.97, "redundant"),  # by likeness, whatever it says
        ("Which hotel did we take", 0.1, "redundant"),  # no word that the anchor has not
        ("Hotel?", 0.1, "redundant"),
        ("It was in Lisbon.", 0.9, "new_fact"),  # a word of the question that the anchor has not
        ("The Avenida was it.", 0.75, "corroboration"),  # much like the anchor
        ("The Avenida was it.", 0.74, "clarification"),
        ("", 0.1, "clarification"),  # a picture without words is not the same again
    ],
)
def test_rules_in_their_order(text: str, likeness: float, expected: Role) -> None:
    assert role(text, likeness) == expected


def test_likeness_begins_where_the_settings_say() -> None:
    settings = LocalSettings(redundant_likeness=0.5, corroborating_likeness=0.2)
    other = Memory("c", "message", "The Avenida was it.")
    assert role_of(other, ANCHOR, QUESTION, 0.5, settings) == "redundant"
    assert role_of(other, ANCHOR, QUESTION, 0.2, settings) == "corroboration"


def test_words_about_media_count() -> None:
    picture = Media("image", description=Description("A sign in Lisbon."))
    photo = Memory("c", "photo", media=(picture,))
    assert role_of(photo, ANCHOR, QUESTION, 0.1, LocalSettings()) == "new_fact"


def test_a_conflict_takes_understanding_and_is_never_said() -> None:
    texts = ["", "No.", "No, not the hotel!", "Lisbon? Never.", "It was Porto, not Lisbon."]
    said = {role(text, likeness) for text, likeness in product(texts, [-1, 0, 0.5, 0.8, 0.98, 1])}
    assert said == set(get_args(Role)) - {"conflict", "irrelevant"}
