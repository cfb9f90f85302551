"""MemGuide: units, pool and filter."""

from __future__ import annotations

import json

import pytest

from graphmemix.llm import ScriptedChat
from tests.bench.baselines.archive import found
from tests.bench.baselines.models import obliging

VET = "Which doctor looked after the cat Momo?"


def selecting(*numbers: int) -> ScriptedChat:
    return ScriptedChat(lambda *_: json.dumps({"selected": numbers}))


def test_fixed_questions_cost_no_call_and_written_ones_one_for_each_memory() -> None:
    fixed, written = selecting(1), obliging()
    found("memguide", VET, chat=fixed)
    found("memguide", VET, chat=written, memguide_questions="written")
    assert (len(fixed.calls), len(written.calls)) == (1, 9 + 1)


def test_with_the_published_pool_picks_are_those_of_the_ranking() -> None:
    ranked = found("memguide", VET, budget=10, chat=selecting())
    filtered = found("memguide", VET, budget=10, chat=selecting(5, 3))
    assert set(filtered.picks) == set(ranked.picks)
    assert filtered.told == (ranked.picks[4], ranked.picks[2])
    assert filtered.picks[:2] == filtered.told


@pytest.mark.parametrize("said", ["[]", '{"selected": []}', '{"selected": [77, -1, 0]}', "no"])
def test_a_filter_that_picks_nothing_is_the_top_of_the_pool(said: str) -> None:
    result = found("memguide", VET, chat=ScriptedChat(lambda *_: said), retries=0)
    assert result.told == result.picks
    assert len(result.told) == 3


def test_the_filter_sees_no_scores() -> None:
    chat = selecting(1)
    found("memguide", VET, chat=chat)
    assert "0." not in chat.calls[0].text


def test_without_a_model_each_pick_fills_a_need_that_was_open() -> None:
    told = found("memguide", VET, budget=10).told
    assert told[0] == "m2"  # all of it at once
    assert len(told) < 9


def test_a_larger_pool_is_a_baseline_of_its_own() -> None:
    assert found("memguide48", VET).figures["seen"] == 9
