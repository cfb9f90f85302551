"""Reads files through the public door, and puts memories in a form in which gold is written."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from graphmemix.archive import Archive
from graphmemix.encode import HashingEncoder
from graphmemix.settings import Settings

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.ingest.report import IngestReport
    from graphmemix.memory import Memory

VIENNA = "Europe/Vienna"
ENCODER = HashingEncoder(32)


def ingested(
    *paths: Path, home: Path, zone: str = VIENNA, as_: str | None = None
) -> tuple[IngestReport, list[Memory]]:
    """Return the report of one run into a new archive, and all that it holds, by time."""
    settings = Settings.load(environment={}, overrides={"ingest.zone": zone})
    with Archive.open(home / "archive", encoder=ENCODER, settings=settings) as archive:
        report = archive.ingest(paths, as_=as_, index=False)
        return report, archive.find()


def memories(
    *paths: Path,
    home: Path,
    zone: str = VIENNA,
    as_: str | None = None,
    strange: tuple[str, ...] = (),
) -> list[Memory]:
    """Return all memories of a run, by time; nothing but these strange files may be left out."""
    report, found = ingested(*paths, home=home, zone=zone, as_=as_)
    assert sorted(each.name.rpartition("/")[2] for each in report.skipped) == sorted(strange)
    return found


def words(text: str) -> str:
    """Return a text with all white space alike."""
    return " ".join(text.split())


def utc(memory: Memory) -> str | None:
    """Return a memory's moment in UTC, to the second."""
    if memory.timestamp is None:
        return None
    return memory.timestamp.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def at(text: str) -> datetime:
    """Return a moment that is written with its offset."""
    moment = datetime.fromisoformat(text)
    assert moment.utcoffset() is not None
    return moment


def offset(memory: Memory) -> str:
    """Return how far a memory's own clock was ahead of UTC, such as +0200."""
    assert memory.timestamp is not None
    return memory.timestamp.strftime("%z")


def spoken(found: list[Memory]) -> list[tuple[str | None, str | None, str]]:
    """Return who said what and when, of what somebody said."""
    return [(memory.speaker, utc(memory), memory.text) for memory in found if memory.speaker]


def of_kind(found: list[Memory], kind: str) -> list[Memory]:
    """Return the memories of a kind."""
    return [memory for memory in found if memory.kind == kind]


def replies(found: list[Memory]) -> dict[str, str]:
    """Return for each memory that answers another, whose source id it names."""
    return {
        memory.source_id: reference.source_id
        for memory in found
        for reference in memory.references
        if reference.relation == "reply_to"
    }
