"""A real server process under requests that are made to be expensive."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest

from tests.serve.servers import fill, token

HOME = "/v1/archives/home"
MEBI = 1 << 20
pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")


class Process(NamedTuple):
    pid: int
    port: int
    reader: str
    writer: str

    def client(self, key: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=f"http://127.0.0.1:{self.port}", headers=headers, timeout=120)

    def peak(self) -> int:
        """Return the most memory that the process has had, in bytes."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) << 10
        raise AssertionError


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    folder: Path = tmp_path_factory.mktemp("process")
    fill(folder / "home", "quokka")
    reader, writer = token(folder, home="read"), token(folder, home="write")
    command = [sys.executable, "-m", "graphmemix", "serve", str(folder / "home"), "--port", "0"]
    command += ["--state", str(folder / "state"), "--root", str(folder), "--rate", "0"]
    environment = {**os.environ, "HOME": str(folder)}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment) as started:
        assert started.stderr is not None
        try:
            port = int(started.stderr.readline().rpartition(":")[2])
            found = Process(started.pid, port, reader, writer)
            with found.client(reader) as client:  # what is loaded for a question is there
                question = {"question": "Where is the tooth?"}
                assert client.post(f"{HOME}/recall", json=question).status_code == 200
            yield found
        finally:
            started.kill()


def test_large_questions_in_object_form_cost_next_to_nothing(process: Process) -> None:
    before = process.peak()
    question = {"question": {"text": "where is it " * 350_000}}  # 4 MB

    def ask(_: int) -> int:
        with process.client(process.reader) as client:
            return client.post(f"{HOME}/recall", json=question).status_code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [422] * 8
    assert process.peak() - before < 300 * MEBI


def test_a_large_memory_is_refused_without_being_encoded(process: Process) -> None:
    before = process.peak()
    memory = {"kind": "note", "text": "The key is with Olga. " * 650_000}  # 14 MB
    with process.client(process.writer) as client:
        reply = client.post(f"{HOME}/memories", json={"memories": [memory]})
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
    assert process.peak() - before < 300 * MEBI


@pytest.mark.parametrize("kind", ["application/json", "multipart/form-data; boundary=x"])
def test_a_body_that_there_is_no_right_to_send_is_not_kept(process: Process, kind: str) -> None:
    before = process.peak()
    key = process.writer if kind == "application/json" else process.reader
    told = (
        f"POST {HOME}/jobs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n"
        f"Content-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"100000\r\n" + b" " * MEBI + b"\r\n"
    with socket.create_connection(("127.0.0.1", process.port), timeout=60) as connection:
        connection.sendall(told.encode())
        assert connection.recv(65_536).startswith(b"HTTP/1.1 403")
        with suppress(ConnectionError):  # it may hang up in the middle
            for _ in range(200):
                connection.sendall(chunk)
    assert process.peak() - before < 100 * MEBI
