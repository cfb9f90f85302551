"""One ingestion: several readers, one writer.

Reader threads take sources from the walker in turn and put what they read into a bounded queue; the
calling thread writes. A reader thread waits for a worker process (`ingest.workers`): a file that
hangs, exhausts memory or crashes its importer costs that process and no other file.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import InvalidInputError
from graphmemix.ingest.bounded_queue import BoundedQueue
from graphmemix.ingest.builtin import importer, importers
from graphmemix.ingest.journal import Journal
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.progress import INTERVAL, ProgressReporter
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.report import FileOutcome, IngestReport, Tally
from graphmemix.ingest.sources import NotRead, Source
from graphmemix.ingest.tasks import BytesRead, LimitExceededError, StoppedError
from graphmemix.ingest.walker import Walker, measure
from graphmemix.ingest.workers import MOST, Workers
from graphmemix.ingest.writer import SourceState, Writer
from graphmemix.ingest.zips import UnpackedZip, remove_leftovers
from graphmemix.ingest.zone import settle
from graphmemix.memory import Description, Memory
from graphmemix.settings.ingest import IngestSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphmemix.ingest.protocol import Importer
    from graphmemix.ingest.report import OnFile, OnProgress, OnReading
    from graphmemix.store.protocol import Store

_QUEUE_LIMIT = 16 << 20  # characters waiting for the writer
_QUEUE_OVERHEAD = 2_000  # characters that a memory counts for beside its text
_TEXT_OVERHEAD = 200  # the same towards `FileLimits.most_text`: chat messages are short


@dataclass(frozen=True)
class _ReadItem:
    source: Source
    item: Memory | Skipped


@dataclass(frozen=True)
class _SourceEnded:
    source: Source
    reason: str = ""
    unchanged: bool = False
    stopped: bool = False
    changed: bool = False  # while it was read, so that the next run reads it again


@dataclass(frozen=True)
class _ReaderFailed:
    """An error that is not about one source: the run stops."""

    error: BaseException


class _ReaderFinished:
    pass


_QueueItem: TypeAlias = (
    "_ReadItem | _SourceEnded | _ReaderFailed | _ReaderFinished | NotRead | UnpackedZip"
)


def ingest(
    store: Store | None,
    paths: Iterable[Path | str],
    *,
    update: Callable[[Memory], object],
    add_words: Callable[[Sequence[str]], None] | None = None,
    as_: str | None = None,
    progress: OnProgress | None = None,
    dry_run: bool = False,
    again: bool = False,
    on_file: OnFile | None = None,
    on_reading: OnReading | None = None,
    stop: Event | None = None,
    settings: IngestSettings | None = None,
) -> IngestReport:
    """Read files and folders; see `Archive.ingest` for the arguments.

    `add_words` is called with the ids of every batch that was stored, to make it searchable.
    """
    settings = settings or IngestSettings()
    named = [Path(path) for path in paths]
    require_existing(named)
    zone, note = settle(store, settings.zone, dry_run=dry_run)
    run = Ingestion(
        store,
        named,
        importers(zone),
        forced=importer(as_, zone) if as_ is not None else None,
        update=update,
        add_words=add_words,
        dry_run=dry_run,
        again=again,
        progress=progress,
        on_file=on_file,
        on_reading=on_reading,
        stop=stop,
        limits=FileLimits(**settings.model_dump(include={*FileLimits.__dataclass_fields__})),
        follow_links=settings.follow_links,
    )
    report = replace(run.run(), notes=(note,) if note else ())
    waiting = 0 if store is None or dry_run else store.count_without_vectors()
    return replace(report, pending=waiting)


def is_wordless(memory: Memory) -> bool:
    """Return whether it is a picture or a recording that no words describe yet."""
    seen_or_heard = [each for each in memory.media if each.modality != "text"]
    described = any(each.description != Description() for each in seen_or_heard)
    return bool(seen_or_heard) and not memory.text and not described


def require_existing(paths: Iterable[Path]) -> None:
    """Raise InvalidInputError if one of the paths that the user named does not exist."""
    missing = [str(path) for path in paths if not os.path.lexists(path)]
    if missing:
        raise InvalidInputError(f"there is no file or folder {', '.join(map(repr, missing))}")


class Ingestion:
    """Reads files and folders into an archive. Call `run` once."""

    def __init__(
        self,
        store: Store | None,
        paths: Sequence[Path],
        importers: Sequence[Importer],
        *,
        update: Callable[[Memory], object],
        add_words: Callable[[Sequence[str]], None] | None = None,
        forced: Importer | None = None,
        dry_run: bool = False,
        again: bool = False,
        progress: OnProgress | None = None,
        on_file: OnFile | None = None,
        on_reading: OnReading | None = None,
        stop: Event | None = None,
        limits: FileLimits | None = None,
        follow_links: bool = False,
    ) -> None:
        """Prepare a run.

        Args:
            store: Where memories are stored; None only in a dry run without an archive.
            paths: Files and folders.
            importers: All importers, in the order in which they are asked.
            update: Replaces a memory in the archive.
            add_words: Makes memories that were stored searchable.
            forced: The importer that reads every file, whatever its content.
            dry_run: Read everything, write nothing.
            again: Read unchanged files too.
            progress: Called with the progress a few times a second.
            on_file: Called with the outcome of each file.
            on_reading: Called with the names of the files being read, whenever they change.
            stop: Stops the run once it is set; nothing that was read is lost.
            limits: Limits of reading one file.
            follow_links: Whether to follow links that lead outside a named folder.
        """
        if not paths:
            raise InvalidInputError("ingest: name at least one file or folder")
        self._paths = paths
        self._dry_run, self._again = dry_run, again
        self._media = None if dry_run or store is None else store.media
        self._stop = stop or Event()
        self._tally = Tally()
        self._progress = ProgressReporter(self._tally, progress, on_file, on_reading)
        self._journal = Journal(store)
        self._writer = Writer(
            store,
            self._journal,
            update=update,
            add_words=add_words,
            skipped=self._tally.skip,
            ended=self._file_ended,
            dry_run=dry_run,
        )
        self._limits = limits or FileLimits()
        self._follow_links = follow_links
        self._workers = Workers(self._stop, self._media)
        self._walker = Walker(
            paths,
            importers,
            forced,
            self._is_done,
            file_limits=self._limits,
            follow_links=follow_links,
            run_task=self._workers.run_task,
        )
        self._walk: Iterator[Source | NotRead] = iter(self._walker)
        self._walk_lock = Lock()
        self._queue: BoundedQueue[_QueueItem] = BoundedQueue(_QUEUE_LIMIT)
        self._interrupted = False

    def run(self) -> IngestReport:
        """Read everything and return the report.

        Raises:
            StoreError: The archive cannot be written; memories stored before are kept.
            KeyboardInterrupt: The run was interrupted; what was read before is stored.
        """
        started = time.monotonic()
        remove_leftovers()
        threads = [Thread(target=self._read_sources, daemon=True) for _ in range(MOST)]
        if self._progress.is_wanted:
            Thread(target=self._measure, daemon=True).start()
        for thread in threads:
            thread.start()
        try:
            self._write(len(threads))
        except BaseException as error:
            self._stop.set()
            self._queue.close()
            if isinstance(error, KeyboardInterrupt):
                self._writer.flush()
            raise
        finally:
            for thread in threads:
                thread.join(timeout=10.0)
            self._workers.close()
            self._walker.close()
        return self._tally.report(
            seconds=time.monotonic() - started,
            dry_run=self._dry_run,
            interrupted=self._interrupted,
        )

    def _is_done(self, key: str, fingerprint: str) -> bool:
        return not self._again and self._journal.is_done(key, fingerprint)

    # Reading, in several threads

    def _read_sources(self) -> None:
        try:
            while not self._stop.is_set():
                with self._walk_lock:
                    met = next(self._walk, None)
                    finished, self._walker.finished = self._walker.finished, []
                for unpacked in finished:
                    self._queue.put(unpacked)
                if met is None:
                    break
                if isinstance(met, NotRead):
                    self._queue.put(met)
                else:
                    self._read_source(met)
        except StoppedError:
            pass
        except BaseException as error:  # noqa: BLE001  # raised again in the calling thread
            self._queue.put(_ReaderFailed(error))
        finally:
            self._queue.put(_ReaderFinished())

    def _read_source(self, source: Source) -> None:
        if self._is_done(source.key, source.fingerprint):
            ended = _SourceEnded(source, unchanged=True)
        else:
            ended = self._read_to_end(source)
        self._queue.put(ended)
        if source.container is not None:
            for unpacked in source.container.release(failed=bool(ended.reason) or ended.stopped):
                self._queue.put(unpacked)

    def _read_to_end(self, source: Source) -> _SourceEnded:
        """Put everything from a source into the queue; return how it ended."""
        characters = 0

        def take(item: object) -> None:
            nonlocal characters
            if isinstance(item, BytesRead):
                self._progress.advance(source.key, item.position)
                return
            if not isinstance(item, Memory | Skipped):
                return
            length = len(item.text) if isinstance(item, Memory) else 0
            characters += _TEXT_OVERHEAD + length
            if characters > self._limits.most_text(source.size):
                raise LimitExceededError(self._limits.too_much_text(source.size))
            if not self._queue.put(_ReadItem(source, item), _QUEUE_OVERHEAD + length):
                raise StoppedError

        media = self._media.root if self._media is not None else None
        try:
            with self._progress.reading(source.name):
                done = self._workers.run_task(source.read_task(media, self._limits), take)
        except StoppedError:
            return _SourceEnded(source, stopped=True)
        if done.reason:
            return _SourceEnded(source, done.reason)
        return _SourceEnded(source, changed=not source.is_unchanged())

    def _measure(self) -> None:
        self._progress.total = measure(self._paths, follow_links=self._follow_links)

    # Writing, in the calling thread

    def _write(self, readers: int) -> None:
        while readers:
            item = self._queue.get(timeout=INTERVAL)
            if isinstance(item, _ReaderFinished):
                readers -= 1
            elif item is not None:
                self._take(item)
            self._writer.flush_if_due()
            self._progress.report()
        self._writer.flush()
        self._interrupted = self._stop.is_set()
        self._progress.report(last=True)

    def _take(self, item: _QueueItem) -> None:
        match item:
            case _ReadItem(source, Memory() as memory):
                self._tally.memories += 1
                self._tally.wordless += is_wordless(memory)
                self._progress.last_name = source.name
                self._writer.take(source, memory)
            case _ReadItem(source, Skipped() as skipped):
                self._writer.state(source).counts["skipped"] += 1
                self._tally.skip(skipped)
            case _SourceEnded():
                self._source_ended(item)
            case NotRead():
                self._not_read(item)
            case UnpackedZip():
                self._writer.zip_is_done(item.key, item.fingerprint)
            case _ReaderFailed(error):
                raise error
            case _:
                pass

    def _source_ended(self, ended: _SourceEnded) -> None:
        source = ended.source
        self._progress.finish(source.weight, source.key)
        self._progress.last_name = source.name
        if ended.unchanged:
            self._tally.files += 1
            self._tally.add(source.importer.name, "unchanged")
            self._progress.file(FileOutcome(source.name, source.importer.name, "unchanged"))
        elif ended.stopped:
            self._writer.end(source, "stopped")
        else:
            self._writer.end(source, ended.reason, again=ended.changed)

    def _file_ended(self, state: SourceState) -> None:
        """Count a source after all of its memories were stored."""
        importer, reason, counts = state.source.importer.name, state.reason, state.counts
        for what, count in counts.items():
            self._tally.add(importer, what, count)
        if reason == "stopped":
            return
        self._tally.files += 1
        self._tally.add(importer, "failed" if reason else "files")
        if reason:
            self._tally.skip(Skipped(state.source.name, reason))
        self._progress.file(
            FileOutcome(
                state.source.name,
                importer,
                "failed" if reason else "read",
                reason,
                counts["new"],
                counts["updated"],
                counts["known"],
            )
        )

    def _not_read(self, met: NotRead) -> None:
        self._progress.finish(met.weight)
        if met.skipped is not None:
            self._tally.skip(met.skipped)
            name, reason = met.skipped.name, met.skipped.reason
            self._progress.file(FileOutcome(name, "", "skipped", reason))
