"""SIGKILL at any moment of a command, or of the server with its jobs."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
from benchmarks.faults.oracle import bundle, oracle
from benchmarks.faults.report import Report
from benchmarks.faults.world import (
    QUESTION,
    Running,
    Server,
    World,
    command,
    faults_of,
    memory_ids,
    truth,
    until,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence


@dataclass(frozen=True)
class Case:
    """A command to kill.

    Attributes:
        name: For reports.
        prepare: Returns an archive to begin with, and the command.
        result: Where what it makes lies, by the archive and the command.
    """

    name: str
    prepare: Callable[[World], tuple[Path, list[object]]]
    result: Callable[[Path, list[object]], Path] = lambda archive, _: archive


def _ingest(world: World) -> tuple[Path, list[object]]:
    archive = world.fresh("archive")
    return archive, ["ingest", archive, world.files]


def _describe(world: World) -> tuple[Path, list[object]]:
    archive = world.copy()
    return archive, ["describe", archive, "--places"]


def _reencode(world: World) -> tuple[Path, list[object]]:
    archive = world.copy()
    return archive, ["reencode", archive, "--encoder", "hashing:96"]


def _rebuild(world: World) -> tuple[Path, list[object]]:
    archive = world.copy()
    return archive, ["rebuild", archive, "--set", "views.chunk_characters=300"]


def _erase(world: World) -> tuple[Path, list[object]]:
    archive = world.copy()
    return archive, ["erase", archive, *sorted(memory_ids(archive))[:40], "--yes"]


def _backup(world: World) -> tuple[Path, list[object]]:
    return world.base(), ["backup", world.base(), world.fresh("backup")]


def _export(world: World) -> tuple[Path, list[object]]:
    return world.base(), ["export", world.base(), world.fresh("export")]


def _import(world: World) -> tuple[Path, list[object]]:
    exported = world.fresh("export")
    command("export", world.base(), exported)
    archive = world.fresh("archive")
    return archive, ["import", archive, exported]


def _ask(world: World) -> tuple[Path, list[object]]:
    archive = world.copy()
    return archive, ["ask", archive, QUESTION]


def _target(_: Path, arguments: list[object]) -> Path:
    return Path(str(arguments[2]))


CASES = (
    Case("ingest", _ingest),
    Case("describe", _describe),
    Case("reencode", _reencode),
    Case("rebuild", _rebuild),
    Case("erase", _erase),
    Case("backup", _backup, _target),
    Case("export", _export, _target),
    Case("import", _import),
    Case("ask", _ask),
)


def kill_commands(world: World, rounds: int, chance: random.Random) -> Report:
    """Kill commands; the same command again must give what it gives undisturbed."""
    report = Report("kill")
    for case in in_turn(CASES, rounds, chance):
        report.rounds += 1
        _kill_once(world, measured(case, world), chance, report)
    return report


def in_turn(cases: Sequence[Case], rounds: int, chance: random.Random) -> list[Case]:
    """Return the cases of some rounds: each comes once before one comes again."""
    order = chance.sample(cases, len(cases))
    return [order[number % len(order)] for number in range(rounds)]


def measured(case: Case, world: World) -> Measured:
    """Return how long a case takes, and what comes of it, undisturbed."""
    known: dict[str, Measured] = world.measured
    if case.name not in known:
        known[case.name] = Measured(case, world)
    return known[case.name]


class Measured:
    """A case, how long it takes, and what comes of it."""

    def __init__(self, case: Case, world: World) -> None:
        self.case = case
        archive, arguments = case.prepare(world)
        started = time.monotonic()
        done = command(*arguments)
        self.seconds = time.monotonic() - started
        if done.code:
            raise RuntimeError(f"{case.name}: {done.err}")
        self.expected = content(case, case.result(archive, arguments))


def content(case: Case, place: Path) -> object:
    """Return what a command made."""
    if case.name != "export":
        return truth(place)
    return sorted(p.relative_to(place).as_posix() for p in place.rglob("*") if p.is_file())


def _kill_once(world: World, undisturbed: Measured, chance: random.Random, report: Report) -> None:
    case, name = undisturbed.case, undisturbed.case.name
    archive, arguments = case.prepare(world)
    before = memory_ids(archive) if (archive / "archive.db").exists() else set()
    running = Running(*arguments)
    time.sleep(chance.uniform(0, undisturbed.seconds))
    report.hit += running.alive
    report.outcomes[f"{name} killed" if running.alive else f"{name} was done"] += 1
    running.kill()
    report.same(f"{name}: check after the kill", faults_of(archive), [])
    if before:
        lost = before - memory_ids(archive)
        report.expect(f"{name}: lost {len(lost)}", true=not lost or name == "erase")
    again = command(*arguments)
    if not report.expect(f"{name}: the second run says {again}", true=again.code == 0):
        return
    if name == "erase":
        report.expect(f"erase: no receipt, but {again.out}", true="Erased 40 " in again.out)
    result = case.result(archive, arguments)
    report.same(f"{name}: after the second run", content(case, result), undisturbed.expected)
    if name != "export":
        report.same(f"{name}: check at the end", faults_of(result), [])


def kill_bench(world: World, rounds: int, chance: random.Random) -> Report:
    """Kill a benchmark run; it goes on, and asks nothing again that was answered."""
    report = Report("kill-bench")
    data = bundle(world.root / "bundle")
    with oracle() as model:
        env = {"GRAPHMEMIX_MODEL__BASE_URL": model.url, "GRAPHMEMIX_MODEL__NAME": "oracle"}
        arguments = [
            "bench",
            "run",
            "--dataset",
            "bundle",
            "--data",
            data,
            "--no-plots",
            "--set",
            "model.cache=false",
        ]
        started = time.monotonic()
        whole = command(*arguments, "--out", world.fresh("run"), env=env)
        seconds, calls = time.monotonic() - started, model.calls
        report.expect(f"bench: {whole}", true=whole.code == 0)
        for _ in range(rounds):
            report.rounds += 1
            place, model.calls = world.fresh("run"), 0
            running = Running(*arguments, "--out", place, env=env)
            time.sleep(chance.uniform(0, seconds))
            report.hit += running.alive
            running.kill()
            again = command(*arguments, "--out", place, env=env)
            report.outcomes[f"bench exit {again.code}"] += 1
            report.expect(f"bench: the second run says {again}", true=again.code == 0)
            # Calls that were under way when it died are made again: at most as many as at once.
            most = calls + 8
            report.expect(f"bench: {model.calls} calls, not {calls}", true=model.calls <= most)
    return report


def kill_server(world: World, rounds: int, chance: random.Random) -> Report:
    """Kill a server while it takes memories and jobs; what it acknowledged must be there."""
    report = Report("kill-server")
    uploads = {
        path.name: path.read_bytes()
        for path in sorted(world.files.rglob("*"))
        if path.suffix in {".ics", ".jsonl", ".pdf", ".mbox", ".eml"}
    }
    for number in range(rounds):
        report.rounds += 1
        _kill_server_once(world, uploads, number, chance, report)
    return report


def _kill_server_once(
    world: World, uploads: dict[str, bytes], number: int, chance: random.Random, report: Report
) -> None:
    archive, state = world.copy(), world.fresh("state")
    sent: dict[str, tuple[object, dict[str, object]]] = {}
    jobs: dict[str, str] = {}
    with Server(archive, state) as server:
        if not report.expect("server: it starts", true=server.ready()):
            return
        end = time.monotonic() + chance.uniform(0.05, 1.5)
        _talk(server, uploads, end, sent, jobs, number)
        server.running.kill()
    report.hit += 1
    with Server(archive, state) as server:
        if not report.expect("server: it starts again", true=server.ready()):
            return
        for key, (body, reply) in sent.items():
            again = server.post("memories", body, key)
            report.same(f"server: {key} again", (again.status_code, again.json()), (201, reply))
        for key, job_id in jobs.items():
            state_at_end = server.ended(job_id)["state"]
            report.same(f"server: job {job_id}", state_at_end, "done")
            again = server.upload(uploads, key)
            report.same(f"server: {key} again", again.json()["id"], job_id)
        report.outcomes["adds acknowledged"] += len(sent)
        report.outcomes["jobs acknowledged"] += len(jobs)
    there = memory_ids(archive)
    for key in sent:
        report.expect(f"server: {key} was acknowledged and is lost", true=key in there)
    report.same("server: check", faults_of(archive), [])


def _talk(
    server: Server,
    uploads: dict[str, bytes],
    end: float,
    sent: dict[str, tuple[object, dict[str, object]]],
    jobs: dict[str, str],
    number: int,
) -> None:
    """Add memories and jobs until the moment comes; remember what was acknowledged."""
    import threading

    def talk() -> None:
        count = 0
        while True:
            key = f"round-{number}-memory-{count}"
            body = {"memories": [{"id": key, "kind": "note", "text": f"The number {count}."}]}
            try:
                if count % 5 == 1:
                    reply = server.upload(uploads, f"job-{count}")
                    jobs[f"job-{count}"] = reply.json()["id"]
                reply = server.post("memories", body, key)
            except (httpx.HTTPError, ValueError, KeyError):
                return
            if reply.status_code == 201:
                sent[key] = (body, reply.json())
            count += 1

    thread = threading.Thread(target=talk, daemon=True)
    thread.start()
    until(lambda: time.monotonic() > end, 10)
    server.running.kill()
    thread.join(10)
