"""Uploads of many files: one is open at a time, and cleaning up blocks nobody."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from shutil import rmtree
from typing import Any

import httpx
import pytest

from graphmemix.serve import removal
from graphmemix.serve.limits import LimitsMiddleware
from tests.serve.servers import Live, fill, head, layer, raw, serving, until

HOME = "/v1/archives/home"
MULTIPART = {"Content-Type": "multipart/form-data; boundary=x"}


def part(name: str, content: bytes, *, field: str = "files") -> bytes:
    about = f'--x\r\nContent-Disposition: form-data; name="{field}"; filename="{name}"\r\n\r\n'
    return about.encode() + content + b"\r\n"


def field(name: str, value: bytes) -> bytes:
    about = f'--x\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n'
    return about.encode() + value + b"\r\n"


END = b"--x--\r\n"


def open_files(below: Path) -> list[str]:
    """Return the files below a folder that this process has open."""
    found = []
    for each in Path("/proc/self/fd").iterdir():
        try:
            found.append(str(each.readlink()))
        except OSError:  # it was that of the listing itself
            continue
    return [name for name in found if name.startswith(str(below))]


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")  # noqa: PTH112
def test_files_are_written_as_they_come_and_closed_before_the_next(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    sent = b"".join(part(f"{i}.txt", b"A note. " * 1000) for i in range(100))
    lines = ("Content-Type: multipart/form-data; boundary=x", f"Content-Length: {len(sent) + 7}")
    with serving(tmp_path) as live:
        guard = layer(live, LimitsMiddleware)
        jobs = tmp_path / "state" / "jobs"
        with raw(live, head(live, "POST", f"{HOME}/jobs", *lines) + sent) as connection:
            until(lambda: len(list(jobs.glob("*/*/files/*.txt"))) > 50)
            assert len(open_files(jobs)) <= 1
            connection.sendall(END)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 202")
        until(lambda: guard.receiving.taken == 0)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (part("a.txt", b"A no"), "is truncated"),
        (END, "send at least one"),
        (part("a.txt", b"1") + part("a.txt", b"2") + END, "two files are named 'a.txt'"),
        (part("a", b"1") + part("a/b.txt", b"2") + END, "two files are named 'a/b.txt'"),
        (part("..", b"1") + END, "a file has no name"),
        (part("a.txt", b"1") + part("text", b"2", field="as") + END, "name of an importer"),
        (part("a.txt", b"1") + field("as", b"x" * 10_001) + END, "longer than 10000 bytes"),
        (b"".join(field(f"f{i}", b"") for i in range(17)) + END, "more than 16 fields"),
        (part("a" * 20_000, b"1") + END, "multipart: "),
        (b"no multipart at all", "multipart: "),
    ],
)
def test_a_bad_upload_is_refused_and_leaves_nothing(live: Live, body: bytes, says: str) -> None:
    with live.client() as client:
        reply = client.post(f"{HOME}/jobs", content=body, headers=MULTIPART)
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")
    assert says in reply.json()["detail"]
    until(lambda: not list((live.options.state / "jobs").glob("*/*")))


def test_an_upload_without_a_boundary_is_refused(client: httpx.Client) -> None:
    headers = {"Content-Type": "multipart/form-data"}
    reply = client.post(f"{HOME}/jobs", content=END, headers=headers)
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


def test_writes_do_not_wait_until_the_files_of_a_job_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path / "home", "quokka")
    released, removing = threading.Event(), threading.Event()

    def slow(*arguments: Any, **options: Any) -> None:
        removing.set()
        released.wait(60)
        rmtree(*arguments, **options)

    monkeypatch.setattr("graphmemix.serve.removal.rmtree", slow)
    with serving(tmp_path) as live, live.client() as client:
        body = b"".join(part(f"{i}.txt", b"A note.") for i in range(5)) + END
        job = client.post(f"{HOME}/jobs", content=body, headers=MULTIPART).json()["id"]
        until(lambda: client.get(f"{HOME}/jobs/{job}").json()["state"] == "done")
        assert removing.wait(60)
        note = {"memories": [{"kind": "note", "text": "Meanwhile."}]}
        assert client.post(f"{HOME}/memories", json=note).status_code == 201
        jobs = tmp_path / "state" / "jobs"
        assert not list(jobs.glob("*/*/files"))  # the name is free already
        assert list(jobs.glob("*/.removed-*/*"))
        released.set()
        until(lambda: not list(jobs.glob("*/.removed-*")))


def test_what_an_earlier_process_left_to_remove_is_removed_at_the_next_start(
    tmp_path: Path,
) -> None:
    fill(tmp_path / "home", "quokka")
    with serving(tmp_path) as live:
        place = live.app.state.service.jobs["home"].folder
    left = place / ".removed-0123456789abcdef" / "files"
    left.mkdir(parents=True)
    (left / "a.txt").write_text("A note.")
    with serving(tmp_path):
        until(lambda: not left.parent.exists())


def test_a_folder_that_is_not_there_is_no_error(tmp_path: Path) -> None:
    removal.discard(tmp_path / "none", tmp_path)
    removal.sweep(tmp_path / "none")
    assert list(tmp_path.iterdir()) == []
