"""An embeddings server whose replies a test writes."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from graphmemix.encode.endpoint import EndpointEncoder

KEY = "sk-very-secret-0123456789"


DIMENSION = 4


@dataclass
class Reply:
    """What the server answers: a body (or JSON), a status, headers, and how it misbehaves."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    held: bool = False  # not sent before the server closes
    drip: float = 0.0  # seconds between single bytes
    drop: bool = False  # close without an answer


Script = Callable[[dict[str, Any]], Reply]


def vector(item: Any) -> list[float]:
    """An embedding that tells what was embedded, and that is not of length 1."""
    text = json.dumps(item, sort_keys=True)
    return [3.0, float(len(text)), float(sum(text.encode()) % 97), float(text.encode()[-2])]


def embed(request: dict[str, Any]) -> Reply:
    items = request["input"] if "input" in request else [request["messages"]]
    data = [
        {"object": "embedding", "index": i, "embedding": vector(item)}
        for i, item in enumerate(items)
    ]
    return Reply({"object": "list", "data": data, "model": request["model"]})


class Server:
    """A real HTTP server whose replies a test writes."""

    def __init__(self) -> None:
        self.script: Script = embed
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.under_way = self.most_under_way = 0
        self._lock = threading.Lock()
        self._closing = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # else every reply takes 40 ms

            def do_POST(self) -> None:
                server.answer(self)

            def log_message(self, *args: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        with self._lock:
            self.requests.append(request)
            self.headers.append(dict(handler.headers))
            self.paths.append(handler.path)
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        reply = self.script(request)
        if reply.held:
            self._closing.wait()
        with self._lock:
            self.under_way -= 1
        if reply.drop:
            handler.close_connection = True
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        try:
            handler.send_response(reply.status)
            for name, value in {"Content-Length": str(len(body)), **reply.headers}.items():
                handler.send_header(name, value)
            handler.end_headers()
            for piece in [body[i : i + 1] for i in range(len(body))] if reply.drip else [body]:
                handler.wfile.write(piece)
                handler.wfile.flush()
                time.sleep(reply.drip)
        except OSError:
            pass  # the client has had enough

    def close(self) -> None:
        self._closing.set()
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


Opened = Callable[..., EndpointEncoder]


def unit(values: list[float]) -> Any:
    return np.array(values) / np.linalg.norm(values)
