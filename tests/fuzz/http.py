"""Requests as bytes on a socket: whatever arrives, the server answers in words and goes on."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx

from tests.fuzz.target import Prey, Target
from tests.serve.servers import PICTURE, Live, fill, serving

_LENGTH = re.compile(rb"\r\ncontent-length:[^\r\n]*", re.IGNORECASE)
_WAIT = 20.0  # seconds for an answer


def _request(method: str, path: str, body: object = None, **headers: str) -> bytes:
    named = {"Host": "127.0.0.1", "Content_Type": "application/json", **headers}
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in named.items()]
    lines.insert(0, f"{method} {path} HTTP/1.1")
    data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    return "\r\n".join([*lines, "", ""]).encode() + data


_HOME = "/v1/archives/home"
_PICTURE = sha256(PICTURE + b"quokka").hexdigest()
_PARTS = (
    b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nA note.\r\n'
    b'--x\r\nContent-Disposition: form-data; name="as"\r\n\r\ntext\r\n'
    b"--x--\r\n"
)
_CONTINUED = {
    "text": "And where?",
    "images": [{"data": "cA==", "mime": "image/png", "caption": "a tooth"}],
    "history": [{"role": "user", "text": "Who lost a tooth?"}],
}
_SEEDS = (
    _request("GET", "/v1/archives"),
    _request("GET", "/v1/metrics"),
    _request("GET", _HOME),
    _request("GET", f"{_HOME}/memories?limit=2&kind=message&since=2024-01-01T00:00:00Z"),
    _request("GET", f"{_HOME}/memories/a%2Fb"),
    _request("GET", f"{_HOME}/history/m1"),
    _request("GET", f"{_HOME}/media/{_PICTURE}", Range="bytes=0-9"),
    _request("GET", f"{_HOME}/previews/{_PICTURE}?edge=100"),
    _request("GET", f"{_HOME}/traces?limit=3"),
    _request("GET", f"{_HOME}/jobs"),
    _request("GET", f"{_HOME}/jobs/abc"),
    _request("POST", f"{_HOME}/memories", {"memories": [{"kind": "note", "text": "Key."}]}),
    _request(
        "POST",
        f"{_HOME}/memories",
        {"memories": [{"id": "n", "kind": "note", "timestamp": "2024-01-01T00:00:00Z"}]},
        Idempotency_Key="k1",
    ),
    _request("PUT", f"{_HOME}/memories/m2", {"kind": "message", "text": "It was."}),
    _request("DELETE", f"{_HOME}/memories/nobody"),
    _request("POST", f"{_HOME}/search", {"text": "tooth", "limit": 3, "filter": {"kinds": []}}),
    _request("POST", f"{_HOME}/recall", {"question": "Which hotel?", "explain": True}),
    _request("POST", f"{_HOME}/ask", {"question": {"text": "Which hotel?", "images": []}}),
    _request("POST", f"{_HOME}/ask", {"question": "Hotel?"}, Accept="text/event-stream"),
    _request("POST", f"{_HOME}/recall", {"question": _CONTINUED, "filter": {"sessions": ["s"]}}),
    _request("POST", f"{_HOME}/search", {"text": "tooth"}, Transfer_Encoding="chunked"),
    _request("POST", f"{_HOME}/erase", {"ids": ["nobody"]}),
    _request("POST", f"{_HOME}/media", b"some bytes", Content_Type="application/octet-stream"),
    _request("POST", f"{_HOME}/jobs", _PARTS, Content_Type="multipart/form-data; boundary=x"),
    _request("POST", f"{_HOME}/jobs", {"paths": ["home"]}),
    _request(
        "POST",
        "/mcp/home",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}},
        Accept="application/json, text/event-stream",
    ),
    _request("GET", "/"),
)


@contextmanager
def _open(folder: Path) -> Iterator[Prey]:
    fill(folder / "home", "quokka")
    with serving(folder, root=folder) as live, httpx.Client(base_url=live.url) as client:

        def run(data: bytes) -> None:
            status, said = _answer(live, data)
            assert status is None or status < 500, f"{status}: {said[:200]!r}"
            assert client.get("/v1/health").status_code == 200

        yield Prey(_SEEDS, run)


def _answer(live: Live, data: bytes) -> tuple[int | None, bytes]:
    """Send a request and read the answer; None if the server closed without one."""
    head, _, body = data.partition(b"\r\n\r\n")
    head = _LENGTH.sub(b"", head) + b"\r\nContent-Length: %d\r\nConnection: close" % len(body)
    received = b""
    with socket.create_connection(("127.0.0.1", live.port), timeout=_WAIT) as sock:
        try:
            sock.sendall(head + b"\r\n\r\n" + body)
            sock.shutdown(socket.SHUT_WR)
            while len(received) < 1 << 16 and (more := sock.recv(1 << 16)):
                received += more
        except ConnectionError:  # it may refuse a head before it has seen the whole
            pass
    parts = received.split(b" ", 2)
    if len(parts) < 2 or not parts[1].isdigit():
        return None, received
    return int(parts[1]), received


TARGETS = (Target("http", "http", _open),)
