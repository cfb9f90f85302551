"""Which messages are near each other, and which come later."""

from __future__ import annotations

from graphmemix.evidence import Candidate, CandidateGraph, Question
from graphmemix.memory import Memory
from graphmemix.verify.case import make_case
from graphmemix.verify.neighbourhood import Neighbourhood


def around(*sequences: int | None) -> Neighbourhood:
    memories = [
        Memory(f"m{i}", "message", "Hello.", session="s", round=str(i), sequence=sequence)
        for i, sequence in enumerate(sequences)
    ]
    candidates = tuple(Candidate(memory.id, 0.5, i) for i, memory in enumerate(memories))
    by_id = {memory.id: memory for memory in memories}
    return Neighbourhood(make_case(Question("?"), CandidateGraph(candidates), by_id, 2))


def test_three_positions_are_near_and_four_are_not() -> None:
    assert around(0, 3, 4).near.tolist() == [
        [False, True, False],
        [True, False, True],
        [False, True, False],
    ]


def test_nothing_comes_after_itself() -> None:
    assert around(0, 3).after.tolist() == [[False, False], [True, False]]


def test_messages_without_positions_are_near_nothing() -> None:
    found = around(None, None, 5)
    assert not found.near.any()
    assert not found.after.any()
