"""A watcher reads what appears and changes, once it rests, and nothing else."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Event

import pytest

from graphmemix import (
    Archive,
    ArchiveBusyError,
    ArchiveClosedError,
    ArchiveReadOnlyError,
    GraphMemixError,
    HashingEncoder,
    InvalidInputError,
    Watcher,
)
from graphmemix.ingest.report import IngestReport


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with Archive.open(tmp_path / "archive", encoder=HashingEncoder()) as opened:
        yield opened


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "keys.md").write_text("The spare key is with Olga.\n", "utf-8")
    return folder


def texts(archive: Archive) -> set[str]:
    return {memory.text.strip() for memory in archive}


class Reader:
    """Stands in for ingestion: notes what was asked of it, and fails as it is told."""

    def __init__(self, *failures: GraphMemixError) -> None:
        self.failures = list(failures)
        self.read: list[list[str]] = []

    def __call__(self, paths: Sequence[Path], stop: Event) -> IngestReport:
        if self.failures:
            raise self.failures.pop(0)
        self.read.append([path.name for path in paths])
        return IngestReport(interrupted=stop.is_set())


def waiting(*then: Callable[[], object]) -> tuple[Callable[[float], bool], list[float]]:
    """Return what waits by doing one thing after the other, and then stops; and its pauses."""
    steps, pauses = list(then), []

    def wait(seconds: float) -> bool:
        pauses.append(seconds)
        if not steps:
            return True
        steps.pop(0)()
        return False

    return wait, pauses


def test_it_reads_everything_at_first_and_then_what_is_new(archive: Archive, files: Path) -> None:
    watcher = archive.watch(files)
    first = watcher.look()
    assert first is not None
    assert first.new == 1
    assert watcher.look() is None
    (files / "tooth.md").write_text("Mia lost her first tooth.\n", "utf-8")
    assert watcher.look() is None  # it may still be written
    second = watcher.look()
    assert second is not None
    assert second.new == 1
    assert texts(archive) == {"The spare key is with Olga.", "Mia lost her first tooth."}
    assert watcher.look() is None


def test_a_changed_file_is_read_again(archive: Archive, files: Path) -> None:
    watcher = archive.watch(files)
    watcher.look()
    (files / "keys.md").write_text("The spare key is with Ruth now.\n", "utf-8")
    watcher.look()
    watcher.look()
    assert "The spare key is with Ruth now." in texts(archive)


def test_a_file_is_read_when_it_rests_not_while_it_grows(files: Path) -> None:
    read = Reader()
    watcher = Watcher(read, [files])
    watcher.look()
    with (files / "long.txt").open("w", encoding="utf-8") as growing:
        for line in ("one", "two", "three"):
            growing.write(line)
            growing.flush()
            assert watcher.look() is None
    assert watcher.look() is not None
    assert len(read.read) == 2


def test_a_folder_that_never_rests_is_read_in_the_end(files: Path) -> None:
    read = Reader()
    watcher = Watcher(read, [files])
    watcher.look()
    log = files / "log.txt"
    for size in range(1, 40):
        log.write_text("x" * size, "utf-8")
        watcher.look()
    assert len(read.read) == 3  # at first, and every fifteen looks


def test_memories_of_deleted_files_stay_and_deleting_reads_nothing(
    archive: Archive, files: Path
) -> None:
    watcher = archive.watch([files])
    watcher.look()
    (files / "keys.md").unlink()
    assert [watcher.look() for _ in range(3)] == [None] * 3
    assert len(archive) == 1


def test_only_the_paths_that_changed_are_read(tmp_path: Path, files: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    read = Reader()
    watcher = Watcher(read, [files, other])
    watcher.look()
    (other / "new.txt").write_text("new", "utf-8")
    watcher.look()
    watcher.look()
    assert read.read == [["files", "other"], ["other"]]


def test_an_archive_hidden_and_unfinished_files_do_not_count(files: Path) -> None:
    read = Reader()
    watcher = Watcher(read, [files])
    watcher.look()
    (files / ".hidden").write_text("x", "utf-8")
    (files / "film.mp4.part").write_text("x", "utf-8")
    with Archive.open(files / "inside", encoder=HashingEncoder()) as inside:
        inside.add("Archives change whenever something is read.")
        assert [watcher.look() for _ in range(3)] == [None] * 3


def test_links_to_folders_are_followed_only_if_wanted(tmp_path: Path, files: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (files / "link").symlink_to(elsewhere)
    (files / "loop").symlink_to(files)
    read = Reader()
    here, everywhere = Watcher(read, [files]), Watcher(read, [files], follow_links=True)
    here.look()
    everywhere.look()
    (elsewhere / "new.txt").write_text("new", "utf-8")
    assert [here.look(), here.look()] == [None, None]
    assert [everywhere.look(), everywhere.look() is None] == [None, False]


def test_a_failure_is_reported_and_tried_again_after_growing_pauses(files: Path) -> None:
    busy = ArchiveBusyError("family", None)
    read = Reader(busy, busy, busy)
    errors: list[GraphMemixError] = []
    reports: list[IngestReport] = []
    wait, pauses = waiting(*[lambda: None] * 4)
    Watcher(
        read, [files], on_report=reports.append, on_error=errors.append, every=25, wait=wait
    ).run()
    assert errors == [busy] * 3
    assert len(reports) == len(read.read) == 1
    assert pauses == [50, 60, 60, 25, 25]


def test_without_on_error_failures_are_logged(
    files: Path, caplog: pytest.LogCaptureFixture
) -> None:
    wait, _ = waiting()
    with caplog.at_level(logging.WARNING, "graphmemix.watch"):
        Watcher(Reader(ArchiveBusyError("family", None)), [files], wait=wait).run()
    assert "family is in use by another process" in caplog.text


def test_a_path_that_vanishes_is_reported_once_and_read_when_it_is_back(
    tmp_path: Path, files: Path
) -> None:
    read = Reader()
    errors: list[GraphMemixError] = []
    watcher = Watcher(read, [files], on_error=errors.append)
    watcher.look()
    os.rename(files, tmp_path / "away")  # noqa: PTH104
    watcher.look()
    watcher.look()
    assert len(errors) == 1
    assert "is gone; its memories stay" in str(errors[0])
    os.rename(tmp_path / "away", files)  # noqa: PTH104
    assert watcher.look() is None  # nothing is new
    (files / "new.txt").write_text("new", "utf-8")
    watcher.look()
    assert watcher.look() is not None
    assert len(errors) == 1


def test_run_ends_when_it_is_stopped(archive: Archive, files: Path) -> None:
    reports: list[IngestReport] = []
    watcher = archive.watch(files, on_report=reports.append)

    def stop(report: IngestReport) -> None:
        reports.append(report)
        threading.Thread(target=watcher.stop).start()

    watcher._on_report = stop
    watcher.run()
    assert [report.new for report in reports] == [1]


def test_as_a_context_it_watches_in_a_thread_and_stops(archive: Archive, files: Path) -> None:
    came = Event()
    reports: list[IngestReport] = []

    def on_report(report: IngestReport) -> None:
        reports.append(report)
        came.set()

    watcher = archive.watch(str(files), on_report=on_report, every=0.01)
    with watcher:
        came.wait()
        came.clear()
        (files / "tooth.md").write_text("Mia lost her first tooth.\n", "utf-8")
        came.wait()
        trace = archive.recall("Who has our spare key?")  # the archive is usable meanwhile
        assert trace.forest is not None
    assert "stopped" in repr(watcher)
    assert [report.new for report in reports] == [1, 1]
    watcher.stop()  # twice is harmless


def test_what_cannot_get_better_ends_it(tmp_path: Path, files: Path) -> None:
    Archive.open(tmp_path / "archive", encoder=HashingEncoder()).close()
    with Archive.open(tmp_path / "archive", mode="read", encoder=HashingEncoder()) as reading:
        with pytest.raises(ArchiveReadOnlyError):
            reading.watch(files).run()
        watcher = reading.watch(files).start()
        with pytest.raises(ArchiveReadOnlyError):
            watcher.stop()
    with pytest.raises(ArchiveClosedError):
        reading.watch(files).run()


@pytest.mark.parametrize(
    ("paths", "every", "words"),
    [
        ([], 2, "name at least one"),
        (["nowhere"], 2, "there is no file or folder"),
        (["."], 0, "more than 0 seconds"),
        (5, 2, "must be a path or several"),
    ],
)
def test_what_cannot_be_watched_is_refused_at_once(
    archive: Archive, paths: list[str], every: float, words: str
) -> None:
    with pytest.raises(InvalidInputError, match=words):
        archive.watch(paths, every=every)
