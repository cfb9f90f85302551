"""Bounds and cheap baselines."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

import pytest

from graphmemix.evidence import Question
from graphmemix_bench.baselines.protocol import SeesGold
from tests.bench.baselines.archive import built, found, opened

VET = "Which doctor looked after the cat Momo?"


@pytest.mark.parametrize("name", ["bm25", "dense", "sgm", "rrf", "second_look", "window"])
def test_the_memory_that_shares_the_words_comes_first(name: str) -> None:
    assert found(name, VET).picks[0] == "m2"


def test_the_window_takes_the_turns_around_a_hit_within_its_session() -> None:
    picks = found("window", VET, budget=3).picks
    assert picks == ("m2", "m1", "m3")
    assert "m4" not in picks  # the next turn, but of another session


def test_recent_takes_the_last_ones_before_the_question_was_asked() -> None:
    store = built(opened("recent"))
    asked = Question("What now?", asked_at=datetime(2024, 5, 4, tzinfo=UTC))
    assert asyncio.run(store.find(asked, 2)).picks == ("m2", "m1")


def test_random_depends_on_its_seed_and_on_nothing_else() -> None:
    assert found("random", VET).picks == found("random", VET).picks
    drawn = {found("random", VET, seed=seed).picks for seed in range(5)}
    assert len(drawn) > 1


def test_full_context_takes_everything_that_fits() -> None:
    assert len(found("full", VET, budget=3).told) == 10


def test_the_oracle_returns_the_gold_by_date_and_no_more_than_fits() -> None:
    store = built(opened("oracle"))
    assert isinstance(store, SeesGold)
    assert store.find_gold(Question(VET), {"p0", "m3", "m2"}, 2).picks == ("m2", "m3")


@pytest.mark.parametrize("name", ["full", "random", "recent", "bm25", "dense", "rrf", "window"])
def test_memories_from_after_as_of_are_never_found(name: str) -> None:
    store = built(opened(name))
    asked = Question(VET, as_of=datetime(2024, 5, 2, 23, 0, tzinfo=UTC))
    picks = asyncio.run(store.find(asked, 10)).picks
    assert set(picks) <= {"m0", "m1", "p1"}


def test_fusion_adds_reciprocal_ranks() -> None:
    fused = found("rrf", VET, budget=1, rank_constant=0)
    assert fused.scores == (2.0,)  # first in both rankings: 1 / 1 + 1 / 1
