"""Real servers on real sockets, for the tests of the interface."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx
import uvicorn

from graphmemix import Archive, Media, Memory
from graphmemix.serve.keys import KeyRing
from graphmemix.serve.options import Limits, ServeOptions
from graphmemix.serve.run import bind, make_server
from graphmemix.settings import Settings

WAIT_SECONDS = 120.0  # nothing takes so long; then a wait has failed
_T = TypeVar("_T")


class Live:
    """A server that runs in a thread of this process."""

    def __init__(
        self, locations: Sequence[str], options: ServeOptions, settings: Settings | None = None
    ) -> None:
        self.options = options
        self.server: uvicorn.Server = make_server(locations, options, settings)
        self.app: Any = self.server.config.app
        self._socket = bind(options)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self.server.run, args=([self._socket],), daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        until(lambda: self.server.started or not self._thread.is_alive())
        assert self.server.started
        return self

    def __exit__(self, *exception: object) -> None:
        self.server.should_exit = True
        self._thread.join(WAIT_SECONDS)
        assert not self._thread.is_alive()
        self._socket.close()

    def client(self, token: str = "", **options: Any) -> httpx.Client:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.url, headers=headers, timeout=WAIT_SECONDS, **options)


def until(holds: Any, *, seconds: float = WAIT_SECONDS) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.02)


@contextmanager
def serving(
    folder: Path,
    *names: str,
    limits: Limits | None = None,
    settings: Settings | None = None,
    **options: Any,
) -> Iterator[Live]:
    """Serve archives below a folder."""
    chosen = ServeOptions(
        port=0, state=folder / "state", limits=limits or Limits(requests_per_minute=0), **options
    )
    locations = [f"{name}={folder / name}" for name in names or ("home",)]
    with Live(locations, chosen, settings) as live:
        yield live


def raw(live: Live, data: bytes) -> socket.socket:
    """Connect and send bytes as they are."""
    connection = socket.create_connection(("127.0.0.1", live.port), timeout=30)
    connection.sendall(data)
    return connection


def everything(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    with connection:
        found = b""
        while chunk := connection.recv(65_536):
            found += chunk
        return found


def head(live: Live, method: str, path: str, *lines: str) -> bytes:
    """Return the head of a request."""
    told = [f"{method} {path} HTTP/1.1", f"Host: 127.0.0.1:{live.port}", *lines]
    return "\r\n".join(told).encode() + b"\r\n\r\n"


def layer(live: Live, kind: type[_T]) -> _T:
    """Return a layer of a server that has answered something."""
    with live.client() as client:
        client.get("/v1/health")
    found = live.app.middleware_stack
    while not isinstance(found, kind):
        found = getattr(found, "app", None) or found._app
    return found


PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)


def fill(folder: Path, secret: str) -> str:
    """Make a small archive with a picture; return the picture's address."""
    with Archive.open(folder) as archive:
        kept = archive.media.put(PICTURE + secret.encode())
        medium = Media("image", kept.sha256, "image/png", "tooth.png", kept.size)
        archive.add(
            [
                Memory("m1", "message", f"Mia lost a tooth. {secret}", session="s", sequence=1),
                Memory("m2", "message", "It is under the pillow.", session="s", sequence=2),
                Memory("a/b", "email", "Hotel Miramar, 10 to 17 July"),
                Memory("p1", "photo", media=(medium,)),
            ]
        )
    return kept.sha256


def token(folder: Path, **grants: Any) -> str:
    """Make a key; ``all`` stands for every archive."""
    named = {"*" if name == "all" else name: scope for name, scope in grants.items()}
    return KeyRing(folder / "state").create("test", named)[1]
