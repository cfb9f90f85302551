"""LoCoMo: long chats between two people, with captions of the photos that they share."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphmemix.evidence import Question
from graphmemix.memory import Description, Media, Memory
from graphmemix_bench.datasets.base import Context, GoldQuestion, MediaFile
from graphmemix_bench.datasets.files import (
    as_list,
    is_content,
    load_folder,
    mime,
    missing,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAYOUT = (
    "DIR/*.json, one a conversation or a list of them, with session_N, session_N_date_time and qa; "
    "photos, if there, in DIR/images/ under the last part of their img_url"
)

_ADVERSARIAL = "5"
_SESSION = re.compile(r"session_(\d+)\Z")
# A few evidence strings hold several turns, a leading zero ("D30:05") or a colon too many
# ("D:11:26"); others name no turn at all.
_TURN = re.compile(r"D:?(\d+):(\d+)")


def load(folder: Path) -> Iterator[Context]:
    """Yield the conversations in a folder, by name."""
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise missing(folder, "*.json", "LoCoMo", LAYOUT)
    return load_folder(paths, "LoCoMo", _contexts)


def _contexts(path: Path) -> Iterator[Context]:
    data = read_json(path)
    if not isinstance(data, list):
        yield _context(data, path.stem, path.parent)
        return
    for number, item in enumerate(data, start=1):
        yield _context(item, str(item.get("sample_id") or f"{path.stem}-{number}"), path.parent)


def _context(data: dict[str, Any], name: str, folder: Path) -> Context:
    talk = data.get("conversation", data)
    memories: list[Memory] = []
    files: list[MediaFile] = []
    last: datetime | None = None
    if "session_1" not in talk:
        raise KeyError("session_1")
    for number in sorted(int(found[1]) for key in talk if (found := _SESSION.match(key))):
        session = f"session_{number}"
        last = _moment(talk.get(f"{session}_date_time", "")) or last
        for turn in talk[session]:
            memory = _memory(turn, session, len(memories), last)
            memories.append(memory)
            files += _files(memory, folder)
    known = {memory.id for memory in memories}
    questions = tuple(
        _question(row, f"Q{number:03}", known, last)
        for number, row in enumerate(data["qa"], start=1)
    )
    return Context(name, tuple(memories), questions, tuple(files))


def _memory(turn: dict[str, Any], session: str, sequence: int, at: datetime | None) -> Memory:
    caption = turn.get("blip_caption") or ""
    names = [str(url).rpartition("/")[2] for url in as_list(turn.get("img_url"))]
    names = names or ([""] if caption else [])
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
        # One caption is given for all photos of a turn; it goes with the first.
        media=tuple(
            Media(
                "image",
                mime=mime(name),
                name=name,
                description=Description(caption="" if index else caption),
            )
            for index, name in enumerate(names)
        ),
    )


def _files(memory: Memory, folder: Path) -> Iterator[MediaFile]:
    for index, medium in enumerate(memory.media):
        path = folder / "images" / medium.name
        if medium.name not in {"", ".", ".."} and is_content(path):
            yield MediaFile(memory.id, index, path)


def _question(
    row: dict[str, Any], name: str, known: set[str], asked_at: datetime | None
) -> GoldQuestion:
    evidence = " ".join(map(str, as_list(row.get("evidence"))))
    turns = {f"D{int(session)}:{int(turn)}" for session, turn in _TURN.findall(evidence)}
    category = str(row["category"])
    refused = category == _ADVERSARIAL and "answer" not in row
    return GoldQuestion(
        question=Question(row["question"], asked_at=asked_at),
        gold=frozenset(turns & known),
        type=category,
        answer=str(row.get("answer", row.get("adversarial_answer", ""))),
        id=name,
        response_type="refusal" if refused else "open",
    )


def _moment(text: str) -> datetime | None:
    """Return a moment such as ``1:56 pm on 8 May, 2023``."""
    try:
        return datetime.strptime(text, "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
    except ValueError:
        return None
