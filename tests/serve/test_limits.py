"""Large bodies, many requests, slow clients."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from graphmemix.serve.limits import Pace
from graphmemix.serve.options import Limits
from tests.serve.servers import Live, fill, serving

HOME = "/v1/archives/home"
SMALL = Limits(
    body_bytes=10_000,
    upload_bytes=50_000,
    upload_files=3,
    requests_per_minute=0,
    in_flight=4,
    head_seconds=0.3,
    body_seconds=0.3,
    send_seconds=0.5,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder: Path = tmp_path_factory.mktemp("small")
    fill(folder / "home", "quokka")
    with serving(folder, limits=SMALL) as live:
        yield live


def raw(live: Live, data: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", live.port), timeout=30)
    connection.sendall(data)
    return connection


def everything(connection: socket.socket) -> bytes:
    with connection:
        found = b""
        while chunk := connection.recv(65_536):
            found += chunk
        return found


def head(live: Live, method: str, path: str, *lines: str) -> bytes:
    told = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{live.port}", *lines]
    return "\r\n".join(told).encode() + b"\r\n\r\n"


def test_a_body_that_says_it_is_too_large_is_refused_unread(small: Live) -> None:
    lines = ("Content-Type: application/json", "Content-Length: 10000000000")
    reply = everything(raw(small, head(small, "POST", f"{HOME}/search", *lines)))
    assert reply.startswith(b"HTTP/1.1 413")
    assert b"too_large" in reply


def test_a_body_that_grows_too_large_is_cut_off(small: Live) -> None:
    def chunks() -> Iterator[bytes]:
        for _ in range(200):
            yield b" " * 1000

    with small.client() as client:
        kind = {"Content-Type": "application/json"}
        reply = client.post(f"{HOME}/search", content=chunks(), headers=kind)
        assert (reply.status_code, reply.json()["code"]) == (413, "too_large")
        assert client.post(f"{HOME}/media", content=chunks()).status_code == 413
        assert client.post(f"{HOME}/media", content=b"x" * 40_000).status_code == 201


def test_too_many_files_at_once_are_refused(small: Live) -> None:
    files = [("files", (f"{i}.txt", b"x")) for i in range(4)]
    with small.client() as client:
        reply = client.post(f"{HOME}/jobs", files=files)
        assert (reply.status_code, reply.json()["code"]) == (422, "invalid_input")


def test_a_client_that_never_ends_its_head_is_hung_up_on(small: Live) -> None:
    assert everything(raw(small, b"GET /v1/health HTTP/1.1\r\nHost: loc")) == b""
    assert everything(raw(small, b"")) == b""
    again = raw(small, head(small, "GET", "/v1/health"))
    assert again.recv(65_536).startswith(b"HTTP/1.1 200")
    again.sendall(b"GET /v1/he")  # also on a connection that was good before
    assert b"200 OK" not in everything(again)


def test_a_client_that_stalls_in_its_body_is_told_and_hung_up_on(small: Live) -> None:
    lines = ("Content-Type: application/json", "Content-Length: 100")
    reply = everything(raw(small, head(small, "POST", f"{HOME}/search", *lines) + b'{"te'))
    assert reply.startswith(b"HTTP/1.1 408")
    assert b"too_slow" in reply


def test_a_client_that_does_not_read_does_not_hold_the_server(small: Live) -> None:
    service = small.app.state.service
    with small.client() as client:
        text = "x" * 9000
        for i in range(40):
            note = {"memories": [{"id": f"long{i}", "kind": "note", "text": text}]}
            client.post(f"{HOME}/memories", json=note)
        stuck = []
        for _ in range(3):
            connection = socket.socket()
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.connect(("127.0.0.1", small.port))
            connection.sendall(head(small, "GET", f"{HOME}/memories?limit=500") * 20)
            stuck.append(connection)
        for _ in range(20):
            assert client.get("/v1/health").status_code == 200
        for connection in stuck:
            connection.close()
        assert client.get(f"{HOME}/memories/m1").status_code == 200
    assert service.ready


def test_more_requests_than_can_be_served_are_told_to_come_back(small: Live) -> None:
    lines = ("Content-Type: application/json", "Content-Length: 10")
    waiting = [raw(small, head(small, "POST", f"{HOME}/search", *lines)) for _ in range(4)]
    try:
        with small.client() as client:
            found: list[httpx.Response] = []
            while not found or found[-1].status_code == 200:
                found.append(client.get(f"{HOME}/memories/m1"))
                assert len(found) < 1000
            assert (found[-1].status_code, found[-1].json()["code"]) == (503, "overloaded")
            assert found[-1].headers["retry-after"]
            assert client.get("/v1/health").status_code == 200
    finally:
        for connection in waiting:
            connection.close()


def test_a_key_has_its_rate_and_others_have_theirs() -> None:
    pace = Pace(60)
    assert [pace.take("a", 0.0) for _ in range(60)] == [0.0] * 60
    assert pace.take("a", 0.0) == pytest.approx(1.0)
    assert pace.take("b", 0.0) == 0.0
    assert pace.take("a", 1.0) == 0.0
    assert pace.take("a", 1.0) > 0
    assert Pace(0).take("a", 0.0) == 0.0


def test_callers_are_forgotten_before_they_fill_the_memory() -> None:
    pace = Pace(60)
    for i in range(20_000):
        pace.take(str(i), 0.0)
    assert len(pace._buckets) <= 10_000


def test_too_many_requests_are_told_when_to_come_back(tmp_path: Path) -> None:
    with serving(tmp_path, limits=Limits(requests_per_minute=5)) as live, live.client() as client:
        found = [client.get("/v1/archives") for _ in range(6)]
        assert [reply.status_code for reply in found] == [200] * 5 + [429]
        assert 1 <= int(found[-1].headers["retry-after"]) <= 13
        assert found[-1].json()["code"] == "too_many_requests"
        assert client.get("/v1/health").status_code == 200
