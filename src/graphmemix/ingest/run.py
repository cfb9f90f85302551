"""One ingestion: several readers, one writer.

Readers take sources from the walker in turn and put what they read on a belt of bounded weight; the
calling thread writes. A reader is a thread that waits for a worker process (`ingest.workers`): a
file that hangs, eats memory or brings its reader down costs that process and no other file.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING, TypeAlias

from graphmemix.errors import InvalidInputError
from graphmemix.ingest.bounded_queue import BoundedQueue
from graphmemix.ingest.builtin import importer, importers
from graphmemix.ingest.journal import Journal
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.report import FileOutcome, IngestProgress, IngestReport, Tally
from graphmemix.ingest.tasks import Advanced, EnoughError, StoppedError
from graphmemix.ingest.walker import Passed, Source, Walker, measure
from graphmemix.ingest.workers import MOST, Workers
from graphmemix.ingest.writer import Intake, Writer
from graphmemix.ingest.zips import Unpacked, remove_leftovers
from graphmemix.memory import Memory
from graphmemix.settings.ingest import IngestSettings
from graphmemix.text.dates.zones import parse_zone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graphmemix.ingest.protocol import Importer
    from graphmemix.ingest.report import OnFile, OnProgress, OnReading
    from graphmemix.store.protocol import Store

_BELT = 16 << 20  # characters on their way from readers to the writer
_OVERHEAD = 2_000  # characters that a memory counts beside its text
_LEAST = 200  # the same towards what a file may bring: a line of a chat may be a few letters
_TELL_EVERY = 0.1  # seconds between two calls of `progress`


@dataclass(frozen=True)
class _Read:
    source: Source
    reading: Memory | Skipped


@dataclass(frozen=True)
class _Ended:
    source: Source
    reason: str = ""
    unchanged: bool = False
    stopped: bool = False
    changed: bool = False  # while it was read: what was missed may be there next time


@dataclass(frozen=True)
class _Failed:
    """Something that is nobody's source: the run stops."""

    error: BaseException


class _ReaderLeft:
    pass


_Item: TypeAlias = "_Read | _Ended | _Failed | _ReaderLeft | Passed | Unpacked"


def ingest(
    store: Store | None,
    paths: Iterable[Path | str],
    *,
    update: Callable[[Memory], object],
    index: Callable[..., int] | None = None,
    as_: str | None = None,
    progress: OnProgress | None = None,
    dry_run: bool = False,
    again: bool = False,
    on_file: OnFile | None = None,
    on_reading: OnReading | None = None,
    stop: Event | None = None,
    settings: IngestSettings | None = None,
) -> IngestReport:
    """Read files and folders, then index what is new; `Archive.ingest` says what is what."""
    settings = settings or IngestSettings()
    clocks = parse_zone(settings.zone) if settings.zone else None
    run = Ingestion(
        store,
        [Path(path) for path in paths],
        importers(clocks),
        forced=importer(as_, clocks) if as_ is not None else None,
        update=update,
        dry_run=dry_run,
        again=again,
        progress=progress,
        on_file=on_file,
        on_reading=on_reading,
        stop=stop,
        limits=FileLimits(**settings.model_dump(include={*FileLimits.__dataclass_fields__})),
        follow_links=settings.follow_links,
    )
    report = run.run()
    indexed, waiting = 0, report.new + report.updated

    def told(done: int, total: int) -> None:
        nonlocal indexed, waiting
        indexed, waiting = done, total - done
        if progress is not None:
            progress(IngestProgress("encoding", done, total, memories=report.new))
        if stop is not None and stop.is_set():
            raise _StoppedError

    if index is not None and not report.interrupted:
        try:
            index(progress=told)
        except _StoppedError:
            report = replace(report, interrupted=waiting > 0)
    return replace(report, indexed=indexed, pending=waiting)


class _StoppedError(Exception):
    """Ends indexing between two batches."""


class Ingestion:
    """Reads files and folders into an archive. Call `run` once."""

    def __init__(
        self,
        store: Store | None,
        paths: Sequence[Path],
        importers: Sequence[Importer],
        *,
        update: Callable[[Memory], object],
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
        """Get ready.

        Args:
            store: Where memories go; None only in a dry run: then all of them are new.
            paths: Files and folders.
            importers: Who is asked, in order.
            update: Replaces a memory in the archive.
            forced: The importer that reads every file, whatever it holds.
            dry_run: Read everything, write nothing.
            again: Read unchanged files too.
            progress: Is told how far it is, a few times a second.
            on_file: Is told what became of each file.
            on_reading: Is told which files are being read, whenever that changes.
            stop: Ends the run once it is set; nothing that was read is lost.
            limits: What one file may cost.
            follow_links: Whether links are followed that lead out of a folder.
        """
        if not paths:
            raise InvalidInputError("ingest: name at least one file or folder")
        self._paths = paths
        self._dry_run, self._again = dry_run, again
        self._media = None if dry_run or store is None else store.media
        self._progress, self._on_file, self._on_reading = progress, on_file, on_reading
        self._stop = stop or Event()
        self._tally = Tally()
        self._journal = Journal(store)
        self._writer = Writer(
            store,
            self._journal,
            update=update,
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
            carry_out=self._workers.carry_out,
        )
        self._walk: Iterator[Source | Passed] = iter(self._walker)
        self._walk_lock = Lock()
        self._belt: BoundedQueue[_Item] = BoundedQueue(_BELT)
        self._positions: dict[str, int] = {}
        self._under_way: list[str] = []
        self._under_way_lock = Lock()
        self._passed = 0
        self._total: int | None = None
        self._told_at = 0.0
        self._last_name = ""
        self._interrupted = False

    def run(self) -> IngestReport:
        """Read everything; return what was done.

        Raises:
            StoreError: The archive cannot be written to any more. What was stored before stands.
            KeyboardInterrupt: As it came; what was read before is stored.
        """
        started = time.monotonic()
        remove_leftovers()
        threads = [Thread(target=self._read_sources, daemon=True) for _ in range(MOST)]
        if self._progress is not None:
            Thread(target=self._measure, daemon=True).start()
        for thread in threads:
            thread.start()
        try:
            self._write(len(threads))
        except BaseException as error:
            self._stop.set()
            self._belt.close()
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
                    emptied, self._walker.finished = self._walker.finished, []
                for box in emptied:
                    self._belt.put(box)
                if met is None:
                    break
                if isinstance(met, Passed):
                    self._belt.put(met)
                else:
                    self._read_source(met)
        except StoppedError:
            pass
        except BaseException as error:  # noqa: BLE001  # told to the calling thread
            self._belt.put(_Failed(error))
        finally:
            self._belt.put(_ReaderLeft())

    def _read_source(self, source: Source) -> None:
        if self._is_done(source.key, source.fingerprint):
            ended = _Ended(source, unchanged=True)
        else:
            ended = self._read_to_end(source)
        self._belt.put(ended)
        if source.box is not None:
            for box in source.box.release(failed=bool(ended.reason) or ended.stopped):
                self._belt.put(box)

    def _read_to_end(self, source: Source) -> _Ended:
        """Put all that a source holds on the belt; return how it ended."""
        characters = 0

        def take(item: object) -> None:
            nonlocal characters
            if isinstance(item, Advanced):
                self._positions[source.key] = item.position
                return
            if not isinstance(item, Memory | Skipped):
                return
            length = len(item.text) if isinstance(item, Memory) else 0
            characters += _LEAST + length
            if characters > self._limits.most_text(source.size):
                raise EnoughError(self._limits.too_much_text(source.size))
            if not self._belt.put(_Read(source, item), _OVERHEAD + length):
                raise StoppedError

        media = self._media.root if self._media is not None else None
        try:
            with self._reading(source.name):
                done = self._workers.carry_out(source.reading(media, self._limits), take)
        except StoppedError:
            return _Ended(source, stopped=True)
        if done.reason:
            return _Ended(source, done.reason)
        return _Ended(source, changed=not source.is_as_it_was())

    @contextmanager
    def _reading(self, name: str) -> Iterator[None]:
        """Tell which files are being read, before this one is begun and after its end."""
        self._tell_reading(self._under_way.append, name)
        try:
            yield
        finally:
            self._tell_reading(self._under_way.remove, name)

    def _tell_reading(self, change: Callable[[str], None], name: str) -> None:
        with self._under_way_lock:
            change(name)
            if self._on_reading is not None:
                self._on_reading(tuple(self._under_way))

    def _measure(self) -> None:
        self._total = measure(self._paths, follow_links=self._follow_links)

    # Writing, in the calling thread

    def _write(self, readers: int) -> None:
        while readers:
            item = self._belt.get(timeout=_TELL_EVERY)
            if isinstance(item, _ReaderLeft):
                readers -= 1
            elif item is not None:
                self._take(item)
            self._writer.flush_if_due()
            self._tell()
        self._writer.flush()
        self._interrupted = self._stop.is_set()
        self._tell(last=True)

    def _take(self, item: _Item) -> None:
        match item:
            case _Read(source, Memory() as memory):
                self._tally.memories += 1
                self._last_name = source.name
                self._writer.take(source, memory)
            case _Read(source, Skipped() as skipped):
                self._writer.intake(source).counts["skipped"] += 1
                self._tally.skip(skipped)
            case _Ended():
                self._source_ended(item)
            case Passed():
                self._pass(item)
            case Unpacked():
                self._writer.zip_is_done(item.key, item.fingerprint)
            case _Failed(error):
                raise error
            case _:
                pass

    def _source_ended(self, ended: _Ended) -> None:
        source = ended.source
        self._positions.pop(source.key, None)
        self._passed += source.weight
        self._last_name = source.name
        if ended.unchanged:
            self._tally.files += 1
            self._tally.add(source.importer.name, "unchanged")
            self._tell_file(FileOutcome(source.name, source.importer.name, "unchanged"))
        elif ended.stopped:
            self._writer.end(source, "stopped")
        else:
            self._writer.end(source, ended.reason, again=ended.changed)

    def _file_ended(self, intake: Intake) -> None:
        """Count a source of which everything is stored."""
        importer, reason, counts = intake.source.importer.name, intake.reason, intake.counts
        for what, count in counts.items():
            self._tally.add(importer, what, count)
        if reason == "stopped":
            return
        self._tally.files += 1
        self._tally.add(importer, "failed" if reason else "files")
        if reason:
            self._tally.skip(Skipped(intake.source.name, reason))
        self._tell_file(
            FileOutcome(
                intake.source.name,
                importer,
                "failed" if reason else "read",
                reason,
                counts["new"],
                counts["updated"],
                counts["known"],
            )
        )

    def _pass(self, passed: Passed) -> None:
        self._passed += passed.weight
        if passed.skipped is not None:
            self._tally.skip(passed.skipped)
            name, reason = passed.skipped.name, passed.skipped.reason
            self._tell_file(FileOutcome(name, "", "skipped", reason))

    # Telling

    def _tell_file(self, outcome: FileOutcome) -> None:
        if self._on_file is not None:
            self._on_file(outcome)

    def _tell(self, *, last: bool = False) -> None:
        now = time.monotonic()
        if self._progress is None or (now - self._told_at < _TELL_EVERY and not last):
            return
        self._told_at = now
        done = self._passed + sum(list(self._positions.values()))
        total = self._total if self._total is None or last else max(self._total, done)
        tally = self._tally
        self._progress(
            IngestProgress("reading", done, total, tally.files, tally.memories, self._last_name)
        )
