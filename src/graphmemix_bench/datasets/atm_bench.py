"""ATM-Bench: one person's e-mails, photos and videos of years, with descriptions.

``atm-bench`` asks the default and the hard questions of the whole archive; ``atm-bench-hard`` the
hard ones alone. The NIAH pools give each hard question its own small archive of fixed size, so each
of those questions is a context.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from graphmemix.errors import InvalidInputError
from graphmemix.evidence import Question
from graphmemix.memory import Description, Media, Memory, Place
from graphmemix_bench.datasets.base import Context, GoldQuestion, MediaFile, ResponseType
from graphmemix_bench.datasets.files import (
    as_list,
    in_layout,
    is_content,
    load_folder,
    mime,
    missing,
    read_json,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

LAYOUT = (
    "below DIR, in any folder: atm-bench.json, atm-bench-hard.json, atm-bench-hard-niah*.json, "
    "emails.json, and batch_results.json of images and of videos (or *_batch_results.json); "
    "files, if there, in DIR/data/raw_memory/image/ and video/"
)

_TYPES: Final[Mapping[str, ResponseType]] = {
    "number": "number",
    "list_recall": "list",
    "open_end": "open",
}
_TYPE_KEYS = ("qtype", "question_type", "type")
_INSTRUCTION = (
    "Answer from the memories only, with the answer alone. If they do not tell, answer "
    '"Unknown". If you are asked to recall or list photos, e-mails or videos, answer with their '
    "source ids only, separated by commas."
)
_IDENTIFIER = re.compile(r"\d{8}_\d{6}|email\d+", re.IGNORECASE)
_NUMERIC = re.compile(r"[$€£]?[\d][\d,.]*\s?%?")
_COUNTING = re.compile(r"how (?:many|much|often|long|old)\b", re.IGNORECASE)
_CAPTURED = re.compile(r"(\d{8})_(\d{6})")


def load(folder: Path) -> Iterator[Context]:
    """Yield the one archive with the default and the hard questions."""
    default = _one(folder, "atm-bench.json")
    hard = sorted(folder.rglob("atm-bench-hard.json"))[:1]
    return load_folder([folder], "ATM-Bench", lambda _: [_whole(folder, [default, *hard])])


def load_hard(folder: Path) -> Iterator[Context]:
    """Yield the one archive with the hard questions."""
    hard = _one(folder, "atm-bench-hard.json")
    return load_folder([folder], "ATM-Bench", lambda _: [_whole(folder, [hard])])


def load_niah(folder: Path) -> Iterator[Context]:
    """Yield one small archive for each question of each NIAH pool file, by pool size."""
    paths = sorted(folder.rglob("*niah*.json"), key=lambda path: (_size(path), path.name))
    if not paths:
        raise missing(folder, "*niah*.json", "ATM-Bench", LAYOUT)
    archive = _Archive(folder)
    return load_folder(paths, "ATM-Bench", lambda path: _pools(path, archive))


class _Archive:
    """All memories of the release, and the files that are there."""

    def __init__(self, folder: Path) -> None:
        self.files: list[MediaFile] = []
        self.memories: dict[str, Memory] = {}
        emails = sorted(folder.rglob("emails.json"))[:1]
        results = sorted(folder.rglob("*batch_results.json"))
        if not emails and not results:
            raise missing(folder, "emails.json or *batch_results.json", "ATM-Bench", LAYOUT)
        for path in emails:
            self._add(path, _email)
        for path in results:
            self._add(path, _medium)
        raw = {path.stem: path for path in folder.glob("data/raw_memory/*/*") if is_content(path)}
        self.files = [
            MediaFile(memory.id, 0, raw[memory.id])
            for memory in self.memories.values()
            if memory.media and memory.id in raw
        ]

    def _add(self, path: Path, read: Callable[[dict[str, Any]], Memory]) -> None:
        with in_layout(path, "ATM-Bench"):
            for memory in map(read, read_json(path)):
                other = self.memories.setdefault(memory.id, memory)
                if other != memory:
                    raise InvalidInputError(
                        f"{path}: {memory.id!r} was described before in another way; keep one "
                        "emails.json and one batch_results.json for images and for videos"
                    )


def _whole(folder: Path, paths: list[Path]) -> Context:
    archive = _Archive(folder)
    questions, unknown = [], 0
    for path in paths:
        subset = "hard" if "hard" in path.stem else "default"
        for row in _rows(path):
            question = _question(row, subset, archive.memories)
            unknown += len(set(as_list(row.get("evidence_ids"))) - question.gold)
            questions.append(question)
    return Context(
        "atm-bench",
        tuple(archive.memories.values()),
        tuple(questions),
        tuple(archive.files),
        {"evidence": unknown} if unknown else {},
    )


def _pools(path: Path, archive: _Archive) -> Iterator[Context]:
    subset = f"niah{_size(path)}"
    for row in _rows(path):
        named = [str(each) for each in as_list(row["niah_evidence_ids"])]
        pool = {each: archive.memories[each] for each in named if each in archive.memories}
        absent = len(set(named)) - len(pool)
        yield Context(
            f"{subset}/{row['id']}",
            tuple(pool.values()),
            (_question(row, subset, pool),),
            tuple(file for file in archive.files if file.memory_id in pool),
            {"memories": absent} if absent else {},
        )


def _question(row: dict[str, Any], subset: str, known: Mapping[str, Memory]) -> GoldQuestion:
    kind = str(next((row[key] for key in _TYPE_KEYS if row.get(key)), "") or _detected(row))
    evidence = [str(each) for each in as_list(row.get("evidence_ids"))]
    answer = row["answer"]
    return GoldQuestion(
        question=Question(row["question"]),
        gold=frozenset(each for each in evidence if each in known),
        type=kind,
        answer=", ".join(map(str, answer)) if isinstance(answer, list) else str(answer),
        id=str(row["id"]),
        subset=subset,
        response_type=_TYPES.get(kind, "open"),
        instruction=_INSTRUCTION,
    )


def _detected(row: dict[str, Any]) -> str:
    """Return the type of a question that names none, by its answer and words (reading)."""
    answer = row["answer"]
    items = answer if isinstance(answer, list) else str(answer).split(",")
    if isinstance(answer, list) or all(_IDENTIFIER.fullmatch(str(item).strip()) for item in items):
        return "list_recall"
    if _NUMERIC.fullmatch(str(answer).strip()) or _COUNTING.match(str(row["question"])):
        return "number"
    return "open_end"


def _rows(path: Path) -> list[dict[str, Any]]:
    data = read_json(path)
    rows = data["qas"] if isinstance(data, dict) else data
    return list(rows)


def _email(row: dict[str, Any]) -> Memory:
    subject = row.get("short_summary") or ""
    return Memory(
        id=row["id"],
        kind="email",
        text="\n".join(filter(None, [subject, row.get("detail") or ""])),
        source="atm-bench",
        source_id=row["id"],
        timestamp=_moment(row.get("timestamp")) or _moment(row["id"].removeprefix("email")[:8]),
        metadata={"subject": subject},
    )


def _medium(row: dict[str, Any]) -> Memory:
    video = "video_path" in row
    name = PurePosixPath(row["video_path" if video else "image_path"]).name
    stem = PurePosixPath(name).stem
    duration = row.get("duration")
    medium = Media(
        "video" if video else "image",
        mime=mime(name),
        name=name,
        width=_pixels(row, "width", 0),
        height=_pixels(row, "height", 1),
        duration=float(duration) if isinstance(duration, (int, float)) else None,
        description=Description(
            caption=row.get("caption") or "",
            short_caption=row.get("short_caption") or "",
            ocr=row.get("ocr_text") or "",
        ),
    )
    return Memory(
        id=stem,
        kind="video" if video else "photo",
        source="atm-bench",
        source_id=stem,
        timestamp=_moment(row.get("timestamp")) or _moment(stem),
        place=_place(row),
        media=(medium,),
        metadata={
            key: [str(each) for each in as_list(row.get(key))]
            for key in ("tags", "entities")
            if key == "tags" or row.get(key)
        },
    )


def _pixels(row: dict[str, Any], name: str, place: int) -> int | None:
    """Return a width or height: on its own, or of ``resolution`` as a list or as ``1920x1080``."""
    both = row.get("resolution")
    if isinstance(both, str):
        both = [int(part) for part in re.findall(r"\d+", both)]
    size = row.get(name) or (both[place] if isinstance(both, list) and len(both) == 2 else None)
    return int(size) if isinstance(size, (int, float)) and size > 0 else None


def _place(row: dict[str, Any]) -> Place | None:
    name = row.get("location_name") or row.get("city") or ""
    where = row.get("latitude"), row.get("longitude")
    point = row.get("location")
    if isinstance(point, list) and len(point) == 2:
        where = point[0], point[1]
    elif isinstance(point, str):
        name = name or point
    if all(isinstance(each, (int, float)) for each in where):
        return Place(name, float(where[0] or 0), float(where[1] or 0))
    return Place(name) if name else None


def _moment(value: object) -> datetime | None:
    """Return the moment of ``2024-01-01 12:34:56``, ``20220430_132212`` or ``20220430``, as UTC."""
    text = str(value or "").strip()
    if found := _CAPTURED.search(text):
        text = f"{found[1]}T{found[2]}"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _one(folder: Path, name: str) -> Path:
    found = sorted(folder.rglob(name))
    if not found:
        raise missing(folder, name, "ATM-Bench", LAYOUT)
    return found[0]


def _size(path: Path) -> int:
    found = re.search(r"niah[-_]?(\d+)", path.stem)
    return int(found[1]) if found else 0
