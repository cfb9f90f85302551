"""LongMemEval: a context for each question."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmemix_bench.datasets import CATALOGUE
from tests.bench.datasets.files import put

TURNS = [
    {"role": "user", "content": "I adopted a parrot.", "has_answer": True},
    {"role": "assistant", "content": "Lovely!"},
]


def row(name: str, **more: Any) -> dict[str, Any]:
    return {
        "question_id": name,
        "question_type": "single-session-user",
        "question": "Which pet?",
        "answer": "A parrot",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "soon", "2023/05/21 (Sun) 10:00"],
        "haystack_session_ids": ["s1", "s2", "s1"],
        "haystack_sessions": [TURNS, [{"role": "user", "content": "Hello."}], TURNS[1:]],
        "answer_session_ids": ["s1"],
        **more,
    }


def test_each_question_has_a_history_of_its_own(tmp_path: Path) -> None:
    put(tmp_path / "longmemeval_s.json", [row("q1"), row("q2_abs")])
    first, second = CATALOGUE["longmemeval-s"].load(tmp_path)
    assert [memory.id for memory in first.memories] == ["s1/1", "s1/2", "s2/1", "s1#2/1"]
    assert first.memories[0].timestamp == datetime(2023, 5, 20, 2, 21, tzinfo=UTC)
    assert first.memories[2].timestamp is None
    (asked,) = first.questions
    assert (asked.gold, asked.answer) == (frozenset({"s1/1"}), "A parrot")
    assert asked.question.asked_at == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)
    (refused,) = second.questions
    assert (refused.gold, refused.response_type) == (frozenset(), "refusal")


def test_parts_lie_in_files_of_their_own(tmp_path: Path) -> None:
    put(tmp_path / "longmemeval_oracle.json", [row("q1")])
    assert [each.name for each in CATALOGUE["longmemeval-oracle"].load(tmp_path)] == ["q1"]
