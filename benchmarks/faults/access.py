"""Files that vanish, cannot be read, or may not be written."""

from __future__ import annotations

import shutil
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.faults.kill import CASES, content, in_turn, measured
from benchmarks.faults.places import forbidden
from benchmarks.faults.report import Report
from benchmarks.faults.world import (
    QUESTION,
    Running,
    World,
    command,
    faults_of,
    media_of,
    memory_ids,
)

from graphmemix.store import open_store

if TYPE_CHECKING:
    import random

_OBEY = {"FAULTS_OBEY": "1"}  # also root keeps to permissions


def read_only(world: World, rounds: int, chance: random.Random) -> Report:
    """Take the permission to write away, before a command or in the middle of it."""
    report = Report("read-only")
    writing = [case for case in CASES if case.name not in {"backup", "export", "import"}]
    for case in in_turn(writing, rounds, chance):
        report.rounds += 1
        undisturbed, name = measured(case, world), case.name
        archive, arguments = case.prepare(world)
        archive.mkdir(exist_ok=True)
        before = memory_ids(archive) if (archive / "archive.db").exists() else set()
        pause = chance.choice((0, chance.uniform(0, undisturbed.seconds)))
        if pause:
            running = Running(*arguments, env=_OBEY)
            time.sleep(pause)
            with forbidden(archive):
                done = running.wait()
        else:
            with forbidden(archive):
                done = command(*arguments, env=_OBEY)
                read = command("recall", archive, QUESTION, env=_OBEY)
                fine = read.code == 0 or not before
                report.expect(f"{name}: reading there: {read.err}", true=fine and read.told)
        report.hit += done.code != 0
        report.outcomes[f"{name} exit {done.code}"] += 1
        report.expect(f"{name}: says {done}", true=done.told)
        again = command(*arguments)
        is_gone = name == "erase" and "there is no memory" in again.err
        if report.expect(f"{name}: afterwards: {again}", true=again.code == 0 or is_gone):
            found = content(case, case.result(archive, arguments))
            report.same(f"{name}: afterwards", found, undisturbed.expected)
        report.same(f"{name}: check", faults_of(archive), [])
    return report


def vanishing(world: World, rounds: int, chance: random.Random) -> Report:
    """Let files vanish, or lose their permission, while they are ingested."""
    report = Report("vanishing")
    world.base()
    started = time.monotonic()
    command("ingest", world.fresh("archive"), world.files)
    seconds = time.monotonic() - started
    for _ in range(rounds):
        report.rounds += 1
        files = Path(shutil.copytree(world.files, world.fresh("files")))
        archive = world.fresh("archive")
        running = Running("ingest", archive, files, "--json", env=_OBEY)
        time.sleep(chance.uniform(0, seconds * 0.6))
        stop = threading.Event()
        thread = threading.Thread(target=_take_away, args=(files, chance, stop))
        thread.start()
        done = running.wait()
        stop.set()
        thread.join()
        report.outcomes[f"ingest exit {done.code}"] += 1
        report.expect(f"says {done.code} {done.err}", true=done.told and done.code in {0, 2})
        skipped = done.json()["skipped"] if done.code == 0 else []
        report.hit += bool(skipped)
        broken = [each for each in skipped if "failed: " in each["reason"]]
        report.same("what importers say", broken, [])
        shutil.rmtree(files, ignore_errors=True)
        shutil.copytree(world.files, files)
        again = command("ingest", archive, files)
        report.expect(f"with all files there: {again.err}", true=again.code == 0)
        report.same("check", faults_of(archive), [])
        # A picture whose chat was not there to be seen came as a photo of its own, and stays.
        lacking = media_of(world.base()) - media_of(archive)
        report.expect(f"files are missing at the end: {lacking}", true=not lacking)
        lost = texts_of(world.base()) - texts_of(archive)
        report.expect(f"memories are missing at the end: {lost}", true=not lost)
    return report


def texts_of(archive: Path) -> Counter[tuple[str, str]]:
    """Return what memories say, and whence they come; ids tell what was there at first."""
    with open_store(archive, mode="read") as store:
        return Counter((memory.source, memory.text) for memory in store.find())


def _take_away(folder: Path, chance: random.Random, stop: threading.Event) -> None:
    """Remove or forbid one file after the other."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    chance.shuffle(paths)
    for path in paths[: len(paths) // 2]:
        if stop.is_set():
            return
        if chance.random() < 0.5:
            path.unlink()
        else:
            path.chmod(0)
        time.sleep(0.001)
