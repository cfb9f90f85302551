"""VimRAG: the loop, its graph and its energies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphmemix.llm import ScriptedChat
from graphmemix_bench.baselines.vimrag import Node, energies
from tests.bench.baselines.archive import found
from tests.bench.baselines.models import obliging

VET = "Which doctor looked after the cat Momo?"


def saying(*steps: dict[str, Any]) -> ScriptedChat:
    return ScriptedChat([json.dumps(step) for step in steps])


SEARCH = {"action": "add_search_node", "id": "one", "parent_ids": ["root"], "query": "cat Momo"}
ANSWER = {"action": "add_answer_node", "parent_ids": ["one"], "answer": "Brandt"}


def test_search_sum_up_and_answer_are_three_calls() -> None:
    chat = obliging()
    result = found("vimrag", VET, chat=chat)
    assert (len(chat.calls), result.answer) == (3, "Doctor Brandt")
    assert result.figures == {"steps": 3, "searches": 1, "seen": 3}
    assert result.picks[0] == "m2"  # marked useful, so before the others that were seen


def test_an_answer_may_follow_a_search_at_once() -> None:
    chat = saying(SEARCH, ANSWER)
    assert found("vimrag", VET, chat=chat).answer == "Brandt"


def test_unreadable_replies_end_with_an_error() -> None:
    chat = ScriptedChat(lambda *_: "hm")
    result = found("vimrag", VET, chat=chat, retries=1)
    assert result.error == "no answer in 3 steps"
    assert len(chat.calls) == 3 * 2


def test_steps_are_bounded() -> None:
    turns = iter(range(1000))

    def circling(*_: object) -> str:
        turn = next(turns)
        if turn % 2 == 0:
            return json.dumps({**SEARCH, "id": f"s{turn}"})
        return json.dumps({"action": "summarize_and_memorize", "summarize": "Nothing."})

    result = found("vimrag", VET, chat=ScriptedChat(circling), vimrag_steps=7)
    assert (result.figures["steps"], result.answer) == (7, None)


@pytest.mark.parametrize(
    "odd",
    [
        {"action": "summarize_and_memorize", "summarize": "What?"},
        {"action": "add_answer_node", "answer": "  "},
        {"action": "add_search_node", "query": " "},
    ],
)
def test_an_action_that_makes_no_sense_costs_a_step_and_changes_nothing(odd: Any) -> None:
    result = found("vimrag", VET, chat=saying(odd, SEARCH, ANSWER))
    plain = found("vimrag", VET, chat=saying(SEARCH, ANSWER))
    assert (result.picks, result.answer) == (plain.picks, plain.answer)
    assert result.figures["steps"] == plain.figures["steps"] + 1


def test_energy_by_hand() -> None:
    leaf = Node("leaf", ["top"], kept={4: 5})
    assert energies([Node("top", []), leaf])[1] == {4: 1.0}
    alone = energies([Node("top", [], kept={1: 5})])[0][1]
    with_child = energies([Node("top", [], kept={1: 5}), leaf])[0][1]
    # (5 / 5) x 2 x exp(-0.1) + 0.3 x 1
    assert alone == 1.0
    assert with_child == pytest.approx(2.1096748)
