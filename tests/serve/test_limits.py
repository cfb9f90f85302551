"""Large bodies, many requests, slow clients."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from graphmemix.serve.asgi import Receive, Send
from graphmemix.serve.keys import Principal
from graphmemix.serve.limits import LimitsMiddleware, RequestRate, RequestSlots
from graphmemix.serve.options import Limits
from graphmemix.serve.problems import ProblemError
from tests.serve.servers import Live, everything, fill, head, layer, raw, serving, until

HOME = "/v1/archives/home"
SMALL = Limits(
    body_bytes=10_000,
    upload_bytes=50_000,
    upload_files=3,
    requests_per_minute=0,
    in_flight=4,
    head_seconds=1,
    body_seconds=1,
    send_seconds=1,
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder: Path = tmp_path_factory.mktemp("small")
    fill(folder / "home", "quokka")
    with serving(folder, limits=SMALL) as live:
        yield live


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


def test_bodies_on_their_way_keep_no_others_from_being_served(tmp_path: Path) -> None:
    fill(tmp_path / "home", "quokka")
    limits = Limits(requests_per_minute=0, in_flight=4)
    lines = ("Content-Type: application/json", "Content-Length: 10")
    with serving(tmp_path, limits=limits) as live, ExitStack() as stack:
        guard = layer(live, LimitsMiddleware)
        search = head(live, "POST", f"{HOME}/search", *lines)
        waiting = [stack.enter_context(raw(live, search)) for _ in range(4)]
        until(lambda: guard.receiving.taken == 4)
        with live.client() as client:
            assert client.get(f"{HOME}/memories/m1").status_code == 200
            refused = client.post(f"{HOME}/search", json={"text": "tooth"})
            assert (refused.status_code, refused.json()["code"]) == (503, "overloaded")
            assert refused.headers["retry-after"]
            for connection in waiting:
                connection.close()
            until(lambda: guard.receiving.taken == 0)
            assert client.post(f"{HOME}/search", json={"text": "tooth"}).status_code == 200


def test_a_body_that_trickles_is_cut_off_however_short_its_pauses_are() -> None:
    limits = Limits(body_seconds=30.0, body_grace_seconds=0.2, body_rate=1000)

    async def trickle() -> dict[str, Any]:
        await asyncio.sleep(0.01)
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def app(_scope: Any, receive: Receive, _send: Send) -> None:
        for _ in range(10_000):
            await receive()

    async def sent(_message: Any) -> None:
        """Nothing is sent."""

    with pytest.raises(ProblemError) as refused:
        asyncio.run(LimitsMiddleware(app, limits)(a_scope("POST", "a"), trickle, sent))
    assert (refused.value.problem.status, refused.value.problem.code) == (408, "too_slow")


def test_time_in_which_the_server_does_not_read_is_not_held_against_the_client() -> None:
    limits = Limits(body_grace_seconds=0.5, body_rate=1000)
    seen = []

    async def quick() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x", "more_body": True}

    async def app(_scope: Any, receive: Receive, _send: Send) -> None:
        for _ in range(3):
            await asyncio.sleep(0.3)  # a busy disk
            seen.append(await receive())

    async def sent(_message: Any) -> None:
        """Nothing is sent."""

    asyncio.run(LimitsMiddleware(app, limits)(a_scope("POST", "a"), quick, sent))
    assert len(seen) == 3


def test_no_caller_has_more_than_a_quarter_of_the_places() -> None:
    slots = RequestSlots(64)
    for _ in range(16):
        slots.take("greedy")
    with pytest.raises(ProblemError) as refused:
        slots.take("greedy")
    assert refused.value.problem.status == 429
    for caller in "abc":
        for _ in range(16):
            slots.take(caller)
    with pytest.raises(ProblemError) as full:
        slots.take("d")
    assert full.value.problem.status == 503
    slots.give_back("greedy")
    slots.take("d")
    assert slots.taken == 64


def test_all_bodies_in_memory_together_are_bounded() -> None:
    limits = Limits(buffered_bytes=2500)
    reading = asyncio.Event()
    outcomes: list[int] = []

    async def message() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * 1000, "more_body": False}

    async def app(_scope: Any, receive: Receive, _send: Send) -> None:
        await receive()
        await reading.wait()

    async def sent(_message: Any) -> None:
        """Nothing is sent."""

    async def all_at_once() -> None:
        guard = LimitsMiddleware(app, limits)

        async def one(path: str) -> None:
            try:
                await guard(a_scope("POST", "a", path), message, sent)
                outcomes.append(200)
            except ProblemError as refused:
                outcomes.append(refused.problem.status)

        tasks = [asyncio.create_task(one(f"{HOME}/search")) for _ in range(3)]
        tasks += [asyncio.create_task(one(f"{HOME}/media")) for _ in range(3)]
        while not outcomes:  # noqa: ASYNC110  # a list has no event
            await asyncio.sleep(0)
        reading.set()
        await asyncio.gather(*tasks)
        assert guard._buffered.size == 0

    asyncio.run(all_at_once())
    assert sorted(outcomes) == [200] * 5 + [503]  # files go to the disk, and are not counted


def a_scope(method: str, caller: str, path: str = f"{HOME}/search") -> dict[str, Any]:
    return {
        "type": "http",
        "method": method,
        "path": path,
        "headers": [(b"transfer-encoding", b"chunked")],
        "state": {"principal": Principal(caller, {})},
    }


def test_a_key_has_its_rate_and_others_have_theirs() -> None:
    pace = RequestRate(60)
    assert [pace.take("a", 0.0) for _ in range(60)] == [0.0] * 60
    assert pace.take("a", 0.0) == pytest.approx(1.0)
    assert pace.take("b", 0.0) == 0.0
    assert pace.take("a", 1.0) == 0.0
    assert pace.take("a", 1.0) > 0
    assert RequestRate(0).take("a", 0.0) == 0.0


def test_callers_are_forgotten_before_they_fill_the_memory() -> None:
    pace = RequestRate(60)
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
