"""SIGKILL at every point of a command: before each call that changes a file, one after the other.

Random moments hit the long stretches of a command and miss the short ones. Here strace counts the
calls of a run that is left alone, and then kills one run before each of them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from benchmarks.faults.report import Report
from benchmarks.faults.world import (
    Done,
    Running,
    World,
    command,
    faults_of,
    memory_ids,
    truth,
    until,
)

from graphmemix.store import open_store
from graphmemix.store.importing import import_archive

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

# What changes files, and the end of the process, when all is done but nothing was said.
CALLS = (
    "write", "pwrite64", "writev", "ftruncate", "fallocate", "fsync", "fdatasync", "rename",
    "unlink", "unlinkat", "rmdir", "mkdir", "chmod", "sendfile", "copy_file_range", "exit_group",
)  # fmt: skip
_CALL = re.compile(r"^\d+ +(\w+)\(", re.MULTILINE)
Point: TypeAlias = tuple[str, int]
"""A call, and which of its kind."""

_OF_THE_RUN = ("erased_at", "finished_at", "repeated", "already_there", "new", "folder")


@dataclass(frozen=True)
class Case:
    """A command to kill at each of its points.

    Attributes:
        name: For reports.
        prepare: Returns the archive that it works on and the command.
        copies: Its third word names a folder that it makes.
        tells: What it says is about the result; others count what this one run had to do.
    """

    name: str
    prepare: Callable[[World], tuple[Path, list[object]]]
    copies: bool = False
    tells: bool = True

    def result(self, archive: Path, arguments: Sequence[object]) -> Path:
        """Return where what it makes lies."""
        return Path(str(arguments[2])) if self.copies else archive


def _export(world: World) -> Path:
    if "tiny export" not in world.measured:
        exported = world.fresh("export")
        command("export", _tiny(world), exported)
        world.measured["tiny export"] = exported
    found: Path = world.measured["tiny export"]
    return found


def _tiny(world: World) -> Path:
    """Return an archive of few memories with files, a trace and an earlier version."""
    if "tiny" not in world.measured:
        archive = world.fresh("tiny")
        done = command("ingest", archive, *_few(world.files))
        asked = command("recall", archive, "Which photo shows the sea?", "--json")
        if done.code or asked.code:
            raise RuntimeError(done.err + asked.err)
        world.measured["tiny"] = archive
    found: Path = world.measured["tiny"]
    return found


def _few(files: Path) -> list[Path]:
    pictures = sorted(files.rglob("*.jpg"))[:2]
    return [*pictures, *sorted(files.rglob("*.ics"))[:1]]


def _init(world: World) -> tuple[Path, list[object]]:
    archive = world.fresh("archive")
    return archive, ["init", archive]


def _ingest(world: World) -> tuple[Path, list[object]]:
    archive = world.fresh("archive")
    return archive, ["ingest", archive, *_few(world.files)]


def _import(world: World) -> tuple[Path, list[object]]:
    archive = world.fresh("archive")
    return archive, ["import", archive, _export(world)]


def _erase(world: World) -> tuple[Path, list[object]]:
    archive = world.copy(_tiny(world))
    with open_store(archive, mode="read") as store:
        found = store.find()
    pictured = [memory.id for memory in found if memory.media][:1]
    others = [memory.id for memory in found if not memory.media][:2]
    return archive, ["erase", archive, *pictured, *others, "--yes"]


def _describe(world: World) -> tuple[Path, list[object]]:
    archive = world.copy(_tiny(world))
    return archive, ["describe", archive, "--places"]


def _reencode(world: World) -> tuple[Path, list[object]]:
    archive = world.copy(_tiny(world))
    return archive, ["reencode", archive, "--encoder", "hashing:96"]


def _backup(world: World) -> tuple[Path, list[object]]:
    return _tiny(world), ["backup", _tiny(world), world.fresh("backup")]


def _copied(world: World) -> tuple[Path, list[object]]:
    return _tiny(world), ["export", _tiny(world), world.fresh("export")]


CASES = (
    Case("import", _import),
    Case("erase", _erase),
    Case("backup", _backup, copies=True),
    Case("export", _copied, copies=True),
    Case("init", _init, tells=False),
    Case("ingest", _ingest, tells=False),
    Case("describe", _describe, tells=False),
    Case("reencode", _reencode, tells=False),
)


class _Undisturbed:
    """What a command says and makes when it is left alone, and the calls that it makes."""

    def __init__(self, case: Case, world: World) -> None:
        archive, arguments = case.prepare(world)
        self.calls, done = _traced(arguments)
        if done.code:
            raise RuntimeError(f"{case.name}: {done}")
        self.said = said(done)
        self.content = _content(case, case.result(archive, arguments))
        self.points: list[Point] = [
            (call, n + 1) for call in CALLS for n in range(self.calls[call])
        ]


def kill_points(world: World, rounds: int, chance: random.Random) -> Report:
    """Kill commands before each of their calls, or before an equal share of the rounds."""
    report = Report("points")
    if not _may_trace():
        report.outcomes["left out: strace is missing, or may not trace here"] += 1
        return report
    share = -(-rounds // len(CASES))
    for case in CASES[:rounds]:
        expected = _Undisturbed(case, world)
        for point in _spread(expected.points, share, chance.random()):
            report.rounds += 1
            _kill_at(world, case, expected, point, report)
    return report


def _spread(points: list[Point], share: int, first: float) -> list[Point]:
    """Return so many of the points, at equal distances; all if there are no more."""
    if share >= len(points):
        return points
    return [points[int((i + first) * len(points) / share)] for i in range(share)]


def _kill_at(
    world: World, case: Case, expected: _Undisturbed, point: Point, report: Report
) -> None:
    what = f"{case.name} killed before {point[0]} {point[1]}"
    archive, arguments = case.prepare(world)
    before = memory_ids(archive) if archive.exists() else set()
    _, done = _traced(arguments, kill=point)
    report.hit += done.code == -9
    report.outcomes[f"{case.name} killed" if done.code == -9 else f"{case.name} was done"] += 1
    report.same(f"{what}: check", faults_of(archive), [])
    if before:
        lost = before - memory_ids(archive)
        report.expect(f"{what}: lost {len(lost)}", true=not lost or case.name == "erase")
    again = command(*arguments, "--json")
    if report.expect(f"{what}: the repeat says {again}", true=again.code == 0):
        result = case.result(archive, arguments)
        if case.tells:
            report.same(f"{what}: the repeat says", said(again), expected.said)
        report.same(f"{what}: the repeat makes", _content(case, result), expected.content)
        report.same(f"{what}: check of the repeat", faults_of(archive), [])
    for made in (archive, case.result(archive, arguments)):
        if made != _tiny(world):
            shutil.rmtree(made, ignore_errors=True)


def said(done: Done) -> object:
    """Return what a command printed with ``--json``, but for what only this run did."""
    told = json.loads(done.out) if done.out.startswith("{") else {}
    return {key: value for key, value in told.items() if key not in _OF_THE_RUN}


def _content(case: Case, place: Path) -> object:
    if case.name == "export":
        with tempfile.TemporaryDirectory(prefix="graphmemix-faults-") as folder:
            with open_store(Path(folder) / "archive") as store:
                import_archive(place, store)
            return truth(Path(folder) / "archive")
    return truth(place)


def _may_trace() -> bool:
    if shutil.which("strace") is None:
        return False
    trying = ["strace", "-qq", "-o", os.devnull, "true"]
    return subprocess.run(trying, check=False, capture_output=True).returncode == 0  # noqa: S603


def _traced(arguments: list[object], kill: Point | None = None) -> tuple[Counter[str], Done]:
    """Run a command under strace; return the calls that it made, and how it ended."""
    running = Running(*arguments, "--json", env={"FAULTS_STOP": "1"})
    with tempfile.NamedTemporaryFile(prefix="graphmemix-faults-") as log:
        watch = ["strace", "-f", "-qq", "-o", log.name, "-p", str(running.pid)]
        watch += ["-e", f"trace={','.join(CALLS)}"]
        if kill is not None:
            watch += ["-e", f"inject={kill[0]}:signal=KILL:when={kill[1]}"]
        until(lambda: _state(running.pid, "State").startswith("T"))
        tracer = subprocess.Popen(watch, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
        until(lambda: _state(running.pid, "TracerPid") == str(tracer.pid))
        os.kill(running.pid, signal.SIGCONT)
        done = running.wait()
        tracer.wait()
        return Counter(_CALL.findall(Path(log.name).read_text(errors="replace"))), done


def _state(pid: int, name: str) -> str:
    """Return a line of what the kernel tells about a process."""
    try:
        text = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return ""
    found: Any = re.search(rf"^{name}:\s*(.*)$", text, re.MULTILINE)
    return str(found.group(1)) if found else ""
