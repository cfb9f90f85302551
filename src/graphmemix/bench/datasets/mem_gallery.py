"""Mem-Gallery: long dialogues between a person and an assistant, with pictures.

One memory for the user half and one for the assistant half of every round, pictures on the user
half, and one for the profile. A gold round means both halves.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphmemix.bench.datasets.base import Context, GoldQuestion, load_folder, read_json
from graphmemix.evidence import Question, QuestionImage
from graphmemix.memory import Description, Media, Memory

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def load(folder: Path) -> Iterator[Context]:
    """Yield the contexts below ``FOLDER/data/dialog``, by name."""
    return load_folder(folder, "data/dialog/*.json", "Mem-Gallery", _context)


def _context(path: Path) -> Context:
    data = read_json(path)
    memories: list[Memory] = []
    for session in data["multi_session_dialogues"]:
        for turn in session["dialogues"]:
            for half in ("user", "assistant"):
                memories.append(_half(session, turn, half, len(memories)))
    rounds: dict[str, set[str]] = {}
    for memory in memories:
        rounds.setdefault(str(memory.round), set()).add(memory.id)
    profile = data["character_profile"]
    text = profile if isinstance(profile, str) else json.dumps(profile, ensure_ascii=False)
    memories.append(Memory("profile", "profile", text, source="mem-gallery"))
    questions = tuple(_question(each, rounds) for each in data["human-annotated QAs"])
    return Context(path.stem, tuple(memories), questions)


def _half(session: dict[str, Any], turn: dict[str, Any], half: str, sequence: int) -> Memory:
    return Memory(
        id=f"{turn['round']}/{half}",
        kind="message",
        text=turn[half],
        source="mem-gallery",
        source_id=turn["round"],
        session=session["session_id"],
        round=turn["round"],
        sequence=sequence,
        speaker=half,
        timestamp=_day(session["date"]),
        media=_pictures(turn) if half == "user" else (),
    )


def _pictures(turn: dict[str, Any]) -> tuple[Media, ...]:
    names = _list(turn.get("image_id"))
    captions = _list(turn.get("image_caption"))
    captions += [""] * (len(names) - len(captions))
    names += [""] * (len(captions) - len(names))
    return tuple(
        Media("image", name=str(name), description=Description(caption=caption or ""))
        for name, caption in zip(names, captions, strict=True)
    )


def _question(row: dict[str, Any], rounds: dict[str, set[str]]) -> GoldQuestion:
    captions = [caption for caption in _list(row.get("image_caption")) if caption]
    images = tuple(QuestionImage(b"", caption=caption) for caption in captions)
    gold = {half for clue in _list(row.get("clue")) for half in rounds.get(clue, ())}
    kind = row["point"]
    return GoldQuestion(
        question=Question(row["question"], images),
        gold=frozenset() if kind == "AR" else frozenset(gold),
        type=kind,
        answer=str(row["answer"]),
    )


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).replace(tzinfo=UTC)
    except (TypeError, ValueError):
        return None


def _list(value: object) -> list[Any]:
    if value is None:
        return []
    return list(value) if isinstance(value, list) else [value]
