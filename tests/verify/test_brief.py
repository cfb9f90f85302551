from __future__ import annotations

import json
from dataclasses import replace

import pytest

from graphmemix.evidence import Question, Turn
from graphmemix.memory import Memory, Place
from graphmemix.settings import VerifierSettings
from graphmemix.verify.brief import Brief, make_brief, messages_for, options_for
from graphmemix.verify.ecv import PROMPT
from tests.verify.cases import EDGES, small_case

SETTINGS = VerifierSettings()
FILLER = " ".join(f"Nothing of note was said about page {number}." for number in range(40))


def brief_of(*memories: Memory, captions: tuple[str, ...] = ()) -> Brief:
    return make_brief(small_case(*memories, edges=()), captions, SETTINGS)


def long_memory(*facts: str) -> Memory:
    return Memory("m-l", "document", " ".join((FILLER, *facts)))


def test_of_a_long_memory_the_question_chooses_what_is_read() -> None:
    brief = brief_of(long_memory("The hotel in Lisbon was the Avenida."))
    assert "the Avenida" in brief.snippets["m-l"]
    assert len(brief.snippets["m-l"]) <= SETTINGS.snippet_characters


def test_captions_of_the_questions_pictures_choose_too() -> None:
    memory = long_memory("A zebra crossed the savannah.")
    assert "zebra" not in brief_of(memory).snippets["m-l"]
    captions = ("a zebra on a savannah",)
    brief = brief_of(memory, captions=captions)
    assert "zebra" in brief.snippets["m-l"]
    assert brief.captions == captions


def test_a_candidate_without_anchors_has_no_relations() -> None:
    brief = brief_of()
    assert brief.eligible("m-a") == frozenset()
    assert brief.relations("m-a") == []


def test_relations_name_the_anchors_by_their_labels() -> None:
    brief = make_brief(small_case(edges=EDGES), (), SETTINGS)
    assert brief.eligible("m-c") == {"C01"}
    assert brief.relations("m-c") == [
        {"anchor_id": "C01", "relation_types": ["consecutive_turn", "same_round"]}
    ]


def test_letters_of_other_scripts_are_sent_as_they_are() -> None:
    _, told = messages_for(PROMPT, {"question": "Où est l'hôtel 酒店?"})
    assert '{"question": "Où est l\'hôtel 酒店?"}' in told.text.splitlines()


@pytest.mark.parametrize("mark", ["\u2028", "\u2029"])
def test_no_line_end_of_any_kind_is_in_the_material(mark: str) -> None:
    _, told = messages_for(PROMPT, {"question": f"a{mark}b"})
    assert mark not in told.text
    assert json.loads(told.text.splitlines()[1]) == {"question": f"a{mark}b"}


def test_the_task_stands_apart_from_the_material() -> None:
    task, told = messages_for(PROMPT, {"question": "?"})
    assert (task.role, told.role) == ("system", "user")
    assert task.text == PROMPT.text("system")
    assert told.text == (
        '===== BEGIN CASE =====\n{"question": "?"}\n===== END CASE =====\n'
        "Answer with one JSON object as `output_schema` says."
    )


def test_a_reply_gets_what_is_allowed_or_what_the_context_has_left() -> None:
    messages = messages_for(PROMPT, {"question": "?"})
    schema = {"type": "object"}
    wide = SETTINGS.model_copy(
        update={"context_tokens": 1_000_000, "output_tokens": 700, "temperature": 0.7}
    )
    options = options_for(messages, "verdict", schema, wide)
    assert (options.max_tokens, options.temperature) == (700, 0.7)
    assert options.format is not None
    assert (options.format.name, options.format.schema) == ("verdict", schema)
    narrow = wide.model_copy(update={"context_tokens": 1})
    assert options_for(messages, "verdict", schema, narrow).max_tokens == 256


def test_a_question_that_goes_on_stands_behind_its_earlier_turns() -> None:
    case = small_case()
    asked = Question(
        "And the room?", history=(Turn("user", "Which hotel?"), Turn("assistant", "A."))
    )
    brief = make_brief(replace(case, question=asked), ("a door",), SETTINGS)
    assert brief.question() == {
        "question": (
            "Earlier in this conversation:\nuser: Which hotel?\nassistant: A.\nNow asked:\n"
            "And the room?"
        ),
        "question_image_captions": ["a door"],
    }


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (None, ""),
        (Place("Lisbon", 38.7, -9.1), "Lisbon"),
        (Place("", 38.72234, -9.13931), "38.7223, -9.1393"),
        (Place(""), ""),
    ],
)
def test_a_place_is_told_by_name_or_by_coordinates(place: Place | None, told: str) -> None:
    brief = brief_of(Memory("m-p", "note", "Here.", place=place))
    assert brief.describe("m-p")["location"] == told


def test_modalities_are_told_unless_they_are_not_wanted() -> None:
    brief = brief_of()
    assert list(brief.describe("m-a")) == ["id", "modalities", "date", "location"]
    assert list(brief.describe("m-a", modalities=False)) == ["id", "date", "location"]
