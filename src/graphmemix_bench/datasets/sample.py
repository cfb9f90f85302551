"""The project's own sample archive: a year of one invented household, ingested from its files.

It measures the whole way, from mails, photos and chats on disk to evidence. It is far too small to
compare methods with.
"""

from __future__ import annotations

import atexit
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, InvalidInputError
from graphmemix.evidence import Question
from graphmemix_bench.datasets.base import Context, GoldQuestion, MediaFile
from graphmemix_bench.datasets.files import missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graphmemix.archive import Archive
    from graphmemix.memory import Memory
    from graphmemix.sample import SampleQuestion

LAYOUT = "what `python -m graphmemix.sample DIR` writes: DIR/files/ and DIR/questions.json"


def load(folder: Path) -> Iterator[Context]:
    """Yield the household. Its files are ingested into a temporary archive, without any model.

    Raises:
        InvalidInputError: The folder does not hold the sample.
    """
    if not (folder / "questions.json").is_file() or not (folder / "files").is_dir():
        raise missing(folder, "questions.json beside files/", "the sample archive", LAYOUT)
    return iter([_context(folder)])


def _context(folder: Path) -> Context:
    from graphmemix.archive import Archive
    from graphmemix.encode.hashing import HashingEncoder
    from graphmemix.sample import SampleQuestions
    from graphmemix.settings import Settings

    try:
        asked = SampleQuestions.from_json((folder / "questions.json").read_bytes()).questions
    except InvalidDataError as error:
        raise InvalidInputError(f"{folder}/questions.json: {error}") from None
    # Media are read from there until the process ends: a context may be used much later.
    kept = tempfile.TemporaryDirectory(prefix="graphmemix-sample-")
    atexit.register(kept.cleanup)
    with Archive.open(
        Path(kept.name) / "archive", encoder=HashingEncoder(), settings=Settings()
    ) as archive:
        archive.ingest([folder / "files"], index=False)
        memories = archive.find()
        files = tuple(_files(archive, memories))
    dropped = 0
    questions = []
    for each in asked:
        question, unknown = _question(each, memories)
        questions.append(question)
        dropped += unknown
    bare = tuple(
        replace(memory, media=tuple(replace(medium, sha256=None) for medium in memory.media))
        for memory in memories
    )
    return Context(
        "household", bare, tuple(questions), files, {"evidence": dropped} if dropped else {}
    )


def _files(archive: Archive, memories: list[Memory]) -> Iterator[MediaFile]:
    for memory in memories:
        for index, medium in enumerate(memory.media):
            if medium.sha256 is not None:
                yield MediaFile(memory.id, index, archive.media.path(medium.sha256))


def _question(each: SampleQuestion, memories: list[Memory]) -> tuple[GoldQuestion, int]:
    """Return a question, and how many pieces of its evidence were not ingested."""
    from graphmemix.sample import gold_ids

    found = gold_ids(each, memories)
    kind = "ocr" if each.needs_ocr else "several" if len(each.gold) > 1 else "one"
    question = GoldQuestion(
        question=Question(each.question, asked_at=each.asked_at),
        gold=frozenset(memory_id for ids in found.values() for memory_id in ids),
        type=kind if each.has_answer else "unanswerable",
        answer=each.answer,
        id=each.id,
        response_type="open" if each.has_answer else "refusal",
    )
    return question, sum(not ids for ids in found.values())
