"""A chat and embeddings server of fixed rules, which can be told to fail in every usual way."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import struct
import threading
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from graphmemix.evidence import Question
from graphmemix.memory import Memory
from graphmemix_bench.datasets import bundle as bundles
from graphmemix_bench.datasets.base import Context, GoldQuestion

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Mood: TypeAlias = Literal["up", "down", "slow", "error", "reset", "half", "nonsense", "refuse"]
FAILURES: tuple[Mood, ...] = ("down", "slow", "error", "reset", "half", "nonsense", "refuse")
DIMENSION = 32


class Oracle:
    """The server, and how it behaves.

    Attributes:
        mood: What it does with requests.
        after: So many requests are answered well before the mood counts.
        calls: Requests that came.
    """

    def __init__(self) -> None:
        self.mood: Mood = "up"
        self.after = 0
        self.calls = 0
        self.lock = threading.Lock()
        self.released = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.05,), daemon=True
        )
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """Stop it."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def behave(self, mood: Mood, *, after: int = 0) -> None:
        """Change the mood, which counts once `after` more requests were answered."""
        with self.lock:
            self.mood, self.after = mood, after

    def next_mood(self) -> Mood:
        """Count a request; return what is done with it."""
        with self.lock:
            self.calls += 1
            if self.after > 0:
                self.after -= 1
                return "up"
            return self.mood

    def _handler(oracle) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                with suppress(OSError):
                    length = int(self.headers.get("Content-Length", 0))
                    body = json.loads(self.rfile.read(length) or b"{}")
                    self._act(oracle.next_mood(), told(self.path, body))

            def _act(self, mood: Mood, reply: str) -> None:
                if mood in {"reset", "down"}:
                    linger = struct.pack("ii", 1, 0)
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                    self.connection.close()
                elif mood == "slow":
                    oracle.released.wait(30)
                elif mood == "half":
                    self._send(200, reply[: len(reply) // 2], length=len(reply))
                elif mood == "nonsense":
                    self._send(200, "<html>Welcome to the portal</html>")
                else:
                    status = {"up": 200, "error": 500, "refuse": 401}[mood]
                    self._send(status, reply if status == 200 else '{"error": "no"}')

            def _send(self, status: int, text: str, length: int | None = None) -> None:
                self.send_response(status)
                streamed = text.startswith("data: ")
                kind = "text/event-stream" if streamed else "application/json"
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(length or len(text.encode())))
                self.send_header("Connection", "close")
                self.end_headers()
                self.wfile.write(text.encode())
                self.close_connection = True

            def log_message(self, *_: object) -> None:
                pass

        return Handler


@contextmanager
def oracle() -> Iterator[Oracle]:
    server = Oracle()
    try:
        yield server
    finally:
        server.close()


def told(path: str, body: dict[str, Any]) -> str:
    """Return a reply as it is sent: as JSON, or as events if it is to be streamed."""
    reply = reply_to(path, body)
    if not body.get("stream"):
        return json.dumps(reply)
    words = reply["choices"][0]["message"]["content"]
    pieces: list[dict[str, Any]] = [
        {"index": 0, "delta": {"content": word}, "finish_reason": None} for word in words
    ]
    pieces.append({"index": 0, "delta": {}, "finish_reason": "stop"})
    return "".join(f"data: {json.dumps({'choices': [piece]})}\n\n" for piece in pieces) + (
        "data: [DONE]\n\n"
    )


def reply_to(path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Return what it says to a request; the same request gets the same reply."""
    if path.endswith("/embeddings"):
        texts = body["input"]
        rows = [{"index": i, "embedding": _vector(str(text))} for i, text in enumerate(texts)]
        return {"data": rows}
    message = {"role": "assistant", "content": _words(body)}
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage}


def _vector(text: str) -> list[float]:
    digest = hashlib.sha256(text.encode()).digest()
    return [byte / 255 - 0.5 for byte in digest[:DIMENSION]]


def _words(body: dict[str, Any]) -> str:
    shape = body.get("response_format", {}).get("json_schema", {}).get("name", "")
    last = body["messages"][-1]["content"]
    text = last if isinstance(last, str) else "\n".join(part.get("text", "") for part in last)
    if shape.endswith("_verdict"):
        case = json.loads(text.split("===== BEGIN CASE =====")[1].splitlines()[1])
        return _verdict(shape, case)
    if "reference_answer" in text:
        told = json.loads(text)
        return json.dumps(
            {"correct": told["reference_answer"].lower() in told["prediction"].lower()}
        )
    return "It is so. [1]"


def _verdict(shape: str, case: dict[str, Any]) -> str:
    words = set(re.findall(r"\w{4,}", case["question"].lower()))
    scores = {
        each["id"]: min(5, 2 * len(words & set(re.findall(r"\w{4,}", each["snippet"].lower()))))
        for each in case["candidates"]
    }
    rows = [
        {
            "id": each["id"],
            "direct_support": 0,
            "best_anchor_id": each["eligible_anchor_relations"][0]["anchor_id"],
            "incremental_support": 4,
            "role": "new_fact",
        }
        for each in case["candidates"]
        if each.get("eligible_anchor_relations")
    ]
    if shape == "edge_verdict":
        return json.dumps({"candidates": rows})
    chosen = [{"id": name, "score": score} for name, score in scores.items() if score]
    return json.dumps({"selected": chosen})


def bundle(folder: Path) -> Path:
    """Write a small data set; return its folder."""
    memories = tuple(
        Memory(f"m{i}", "message", f"Number {i} is in the {thing}.", session="s", sequence=i)
        for i, thing in enumerate(("kitchen", "garden", "harbour", "attic", "cellar", "tower"))
    )
    questions = tuple(
        GoldQuestion(Question(f"Where is number {i}?"), frozenset({f"m{i}"}), "FR", thing, f"Q{i}")
        for i, thing in enumerate(("kitchen", "garden", "harbour", "attic"))
    )
    bundles.write(folder, [Context("house", memories, questions)], name="faults")
    return folder
