"""The canonical bundle: any data set as lines of JSON, so that others can bring theirs.

::

    DIR/bundle.json                 what it is, and its contexts in order
    DIR/CONTEXT/memories.jsonl      one `Memory` a line
    DIR/CONTEXT/questions.jsonl     one `QuestionRow` a line
    DIR/CONTEXT/files.jsonl         one `FileRow` a line; may be missing
    DIR/CONTEXT/media/              the files, named by the SHA-256 of their content

What was written is what is read: unknown keys, wrong types, counts that differ, ids that are there
twice and gold that names no memory are refused, with the file and the line.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.evidence import Question
from graphmemix.fsio import make_folder, open_binary, open_text, write_text
from graphmemix.memory import Memory
from graphmemix.record import Record
from graphmemix_bench.datasets.base import (
    Choice,
    Context,
    GoldQuestion,
    MediaFile,
    ResponseType,
)
from graphmemix_bench.datasets.files import missing

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

LAYOUT = "DIR/bundle.json, and in each folder that it names memories.jsonl and questions.jsonl"
FORMAT: Literal["graphmemix-bundle"] = "graphmemix-bundle"

_R = TypeVar("_R", bound=Record)


@dataclass(frozen=True)
class ContextRow(Record):
    """A context in ``bundle.json``.

    Attributes:
        folder: Where its lines are, below the bundle.
        name: As reports call it.
        memories: How many lines there are.
        questions: How many lines there are.
        dropped: What the source named and did not hold, with counts.
    """

    folder: str
    name: str
    memories: int
    questions: int
    dropped: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class BundleHead(Record):
    """The content of ``bundle.json``."""

    format: Literal["graphmemix-bundle"]
    version: Literal[1]
    name: str
    contexts: tuple[ContextRow, ...]
    source: str = ""
    licence: str = ""


@dataclass(frozen=True)
class QuestionRow(Record):
    """A `GoldQuestion` as a line. Gold is sorted: the same question is the same line."""

    id: str
    question: Question
    answer: str
    gold: tuple[str, ...] = ()
    type: str = ""
    group: str = ""
    subset: str = ""
    choices: tuple[Choice, ...] = ()
    response_type: ResponseType = "open"
    instruction: str = ""
    images: tuple[str, ...] = ()
    held: bool = True


@dataclass(frozen=True)
class FileRow(Record):
    """A medium's file: `path` is relative to the context's folder."""

    memory_id: str
    index: int
    path: str


def write(
    folder: Path, contexts: Iterable[Context], *, name: str, source: str = "", licence: str = ""
) -> BundleHead:
    """Write contexts as a bundle, with copies of their files; return its head.

    ``bundle.json`` comes last: an interrupted bundle has none and is not read as a whole one.

    Raises:
        InvalidInputError: The folder holds something already.
    """
    if folder.exists() and any(folder.iterdir()):
        raise InvalidInputError(f"{folder}: is not empty; name a new folder for the bundle")
    rows = []
    for number, context in enumerate(contexts, start=1):
        below = f"{number:04}-{re.sub(r'[^A-Za-z0-9_-]+', '-', context.name)[:80]}"
        _write_context(folder / below, context)
        rows.append(
            ContextRow(
                below,
                context.name,
                len(context.memories),
                len(context.questions),
                dict(context.dropped),
            )
        )
    head = BundleHead(FORMAT, 1, name, tuple(rows), source, licence)
    write_text(make_folder(folder) / "bundle.json", head.to_json() + "\n")
    return head


def load(folder: Path) -> Iterator[Context]:
    """Yield the contexts of a bundle, in its order.

    Raises:
        InvalidInputError: It is no bundle, or not what was written; names file and line.
    """
    head = read_head(folder)
    return (_read_context(folder, row) for row in head.contexts)


def read_head(folder: Path) -> BundleHead:
    """Return what ``bundle.json`` says."""
    path = folder / "bundle.json"
    if not path.is_file():
        raise missing(folder, "bundle.json", "a bundle", LAYOUT)
    try:
        return BundleHead.from_json(path.read_bytes())
    except InvalidDataError as error:
        raise InvalidInputError(f"{path}: {error}") from None


def _write_context(folder: Path, context: Context) -> None:
    make_folder(folder)
    _write_lines(folder / "memories.jsonl", context.memories)
    _write_lines(folder / "questions.jsonl", map(question_row, context.questions))
    files = []
    for file in context.files:
        with file.path.open("rb") as stream:
            sha256 = hashlib.file_digest(stream, "sha256").hexdigest()
        target = folder / "media" / f"{sha256}{file.path.suffix.lower()}"
        make_folder(target.parent)
        with file.path.open("rb") as stream, open_binary(target) as copy:
            shutil.copyfileobj(stream, copy)
        files.append(FileRow(file.memory_id, file.index, f"media/{target.name}"))
    if files:
        _write_lines(folder / "files.jsonl", files)


def _write_lines(path: Path, records: Iterable[Record]) -> None:
    with open_text(path) as stream:
        for record in records:
            stream.write(record.to_json() + "\n")


def _read_context(root: Path, row: ContextRow) -> Context:
    folder = root / row.folder
    if row.folder in {"", ".", ".."} or "/" in row.folder or "\0" in row.folder:
        raise InvalidInputError(f"{root}/bundle.json: {row.folder!r} is no folder of the bundle")
    memories = tuple(_read_lines(folder / "memories.jsonl", Memory, row.memories))
    known = {memory.id: len(memory.media) for memory in memories}
    _require_unique(folder / "memories.jsonl", [memory.id for memory in memories])
    rows = list(_read_lines(folder / "questions.jsonl", QuestionRow, row.questions))
    _require_unique(folder / "questions.jsonl", [each.id for each in rows])
    for each in rows:
        for gold in each.gold:
            if gold not in known:
                raise InvalidInputError(
                    f"{folder}/questions.jsonl: gold of {each.id!r} is no memory: {gold!r}"
                )
    files = []
    path = folder / "files.jsonl"
    for file in _read_lines(path, FileRow, None) if path.is_file() else ():
        if not 0 <= file.index < known.get(file.memory_id, 0):
            raise InvalidInputError(f"{path}: {file.memory_id!r} has no medium {file.index}")
        if not re.fullmatch(r"media/[\w.-]+", file.path) or not (folder / file.path).is_file():
            raise InvalidInputError(f"{path}: {file.path!r} is no file of the bundle")
        files.append(MediaFile(file.memory_id, file.index, folder / file.path))
    return Context(
        row.name, memories, tuple(map(gold_question, rows)), tuple(files), dict(row.dropped)
    )


def _read_lines(path: Path, record: type[_R], count: int | None) -> Iterator[_R]:
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None
    lines = [line for line in lines if line.strip()]
    if count is not None and len(lines) != count:
        raise InvalidInputError(f"{path}: has {len(lines)} lines; bundle.json says {count}")
    for number, line in enumerate(lines, start=1):
        try:
            yield record.from_json(line)
        except InvalidDataError as error:
            raise InvalidInputError(f"{path}:{number}: {error}") from None


def _require_unique(path: Path, ids: list[str]) -> None:
    seen: set[str] = set()
    for each in ids:
        if each in seen:
            raise InvalidInputError(f"{path}: {each!r} occurs twice")
        seen.add(each)


def question_row(each: GoldQuestion) -> QuestionRow:
    """Return a question as a line of the bundle."""
    return QuestionRow(
        id=each.id,
        question=each.question,
        answer=each.answer,
        gold=tuple(sorted(each.gold)),
        type=each.type,
        group=each.group,
        subset=each.subset,
        choices=each.choices,
        response_type=each.response_type,
        instruction=each.instruction,
        images=each.images,
        held=each.held,
    )


def gold_question(row: QuestionRow) -> GoldQuestion:
    """Return the question of a line."""
    return GoldQuestion(
        question=row.question,
        gold=frozenset(row.gold),
        type=row.type,
        answer=row.answer,
        id=row.id,
        group=row.group,
        subset=row.subset,
        choices=row.choices,
        response_type=row.response_type,
        instruction=row.instruction,
        images=row.images,
        held=row.held,
    )
