"""LongMemEval: each question has its own history of chats with an assistant.

``longmemeval-s`` has histories of some 50 sessions, ``-m`` of some 500, ``-oracle`` the sessions
with evidence alone. Each question is a context. Gold is every turn that is marked `has_answer`;
questions whose id ends in ``_abs`` have no answer in their history.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from graphmemix.evidence import Question
from graphmemix.memory import Memory
from graphmemix_bench.datasets.base import Context, GoldQuestion
from graphmemix_bench.datasets.files import load_folder, missing, read_json

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PARTS: Final = ("s", "m", "oracle")
LAYOUT: Final = "DIR/longmemeval_s.json, longmemeval_m.json or longmemeval_oracle.json, as released"

_ABSTAINING: Final = "_abs"
_MOMENT: Final = re.compile(r"(\d{4})/(\d{2})/(\d{2})(?:[^\d]*(\d{2}):(\d{2}))?")


def load(folder: Path, *, part: str) -> Iterator[Context]:
    """Yield one context for each question of a part, in the order of the release."""
    pattern = f"longmemeval_{part}*.json"
    paths = sorted(folder.glob(pattern))[:1]
    if not paths:
        raise missing(folder, pattern, "LongMemEval", LAYOUT)
    return load_folder(paths, "LongMemEval", lambda path: map(_context, read_json(path)))


def _context(row: dict[str, Any]) -> Context:
    name = str(row["question_id"])
    memories: list[Memory] = []
    gold: list[str] = []
    sessions = row["haystack_sessions"]
    dates = row.get("haystack_dates") or [""] * len(sessions)
    ids = row.get("haystack_session_ids") or [f"session{n}" for n in range(1, len(sessions) + 1)]
    seen: dict[str, int] = {}
    for session, when, turns in zip(ids, dates, sessions, strict=True):
        # A session may stand in a history twice.
        seen[session] = seen.get(session, 0) + 1
        unique = session if seen[session] == 1 else f"{session}#{seen[session]}"
        for number, turn in enumerate(turns, start=1):
            memory = _memory(turn, unique, number, len(memories), str(when))
            memories.append(memory)
            if turn.get("has_answer"):
                gold.append(memory.id)
    absent = name.endswith(_ABSTAINING)
    question = GoldQuestion(
        question=Question(row["question"], asked_at=_moment(str(row.get("question_date") or ""))),
        gold=frozenset() if absent else frozenset(gold),
        type=str(row.get("question_type") or ""),
        answer=str(row["answer"]),
        id=name,
        response_type="refusal" if absent else "open",
    )
    return Context(name, tuple(memories), (question,))


def _memory(turn: dict[str, Any], session: str, number: int, sequence: int, when: str) -> Memory:
    return Memory(
        id=f"{session}/{number}",
        kind="message",
        text=turn["content"],
        source="longmemeval",
        source_id=f"{session}/{number}",
        session=session,
        round=f"{session}/{(number + 1) // 2}",
        sequence=sequence,
        speaker=turn["role"],
        timestamp=_moment(when),
    )


def _moment(text: str) -> datetime | None:
    """Return the moment of ``2023/05/20 (Sat) 02:21`` as UTC; None if it is not written so."""
    found = _MOMENT.match(text.strip())
    if found is None:
        return None
    year, month, day, hour, minute = (int(part or 0) for part in found.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError:
        return None
