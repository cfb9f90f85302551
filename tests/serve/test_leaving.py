"""A client that goes away ends its work, and is no error of the server."""

from __future__ import annotations

import logging
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import LimitReachedError
from graphmemix.llm.limits import check_cancelled
from graphmemix.serve.limits import LimitsMiddleware
from graphmemix.settings import Settings
from tests.serve.servers import Live, fill, head, layer, raw, serving, until

HOME = "/v1/archives/home"
JSON = "Content-Type: application/json"
ASK = b'{"question": "Where is the tooth?"}'
CALL = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", '
    b'"params": {"name": "ask", "arguments": {"question": "Where is the tooth?"}}}'
)
QUESTIONS = {
    "answer": (f"{HOME}/ask", "Accept: application/json", ASK),
    "evidence": (f"{HOME}/recall", "Accept: application/json", ASK),
    "events": (f"{HOME}/ask", "Accept: text/event-stream", ASK),
    "tool": ("/mcp", "Accept: application/json, text/event-stream", CALL),
}


class SilentModel:
    """A chat model on a socket that takes requests and never answers."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}/v1"
        self.asked = 0
        self.closed = 0

    @contextmanager
    def listening(self) -> Iterator[SilentModel]:
        threading.Thread(target=self._accept, daemon=True).start()
        try:
            yield self
        finally:
            self._socket.shutdown(socket.SHUT_RDWR)
            self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._hear, args=(connection,), daemon=True).start()

    def _hear(self, connection: socket.socket) -> None:
        with connection:
            self.asked += bool(connection.recv(65_536))
            while connection.recv(65_536):
                pass
            self.closed += 1


@pytest.fixture(scope="module")
def silent() -> Iterator[SilentModel]:
    with SilentModel().listening() as model:
        yield model


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, silent: SilentModel) -> Iterator[Live]:
    folder: Path = tmp_path_factory.mktemp("leaving")
    fill(folder / "home", "quokka")
    model = {"model.base_url": silent.url, "model.name": "silent", "model.concurrency": 1}
    settings = Settings.load(overrides=model)
    with serving(folder, settings=settings) as live:
        yield live


def posted(live: Live, form: str) -> socket.socket:
    path, accept, body = QUESTIONS[form]
    length = f"Content-Length: {len(body)}"
    return raw(live, head(live, "POST", path, JSON, accept, length) + body)


def statuses(live: Live) -> dict[str, int]:
    """Return how often each status was counted."""
    with live.client() as client:
        text = client.get("/v1/metrics").text
    found: dict[str, int] = {}
    for status, count in re.findall(r'requests_total\{.*status="(\d+)"\} (\d+)', text):
        found[status] = found.get(status, 0) + int(count)
    return found


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR]


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    ours = logging.getLogger("graphmemix.serve")
    before, ours.propagate = ours.propagate, True
    caplog.set_level(logging.INFO)
    yield caplog
    ours.propagate = before


@pytest.mark.parametrize("form", QUESTIONS)
def test_a_client_that_leaves_ends_the_calls_of_its_model(
    served: Live, silent: SilentModel, logged: pytest.LogCaptureFixture, form: str
) -> None:
    guard = layer(served, LimitsMiddleware)
    before, asked, closed = statuses(served), silent.asked, silent.closed
    with posted(served, form):
        until(lambda: silent.asked == asked + 1)
        assert guard.working.taken == 1
    until(lambda: silent.closed == closed + 1)
    until(lambda: guard.working.taken == 0)
    until(lambda: statuses(served).get("499", 0) == before.get("499", 0) + 1)
    assert not any(status.startswith("5") for status in statuses(served))
    assert errors(logged) == []


@pytest.mark.parametrize("form", QUESTIONS)
def test_a_question_holds_its_place_until_its_thread_has_ended(
    served: Live, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    guard = layer(served, LimitsMiddleware)
    started = threading.Event()
    taken: list[int] = []

    def slow(*_: Any, **__: Any) -> None:
        started.set()
        end = time.monotonic() + 60
        while time.monotonic() < end:
            try:
                check_cancelled()
            except LimitReachedError:
                time.sleep(0.2)  # long enough for a place that is given back too early to be free
                taken.append(guard.working.taken)
                raise
            time.sleep(0.01)

    archive = served.app.state.service.archives.get("home").archive
    monkeypatch.setattr(archive._questions, "case", slow)
    with posted(served, form):
        assert started.wait(60)
    until(lambda: taken == [1])
    until(lambda: guard.working.taken == 0)


@pytest.mark.parametrize(
    ("path", "kind", "begun"),
    [
        (f"{HOME}/search", "application/json", b'{"text": '),
        (f"{HOME}/memories", "application/json", b'{"memories": ['),
        (f"{HOME}/media", "image/jpeg", b"\xff\xd8"),
        (
            f"{HOME}/jobs",
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.txt"\r\n\r\nA no',
        ),
        ("/mcp", "application/json", b'{"jsonrpc": '),
    ],
)
def test_a_client_that_breaks_off_in_its_body_is_no_error_of_the_server(
    served: Live, logged: pytest.LogCaptureFixture, path: str, kind: str, begun: bytes
) -> None:
    guard = layer(served, LimitsMiddleware)
    before = statuses(served).get("499", 0)
    lines = (f"Content-Type: {kind}", "Content-Length: 1000")
    with raw(served, head(served, "POST", path, *lines) + begun):
        until(lambda: guard.receiving.taken == 1)
    until(lambda: statuses(served).get("499", 0) == before + 1)
    assert guard.receiving.taken == 0
    assert not any(status.startswith("5") for status in statuses(served))
    assert errors(logged) == []
