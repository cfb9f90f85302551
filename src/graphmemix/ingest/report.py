"""The report of an ingestion: counts by importer, and what was skipped and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from graphmemix.ingest.protocol import Skipped
from graphmemix.record import Record

MOST_LISTED = 10_000
"""How many skipped items are listed individually; all of them are counted."""


@dataclass(frozen=True)
class SourceCount(Record):
    """The counts of one importer.

    Attributes:
        importer: Its name.
        files: Files read, and folders read as a whole.
        unchanged: Files that an earlier run read and that have not changed since.
        failed: Files that could not be read to the end.
        new: Memories that were added.
        updated: Memories whose source changed.
        known: Memories that existed already.
        skipped: Parts of files that were skipped.
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
    """The result of an ingestion.

    Attributes:
        sources: Counts by importer, sorted by name.
        skipped: What was skipped, and why; the first `MOST_LISTED`.
        reasons: How often each reason occurred, most frequent first.
        indexed: Memories that were encoded and related, those of earlier runs included.
        pending: Memories still to be encoded; `Archive.index` does that. They are found by words
            meanwhile.
        seconds: How long it took, encoding included.
        dry_run: Whether nothing was written.
        interrupted: Whether it was stopped; repeat the call to continue.
        encoding_seconds: How long encoding took.
        notes: What the user should know about the whole run, in words.
        wordless: Photos, videos and recordings among what was read that no words describe.
    """

    sources: tuple[SourceCount, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    reasons: Mapping[str, int] = field(default_factory=dict)
    indexed: int = 0
    pending: int = 0
    seconds: float = 0.0
    dry_run: bool = False
    interrupted: bool = False
    encoding_seconds: float = 0.0
    notes: tuple[str, ...] = ()
    wordless: int = 0

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
        """Memories that existed already."""
        return sum(count.known for count in self.sources)

    @property
    def skipped_count(self) -> int:
        """Everything that was skipped, listed or not."""
        return sum(self.reasons.values())


@dataclass(frozen=True)
class FileOutcome(Record):
    """The outcome of one file.

    Attributes:
        name: Its path relative to the path that the user named.
        importer: The importer that read it; empty if none did.
        outcome: ``read``, ``unchanged``, ``skipped`` or ``failed``.
        reason: Why it was skipped or failed.
        new: Memories that were added.
        updated: Memories whose source changed.
        known: Memories that existed already.
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
    """The progress of an ingestion.

    Attributes:
        stage: ``reading``, counted in bytes, then ``encoding``, counted in memories; of a run that
            describes media ``describing``, counted in memories.
        done: Bytes or memories done.
        total: Bytes or memories in total; None while unknown.
        files: Files that were read or unchanged.
        memories: Memories that were read.
        name: The last source.
    """

    stage: Literal["reading", "encoding", "describing"]
    done: int
    total: int | None
    files: int = 0
    memories: int = 0
    name: str = ""


OnProgress: TypeAlias = Callable[[IngestProgress], None]
OnFile: TypeAlias = Callable[[FileOutcome], None]
OnReading: TypeAlias = Callable[[tuple[str, ...]], None]
"""Called from several threads, but never concurrently."""


class Tally:
    """The running counts of an ingestion."""

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.reasons: Counter[str] = Counter()
        self.skipped: list[Skipped] = []
        self.files = 0
        self.memories = 0
        self.wordless = 0

    def add(self, importer: str, what: str, count: int = 1) -> None:
        """Count something for an importer."""
        self.counts.setdefault(importer, Counter())[what] += count

    def skip(self, skipped: Skipped) -> None:
        """Count something that was skipped."""
        self.reasons[skipped.reason] += 1
        if len(self.skipped) < MOST_LISTED:
            self.skipped.append(skipped)

    def report(self, *, seconds: float, dry_run: bool, interrupted: bool) -> IngestReport:
        """Return the report."""
        return IngestReport(
            sources=tuple(SourceCount(n, **self.counts[n]) for n in sorted(self.counts)),
            skipped=tuple(self.skipped),
            reasons=dict(self.reasons.most_common()),
            seconds=seconds,
            dry_run=dry_run,
            interrupted=interrupted,
            wordless=self.wordless,
        )
