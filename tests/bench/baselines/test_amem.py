"""A-MEM: notes, links and what a new note changes."""

from __future__ import annotations

import asyncio

import numpy as np

from graphmemix.llm import ScriptedChat
from graphmemix_bench.baselines.amem import AMem, AMemBuilt
from graphmemix_bench.baselines.protocol import MemoryJournal
from tests.bench.baselines.archive import ENCODER, found, memories, opened
from tests.bench.baselines.models import answer, obliging

VET = "Which doctor looked after the cat Momo?"


def notes_of(chat: ScriptedChat | None, journal: MemoryJournal | None = None) -> AMemBuilt:
    baseline = opened("amem", chat)
    assert isinstance(baseline, AMem)
    stored = (*memories(), memories()[0])  # one of them is there twice
    return asyncio.run(baseline.build(stored, journal or MemoryJournal()))


def test_each_memory_with_words_is_one_note_and_two_calls_but_the_first() -> None:
    chat = obliging()
    assert len(notes_of(chat).notes) == 9
    assert len(chat.calls) == 2 * 9 - 1


def test_links_point_to_earlier_notes_without_repeats() -> None:
    for built in (notes_of(obliging()), notes_of(None)):
        for place, note in enumerate(built.notes):
            assert all(link < place for link in note.links)
            assert len(note.links) == len(set(note.links)) <= 5
    assert any(note.links for note in notes_of(None).notes)


def test_a_reply_that_is_never_valid_leaves_a_general_note_and_its_content() -> None:
    baseline = opened("amem", ScriptedChat(lambda *_: "no"), retries=0)
    built = asyncio.run(baseline.build(memories()[:3], MemoryJournal()))
    assert isinstance(built, AMemBuilt)
    assert {(note.context, note.links, note.keywords) for note in built.notes} == {
        ("General", (), ())
    }


def test_a_neighbour_that_is_rewritten_gets_a_new_vector_and_no_other_does() -> None:
    built = notes_of(obliging())
    for place, note in enumerate(built.notes):
        fresh = ENCODER.texts([note.index_text])[0]
        assert np.array_equal(built.rows.matrix[place], fresh)
    assert any(note.context == "Rewritten." for note in built.notes)


def test_without_evolution_no_note_changes_after_it_was_written() -> None:
    def calm(messages: object, options: object) -> str:
        said = answer(messages, options)  # type: ignore[arg-type]
        return said.replace('"should_evolve": true', '"should_evolve": false')

    built = notes_of(ScriptedChat(calm))
    assert all(not note.links and note.tags == ("chat", "home", "life") for note in built.notes)


def test_linked_notes_follow_their_hit_within_the_budget() -> None:
    with_links = found("amem", VET, budget=3).picks
    without = found("amem", VET, budget=3, amem_links="none").picks
    assert with_links[0] == without[0] == "m2"
    assert len(with_links) == len(without) == 3


def test_the_reader_gets_content_and_context() -> None:
    words = found("amem", VET, chat=obliging()).words["m2"]
    assert "Doctor Brandt" in words
    assert "Context: " in words
