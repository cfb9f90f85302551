"""What models answer: verdicts, judgments, answers, and the HTTP below them."""

from __future__ import annotations

import json
import socketserver
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from graphmemix.encode.endpoint import EndpointEncoder
from graphmemix.errors import EncoderError, InvalidReplyError, ModelError
from graphmemix.evidence import Block, Packet
from graphmemix.llm import Message, OpenAiChat, run_sync
from graphmemix.llm.pace import Backoff
from graphmemix.llm.structured import FaultyReplyError
from graphmemix.read.citations import find_citations
from graphmemix.read.llm import WithoutReasoning, without_reasoning
from graphmemix.settings import Settings
from graphmemix.verify.brief import make_brief
from graphmemix.verify.replies import read_edges, read_joint, read_nodes
from graphmemix_bench.judge import parse_verdict
from tests.fuzz.target import Prey, Target
from tests.verify.cases import NODE, ROWS, ecv, small_case

_JOINT = {"scores": {"C01": 5, "C02": 0, "C03": 2.5, "C04": 0}, "increments": ROWS}
_WRAPS = (
    "{}",
    "```json\n{}\n```",
    "<think>{{}} hm</think>Sure: {} {{",
    '{{"type": "object"}} {}',
)


def _told(reply: object) -> list[bytes]:
    return [wrap.format(json.dumps(reply)).encode() for wrap in _WRAPS]


@contextmanager
def _verdict(reply: object, read: Callable[..., Any], _folder: Path) -> Iterator[Prey]:
    brief = make_brief(small_case(), (), Settings().verifier)
    more = {} if read is read_nodes else {"ceiling": 0.99}

    def run(data: bytes) -> None:
        for repair in (True, False):
            repairs = Counter[str]()
            try:
                found = read(
                    data.decode("utf-8", "replace"),
                    brief,
                    repair_unknown=repair,
                    repairs=repairs,
                    **more,
                )
            except FaultyReplyError as error:
                _check_fault(str(error), repairs)
            else:
                _check_verdict(found)

    yield Prey(_told(reply), run)


def _check_fault(told: str, repairs: Counter[str]) -> None:
    assert told.encode()  # goes back to the model
    assert not repairs  # those of a reply that passed only


def _check_verdict(found: Any) -> None:
    scores, increments = found if isinstance(found, tuple) and len(found) == 2 else (found, ())
    if isinstance(scores, dict):
        assert all(0 <= score <= 5 for score in scores.values())
    for each in increments if isinstance(increments, tuple) else ():
        assert 0 <= each.weight <= 0.99


@contextmanager
def _judge(_folder: Path) -> Iterator[Prey]:
    def run(data: bytes) -> None:
        with suppress(InvalidReplyError):
            assert isinstance(parse_verdict(data.decode("utf-8", "replace")), bool)

    yield Prey([b'{"correct": true}', b' {"correct":false}\n', b'{"correct": true, "a": [1]}'], run)


@contextmanager
def _answer(_folder: Path) -> Iterator[Prey]:
    packet = Packet(tuple(Block(i, f"m{i}", "", ("text",), "") for i in range(1, 4)))

    def run(data: bytes) -> None:
        text = data.decode("utf-8", "replace")
        cut = len(text) // 3
        unspoken = WithoutReasoning()
        pieces = [
            unspoken.piece(part) for part in (text[:cut], text[cut : 2 * cut], text[2 * cut :])
        ]
        assert "".join(pieces) + unspoken.rest() == without_reasoning(text)
        citations, unknown = find_citations(text, packet)
        assert len(citations) <= 3
        assert unknown >= 0

    yield Prey(
        [b"It was [1], see [1-3] and [Memory 2].", "<think>x</think> yes 【2】".encode()], run
    )


class _Server(socketserver.ThreadingTCPServer):
    """Sends one prepared reply to every request, whatever it is."""

    daemon_threads = True
    reply = b""


class _Handler(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        with suppress(OSError):
            self.request.settimeout(5)
            received = b""
            while b"\r\n\r\n" not in received:
                received += self.request.recv(65536) or b"\r\n\r\n"
            head, _, body = received.partition(b"\r\n\r\n")
            length = head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]
            while len(body) < int(length or 0) and (more := self.request.recv(65536)):
                body += more
            server: Any = self.server
            self.request.sendall(server.reply)


@contextmanager
def _server() -> Iterator[_Server]:
    server = _Server(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _http(body: object, kind: str = "application/json", status: int = 200, more: str = "") -> bytes:
    text = body if isinstance(body, str) else json.dumps(body)
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}\r\n"
    return head.encode() + text.encode()


_CHOICE = {"message": {"role": "assistant", "content": "yes"}, "finish_reason": "stop"}
_USAGE = {"prompt_tokens": 3, "completion_tokens": 1, "total_tokens": 4}
_PIECE = {"choices": [{"index": 0, "delta": {"content": "yes"}, "finish_reason": None}]}
_END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": _USAGE}
_CHAT_SEEDS = (
    _http({"id": "1", "choices": [_CHOICE], "usage": _USAGE}),
    _http({"choices": [_CHOICE]}),
    _http({"error": {"message": "no schema"}}, status=400),
    _http({"error": {"message": "later"}}, status=429, more="Retry-After: 0\r\n"),
    _http({"error": "x"}, status=503, more="Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
    _http(
        f"data: {json.dumps(_PIECE)}\n\ndata: {json.dumps(_END)}\n\ndata: [DONE]\n\n",
        "text/event-stream",
    ),
)


@contextmanager
def _chat(_folder: Path) -> Iterator[Prey]:
    with _server() as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/v1"

        async def talk() -> None:
            chat = OpenAiChat(
                address, "m", timeout=2.0, backoff=Backoff(retries=1, first=0.0, longest=0.0)
            )
            async with chat:
                with suppress(ModelError):
                    (await chat.complete([Message.user("?")])).text.encode()
                with suppress(ModelError):
                    async for piece in chat.stream([Message.user("?")]):
                        piece.text.encode()

        def run(data: bytes) -> None:
            server.reply = data
            run_sync(talk())

        yield Prey(_CHAT_SEEDS, run)


def _vectors(*rows: list[float]) -> bytes:
    return _http({"data": [{"index": i, "embedding": row} for i, row in enumerate(rows)]})


@contextmanager
def _encoder(_folder: Path) -> Iterator[Prey]:
    with _server() as server:
        address = f"http://127.0.0.1:{server.server_address[1]}/v1"

        def run(data: bytes) -> None:
            server.reply = data
            encoder = EndpointEncoder(address, "m", timeout=2.0, retries=0, concurrency=1)
            with encoder, suppress(EncoderError):
                assert encoder.texts(["a", "b"]).shape[0] == 2

        seeds = [
            _vectors([1.0, 0.0], [0.6, 0.8]),
            _http({"error": {"message": "too long"}}, status=400),
            _http("busy", status=429, more="Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n"),
        ]
        yield Prey(seeds, run)


TARGETS = (
    Target("node", "replies", partial(_verdict, NODE, read_nodes)),
    Target("edges", "replies", partial(_verdict, ecv(), read_edges)),
    Target("joint", "replies", partial(_verdict, _JOINT, read_joint)),
    Target("judge", "replies", _judge),
    Target("answer", "replies", _answer),
    Target("chat", "replies", _chat),
    Target("encoder", "replies", _encoder),
)
