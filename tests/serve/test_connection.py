"""Heads that are ambiguous, heads that never end, and more connections than there may be."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmemix.serve.options import Limits
from tests.serve.servers import Live, everything, fill, head, raw, serving

HOME = "/v1/archives/home"
CHUNKED = b"2\r\n{}\r\n0\r\n\r\n"


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder: Path = tmp_path_factory.mktemp("few")
    fill(folder / "home", "quokka")
    # Heads have all the time they want: only the number of connections closes one.
    limits = Limits(requests_per_minute=0, connections=3, head_seconds=600.0)
    with serving(folder, limits=limits) as live:
        yield live


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 2", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 12"),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: gzip, chunked",),
        ("Content-Length: 2", "Content-Length: 3"),
        ("Content-Length: 2, 3",),
        ("Content-Length: +2",),
        ("Content-Length : 2",),
    ],
)
def test_a_body_of_ambiguous_length_is_refused_and_hung_up_on(
    few: Live, lines: tuple[str, ...]
) -> None:
    smuggled = head(few, "GET", f"{HOME}/memories/m1")
    kind = "Content-Type: application/json"
    sent = head(few, "POST", f"{HOME}/search", kind, *lines) + CHUNKED + smuggled
    reply = everything(raw(few, sent))
    assert reply.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501"))
    assert reply.count(b"HTTP/1.1") == 1  # what stands behind it is not read as a request


def test_http_1_0_has_no_chunks(few: Live) -> None:
    sent = head(few, "POST", f"{HOME}/search", "Transfer-Encoding: chunked")
    reply = everything(raw(few, sent.replace(b"HTTP/1.1", b"HTTP/1.0") + CHUNKED))
    assert reply.startswith(b"HTTP/1.1 400")


def test_a_body_with_its_length_or_in_chunks_is_read(few: Live) -> None:
    kind = "Content-Type: application/json"
    for lines, body in (("Content-Length: 2", b"{}"), ("Transfer-Encoding: chunked", CHUNKED)):
        close = "Connection: close"
        reply = everything(raw(few, head(few, "POST", f"{HOME}/search", kind, lines, close) + body))
        assert reply.startswith(b"HTTP/1.1 422")


def is_closed(connection: socket.socket) -> bool:
    """Wait for the end; it is a reset if the server had not yet read what was sent."""
    try:
        return connection.recv(10) == b""
    except ConnectionResetError:
        return True


def test_a_new_connection_takes_the_place_of_the_one_that_was_idle_for_longest(few: Live) -> None:
    first = raw(few, b"GET /v1/he")
    others = [raw(few, b"GET /v1/he") for _ in range(2)]
    with first, others[0], others[1], raw(few, head(few, "GET", "/v1/health")) as last:
        assert last.recv(65_536).startswith(b"HTTP/1.1 200")
        assert is_closed(first)
        others[1].sendall(b"alth HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert others[1].recv(65_536).startswith(b"HTTP/1.1 200")


def test_a_bad_body_behind_a_reply_that_has_begun_is_no_error_of_the_server(
    few: Live, caplog: pytest.LogCaptureFixture
) -> None:
    lines = ("Content-Type: text/plain", "Transfer-Encoding: chunked")
    caplog.set_level(logging.WARNING)
    with raw(few, head(few, "POST", f"{HOME}/search", *lines)) as connection:
        assert connection.recv(65_536).startswith(b"HTTP/1.1 415")
        connection.sendall(b"no length\r\n")
        while connection.recv(65_536):
            pass
    assert [each for each in caplog.records if each.levelno >= logging.ERROR] == []


@pytest.fixture(scope="module")
def mcp_port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder: Path = tmp_path_factory.mktemp("mcp")
    fill(folder / "home", "quokka")
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from graphmemix.serve import mcp_http\n"
        "from graphmemix.serve.mcp import ReopeningAccess\n"
        "from graphmemix.serve.options import Limits\n"
        "mcp_http.LIMITS = Limits(head_seconds=1, body_bytes=5000, body_seconds=1)\n"
        "mcp_http.serve_http(ReopeningAccess(sys.argv[1]), 'home', host='127.0.0.1', port=0,\n"
        "    state=Path(sys.argv[2]), announce=lambda url: print(url, flush=True))\n"
    )
    command = [sys.executable, "-c", code, str(folder / "home"), str(folder / "state")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline().rpartition(":")[2].partition("/")[0])
        finally:
            process.kill()


def answered(port: int, data: bytes) -> bytes:
    connection = socket.create_connection(("127.0.0.1", port), timeout=60)
    connection.sendall(data)
    return everything(connection)


POST = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_mcp_alone_hangs_up_on_heads_that_never_end(mcp_port: int) -> None:
    assert answered(mcp_port, b"POST /mcp HTTP/1.1\r\nHost: loc") == b""
    assert answered(mcp_port, b"") == b""


def test_mcp_alone_refuses_bodies_of_ambiguous_length(mcp_port: int) -> None:
    lines = b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert answered(mcp_port, POST + lines + CHUNKED).startswith(b"HTTP/1.1 400")


def test_mcp_alone_bounds_bodies_with_and_without_length(mcp_port: int) -> None:
    reply = answered(mcp_port, POST + b"Content-Length: 400000000\r\n\r\n")
    assert reply.startswith(b"HTTP/1.1 413")
    chunk = b"1000\r\n" + b" " * 4096 + b"\r\n"
    reply = answered(mcp_port, POST + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 2)
    assert reply.startswith(b"HTTP/1.1 413")


def test_mcp_alone_gives_up_on_bodies_that_stall(mcp_port: int) -> None:
    reply = answered(mcp_port, POST + b"Content-Length: 100\r\n\r\n{")
    assert reply.startswith(b"HTTP/1.1 408")
