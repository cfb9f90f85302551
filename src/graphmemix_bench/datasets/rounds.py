"""Dialogues in rounds, the layout that Mem-Gallery and MemEye share.

One memory for the user half and one for the assistant half of every round, pictures on the user
half. A gold round means both halves.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from graphmemix.evidence import QuestionImage
from graphmemix.memory import Description, Media, Memory
from graphmemix_bench.datasets.base import MediaFile
from graphmemix_bench.datasets.files import as_list, mime, picture

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_HALVES = ("user", "assistant")


@dataclass(frozen=True)
class DataLocation:
    """Where a dialogue file lies: the data set's folder, and the folder that the file is in."""

    root: Path
    here: Path

    def find(self, name: str) -> Path | None:
        """Return the picture of that name, if it is there."""
        return picture(self.root, self.here, name)


def halves(
    sessions: Iterable[Mapping[str, Any]], source: str, place: DataLocation
) -> tuple[list[Memory], list[MediaFile]]:
    """Return the memories of all rounds in order, and the picture files that are there."""
    memories: list[Memory] = []
    files: list[MediaFile] = []
    for session in sessions:
        for turn in session["dialogues"]:
            for half in _HALVES:
                memories.append(_half(session, turn, half, len(memories), source))
            owner = memories[-len(_HALVES)].id
            for index, name in enumerate(_padded(turn)[1]):
                if name and (path := place.find(name)):
                    files.append(MediaFile(owner, index, path))
    return memories, files


def gold_of(clues: object, memories: Iterable[Memory]) -> frozenset[str]:
    """Return the memories of the named rounds; a round that is not there means none."""
    wanted = set(map(str, as_list(clues)))
    return frozenset(memory.id for memory in memories if memory.round in wanted)


def question_images(
    row: Mapping[str, Any], place: DataLocation
) -> tuple[tuple[QuestionImage, ...], tuple[str, ...]]:
    """Return the pictures of a question and their ids, with pixels where the files are there.

    A picture with neither a file nor a caption says nothing and is left out.
    """
    names = [*as_list(row.get("question_image")), *as_list(row.get("question_images"))]
    captions = as_list(row.get("image_caption"))
    length = max(len(names), len(captions))
    names += [""] * (length - len(names))
    captions += [""] * (length - len(captions))
    images, ids = [], []
    for number, (name, caption) in enumerate(zip(map(str, names), captions, strict=True), start=1):
        path = place.find(name)
        if path is None and not caption:
            continue
        data = b"" if path is None else path.read_bytes()
        images.append(QuestionImage(data, mime(name) or "image/jpeg", caption or ""))
        ids.append(name.rpartition("/")[2].rpartition(".")[0] or name or f"image{number}")
    return tuple(images), tuple(ids)


def day(text: object) -> datetime | None:
    """Return the day of a session; None if it is not written as one."""
    try:
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC)
    except ValueError:
        return None


def _half(
    session: Mapping[str, Any], turn: Mapping[str, Any], half: str, sequence: int, source: str
) -> Memory:
    return Memory(
        id=f"{turn['round']}/{half}",
        kind="message",
        text=turn[half],
        source=source,
        source_id=turn["round"],
        session=session["session_id"],
        round=turn["round"],
        sequence=sequence,
        speaker=half,
        timestamp=day(session.get("date")),
        media=_pictures(turn) if half == "user" else (),
    )


def _pictures(turn: Mapping[str, Any]) -> tuple[Media, ...]:
    return tuple(
        Media(
            "image",
            mime=mime(path),
            name=name or path.rpartition("/")[2],
            description=Description(caption=caption or ""),
        )
        for name, path, caption in zip(*_padded(turn), strict=True)
    )


def _padded(turn: Mapping[str, Any]) -> tuple[list[str], list[str], list[Any]]:
    """Return the parallel lists of ids, paths and captions, as long as the longest."""
    ids = list(map(str, as_list(turn.get("image_id"))))
    paths = list(map(str, as_list(turn.get("input_image"))))
    captions = as_list(turn.get("image_caption"))
    length = max(len(ids), len(paths), len(captions))
    for each in (ids, paths, captions):
        each.extend([""] * (length - len(each)))
    return ids, paths, captions
