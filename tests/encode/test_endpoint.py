from __future__ import annotations

import base64
import gc
import json
import logging
import pickle
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest
from PIL import Image

from graphmemix.encode import endpoint
from graphmemix.encode.endpoint import EndpointEncoder
from graphmemix.encode.pictures import decode_picture
from graphmemix.encode.protocol import Encoder
from graphmemix.errors import EncoderError, InvalidDataError, InvalidInputError, MissingExtraError
from tests.encode.tiny_clip import encoded, halves, picture

KEY = "sk-very-secret-0123456789"
DIMENSION = 4


@dataclass
class Reply:
    """What the server answers: a body (or JSON), a status, headers, and how it misbehaves."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
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
        time.sleep(reply.delay)
        with self._lock:
            self.under_way -= 1
        if reply.drop:
            handler.close_connection = True
            return
        body = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
        handler.send_response(reply.status)
        for name, value in {"Content-Length": str(len(body)), **reply.headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        try:
            for piece in [body[i : i + 1] for i in range(len(body))] if reply.drip else [body]:
                handler.wfile.write(piece)
                handler.wfile.flush()
                time.sleep(reply.drip)
        except OSError:
            pass  # the client has had enough

    def close(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(endpoint, "_FIRST_WAIT", 0.01)
    running = Server()
    yield running
    running.close()


@pytest.fixture
def opened() -> Iterator[Callable[..., EndpointEncoder]]:
    encoders: list[EndpointEncoder] = []

    def open_encoder(url: str | Server, model: str = "tiny", **options: Any) -> EndpointEncoder:
        address = url if isinstance(url, str) else url.url
        encoders.append(EndpointEncoder(address, model, **options))
        return encoders[-1]

    yield open_encoder
    for encoder in encoders:
        encoder.close()


Opened = Callable[..., EndpointEncoder]


def in_turn(*replies: Reply | Script) -> Script:
    """Answer with one after the other; the last one stays."""
    left = list(replies)
    lock = threading.Lock()

    def script(request: dict[str, Any]) -> Reply:
        with lock:
            now = left.pop(0) if len(left) > 1 else left[0]
        return now if isinstance(now, Reply) else now(request)

    return script


def unit(values: list[float]) -> Any:
    return np.array(values) / np.linalg.norm(values)


# What it promises


def test_keeps_the_contract_of_encoders(server: Server, opened: Opened) -> None:
    contract: Encoder = opened(server, images=True)
    assert contract.identity == "endpoint:tiny"
    assert contract.sees_images
    texts = ["red", "", "日本語", "x" * 99]
    rows = contract.texts(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (4, DIMENSION)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert rows[0] == pytest.approx(unit(vector("red")))
    assert contract.dimension == DIMENSION
    assert contract.texts([]).shape == contract.images([]).shape == (0, DIMENSION)


def test_the_request_is_the_one_of_the_api(server: Server, opened: Opened) -> None:
    opened(server, "m", api_key=KEY, dimensions=4).texts(["red", "blue"])
    assert server.requests == [
        {"model": "m", "input": ["red", "blue"], "encoding_format": "float", "dimensions": 4}
    ]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert server.headers[0]["Content-Type"] == "application/json"


def test_without_a_key_none_is_sent(server: Server, opened: Opened) -> None:
    opened(server).texts(["red"])
    assert "Authorization" not in server.headers[0]
    assert "dimensions" not in server.requests[0]


@pytest.mark.parametrize(
    ("given", "path"),
    [
        ("", "/v1/embeddings"),
        ("/", "/v1/embeddings"),
        ("/v1", "/v1/embeddings"),
        ("/v1/", "/v1/embeddings"),
        ("/v1/embeddings", "/v1/embeddings"),
        ("/api/openai", "/api/openai/embeddings"),
        ("/v1?api-version=2", "/v1/embeddings?api-version=2"),
    ],
)
def test_any_usual_form_of_the_address(
    server: Server, opened: Opened, given: str, path: str
) -> None:
    opened(server.url + given).texts(["red"])
    assert server.paths == [path]


def test_batches_keep_their_order(server: Server, opened: Opened) -> None:
    def slower_first(request: dict[str, Any]) -> Reply:
        reply = embed(request)
        reply.delay = 0.08 if "0" in request["input"] else 0.0
        return reply

    server.script = slower_first
    texts = [str(i) for i in range(23)]
    told: list[tuple[int, int]] = []
    encoder = opened(server, batch=4, concurrency=3)
    rows = encoder.texts(texts, progress=lambda done, of: told.append((done, of)))
    assert rows == pytest.approx(np.array([unit(vector(text)) for text in texts]), abs=1e-6)
    assert sorted(len(request["input"]) for request in server.requests) == [3, 4, 4, 4, 4, 4]
    assert [of for _, of in told] == [23] * 6
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (23, 23)


def test_requests_run_at_once_up_to_the_limit(server: Server, opened: Opened) -> None:
    def slow(request: dict[str, Any]) -> Reply:
        reply = embed(request)
        reply.delay = 0.05
        return reply

    server.script = slow
    opened(server, batch=1, concurrency=3).texts(list("abcdefghi"))
    assert 2 <= server.most_under_way <= 3


def test_shuffled_rows_find_their_place(server: Server, opened: Opened) -> None:
    def shuffled(request: dict[str, Any]) -> Reply:
        reply = embed(request)
        reply.body["data"].reverse()
        return reply

    server.script = shuffled
    rows = opened(server).texts(["a", "bb", "ccc"])
    assert rows == pytest.approx(np.array([unit(vector(t)) for t in ("a", "bb", "ccc")]), abs=1e-6)


def test_rows_without_index_are_in_order(server: Server, opened: Opened) -> None:
    def bare(request: dict[str, Any]) -> Reply:
        return Reply({"data": [{"embedding": vector(text)} for text in request["input"]]})

    server.script = bare
    rows = opened(server).texts(["a", "bb"])
    assert rows == pytest.approx(np.array([unit(vector(t)) for t in ("a", "bb")]), abs=1e-6)


def test_texts_that_servers_refuse_are_mended(server: Server, opened: Opened) -> None:
    opened(server, max_characters=5).texts(["", "123456789", "\ud800"])
    assert server.requests[0]["input"] == [" ", "12345", "?"]


def test_the_dimension_is_asked_for_once(server: Server, opened: Opened) -> None:
    encoder = opened(server)
    assert [encoder.dimension, encoder.dimension] == [DIMENSION, DIMENSION]
    assert len(server.requests) == 1
    assert opened(server, dimensions=7).dimension == 7
    assert len(server.requests) == 1


def test_identity_names_the_model_and_not_the_server(opened: Opened) -> None:
    assert opened("http://a", "m").identity == opened("http://b/v1", "m").identity == "endpoint:m"
    assert opened("http://a", "m", dimensions=256).identity == "endpoint:m@256"


def test_threads_may_share_an_encoder(server: Server, opened: Opened) -> None:
    encoder = opened(server, batch=1, concurrency=2)
    found: dict[int, Any] = {}

    def work(number: int) -> None:
        found[number] = encoder.texts([f"{number} {i}" for i in range(5)])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for number, rows in found.items():
        expected = [unit(vector(f"{number} {i}")) for i in range(5)]
        assert rows == pytest.approx(np.array(expected), abs=1e-6)


def test_connections_are_given_back(server: Server) -> None:
    with EndpointEncoder(server.url, "m") as encoder:
        encoder.texts(["red"])
    with pytest.raises(EncoderError, match="closed"):
        encoder.texts(["red"])
    forgotten = EndpointEncoder(server.url, "m")
    forgotten.texts(["red"])
    del forgotten
    gc.collect()  # an open socket would warn, and warnings are errors


# Pictures


def sent_picture(item: dict[str, Any]) -> tuple[str, bytes]:
    head, _, body = item["image"].partition(";base64,")
    return head.removeprefix("data:"), base64.b64decode(body)


def test_plain_pictures_go_as_they_are(server: Server, opened: Opened) -> None:
    files = [
        picture("red", file_format="JPEG"),
        picture("red", file_format="PNG"),
        picture("red", file_format="WEBP"),
        encoded(Image.new("L", (9, 9))),
    ]
    rows = opened(server, images=True).images(files)
    sent = [sent_picture(item) for item in server.requests[0]["input"]]
    assert sent == list(
        zip(("image/jpeg", "image/png", "image/webp", "image/png"), files, strict=True)
    )
    assert rows[1] == pytest.approx(unit(vector(server.requests[0]["input"][1])))


def with_exif(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "a camera of Ms Private"
    return exif


@pytest.mark.parametrize(
    ("file", "mime"),
    [
        (encoded(halves("red", "blue"), "JPEG", exif=with_exif(6), quality=95), "image/jpeg"),
        (
            encoded(halves("red", "blue"), "JPEG", exif=with_exif(1), comment=b"Private"),
            "image/jpeg",
        ),
        (encoded(halves("red", "blue"), "PNG", exif=with_exif(3)), "image/png"),
        (encoded(halves("red", "blue").convert("RGBA"), "PNG"), "image/png"),
        (encoded(halves("red", "blue").convert("P"), "GIF"), "image/png"),
        (encoded(halves("red", "blue").convert("CMYK"), "TIFF"), "image/png"),
        (encoded(halves("red", "blue"), "BMP"), "image/png"),
        (
            encoded(
                halves("red", "blue"), "WEBP", save_all=True, append_images=[halves("red", "white")]
            ),
            "image/jpeg",
        ),
    ],
)
def test_other_pictures_are_sent_as_pixels_alone(
    server: Server, opened: Opened, file: bytes, mime: str
) -> None:
    opened(server, images=True).images([file])
    kind, sent = sent_picture(server.requests[0]["input"][0])
    assert kind == mime
    assert b"Private" not in sent
    seen, expected = decode_picture(sent, "sent"), decode_picture(file, "original")
    difference = np.asarray(seen).astype(float) - np.asarray(expected).astype(float)
    assert np.abs(difference).mean() < 3


def test_the_messages_form_is_the_one_of_vllm(server: Server, opened: Opened) -> None:
    file = picture("red")
    encoder = opened(server, images=True, image_style="messages", concurrency=1)
    encoder.images([file, picture("blue")])
    encoder.texts(["a text", ""])
    url = f"data:image/png;base64,{base64.b64encode(file).decode()}"
    assert [len(request["messages"]) for request in server.requests] == [1] * 4
    assert server.requests[0]["messages"] == [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}
    ]
    assert server.requests[2]["messages"][0]["content"] == [{"type": "text", "text": "a text"}]
    assert server.requests[3]["messages"][0]["content"] == [{"type": "text", "text": " "}]


def test_an_encoder_of_words_refuses_pictures(server: Server, opened: Opened) -> None:
    encoder = opened(server)
    assert not encoder.sees_images
    with pytest.raises(EncoderError, match="does not see images"):
        encoder.images([picture("red")])
    assert not server.requests


def test_a_corrupt_picture_is_named(server: Server, opened: Opened) -> None:
    encoder = opened(server, images=True, batch=2)
    with pytest.raises(InvalidDataError, match=r"images\[3\]"):
        encoder.images([*[picture("red")] * 3, b"no picture", picture("red")])


# Servers that fail


def test_busy_then_ok(server: Server, opened: Opened) -> None:
    server.script = in_turn(Reply({"error": "busy"}, 429), Reply({}, 503), Reply(drop=True), embed)
    assert opened(server).texts(["red"])[0] == pytest.approx(unit(vector("red")))
    assert len(server.requests) == 4


def after(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("header", "least"),
    [
        (lambda: "0.4", 0.4),
        (lambda: after(2), 0.5),
        (lambda: "3600", 0.2),  # cut at the longest wait, which this test makes short
        (lambda: after(-100), 0.0),
        (lambda: "-5", 0.0),
        (lambda: "soon", 0.0),
        (lambda: "nan", 0.0),
        (lambda: "0", 0.0),
    ],
)
def test_retry_after_is_honoured(
    server: Server,
    opened: Opened,
    monkeypatch: pytest.MonkeyPatch,
    header: Callable[[], str],
    least: float,
) -> None:
    value = header()
    if value == "3600":
        monkeypatch.setattr(endpoint, "_LONGEST_WAIT", 0.2)
    server.script = in_turn(Reply({}, 429, {"Retry-After": value}), embed)
    start = time.monotonic()
    opened(server).texts(["red"])
    assert time.monotonic() - start >= least


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
    server.script = in_turn(Reply({}, delay=0.5))
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
    server.script = in_turn(Reply({}, delay=0.4), embed)
    assert opened(server, timeout=0.15).texts(["red"]).shape == (1, DIMENSION)


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
    with pytest.raises(MissingExtraError, match=r"graphmemix\[endpoint\]"):
        EndpointEncoder("http://localhost", "m")
