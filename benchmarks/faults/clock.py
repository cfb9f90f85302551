"""A clock that jumps (libfaketime): what must not depend on the time of day does not."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.faults.report import Report
from benchmarks.faults.world import (
    QUESTION,
    SETTINGS,
    Done,
    Server,
    World,
    command,
    faults_of,
    memory_ids,
    truth,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Mapping

JUMPS = ("-9800d", "-400d", "-1h", "+1h", "+400d", "+9800d")
_LIBRARIES = ("/usr/lib/x86_64-linux-gnu/faketime", "/usr/lib/aarch64-linux-gnu/faketime")


def faketime() -> str | None:
    """Return the library that changes the clock; None if it is not installed."""
    found = [Path(folder) / "libfaketime.so.1" for folder in _LIBRARIES]
    return next((str(path) for path in found if path.exists()), None)


def _env(offset: str, file: Path | None = None) -> dict[str, str]:
    env = {"LD_PRELOAD": str(faketime()), "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
    if file is not None:
        return {**env, "FAKETIME_TIMESTAMP_FILE": str(file), "FAKETIME_NO_CACHE": "1"}
    return {**env, "FAKETIME": offset}


def clocked(offset: str, *arguments: object) -> Done:
    """Run a command by a clock that is wrong."""
    process = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "graphmemix", *map(str, arguments)],
        env={**os.environ, **SETTINGS, **_env(offset)},
        capture_output=True,
        text=True,
        check=False,
    )
    return Done(process.returncode, process.stdout, process.stderr)


def jumping_clock(world: World, rounds: int, chance: random.Random) -> Report:
    """Let the clock jump between commands, and while a server runs."""
    report = Report("clock")
    if faketime() is None:
        report.outcomes["left out: libfaketime is not installed"] += 1
        return report
    expected = truth(world.base())
    order = list(JUMPS)
    chance.shuffle(order)
    for number in range(rounds):
        report.rounds += 1
        report.hit += 1
        offset = order[number % len(order)]
        if number % 2:
            _serve(world, offset, report)
        else:
            archive = world.fresh("archive")
            done = clocked(offset, "ingest", archive, world.files)
            report.expect(f"{offset}: ingest says {done}", true=done.code == 0)
            report.same(f"{offset}: ingest", truth(archive), expected)
            _change(world, offset, report)
    return report


def _change(world: World, offset: str, report: Report) -> None:
    """Change and ask an archive now, at another time, and now again."""
    archive = world.copy()
    chosen = min(memory_ids(archive))
    texts = []
    for count, clock in enumerate(("+0", offset, "+0")):
        texts.append(f"changed {count}")
        changing = ["update", archive, chosen, "--text", texts[-1]]
        done = command(*changing) if clock == "+0" else clocked(clock, *changing)
        report.expect(f"{clock}: update says {done}", true=done.code == 0)
    history = [v["memory"]["text"] for v in _lines(command("history", archive, chosen, "--json"))]
    report.same(f"{offset}: history", history[1:], texts)
    asked = ["recall", archive, QUESTION, "--asked-at", "2024-01-01", "--json", "--trace"]
    then, now = clocked(offset, *asked), command(*asked)
    report.same(f"{offset}: recall", _forest(then), _forest(now))
    exported, other = world.fresh("export"), world.fresh("archive")
    report.same("export", command("export", archive, exported).code, 0)
    report.same("import", command("import", other, exported).code, 0)
    report.same(f"{offset}: after export and import", truth(other), truth(archive))
    report.same(f"{offset}: check", faults_of(archive), [])


def _lines(done: Done) -> list[dict[str, Any]]:
    import json

    found = [json.loads(line) for line in done.out.splitlines()]
    return found[0] if found and isinstance(found[0], list) else found


def _forest(done: Done) -> Mapping[str, object]:
    trace = done.json()["trace"]
    return {name: trace[name] for name in ("candidates", "forest", "anchors")}


def _serve(world: World, offset: str, report: Report) -> None:
    """Let the clock jump there and back while a server runs."""
    archive, state, clock = world.copy(), world.fresh("state"), world.fresh("clock")
    note = {"memories": [{"id": "n", "kind": "note", "text": "A note."}]}
    clock.write_text("+0\n")
    jobs = []
    with Served(archive, state, clock) as server:
        if not report.expect("it starts", true=server.ready()):
            return
        first = server.post("memories", note, "key").json()
        for number, time in enumerate((offset, "+0", offset)):
            clock.write_text(f"{time}\n")
            reply = server.upload({f"{number}.txt": f"Note {number}".encode()})
            report.same(f"{offset}: upload", reply.status_code, 202)
            jobs.append(reply.json()["id"])
            report.same(f"{offset}: job", server.ended(jobs[-1])["state"], "done")
            asked = server.post("recall", {"question": QUESTION})
            report.same(f"{offset}: recall {asked.text[:200]}", asked.status_code, 200)
            if not offset.startswith("+") or offset == "+1h":
                again = server.post("memories", note, "key")
                report.same(f"{offset}: key", again.json(), first)
        _compare_order(server, jobs, offset, report)
        _spend(server, clock, report)
    with Served(archive, state, clock) as server:
        report.expect("it starts again", true=server.ready())
        _compare_order(server, jobs, offset, report)
    report.same("check", faults_of(archive), [])
    shutil.rmtree(archive)


def _compare_order(server: Server, jobs: list[str], offset: str, report: Report) -> None:
    told = server.client.get("/v1/archives/home/jobs").json()["jobs"]
    report.same(f"{offset}: jobs, newest first", [job["id"] for job in told], jobs[::-1])


def _spend(server: Server, clock: Path, report: Report) -> None:
    """Use up what a minute allows: a jump gives no new minute, nor takes one away."""
    codes = {server.client.get("/v1/archives").status_code for _ in range(80)}
    report.expect(f"the limit is met: {codes}", true=429 in codes)
    clock.write_text("+9000d\n")
    status = server.client.get("/v1/archives").status_code
    report.same("requests right after a jump", status, 429)
    clock.write_text("-9000d\n")


class Served(Server):
    """A server that goes by the clock in a file, with a limit of 60 requests a minute."""

    def __init__(self, archive: Path, state: Path, clock: Path) -> None:
        self._clock = clock
        super().__init__(archive, state, "--rate", 60)

    def _start(self, arguments: list[object]) -> Any:
        return _Process(arguments, _env("", self._clock))


class _Process:
    """A process of its own, since the clock is changed when a program is loaded."""

    def __init__(self, arguments: list[object], env: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "graphmemix", *map(str, arguments)],
            env={**os.environ, **SETTINGS, **env},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
