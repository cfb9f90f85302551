"""Two who write: one after the other, or the second is told; readers go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.faults.report import Report
from benchmarks.faults.world import (
    QUESTION,
    Done,
    Running,
    Server,
    World,
    command,
    faults_of,
    memory_ids,
    truth,
)

if TYPE_CHECKING:
    import random
    from pathlib import Path


def two_writers(world: World, rounds: int, chance: random.Random) -> Report:
    """Ingest twice at once; write and read beside a server."""
    report = Report("writers")
    together = world.fresh("archive")
    command("ingest", together, *sorted(world.files.iterdir()))
    expected = truth(together)
    for number in range(rounds):
        report.rounds += 1
        if number % 2:
            _beside_a_server(world, report)
        else:
            _at_once(world, expected, chance, report)
    return report


def _at_once(world: World, expected: dict[str, str], chance: random.Random, report: Report) -> None:
    archive = world.fresh("archive")
    parts = sorted(path for path in world.files.iterdir())
    chance.shuffle(parts)
    halves: list[list[Path]] = [parts[::2], parts[1::2]]
    running = [Running("ingest", archive, *half) for half in halves]
    for each, half in zip(running, halves, strict=True):
        done = each.wait()
        _see("ingest beside ingest", done, report)
        if done.code:  # told that another one writes: later it may
            again = command("ingest", archive, *half)
            report.expect(f"ingest afterwards: {again}", true=again.code == 0)
    command("ingest", archive, *parts)
    report.same("two at once", truth(archive), expected)
    report.same("check", faults_of(archive), [])


def _see(what: str, done: Done, report: Report) -> None:
    report.outcomes[f"{what}: exit {done.code}"] += 1
    report.hit += done.code != 0
    busy = done.code == 0 or "is in use by" in done.err
    report.expect(f"{what}: says {done}", true=done.told and busy)


def _beside_a_server(world: World, report: Report) -> None:
    archive, state = world.copy(), world.fresh("state")
    before = memory_ids(archive)
    with Server(archive, state) as server:
        if not report.expect("it starts", true=server.ready()):
            return
        writing = Running("ingest", archive, world.files, "--again")
        reading = [
            Running("recall", archive, QUESTION),
            Running("backup", archive, world.fresh("backup")),
            Running("stats", archive),
        ]
        for count in range(5):
            body = {"memories": [{"id": f"n{count}", "kind": "note", "text": f"Note {count}."}]}
            reply = server.post("memories", body)
            report.same(f"adding beside commands: {reply.text[:200]}", reply.status_code, 201)
        _see("ingest beside a server", writing.wait(), report)
        for each in reading:
            done = each.wait()
            report.expect(f"{each.arguments[0]} beside a server: {done}", true=done.code == 0)
    after = memory_ids(archive)
    report.expect("something was lost", true=before | {f"n{i}" for i in range(5)} <= after)
    report.same("check", faults_of(archive), [])
