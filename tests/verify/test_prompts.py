from __future__ import annotations

from graphmemix.llm.prompts import Prompt

PROMPT = Prompt(
    "note",
    "0" * 12,
    {"system": ("You judge.", "Be strict."), "roles": ("new_fact: it says: more: of it", "no: b")},
)


def test_the_lines_of_a_section_are_one_paragraph() -> None:
    assert PROMPT.text("system") == "You judge. Be strict."


def test_the_lines_of_a_section_are_a_list() -> None:
    assert PROMPT.items("system") == ["You judge.", "Be strict."]


def test_a_name_ends_at_the_first_colon_and_its_meaning_may_have_more() -> None:
    assert PROMPT.pairs("roles") == {"new_fact": "it says: more: of it", "no": "b"}
