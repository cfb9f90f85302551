"""A loopback server through which a package uses our model and our encoder.

It speaks two routes of the OpenAI API, on 127.0.0.1 alone, under a random path. So encoder, model
and the count of calls and tokens are the same for a package as for everything else in a run.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
import time
from concurrent.futures import CancelledError
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from graphmemix.encode.protocol import question_vectors
from graphmemix.errors import GraphMemixError, InvalidInputError, reason_of
from graphmemix.llm import JsonFormat, Message, Meter, Options

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder, Matrix
    from graphmemix.evidence import StageCost
    from graphmemix.llm import Chat

_LONGEST: Final = 64 * 1024 * 1024  # bytes of a request
_ANY_OBJECT: Final = JsonFormat("reply", {"type": "object"}, "json_object")


class Bridge:
    """Serves one package. Everything runs in the event loop that opened it, one request a time.

    Attributes:
        asking: Whether texts to encode are questions now.
        meter: Counts what the model is asked.
    """

    def __init__(self, encoder: Encoder, chat: Chat | None) -> None:
        self._encoder = encoder
        self._chat = chat
        self._path = f"/{secrets.token_urlsafe(16)}/v1"
        self.meter = Meter()
        self._server: ThreadingHTTPServer | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._turn = asyncio.Lock()
        self.asking = False

    def serve(self) -> Self:
        """Start, or go on in the event loop that runs now."""
        self._loop = asyncio.get_running_loop()
        if self._server is None:
            handler = type("BridgeHandler", (_Handler,), {"bridge": self})
            self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
            threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def close(self) -> None:
        """Stop serving."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None

    @property
    def url(self) -> str:
        """Where it is, up to ``/v1``."""
        if self._server is None:
            raise InvalidInputError("the bridge is not serving")
        return f"http://127.0.0.1:{self._server.server_port}{self._path}"

    def taken(self, stage: str, seconds: float) -> StageCost:
        """Return what the model was asked since the last time, as the cost of a stage."""
        usage, self.meter = self.meter.usage, Meter()
        return usage.cost_of(stage, seconds)

    def vectors(self, texts: Sequence[str]) -> Matrix:
        """Return a vector for each text, or for each question while the package is asked."""
        if self.asking:
            return question_vectors(self._encoder, texts)
        return self._encoder.texts(texts)

    def answer(self, path: str, body: Any) -> dict[str, Any]:
        """Answer a request; called in a thread of the server's.

        Raises:
            LookupError: There is no such route.
            InvalidInputError: The request is not one that is understood.
        """
        routes = {
            f"{self._path}/embeddings": self._embeddings,
            f"{self._path}/chat/completions": self._completion,
        }
        if path not in routes:
            raise LookupError(path)
        if not isinstance(body, dict):
            raise InvalidInputError("the body must be a JSON object")
        if self._loop is None or self._loop.is_closed():
            raise InvalidInputError("the bridge is closed")
        work = self._in_turn(routes[path](body))
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _in_turn(self, work: Coroutine[Any, Any, dict[str, Any]]) -> dict[str, Any]:
        async with self._turn:
            return await work

    async def _embeddings(self, body: Mapping[str, Any]) -> dict[str, Any]:
        given = body.get("input")
        texts = [given] if isinstance(given, str) else given
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise InvalidInputError("input must be a text or a list of texts")
        if body.get("encoding_format") == "base64":
            raise InvalidInputError("encoding_format must be float")
        rows = [
            {"object": "embedding", "index": place, "embedding": vector}
            for place, vector in enumerate(self.vectors(texts).tolist())
        ]
        usage = {"prompt_tokens": 0, "total_tokens": 0}
        return {"object": "list", "model": self._encoder.identity, "data": rows, "usage": usage}

    async def _completion(self, body: Mapping[str, Any]) -> dict[str, Any]:
        if self._chat is None:
            raise InvalidInputError("this run has no model")
        if body.get("stream"):
            raise InvalidInputError("replies are not streamed")
        with self.meter:
            reply = await self._chat.complete(_messages(body.get("messages")), _options(body))
        said = {"role": "assistant", "content": reply.text}
        used = reply.usage
        return {
            "id": secrets.token_hex(8),
            "object": "chat.completion",
            "created": int(time.time()),
            "model": self._chat.identity,
            "choices": [{"index": 0, "message": said, "finish_reason": reply.finish}],
            "usage": {
                "prompt_tokens": used.input_tokens,
                "completion_tokens": used.output_tokens,
                "total_tokens": used.tokens,
            },
        }


class _Handler(BaseHTTPRequestHandler):
    """JSON in, JSON out; says nothing on standard error."""

    protocol_version = "HTTP/1.1"
    bridge: ClassVar[Bridge]

    def do_POST(self) -> None:
        """Read the body, answer, or say why not."""
        try:
            self._send(200, self.bridge.answer(self.path, self._body()))
        except LookupError:
            self._send(404, _problem("no such route"))
        except (ValueError, InvalidInputError) as error:
            self._send(400, _problem(reason_of(error)))
        except (GraphMemixError, CancelledError) as error:
            self._send(503, _problem(reason_of(error)))

    def _body(self) -> Any:
        size = int(self.headers.get("Content-Length") or 0)
        if not 0 < size <= _LONGEST:
            raise InvalidInputError("the body must have a length of at most 64 MiB")
        return json.loads(self.rfile.read(size))

    def _send(self, status: int, content: Mapping[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *_arguments: object) -> None:  # noqa: A002  # its name there
        """Keep quiet: requests hold what people wrote."""


def _problem(reason: str) -> dict[str, Any]:
    return {"error": {"message": reason, "type": "invalid_request_error"}}


def _messages(given: object) -> Sequence[Message]:
    """Return messages of the OpenAI API as ours; pictures do not occur."""
    if not isinstance(given, list) or not given:
        raise InvalidInputError("messages must be a list")
    roles = {"system": Message.system, "developer": Message.system, "assistant": Message.assistant}
    found = []
    for each in given:
        if not isinstance(each, dict):
            raise InvalidInputError("a message must be an object")
        content = each.get("content") or ""
        if isinstance(content, list):
            content = "\n".join(str(part.get("text") or "") for part in content)
        found.append(roles.get(str(each.get("role")), Message.user)(str(content)))
    return found


def _options(body: Mapping[str, Any]) -> Options:
    """Return how to answer: temperature 0 for everybody, whatever the package asks for."""
    tokens = body.get("max_tokens") or body.get("max_completion_tokens")
    wanted = body.get("response_format") or {}
    kind = wanted.get("type") if isinstance(wanted, dict) else None
    shape = None
    if kind == "json_schema":
        schema = wanted["json_schema"]
        shape = JsonFormat(str(schema.get("name", "reply")), schema["schema"])
    elif kind == "json_object":
        shape = _ANY_OBJECT
    return Options(0.0, int(tokens) if tokens else None, shape)
