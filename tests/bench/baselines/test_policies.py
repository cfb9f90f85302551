"""RankGPT, Generative Agents and HippoRAG 2."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime

import numpy as np
import pytest

from graphmemix.evidence import Question
from graphmemix.llm import ScriptedChat
from graphmemix_bench.baselines import MemoryJournal
from graphmemix_bench.baselines.generative_agents import scaled
from graphmemix_bench.baselines.hipporag import page_rank, transitions
from graphmemix_bench.baselines.rankgpt import reordered, windows
from tests.bench.baselines.archive import built, found, memories, opened
from tests.bench.baselines.models import obliging

VET = "Which doctor looked after the cat Momo?"


def test_windows_slide_from_the_back_and_end_at_the_front() -> None:
    assert windows(48, 20, 10) == [28, 18, 8, 0]
    assert windows(5, 20, 10) == [0]
    assert windows(0, 20, 10) == []


def test_a_window_takes_the_order_of_the_reply_and_loses_nothing() -> None:
    assert reordered([7, 8, 9], [3, 3, 77, 1]) == [9, 7, 8]
    assert reordered([7, 8], []) == [7, 8]


def test_rankgpt_ranks_what_the_model_prefers_first() -> None:
    dense = found("rankgpt", VET, chat=ScriptedChat(lambda *_: "no"), retries=0)
    ranked = found("rankgpt", VET, chat=ScriptedChat(lambda *_: json.dumps({"ranking": [3, 1]})))
    assert ranked.picks[:2] == (dense.picks[2], dense.picks[0])


def test_scaling_is_from_0_to_1() -> None:
    assert scaled([2, 4, 3]) == [0, 1, 0.5]
    assert scaled([5, 5]) == [0, 0]


def test_a_memory_of_today_comes_before_an_equal_one_of_last_year() -> None:
    store = built(opened("generative_agents", obliging()))
    asked = Question("Anything else?", asked_at=datetime(2024, 5, 8, 13, tzinfo=UTC))
    picks = asyncio.run(store.find(asked, 9)).picks
    assert picks.index("m7") < picks.index("m4")


def test_important_memories_rank_higher() -> None:
    with_model = found("generative_agents", "What is there?", budget=9, chat=obliging())
    assert with_model.picks.index("m2") < with_model.picks.index("m0")  # the cat is rated 9


def test_page_rank_sums_to_one_and_keeps_to_its_component() -> None:
    ranked = page_rank(transitions({(0, 1): 1.0}, 3), np.array([1.0, 0.0, 0.0]), 0.5)
    assert ranked.sum() == pytest.approx(1)
    assert ranked == pytest.approx([2 / 3, 1 / 3, 0], abs=1e-6)


@pytest.mark.parametrize("with_model", [True, False])
def test_the_order_of_memories_does_not_matter(with_model: bool) -> None:
    def scores(*stored: object) -> dict[str, float]:
        baseline = opened("hipporag", obliging() if with_model else None)
        store = asyncio.run(baseline.build(stored, MemoryJournal()))  # type: ignore[arg-type]
        result = asyncio.run(store.find(Question(VET), 9))
        return dict(zip(result.picks, result.scores, strict=True))

    forward, backward = scores(*memories()), scores(*reversed(memories()))
    assert forward == pytest.approx(backward)


def test_facts_that_help_none_leave_the_dense_ranking() -> None:
    chat = ScriptedChat(
        lambda _, options: json.dumps(
            {"kept": []}
            if options.format and options.format.name == "hipporag_filter"
            else {"names": ["cat"], "triples": []}
        )
    )
    assert found("hipporag", VET, chat=chat).picks[0] == "m2"
