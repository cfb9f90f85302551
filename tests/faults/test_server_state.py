"""What the server keeps for itself: on a full disk, damaged, by a clock that jumps."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmemix.fsio import write_whole
from graphmemix.serve import job_records
from graphmemix.serve.idempotency import IdempotencyKeys, StoredReply
from graphmemix.serve.problems import ProblemError, as_problem
from tests.serve.servers import fill, serving, token, until

DONE = StoredReply(201, '{"new": []}')
JOBS = "/v1/archives/home/jobs"


def keep(once: IdempotencyKeys, key: str, request: bytes = b"a") -> tuple[StoredReply, bool]:
    """Do something under a key; return the reply, and whether it was done now."""
    acted = False

    async def act() -> StoredReply:
        nonlocal acted
        acted = True
        return DONE

    return asyncio.run(once.run("me", "home", key, request, act)), acted


def keep_others_out(file: Path) -> Callable[[], None]:
    """Let nobody write to a database; return what lets them again."""
    writer = sqlite3.connect(file, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")

    def free() -> None:
        writer.execute("ROLLBACK")
        writer.close()

    return free


def test_a_reply_that_cannot_be_saved_is_told_again_all_the_same(tmp_path: Path) -> None:
    once = IdempotencyKeys(tmp_path, hours=1)
    once._db.execute("PRAGMA busy_timeout = 0")
    free = keep_others_out(tmp_path / "replies.db")
    assert keep(once, "k") == (DONE, True)
    assert keep(once, "k") == (DONE, False)
    with pytest.raises(ProblemError, match="another request"):
        keep(once, "k", b"b")
    free()
    assert keep(once, "later") == (DONE, True)
    once.close()
    again = IdempotencyKeys(tmp_path, hours=1)  # both are on disk by now
    assert [keep(again, key) for key in ("k", "later")] == [(DONE, False)] * 2
    again.close()


def test_who_goes_away_before_it_began_does_not_keep_the_key(tmp_path: Path) -> None:
    once = IdempotencyKeys(tmp_path, hours=1)

    async def act() -> StoredReply:
        return DONE

    async def go_away() -> None:
        going = asyncio.ensure_future(once.run("me", "home", "k", b"a", act))
        with once._lock:  # it cannot begin yet
            await asyncio.sleep(0.05)
            going.cancel()
            await asyncio.wait([going])
        assert going.cancelled()
        await asyncio.sleep(0.05)

    asyncio.run(go_away())
    assert keep(once, "k") == (DONE, True)
    once.close()


def test_replies_of_a_damaged_file_are_forgotten(tmp_path: Path) -> None:
    once = IdempotencyKeys(tmp_path, hours=1)
    keep(once, "k")
    once.close()
    (tmp_path / "replies.db").write_bytes(b"something else " * 1000)
    again = IdempotencyKeys(tmp_path, hours=1)
    assert keep(again, "k") == (DONE, True)
    assert keep(again, "k") == (DONE, False)
    again.close()


def test_a_full_disk_has_a_status_of_its_own() -> None:
    problem = as_problem(OSError(errno.ENOSPC, "No space left on device"))
    assert (problem.status, problem.code) == (507, "storage_full")
    assert as_problem(OSError(errno.EIO, "Input/output error")).status == 500


def send(client: httpx.Client, name: str) -> httpx.Response:
    return client.post(JOBS, files=[("files", (name, f"A note: {name}".encode()))])


def ended(client: httpx.Client, job_id: str) -> str:
    def state() -> str:
        return str(client.get(f"{JOBS}/{job_id}").json()["state"])

    until(lambda: state() not in {"queued", "running"})
    return state()


def test_jobs_go_on_after_their_state_could_not_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "home", "quokka")
    writes = 0

    def write_or_not(file: Path, text: str) -> None:
        nonlocal writes
        writes += 1
        if writes > 1:  # the job itself could be taken on
            raise OSError(errno.ENOSPC, "No space left on device")
        write_whole(file, text)

    with serving(tmp_path) as live, live.client() as client:
        monkeypatch.setattr(job_records, "write_whole", write_or_not)
        first = send(client, "first.txt").json()["id"]
        assert ended(client, first) == "done"
        refused = send(client, "second.txt")
        assert (refused.status_code, refused.json()["code"]) == (507, "storage_full")
        monkeypatch.setattr(job_records, "write_whole", write_whole)
        assert ended(client, send(client, "third.txt").json()["id"]) == "done"


def test_jobs_keep_their_order_when_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "home", "quokka")
    now = datetime(2024, 5, 17, tzinfo=UTC)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:  # type: ignore[override]
            return now

    monkeypatch.setattr(job_records, "datetime", Clock)
    sent = []
    with serving(tmp_path) as live, live.client() as client:
        for number in range(4):
            sent.append(send(client, f"{number}.txt").json()["id"])
            ended(client, sent[-1])
            now -= timedelta(days=1000)
        told = [job["id"] for job in client.get(JOBS).json()["jobs"]]
    assert told == sent[::-1]
    with serving(tmp_path) as live, live.client() as client:
        assert [job["id"] for job in client.get(JOBS).json()["jobs"]] == sent[::-1]


def test_damaged_keys_open_nothing_and_are_told_of(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    made = token(tmp_path, all="admin")
    with serving(tmp_path) as live, live.client(made) as client, live.client() as nobody:
        assert client.get("/v1/archives").status_code == 200
        (tmp_path / "state" / "keys.json").write_text('{"keys": [')
        until(lambda: client.get("/v1/archives").status_code != 200)
        for each in (client, nobody):
            reply = each.get("/v1/archives")
            assert (reply.status_code, reply.json()["code"]) == (503, "misconfigured")
            assert str(tmp_path) not in reply.text
