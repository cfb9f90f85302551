from __future__ import annotations

import base64
import logging
import pickle
import socket
import sys
import threading
import traceback
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from graphmemix.encode import endpoint
from graphmemix.encode.endpoint import EndpointEncoder
from graphmemix.errors import EncoderError, InvalidInputError, MissingExtraError
from graphmemix.llm.model_server import ModelServer, RequestFailure
from tests.encode.embeddings import (
    DIMENSION,
    KEY,
    Opened,
    Reply,
    Script,
    Server,
    embed,
    unit,
    vector,
)


def in_turn(*replies: Reply | Script) -> Script:
    """Answer with one after the other; the last one stays."""
    left = list(replies)
    lock = threading.Lock()

    def script(request: dict[str, Any]) -> Reply:
        with lock:
            now = left.pop(0) if len(left) > 1 else left[0]
        return now if isinstance(now, Reply) else now(request)

    return script


# Servers that fail


def test_busy_then_ok(server: Server, opened: Opened) -> None:
    server.script = in_turn(
        Reply({"error": "busy"}, 429), Reply({}, 409), Reply({}, 503), Reply(drop=True), embed
    )
    assert opened(server).texts(["red"])[0] == pytest.approx(unit(vector("red")))
    assert len(server.requests) == 5


@pytest.mark.parametrize(
    ("header", "least", "most"),
    [
        ("0.4", 0.4, 0.4),
        ("3600", 60, 60),  # cut at the longest wait
        ("in an hour", 60, 60),  # as a date
        ("Fri, 17 May 2024 12:00:00 GMT", 0, 0.01),  # none of the others is a pause
        ("-5", 0, 0.01),
        ("soon", 0, 0.01),
        ("nan", 0, 0.01),
        ("0", 0, 0.01),
    ],
)
def test_retry_after_is_honoured(
    server: Server,
    opened: Opened,
    monkeypatch: pytest.MonkeyPatch,
    header: str,
    least: float,
    most: float,
) -> None:
    pauses: list[float] = []
    pause = ModelServer.pause

    def recorded(self: ModelServer, failure: RequestFailure, tries: int) -> float:
        pauses.append(pause(self, failure, tries))
        return 0.0

    monkeypatch.setattr(ModelServer, "pause", recorded)
    if header == "in an hour":
        header = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    server.script = in_turn(Reply({}, 429, {"Retry-After": header}), embed)
    opened(server).texts(["red"])
    assert len(pauses) == 1
    assert least <= pauses[0] <= most


def test_broken_forever(server: Server, opened: Opened) -> None:
    server.script = in_turn(Reply({"error": {"message": "out of memory"}}, 500))
    with pytest.raises(EncoderError, match=r"HTTP 500.*out of memory.*after 3 tries"):
        opened(server, retries=2).texts(["red"])
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [301, 400, 401, 403, 404, 413, 422])
def test_a_refusal_is_not_repeated(server: Server, opened: Opened, status: int) -> None:
    server.script = in_turn(Reply({"error": "no such model"}, status, {"Location": "http://x"}))
    with pytest.raises(EncoderError, match=rf"/v1/embeddings: HTTP {status} .*no such model"):
        opened(server).texts(["red"])
    assert len(server.requests) == 1


def test_no_reply_in_time(server: Server, opened: Opened) -> None:
    server.script = in_turn(Reply({}, held=True))
    with pytest.raises(EncoderError, match=r"no complete reply within 0.1 s, after 2 tries"):
        opened(server, timeout=0.1, retries=1).texts(["red"])


def test_a_reply_in_drops(server: Server, opened: Opened) -> None:
    server.script = in_turn(Reply({"data": "x" * 1000}, drip=0.02))
    with pytest.raises(EncoderError, match=r"no complete reply within 0.2 s"):
        opened(server, timeout=0.2, retries=0).texts(["red"])


def test_a_reply_without_end(
    server: Server, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(endpoint, "_MOST_NUMBERS", 10)
    server.script = in_turn(Reply({"data": [{"index": 0, "embedding": [0.123] * 1000}]}))
    with pytest.raises(EncoderError, match="does not end"):
        opened(server).texts(["red"])
    assert len(server.requests) == 1


def test_a_slow_reply_then_a_good_one(server: Server, opened: Opened) -> None:
    server.script = in_turn(Reply({}, held=True), embed)
    assert opened(server, timeout=1).texts(["red"]).shape == (1, DIMENSION)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_nobody_there(opened: Opened) -> None:
    with pytest.raises(EncoderError, match=r"127\.0\.0\.1.*cannot connect"):
        opened(f"http://127.0.0.1:{free_port()}").texts(["red"])


def test_gone_after_it_had_answered(server: Server, opened: Opened) -> None:
    server.script = lambda request: Reply(embed(request).body, headers={"Connection": "close"})
    encoder = opened(server, retries=2)
    encoder.texts(["red"])
    server.http.server_close()
    with pytest.raises(EncoderError, match=r"cannot connect.*after 3 tries"):
        encoder.texts(["red"])


def good(*embeddings: Any) -> list[dict[str, Any]]:
    return [{"index": i, "embedding": each} for i, each in enumerate(embeddings)]


BAD: dict[str, tuple[Any, str]] = {
    "too few": ({"data": good([1.0, 2.0])}, "1 vectors came back for 2 inputs"),
    "too many": ({"data": good([1.0], [1.0], [1.0])}, "3 vectors came back for 2 inputs"),
    "none": ({"data": []}, "0 vectors"),
    "index twice": (
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [2.0]}]},
        "indices",
    ),
    "index too high": (
        {"data": [{"index": 0, "embedding": [1.0]}, {"index": 2, "embedding": [2.0]}]},
        "indices",
    ),
    "index for one only": (
        {"data": [{"index": 0, "embedding": [1.0]}, {"embedding": [2.0]}]},
        "indices",
    ),
    "NaN": (
        b'{"data": [{"index": 0, "embedding": [NaN]}, {"index": 1, "embedding": [1]}]}',
        "finite",
    ),
    "infinite": ({"data": good([float("inf")], [1.0])}, "finite"),
    "null in it": ({"data": good([None], [1.0])}, r"data\.0\.embedding\.0"),
    "zeros": ({"data": good([1.0, 1.0], [0.0, 0.0])}, r"texts\[1\].*zero"),
    "unequal": ({"data": good([1.0, 2.0], [1.0])}, "vectors of"),
    "empty vectors": ({"data": good([], [])}, "vectors of"),
    "a string": ({"data": good("AAAA", "AAAA")}, r"data\.0\.embedding"),
    "no data": ({"error": "none"}, "data"),
    "a list": ([1, 2], "not a reply"),
    "truncated": (b'{"data": [{"index": 0, "embedd', "not a reply"),
    "empty": (b"", "not a reply"),
    "a web page": (b"<html>Login</html>", "not a reply"),
    "no UTF-8": (b"\xff\xfe\x00", "not a reply"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_replies_are_refused(server: Server, opened: Opened, case: str) -> None:
    body, message = BAD[case]
    server.script = in_turn(Reply(body))
    with pytest.raises(EncoderError, match=message):
        opened(server).texts(["red", "blue"])
    assert len(server.requests) == 1


def test_vectors_must_have_the_dimension_asked_for(server: Server, opened: Opened) -> None:
    with pytest.raises(EncoderError, match=r"vectors of \[4\] numbers instead of 3"):
        opened(server, dimensions=3).texts(["red"])


def test_the_dimension_must_not_change(server: Server, opened: Opened) -> None:
    encoder = opened(server)
    encoder.texts(["red"])
    server.script = in_turn(Reply({"data": good([1.0, 2.0])}))
    with pytest.raises(EncoderError, match=r"vectors of \[2\] numbers instead of 4"):
        encoder.texts(["red"])
    assert encoder.dimension == DIMENSION


def test_a_content_length_that_lies(server: Server, opened: Opened) -> None:
    whole = Reply({"data": good([1.0])}, headers={"Content-Length": "9999", "Connection": "close"})
    server.script = in_turn(whole)
    with pytest.raises(EncoderError, match=r"no complete reply|request failed"):
        opened(server, retries=0, timeout=0.3).texts(["red"])


def test_one_failure_stops_the_rest(server: Server, opened: Opened) -> None:
    def script(request: dict[str, Any]) -> Reply:
        if request["input"] == ["bad"]:
            return Reply({"error": "no"}, 400)
        return Reply({}, 429, {"Retry-After": "30"})

    server.script = script
    with pytest.raises(EncoderError, match="HTTP 4"):
        opened(server, batch=1, concurrency=2).texts(["bad", *["red"] * 50])
    assert len(server.requests) < 10


def test_a_failing_progress_callback_is_told(server: Server, opened: Opened) -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        opened(server, batch=1).texts(["red"] * 20, progress=stop)


# Secrets


def everything_told(error: BaseException) -> str:
    told = traceback.format_exception(error)
    link: BaseException | None = error
    while link is not None:
        told += [str(link), repr(link), repr(link.args)]
        link = link.__cause__ or link.__context__
    return "\n".join(told)


@pytest.mark.parametrize(
    "script",
    [
        lambda request: Reply({"error": f"Incorrect API key provided: {KEY}"}, 401),
        lambda request: Reply({"error": f"Bearer {KEY}"}, 500),
        lambda request: Reply({"data": KEY}),
        lambda request: Reply({"data": [], KEY: KEY}),
        lambda request: Reply(KEY.encode()),
        lambda request: Reply(drop=True),
    ],
)
def test_the_key_is_told_to_nobody(
    server: Server, opened: Opened, script: Script, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = script
    encoder = opened(server.url.replace("//", f"//user:{KEY}@"), api_key=KEY, retries=1)
    with pytest.raises(EncoderError) as caught:
        encoder.texts(["red"])
    assert KEY not in everything_told(caught.value)
    assert KEY not in caplog.text
    assert KEY not in repr(encoder) + str(encoder) + encoder.identity
    assert caught.value.__cause__ is None
    assert KEY.encode() not in pickle.dumps(caught.value)


def test_a_login_in_the_address_is_used(server: Server, opened: Opened) -> None:
    encoder = opened(server.url.replace("//", "//user:pass@"))
    encoder.texts(["red"])
    login = base64.b64encode(b"user:pass").decode()
    assert server.headers[0]["Authorization"] == f"Basic {login}"
    assert "pass" not in repr(encoder)


@pytest.mark.parametrize("key", [f"{KEY}\n", f"{KEY}\r\nX: y", f"{KEY}é", "", " "])
def test_an_impossible_key_is_refused_without_telling_it(key: str) -> None:
    with pytest.raises(InvalidInputError, match="api_key") as caught:
        EndpointEncoder("http://localhost", "m", api_key=key)
    assert KEY not in str(caught.value)


# Arguments


@pytest.mark.parametrize(
    "options",
    [
        {"batch": 0},
        {"concurrency": 0},
        {"retries": -1},
        {"dimensions": 0},
        {"max_characters": 0},
        {"timeout": 0},
        {"timeout": float("nan")},
        {"image_style": "xml"},
    ],
)
def test_impossible_arguments(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match=next(iter(options))):
        EndpointEncoder("http://localhost", "m", **options)


@pytest.mark.parametrize("url", ["", "localhost:8000", "ftp://x", "http://", "http://a:b", "/v1"])
def test_impossible_addresses(url: str) -> None:
    with pytest.raises(InvalidInputError, match="base_url"):
        EndpointEncoder(url, "m")


def test_a_model_has_a_name() -> None:
    with pytest.raises(InvalidInputError, match="model"):
        EndpointEncoder("http://localhost", "")


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingExtraError, match=r"the extra 'endpoint': .*\[endpoint\]"):
        EndpointEncoder("http://localhost", "m")
