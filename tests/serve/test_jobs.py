from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from graphmemix.ingest.encoding import encode_after
from graphmemix.ingest.report import IngestReport
from graphmemix.serve import jobs
from graphmemix.serve.job_records import Job, JobRecord
from graphmemix.serve.uploads import safe_parts
from tests.serve.servers import WAIT_SECONDS, serving, until

HOME = "/v1/archives/home"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[httpx.Client, Path]]:
    folder: Path = tmp_path_factory.mktemp("jobs")
    (folder / "root").mkdir()
    (folder / "root" / "inside.txt").write_text("The boiler was repaired.", "utf-8")
    (folder / "outside.txt").write_text("not to be read", "utf-8")
    (folder / "root" / "link.txt").symlink_to(folder / "outside.txt")
    with serving(folder, root=folder / "root") as live, live.client() as client:
        yield client, folder


def ended(client: httpx.Client, job: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def is_over() -> bool:
        found.update(client.get(f"{HOME}/jobs/{job['id']}").json())
        return found["state"] not in {"queued", "running"}

    until(is_over)
    return found


def texts(client: httpx.Client) -> list[str]:
    page = client.get(f"{HOME}/memories", params={"limit": 500}).json()
    return [memory["text"] for memory in page["memories"]]


def test_uploaded_files_become_memories(fresh: tuple[httpx.Client, Path]) -> None:
    client, folder = fresh
    files = [
        ("files", ("album/note.txt", b"Mia lost a tooth.")),
        (
            "files",
            (
                "mail.eml",
                b"From: a@b.c\nSubject: Hotel\nDate: Fri, 2 Jun 2023 10:00:00 +0200\n\nBooked.",
            ),
        ),
    ]
    reply = client.post(f"{HOME}/jobs", files=files)
    assert reply.status_code == 202
    assert reply.json()["files"] == 2
    done = ended(client, reply.json())
    assert done["state"] == "done"
    assert sum(source["new"] for source in done["report"]["sources"]) == 2
    assert any("Mia lost a tooth." in text for text in texts(client))
    until(lambda: not list((folder / "state" / "jobs").rglob("note.txt")))  # uploads go once read


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("../../etc/passwd", ("etc", "passwd")),
        ("/etc/passwd", ("etc", "passwd")),
        ("C:\\Users\\a\\b.txt", ("C", "Users", "a", "b.txt")),
        ("a/./../b", ("a", "b")),
        ("a\0b\n.txt", ("ab.txt",)),
        ("...", None),
        ("", None),
        ("ä" * 300 + ".jpeg", ("ä" * 97 + ".jpeg",)),
    ],
)
def test_no_name_leads_out_of_the_folder(name: str, parts: tuple[str, ...] | None) -> None:
    if parts is None:
        with pytest.raises(Exception, match="has no name"):
            safe_parts(name)
    else:
        assert safe_parts(name) == parts


def test_an_upload_cannot_leave_its_folder(fresh: tuple[httpx.Client, Path]) -> None:
    client, folder = fresh
    before = set(folder.rglob("*.evil"))
    reply = client.post(f"{HOME}/jobs", files={"files": ("../../../../x.evil", b"x")})
    assert ended(client, reply.json())["state"] == "done"
    until(lambda: set(folder.rglob("*.evil")) == before)


def kept_below(jobs: Path) -> set[str]:
    """Whatever is kept of jobs, but for the folder of each archive, which stays.

    Unlike a glob, walking stands folders that vanish meanwhile.
    """
    found = {Path(at, name) for at, below, files in os.walk(jobs) for name in (*below, *files)}
    return {str(path) for path in found if path.parent != jobs}


@pytest.mark.parametrize(
    "request_",
    [
        {"data": {"as": "mail"}},
        {"files": {"other": ("a.txt", b"x")}},
        {"files": [("files", ("a.txt", b"x")), ("files", ("./a.txt", b"y"))]},
        {"files": [("files", ("a", b"x")), ("files", ("a/b", b"y"))]},
        {"content": b"no parts", "headers": {"Content-Type": "multipart/form-data"}},
        {"content": b"--x", "headers": {"Content-Type": "multipart/form-data; boundary=x"}},
        {"content": b"{}", "headers": {"Content-Type": "application/json"}},
        {"json": {"paths": []}},
    ],
)
def test_a_wrong_upload_is_refused_and_leaves_nothing(
    fresh: tuple[httpx.Client, Path], request_: dict[str, Any]
) -> None:
    client, folder = fresh
    jobs = folder / "state" / "jobs"
    before = kept_below(jobs)
    reply = client.post(f"{HOME}/jobs", **request_)
    assert reply.status_code in {415, 422}
    until(lambda: kept_below(jobs) <= before)


def test_files_below_the_root_are_read_by_path(fresh: tuple[httpx.Client, Path]) -> None:
    client, _ = fresh
    reply = client.post(f"{HOME}/jobs", json={"paths": ["inside.txt"]})
    assert ended(client, reply.json())["state"] == "done"
    assert "The boiler was repaired." in texts(client)


@pytest.mark.parametrize(
    "path", ["../outside.txt", "link.txt", "/etc/passwd", "none", "a\0b", ".."]
)
def test_files_elsewhere_are_not(fresh: tuple[httpx.Client, Path], path: str) -> None:
    client, _ = fresh
    reply = client.post(f"{HOME}/jobs", json={"paths": [path]})
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


def test_a_link_below_the_root_does_not_lead_out_of_it(fresh: tuple[httpx.Client, Path]) -> None:
    client, _ = fresh
    reply = client.post(f"{HOME}/jobs", json={"paths": ["."]})
    assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")
    assert "link.txt" in reply.json()["detail"]


def test_an_unknown_importer_fails_the_job_and_says_so(fresh: tuple[httpx.Client, Path]) -> None:
    client, _ = fresh
    reply = client.post(f"{HOME}/jobs", files={"files": ("a.txt", b"x")}, data={"as": "dreams"})
    done = ended(client, reply.json())
    assert (done["state"], done["error"]["code"]) == ("failed", "invalid_input")
    assert client.post(f"{HOME}/jobs/{done['id']}/resume").status_code == 202
    assert ended(client, done)["state"] == "failed"


def test_a_job_that_ended_well_is_not_resumed(fresh: tuple[httpx.Client, Path]) -> None:
    client, _ = fresh
    reply = client.post(f"{HOME}/jobs", files={"files": ("b.txt", b"x")})
    done = ended(client, reply.json())
    refused = client.post(f"{HOME}/jobs/{done['id']}/resume")
    assert (refused.status_code, refused.json()["code"]) == (409, "not_resumable")
    assert client.delete(f"{HOME}/jobs/{done['id']}").json()["state"] == "done"


def left_behind(folder: Path, place: str, **changes: Any) -> Job:
    """Write a job as a server that was killed leaves it."""
    now = datetime.now(UTC)
    job = Job("20240101-000000-0123abcd", "home", "running", now, now, 1, 1, attempts=1)
    job = replace(job, **changes)
    home = folder / "state" / "jobs" / f"home-{place}" / job.id
    (home / "files").mkdir(parents=True)
    (home / "files" / "n.txt").write_text("left behind", "utf-8")
    record = JobRecord(job, (str(home / "files"),))
    (home / "job.json").write_text(record.to_json(), "utf-8")
    return job


def place_of(folder: Path) -> str:
    with serving(folder) as live:
        place: str = live.app.state.service.archives.get("home").place
    return place


def test_a_job_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    job = left_behind(tmp_path, place_of(tmp_path))
    with serving(tmp_path) as live, live.client() as client:
        done = ended(client, {"id": job.id})
        assert (done["state"], done["attempts"]) == ("done", 2)
        assert texts(client) == ["left behind"]


def test_a_job_that_keeps_killing_the_server_waits_to_be_resumed(tmp_path: Path) -> None:
    place = place_of(tmp_path)
    job = left_behind(tmp_path, place, attempts=2)
    home = tmp_path / "state" / "jobs" / f"home-{place}" / job.id
    (home / "reading.json").write_text('["n.txt"]', "utf-8")
    left_behind(tmp_path, "another-archive-of-this-name", id="20240101-000000-0000aaaa")
    with serving(tmp_path) as live, live.client() as client:
        [found] = client.get(f"{HOME}/jobs").json()["jobs"]
        assert (found["id"], found["state"]) == (job.id, "interrupted")
        assert found["error"]["code"] == "set_aside"
        assert "2 times while this job ran; it was reading 'n.txt'" in found["error"]["detail"]
        assert client.post(f"{HOME}/jobs/{job.id}/resume").status_code == 202
        assert ended(client, found)["state"] == "done"


def chat(lines: int) -> bytes:
    return "\n".join(
        json.dumps({"id": f"j{i}", "kind": "note", "text": f"Note {i} about the garden."})
        for i in range(lines)
    ).encode()


@contextmanager
def command(folder: Path, **variables: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """Run the real command in a process of its own."""
    arguments = [sys.executable, "-m", "graphmemix", "serve", f"home={folder / 'home'}"]
    arguments += ["--port", "0", "--state", str(folder / "state")]
    environment = {"HOME": str(folder), "PATH": os.environ["PATH"], **variables}
    environment["GRAPHMEMIX_ENCODER__MODEL"] = "hashing"
    with subprocess.Popen(
        arguments, stderr=subprocess.PIPE, text=True, env=environment, cwd=folder
    ) as process:
        try:
            assert process.stderr is not None
            address = process.stderr.readline().strip()
            with httpx.Client(base_url=address, timeout=30) as client:
                until(lambda: answers(client))
                yield process, client
        finally:
            process.kill()


def plugin(folder: Path) -> Path:
    """Install an importer whose files never end."""
    site = folder / "site"
    info = site / "endless-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: endless\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[graphmemix.importers]\nendless = endless:Endless\n")
    (site / "endless.py").write_text(
        """
import re
from graphmemix import Memory

class Endless:
    name = "endless"
    def recognises(self, found):
        return found.head.startswith(b"endless")
    def companions(self, found):
        return ()
    def read(self, found, keeper):
        yield Memory.new("note", "begun", source_id=found.name)
        re.match(r"(a+)+$", "a" * 60 + "b")
"""
    )
    return site


def test_a_real_kill_in_the_middle_loses_nothing(tmp_path: Path) -> None:
    """SIGKILL to the real command while it reads; the next one, without the importer, ends."""
    with command(tmp_path, PYTHONPATH=str(plugin(tmp_path))) as (process, client):
        upload = [("files", ("a.jsonl", chat(300))), ("files", ("b.bad", b"endless"))]
        job = client.post(f"{HOME}/jobs", files=upload).json()
        until(lambda: being_read(tmp_path, job) == ["b.bad"])
        assert client.get(f"{HOME}/jobs/{job['id']}").json()["state"] == "running"
        process.send_signal(signal.SIGKILL)
    with command(tmp_path) as (process, client):
        assert ended(client, job)["state"] == "done"
        assert len([text for text in texts(client) if "about the garden" in text]) == 300
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) in {0, -signal.SIGTERM}


def test_the_server_ends_and_a_job_stops_in_the_middle_of_a_file(tmp_path: Path) -> None:
    """A real process; the file is in the middle of a regular expression that would take years."""
    with command(tmp_path, PYTHONPATH=str(plugin(tmp_path))) as (process, client):
        first = client.post(f"{HOME}/jobs", files={"files": ("a.bad", b"endless")}).json()
        until(lambda: being_read(tmp_path, first) == ["a.bad"])
        assert client.delete(f"{HOME}/jobs/{first['id']}").status_code == 202
        assert ended(client, first)["state"] == "stopped"
        second = client.post(f"{HOME}/jobs", files={"files": ("b.bad", b"endless")}).json()
        until(lambda: being_read(tmp_path, second) == ["b.bad"])
        process.send_signal(signal.SIGTERM)
        assert process.wait(WAIT_SECONDS) in {0, -signal.SIGTERM}
    [record] = (tmp_path / "state" / "jobs").glob(f"*/{second['id']}/job.json")
    job = json.loads(record.read_text("utf-8"))["job"]
    assert (job["state"], job["attempts"]) == ("interrupted", 0)  # not the job's fault


def being_read(folder: Path, job: dict[str, Any]) -> list[str]:
    for file in (folder / "state" / "jobs").glob(f"*/{job['id']}/reading.json"):
        with suppress(ValueError):
            names: list[str] = json.loads(file.read_text("utf-8"))
            return names
    return []


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/v1/ready").status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Hold the first job between reading and encoding, until it is told to stop.

    Returns:
        Set while the job is held.
    """
    is_held = threading.Event()

    def encode_once_stopped(*arguments: Any, stop: threading.Event, **named: Any) -> IngestReport:
        if not is_held.is_set():
            is_held.set()
            assert stop.wait(WAIT_SECONDS)
        return encode_after(*arguments, stop=stop, **named)

    monkeypatch.setattr(jobs, "encode_after", encode_once_stopped)
    return is_held


def test_stopping_the_server_interrupts_a_job_which_then_goes_on(
    tmp_path: Path, held: threading.Event
) -> None:
    with serving(tmp_path) as live, live.client() as client:
        job = client.post(f"{HOME}/jobs", files={"files": ("n.jsonl", chat(250))}).json()
        assert held.wait(WAIT_SECONDS)
    [record] = (tmp_path / "state" / "jobs").rglob("job.json")
    assert json.loads(record.read_text("utf-8"))["job"]["state"] == "interrupted"
    with serving(tmp_path) as live, live.client() as client:
        assert ended(client, job)["state"] == "done"
        assert client.get(HOME).json()["stats"]["memories"] == 250


def test_a_job_can_be_stopped_and_resumed_while_others_go_on(
    tmp_path: Path, held: threading.Event
) -> None:
    with serving(tmp_path) as live, live.client() as client:
        job = client.post(f"{HOME}/jobs", files={"files": ("n.jsonl", chat(250))}).json()
        waiting = client.post(f"{HOME}/jobs", files={"files": ("o.txt", b"other")}).json()
        assert client.delete(f"{HOME}/jobs/{waiting['id']}").json()["state"] == "stopped"
        assert held.wait(WAIT_SECONDS)
        assert client.delete(f"{HOME}/jobs/{job['id']}").status_code == 202
        assert ended(client, job)["state"] == "stopped"
        note = {"memories": [{"kind": "note", "text": "between"}]}
        assert client.post(f"{HOME}/memories", json=note).status_code == 201
        assert client.post(f"{HOME}/jobs/{job['id']}/resume").status_code == 202
        assert ended(client, job)["state"] == "done"
        assert client.get(HOME).json()["stats"]["memories"] == 251
