"""UniversalRAG: corpora, routes and turns."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from graphmemix.evidence import Question
from graphmemix.llm import ScriptedChat
from graphmemix_bench.baselines import MemoryJournal
from graphmemix_bench.baselines.universalrag import _by_turns, _routed_by_words
from tests.bench.baselines.archive import found, memories, opened

VET = "Which doctor looked after the cat Momo?"


def routing(*routes: str) -> ScriptedChat:
    return ScriptedChat(lambda *_: json.dumps({"routes": routes}))


def test_one_call_for_a_question_and_none_to_build() -> None:
    chat = routing("paragraph", "image")
    found("universalrag", VET, chat=chat)
    assert len(chat.calls) == 1


def test_one_route_gives_the_ranking_of_its_corpus() -> None:
    assert found("universalrag", VET, chat=routing("image"), budget=5).picks == ("p0",)
    assert "p0" not in found("universalrag", VET, chat=routing("document"), budget=9).picks


def test_no_beside_others_is_dropped() -> None:
    both = found("universalrag", VET, chat=routing("no", "image"))
    assert both.picks == found("universalrag", VET, chat=routing("image")).picks


def test_no_alone_finds_nothing_and_says_so() -> None:
    none = found("universalrag", VET, chat=routing("no"))
    assert (none.picks, none.figures["routed_no"]) == ((), 1.0)


def test_a_route_to_empty_corpora_falls_back_to_documents() -> None:
    result = found("universalrag", VET, chat=routing("table"))
    assert result.repairs == {"empty_route": 1}
    assert result.picks[0] == "m2"


def test_two_disjoint_corpora_take_turns() -> None:
    first, second = [(1, 0.9), (2, 0.8), (3, 0.7)], [(7, 0.5), (1, 0.4), (8, 0.3)]
    assert [place for place, _ in _by_turns([first, second], 5)] == [1, 7, 2, 8, 3]


def test_a_new_photo_changes_no_ranking_of_texts() -> None:
    def picks(*more: object) -> tuple[str, ...]:
        stored = (*memories(), *more)
        baseline = opened("universalrag", routing("paragraph"))
        built = asyncio.run(baseline.build(stored, MemoryJournal()))  # type: ignore[arg-type]
        return asyncio.run(built.find(Question(VET), 9)).picks

    assert picks() == picks(replace(memories()[8], id="p9"))


@pytest.mark.parametrize(
    ("text", "routes"),
    [
        ("Which photo shows the cat?", ("paragraph", "image")),
        ("How many cats are there?", ("document",)),
        ("Who painted it?", ("paragraph",)),
    ],
)
def test_without_a_model_words_route(text: str, routes: tuple[str, ...]) -> None:
    assert _routed_by_words(Question(text)) == routes
