"""What an ingestion did: counts by importer, what was left out and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graphmemix.ingest.protocol import Skipped
from graphmemix.record import Record

MOST_LISTED = 10_000
"""So many skipped items are listed one by one; all of them are counted."""


@dataclass(frozen=True)
class SourceCount(Record):
    """What one importer brought.

    Attributes:
        importer: Its name.
        files: Files, or folders that are read as a whole, that were read.
        unchanged: Those that were read in an earlier run and have not changed since.
        failed: Those that could not be read, or not to their end.
        new: Memories that were added.
        updated: Memories whose source changed.
        known: Memories that were there already.
        skipped: Parts of files that were left out.
    """

    importer: str
    files: int = 0
    unchanged: int = 0
    failed: int = 0
    new: int = 0
    updated: int = 0
    known: int = 0
    skipped: int = 0


@dataclass(frozen=True)
class IngestReport(Record):
    """What an ingestion did.

    Attributes:
        sources: By importer, in the order of their names.
        skipped: What was left out, and why; the first `MOST_LISTED`.
        reasons: How often each reason was given, most frequent first.
        indexed: Memories that were encoded and related.
        pending: Memories that are known to wait to be encoded: `Archive.index` does it.
        seconds: How long it took.
        dry_run: Whether it only looked.
        interrupted: Whether it was stopped; the same call again goes on.
    """

    sources: tuple[SourceCount, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    indexed: int = 0
    pending: int = 0
    seconds: float = 0.0
    dry_run: bool = False
    interrupted: bool = False

    @property
    def new(self) -> int:
        """Memories that were added."""
        return sum(count.new for count in self.sources)

    @property
    def updated(self) -> int:
        """Memories whose source changed."""
        return sum(count.updated for count in self.sources)

    @property
    def known(self) -> int:
        """Memories that were there already."""
        return sum(count.known for count in self.sources)

    @property
    def skipped_count(self) -> int:
        """Everything that was left out, listed or not."""
        return sum(self.reasons.values())


@dataclass(frozen=True)
class FileOutcome(Record):
    """What became of one file.

    Attributes:
        name: Its path below what the user named.
        importer: Who read it; empty if nobody did.
        outcome: ``read``, ``unchanged``, ``skipped`` or ``failed``.
        reason: Why it was skipped, or failed.
        new: Memories that were added.
        updated: Memories whose source changed.
        known: Memories that were there already.
    """

    name: str
    importer: str
    outcome: Literal["read", "unchanged", "skipped", "failed"]
    reason: str = ""
    new: int = 0
    updated: int = 0
    known: int = 0


@dataclass(frozen=True)
class IngestProgress(Record):
    """How far an ingestion is.

    Attributes:
        stage: ``reading`` in bytes, then ``encoding`` in memories.
        done: Bytes of the sources, or memories.
        total: The same; None while it is not known.
        files: Files that were read or passed.
        memories: Memories that were read.
        name: The source that was last met.
    """

    stage: Literal["reading", "encoding"]
    done: int
    total: int | None
    files: int = 0
    memories: int = 0
    name: str = ""


OnProgress: TypeAlias = Callable[[IngestProgress], None]
OnFile: TypeAlias = Callable[[FileOutcome], None]
OnReading: TypeAlias = Callable[[tuple[str, ...]], None]
"""Is called from several threads, by one at a time."""


class Tally:
    """Counts while an ingestion runs."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.reasons: Counter[str] = Counter()
        self.skipped: list[Skipped] = []
        self.files = 0
        self.memories = 0

    def add(self, importer: str, what: str, count: int = 1) -> None:
        """Count something for an importer."""
        self.counts.setdefault(importer, Counter())[what] += count

    def skip(self, skipped: Skipped) -> None:
        """Count something that was left out."""
        self.reasons[skipped.reason] += 1
        if len(self.skipped) < MOST_LISTED:
            self.skipped.append(skipped)

    def report(self, *, seconds: float, dry_run: bool, interrupted: bool) -> IngestReport:
        """Return what was counted."""
        return IngestReport(
            sources=tuple(SourceCount(n, **self.counts[n]) for n in sorted(self.counts)),
            skipped=tuple(self.skipped),
            reasons=dict(self.reasons.most_common()),
            seconds=seconds,
            dry_run=dry_run,
            interrupted=interrupted,
        )
