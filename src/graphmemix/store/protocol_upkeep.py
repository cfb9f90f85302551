"""What a store promises beside memories and searching: logs, erasing, rebuilding, checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from graphmemix.store.records import (
        Derive,
        EncodeViews,
        Filter,
        Finding,
        Log,
        Progress,
        Receipt,
        Stats,
    )


class Logs(Protocol):
    """Traces and job logs."""

    def put_log(self, log: Log, *, keep: int = 0) -> None:
        """Save a trace or a job log; the same id replaces it.

        Args:
            log: What to save.
            keep: Most logs of its kind. Once there are more, the oldest go, a twentieth besides,
                and at most some hundred at a time. 0 keeps all.
        """

    def log(self, log_id: str) -> Log:
        """Return a log, or raise `MemoryNotFoundError`."""

    def logs(self, kind: Literal["trace", "job"], *, limit: int = 100) -> list[Log]:
        """Return the newest logs of a kind, newest first."""

    def log_ids(self, kind: Literal["trace", "job"]) -> list[str]:
        """Return the ids of all logs of a kind, newest first."""


class Maintenance(Protocol):
    """Erasing, rebuilding, copying and checking."""

    def erase(
        self,
        memory_ids: Iterable[str],
        *,
        chosen_by: Filter | None = None,
        before: Callable[[Sequence[str]], None] | None = None,
    ) -> Receipt:
        """Remove memories and every trace of them.

        That is: media that no other memory uses, views, vectors, postings, edges, earlier versions,
        logs that mention them, caches, the write-ahead log and free pages.

        Ids that are not there are ignored. Repeated, an erasure that was done, or that was
        interrupted after the memories went, returns its receipt.

        Args:
            memory_ids: What goes.
            chosen_by: The filter that chose them, for `receipt_of`.
            before: Is called with the ids that go next, just before they go.

        Raises:
            StorageFullError: There is no room at all; what was not erased is still there, whole.
        """

    def compact(self) -> bool:
        """Do what erasures left to do, which may be a rewrite of the database.

        Returns:
            False if it has to wait: a reader holds an old state, or there is no room. True also if
            there is nothing to do, at once.
        """

    def receipt_of(self, erased: str | Filter) -> Receipt | None:
        """Return the receipt under which a memory, or all that passed a filter, were erased."""

    def receipts(self) -> tuple[Receipt, ...]:
        """Return all receipts, oldest first."""

    def restore_receipt(self, receipt: Receipt) -> None:
        """Keep a receipt that another archive wrote (for import)."""

    def rebuild(self, derive: Derive | None = None, *, progress: Progress | None = None) -> None:
        """Make again what is derived: views and vectors with `derive`, the rest always."""

    def reencode(
        self, encoder: str, encode: EncodeViews, *, progress: Progress | None = None
    ) -> None:
        """Give every view a vector of another encoder, then switch.

        The old vectors serve until the switch. An interrupted run goes on where it stopped.
        """

    def backup(self, target: Path) -> bool:
        """Write a copy of the archive, as it is at this moment, into a new folder.

        False, and nothing written, if just this copy is there already, whole.
        """

    def check(self, *, repair: bool = False) -> list[Finding]:
        """Look for damage; an empty list means that there is none."""

    def stats(self) -> Stats:
        """Return how much there is."""
