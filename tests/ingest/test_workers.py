"""Files that hang, grow or bring their reader down cost themselves, and no other file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from graphmemix import Archive, HashingEncoder, Settings, StorageFullError
from graphmemix.ingest import builtin, run, workers
from graphmemix.ingest.limits import FileLimits
from graphmemix.ingest.protocol import Found, Importer
from graphmemix.ingest.report import IngestReport
from tests.ingest.hostile import Bad

ROOT = Path(__file__).parents[2]
WAIT = 120.0  # seconds after which a wait has failed; nothing takes so long


@pytest.fixture(autouse=True)
def importers(monkeypatch: pytest.MonkeyPatch) -> None:
    made: tuple[Importer, ...] = (Bad(), *builtin.built_in())
    monkeypatch.setattr(run, "importers", lambda _zone: made)
    monkeypatch.setattr(sys, "path", [*sys.path, str(ROOT)])  # where workers find them


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "scratch"))
    return tmp_path / "scratch"


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


def opened(place: Path, **limits: float) -> Archive:
    overrides = {f"ingest.{name}": value for name, value in limits.items()}
    settings = Settings.load(environment={}, overrides=overrides)
    return Archive.open(place, encoder=HashingEncoder(), settings=settings)


def bad(folder: Path, what: str, name: str = "a.bad") -> Path:
    (folder / name).write_text(f"bad {what}\n", "utf-8")
    return folder / name


def texts(archive: Archive) -> list[str]:
    return sorted(memory.text for memory in archive.find())


def until(holds: Callable[[], object]) -> None:
    end = time.monotonic() + WAIT
    while not holds():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # nobody may be there to reap it


# Limits of one file

SLOW = "took more than 1 s of processor time (ingest.seconds_per_file)"


@pytest.mark.parametrize(
    ("what", "limits", "reason"),
    [
        ("regex", {"seconds_per_file": 1}, SLOW),
        ("loop", {"seconds_per_file": 1}, SLOW),
        (
            "memory",
            {"memory_megabytes": 128},
            "needs more than 128 MB of memory (ingest.memory_megabytes)",
        ),
        ("abort", {}, "the worker process was killed by SIGABRT"),
        ("exit", {}, "the worker process exited with code 7"),
        (
            "killed",
            {},
            "the worker process was killed by SIGKILL; the machine may be out of memory",
        ),
    ],
)
def test_a_hostile_file_fails_alone_and_says_why(
    tmp_path: Path, folder: Path, what: str, limits: dict[str, float], reason: str
) -> None:
    bad(folder, what)
    (folder / "note.txt").write_text("Mia lost a tooth.", "utf-8")
    with opened(tmp_path / "x", **limits) as archive:
        report = archive.ingest([folder])
        assert dict(report.reasons) == {reason: 1}
        assert texts(archive) == ["Mia lost a tooth.", "begun a.bad"]  # what was read stands


def test_a_file_that_waits_for_ever_fails_and_says_why(tmp_path: Path, folder: Path) -> None:
    bad(folder, "sleep")
    with opened(tmp_path / "x", silent_seconds=1) as archive:
        report = archive.ingest([folder])
    assert dict(report.reasons) == {"no progress for 1 s (ingest.silent_seconds)": 1}


def test_a_file_that_never_ends_brings_no_more_than_it_could_hold(
    tmp_path: Path, folder: Path
) -> None:
    bad(folder, "endless")
    with opened(tmp_path / "x") as archive:
        report = archive.ingest([folder], dry_run=True)
    assert dict(report.reasons) == {
        "yields more than 67 million characters (ingest.text_growth)": 1
    }
    assert 0 < report.new < 700


def test_a_large_file_has_more_time() -> None:
    limits = FileLimits(seconds_per_file=300, seconds_per_megabyte=10)
    assert limits.processor_seconds(50_000_000_000) > 100 * 3600
    assert limits.most_text(50_000_000_000) > 50_000_000_000


def test_a_file_that_hangs_its_recognition_is_skipped_by_name(tmp_path: Path, folder: Path) -> None:
    (folder / "a.txt").write_text("first", "utf-8")
    (folder / "b.txt").write_text("unrecognisable", "utf-8")
    (folder / "c.txt").write_text("last", "utf-8")
    with opened(tmp_path / "x", seconds_per_file=1) as archive:
        report = archive.ingest([folder])
        assert [(each.name, each.reason) for each in report.skipped] == [("b.txt", SLOW)]
        assert texts(archive) == ["first", "last"]


def test_a_failed_file_is_tried_again(archive: Archive, folder: Path) -> None:
    bad(folder, "exit")
    archive.ingest([folder])
    assert archive.ingest([folder]).sources[0].failed == 1
    bad(folder, "nothing")
    assert archive.ingest([folder]).sources[0].files == 1


def test_a_full_disk_in_the_other_process_stops_the_run(archive: Archive, folder: Path) -> None:
    bad(folder, "full")
    with pytest.raises(StorageFullError, match="no space"):
        archive.ingest([folder])


def test_media_are_kept_by_the_other_process(archive: Archive, folder: Path) -> None:
    bad(folder, "keep")
    archive.ingest([folder])
    [medium] = [medium for memory in archive.find() for medium in memory.media]
    assert archive.media.read(medium.sha256 or "") == b"p"


def test_nothing_of_a_file_is_left_behind(tmp_path: Path, folder: Path, scratch: Path) -> None:
    bad(folder, "temporary")
    with opened(tmp_path / "x", seconds_per_file=1) as archive:
        assert archive.ingest([folder]).sources[0].failed == 1
    assert list(scratch.iterdir()) == []


# Which process


def test_an_importer_that_only_this_process_knows_reads_here(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pids: list[int] = []

    class Local(Bad):
        def recognises(self, found: Found) -> bool:
            pids.append(os.getpid())
            return super().recognises(found)

    monkeypatch.setattr(run, "importers", lambda _zone: (Local(),))
    bad(folder, "nothing")
    assert archive.ingest([folder]).new == 1
    assert set(pids) == {os.getpid()}


@pytest.mark.parametrize("how", ["script", "stdin"])
def test_importers_of_the_main_module_work(tmp_path: Path, how: str) -> None:
    (tmp_path / "a.bad").write_text("bad nothing\n", "utf-8")
    code = f"""
from graphmemix import Archive, HashingEncoder
from graphmemix.ingest import run
from tests.ingest.hostile import Bad

class Mine(Bad):
    name = "mine"

run.importers = lambda _zone: (Mine(),)
with Archive.open({str(tmp_path / "x")!r}, encoder=HashingEncoder()) as archive:
    print(archive.ingest([{str(tmp_path / "a.bad")!r}]).sources[0].importer)
"""
    script = tmp_path / "script.py"
    script.write_text(code, "utf-8")
    done = subprocess.run(
        [sys.executable, *([str(script)] if how == "script" else ["-"])],
        input=code if how == "stdin" else "",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "mine\n", "")


def test_a_worker_that_died_idle_costs_no_file(archive: Archive, folder: Path) -> None:
    bad(folder, "nothing")
    archive.ingest([folder])
    [kept] = workers._kept
    os.kill(kept.pid, signal.SIGKILL)
    until(lambda: not is_alive(kept.pid))
    report = archive.ingest([folder], again=True)
    assert (report.known, report.skipped_count) == (1, 0)


def test_one_worker_is_kept_for_the_next_run(archive: Archive, folder: Path) -> None:
    workers.end_spare()
    ballast = b"x" * (600 << 20)  # the size of this process says nothing about that of the worker
    bad(folder, "nothing")
    archive.ingest([folder])
    [before] = workers._kept
    archive.ingest([folder], again=True)
    assert workers._kept == [before]
    assert ballast


def test_the_zone_of_the_environment_counts_in_the_worker(
    archive: Archive, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat = "17/05/2024, 20:30 - Mia: Hello\n17/05/2024, 20:31 - Olga: Hello\n"
    (folder / "WhatsApp Chat with Mia.txt").write_text(chat, "utf-8")
    archive.ingest([folder])  # starts the worker
    hours = []
    for zone in ("Asia/Tokyo", "America/New_York"):
        monkeypatch.setenv("TZ", zone)
        time.tzset()
        archive.ingest([folder], again=True)
        moments = [memory.timestamp for memory in archive.find() if memory.timestamp]
        hours.append(moments[0].utcoffset())
    monkeypatch.undo()
    time.tzset()
    assert hours[0] != hours[1]


# Stopping


@pytest.mark.parametrize("what", ["regex", "sleep", "endless"])
def test_a_run_is_stopped_in_the_middle_of_a_file(
    archive: Archive, folder: Path, scratch: Path, what: str
) -> None:
    bad(folder, what)
    stop, reading = Event(), Event()
    reports: list[IngestReport] = []

    def ingest() -> None:
        report = archive.ingest(
            [folder], stop=stop, on_reading=lambda names: reading.set() if names else None
        )
        reports.append(report)

    thread = Thread(target=ingest, daemon=True)
    thread.start()
    assert reading.wait(WAIT)
    stop.set()
    thread.join(WAIT)
    [report] = reports
    assert report.interrupted
    assert list(scratch.iterdir()) == []


def test_the_files_being_read_are_reported(archive: Archive, folder: Path) -> None:
    told: list[tuple[str, ...]] = []
    bad(folder, "nothing")
    archive.ingest([folder], on_reading=told.append)
    assert told == [("a.bad",), ()]


def test_a_zip_whose_unpacking_is_stopped_leaves_nothing(
    archive: Archive, folder: Path, scratch: Path
) -> None:
    from zipfile import ZipFile

    with ZipFile(folder / "a.zip", "w") as made:
        made.writestr("a.bad", "bad sleep\n")
        made.writestr("b.bad", "bad sleep\n")
    stop = Event()
    report = archive.ingest(
        [folder], stop=stop, on_reading=lambda names: stop.set() if names else None
    )
    assert report.interrupted
    assert list(scratch.iterdir()) == []


COMMAND = """
import sys
from graphmemix.ingest import run
from tests.ingest.hostile import Bad
run.importers = lambda _zone: (Bad(),)
from graphmemix.cli import main
main()
"""


def ingesting(folder: Path, tmp_path: Path) -> subprocess.Popen[str]:
    """Start the real command on a file that hangs; return it once the file is being read."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    bad(folder, "where")
    process = subprocess.Popen(
        [sys.executable, "-c", COMMAND, "ingest", str(tmp_path / "x"), str(folder)],
        # Under nohup it would inherit that a hang-up is ignored, and rightly go on.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # noqa: PLW1509
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "TMPDIR": str(scratch),
            "GRAPHMEMIX_ENCODER__MODEL": "hashing",
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: (folder / "a.pid").exists() or process.poll() is not None)
    return process


def worker_of(folder: Path) -> int:
    until((folder / "a.pid").read_text)
    return int((folder / "a.pid").read_text("utf-8"))


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
def test_a_signal_ends_the_command_in_the_middle_of_a_file(
    tmp_path: Path, folder: Path, number: signal.Signals, code: int
) -> None:
    with ingesting(folder, tmp_path) as process:
        worker = worker_of(folder)
        process.send_signal(number)
        _, said = process.communicate(timeout=WAIT)
    assert (process.returncode, "Stopped. What was read is kept" in said) == (code, True)
    until(lambda: not is_alive(worker))
    assert list((tmp_path / "scratch").iterdir()) == []
    with opened(tmp_path / "x") as archive:
        # What was still on its way from the worker was never acknowledged.
        assert texts(archive) in ([], ["begun a.bad"])


def test_no_worker_outlives_a_command_that_is_killed(tmp_path: Path, folder: Path) -> None:
    with ingesting(folder, tmp_path) as process:
        worker = worker_of(folder)
        assert is_alive(worker)
        process.kill()
    until(lambda: not is_alive(worker))
