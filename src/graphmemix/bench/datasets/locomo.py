"""LoCoMo: long chats between two people, with captions of the photos that they share."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphmemix.bench.datasets.base import Context, GoldQuestion, load_folder, read_json
from graphmemix.evidence import Question
from graphmemix.memory import Description, Media, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_TURN = re.compile(r"D\d+:\d+")  # a few evidence strings hold several, or other things


def load(folder: Path) -> Iterator[Context]:
    """Yield the conversations in a folder, by name."""
    return load_folder(folder, "*.json", "LoCoMo", _context)


def _context(path: Path) -> Context:
    data = read_json(path)
    talk = data.get("conversation", data)
    memories: list[Memory] = []
    last: datetime | None = None
    number = 1
    while f"session_{number}" in talk:
        last = _moment(talk.get(f"session_{number}_date_time", "")) or last
        for turn in talk[f"session_{number}"]:
            memories.append(_memory(turn, f"session_{number}", len(memories), last))
        number += 1
    if not memories:
        raise KeyError("session_1")
    known = {memory.id for memory in memories}
    questions = tuple(_question(row, known, last) for row in data["qa"])
    return Context(path.stem, tuple(memories), questions)


def _memory(turn: dict[str, Any], session: str, sequence: int, at: datetime | None) -> Memory:
    caption = turn.get("blip_caption") or ""
    media = (Media("image", description=Description(caption=caption)),) if caption else ()
    return Memory(
        id=turn["dia_id"],
        kind="message",
        text=turn["text"],
        source="locomo",
        source_id=turn["dia_id"],
        session=session,
        sequence=sequence,
        speaker=turn["speaker"],
        timestamp=at,
        media=media,
    )


def _question(row: dict[str, Any], known: set[str], asked_at: datetime | None) -> GoldQuestion:
    evidence = " ".join(map(str, row.get("evidence") or []))
    return GoldQuestion(
        question=Question(row["question"], asked_at=asked_at),
        gold=frozenset(_TURN.findall(evidence)) & known,
        type=str(row["category"]),
        answer=str(row.get("answer", row.get("adversarial_answer", ""))),
    )


def _moment(text: str) -> datetime | None:
    """Return a moment such as ``1:56 pm on 8 May, 2023``."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return None
