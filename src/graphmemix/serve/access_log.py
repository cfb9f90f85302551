"""The outermost middleware: request ids, security headers, access log and metrics.

A log line is one JSON object without content. It has the route pattern instead of the path, which
may contain a memory's id, and the key's id instead of the key.
"""

from __future__ import annotations

import json
import logging
import secrets
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from graphmemix.serve.asgi import App, Message, Receive, Scope, Send, refuse, state_of
from graphmemix.serve.problems import ProblemError, as_problem
from graphmemix.serve.telemetry import Telemetry

if TYPE_CHECKING:
    from graphmemix.serve.metrics import Metrics  # of the extra `server`; MCP logs without it

__all__ = ["AccessLog", "JsonFormat", "PlainFormat", "logger"]

logger = logging.getLogger("graphmemix.serve")

# Scripts only from the page's own files, no other sites, no frames; pictures may be data URLs.
_CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "media-src 'self' blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = tuple(
    (name.lower().encode(), value.encode())
    for name, value in {
        "Content-Security-Policy": _CSP,
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
    }.items()
)
_NO_STORE: Final = (b"cache-control", b"no-store")

CLIENT_CLOSED: Final = 499
"""Status in logs and metrics of a request whose client disconnected before the reply."""


class AccessLog:
    """Gives each request an id, turns failures into problem replies, logs and counts."""

    def __init__(self, app: App, metrics: Metrics, telemetry: Telemetry | None = None) -> None:
        self._app = app
        self._metrics = metrics
        self._telemetry = telemetry

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request and log the outcome."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        # A fresh copy: the server shares the state of its lifespan among all requests.
        scope["state"] = {**scope.get("state", {}), "request_id": secrets.token_hex(8)}
        reply = _ReplyRecorder(receive, send, scope["state"]["request_id"])
        start = time.perf_counter()
        failed = ""
        try:
            await self._app(scope, reply.receive, reply.send)
        except Exception as error:  # the last place where it can become a reply
            if reply.gone:  # the client disconnected, which is not a failure
                return
            failed = type(error).__name__
            if not isinstance(error, ProblemError | TimeoutError):
                logger.exception("request failed", extra={"fields": _fields(scope)})
            if reply.status:
                raise IncompleteReplyError from None  # part of it was sent: cut the connection
            known = error if isinstance(error, ProblemError) else as_problem(error)
            await refuse(scope, receive, reply.send, known)
        finally:
            self._record(scope, reply, time.perf_counter() - start, failed)

    def _record(self, scope: Scope, reply: _ReplyRecorder, seconds: float, failed: str) -> None:
        fields = _fields(scope)
        status = CLIENT_CLOSED if reply.gone else reply.status
        fields |= {"status": status, "ms": round(1000 * seconds, 1), "bytes": reply.sent}
        if failed:
            fields["failed"] = failed
        logger.info("request", extra={"fields": fields})
        method, route = fields["method"], fields["route"]
        costs = state_of(scope).get("costs", ())
        self._metrics.request(method, route, status, seconds)
        self._metrics.stages(costs)
        if self._telemetry is not None:
            self._telemetry.request(method, route, status, seconds, costs)


class IncompleteReplyError(Exception):
    """A reply could not be completed; the reason is in the log."""


class _ReplyRecorder:
    """Adds headers to a reply and counts its bytes; notices a client that disconnects early."""

    def __init__(self, receive: Receive, send: Send, request_id: str) -> None:
        self._receive = receive
        self._send = send
        self._id = request_id.encode()
        self._complete = False
        self.status = 0
        self.sent = 0
        self.gone = False

    async def receive(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.disconnect" and not self._complete:
            self.gone = True
        return message

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = list(message.get("headers", ()))
            has = {name.lower() for name, _ in headers}
            headers += [pair for pair in (*_HEADERS, _NO_STORE) if pair[0] not in has]
            headers.append((b"x-request-id", self._id))
            message = {**message, "headers": headers}
        else:
            self.sent += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
        await self._send(message)


_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def _fields(scope: Scope) -> dict[str, Any]:
    route = scope.get("route")
    principal = state_of(scope).get("principal")
    return {
        "request_id": state_of(scope)["request_id"],
        # Unknown methods and paths are text from the client, of any length: not logged.
        "method": scope["method"] if scope["method"] in _METHODS else "OTHER",
        "route": getattr(route, "path", "") or "unmatched",
        "key": getattr(principal, "id", ""),
    }


class JsonFormat(logging.Formatter):
    """Formats log records as JSON, one per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            # Where it failed, without the message, which may hold content.
            line["error"] = record.exc_info[0].__name__
            line["at"] = _source_lines(record.exc_info[2])
        return json.dumps(line)


class PlainFormat(logging.Formatter):
    """Formats log records for people: one short line each, without content as well."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        clock = datetime.fromtimestamp(record.created, UTC).astimezone().strftime("%H:%M:%S")
        fields = getattr(record, "fields", {})
        if record.getMessage() == "request":
            line = f"{fields['status']} {fields['method']} {fields['route']}, {fields['ms']:.0f} ms"
            line += f", failed: {fields['failed']}" if "failed" in fields else ""
        else:
            facts = ", ".join(f"{name} {value}" for name, value in fields.items() if value != "")
            line = f"{record.levelname.lower()}: {record.getMessage()}"
            line += f" ({facts})" if facts else ""
        if record.exc_info and record.exc_info[0] is not None:
            at = " < ".join(reversed(_source_lines(record.exc_info[2])))
            line += f": {record.exc_info[0].__name__} at {at}"
        return f"{clock}  {line}"


def _source_lines(trace: Any) -> list[str]:
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}")
        trace = trace.tb_next
    return found[-8:]
