"""Limits of HTTP connections: their number, the time for a request's head, ambiguous heads.

uvicorn has no limit for the first two. Both servers, ``serve`` and ``mcp --http``, use this.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any, ClassVar, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from graphmemix.serve.access_log import IncompleteReplyError
from graphmemix.serve.asgi import App
from graphmemix.serve.options import Limits

__all__ = ["uvicorn_config"]

_GRACE_SECONDS: Final = 20
_IDLE_SECONDS: Final = 20
_LONGEST_HEAD: Final = 64 << 10


def uvicorn_config(app: App, limits: Limits, **options: Any) -> uvicorn.Config:
    """Return the uvicorn configuration that serves `app` within these limits."""
    _quieten()
    return uvicorn.Config(
        app,
        http=type("Bounded", (_LimitedProtocol,), {"limits": limits}),
        ws="none",
        lifespan="on",
        access_log=False,  # paths may contain ids of memories; our log has route patterns
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        timeout_keep_alive=_IDLE_SECONDS,
        h11_max_incomplete_event_size=_LONGEST_HEAD,
        **options,
    )


class _StrictConnection(h11.Connection):
    """Refuses heads that a proxy in front may interpret differently (RFC 9112, 6.1)."""

    def next_event(self) -> Any:
        event = super().next_event()
        if isinstance(event, h11.Request):
            names = {name for name, _ in event.headers}
            if b"transfer-encoding" in names and (
                b"content-length" in names or event.http_version < b"1.1"
            ):
                raise h11.RemoteProtocolError("the length of the body is ambiguous")
        return event


class _LimitedProtocol(H11Protocol):
    """HTTP with limits for heads and for the number of connections."""

    limits: ClassVar[Limits]
    active_at = 0.0
    _alarm: asyncio.TimerHandle | None = None

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.conn = _StrictConnection(h11.SERVER, _LONGEST_HEAD)

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self.active_at = self.loop.time()
        self._expect_head()
        self._make_room()

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except h11.LocalProtocolError:  # a bad body after our reply began: no 400 fits in
            self.transport.abort()
            return
        if self.is_idle():
            self._expect_head()
        else:
            self._head_is_here()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_here()
        super().connection_lost(exc)

    def is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _expect_head(self) -> None:
        if self._alarm is None:
            self._alarm = self.loop.call_later(self.limits.head_seconds, self.transport.close)

    def _head_is_here(self) -> None:
        self.active_at = self.loop.time()
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _make_room(self) -> None:
        """If there are too many connections, close the one that has been idle longest.

        So idle connections and slow heads do not block other clients.
        """
        others: list[_LimitedProtocol] = [
            each
            for each in self.connections
            if isinstance(each, _LimitedProtocol) and not each.transport.is_closing()
        ]
        if len(others) <= self.limits.connections:
            return
        idle = [each for each in others if each is not self and each.is_idle()]
        oldest = min(idle, key=lambda each: each.active_at, default=self)
        oldest.transport.close()


class _NotIncomplete(logging.Filter):
    """Drops log records of incomplete replies, whose reason is logged already."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and isinstance(record.exc_info[1], IncompleteReplyError))


_NOT_INCOMPLETE: Final = _NotIncomplete()


def _quieten() -> None:
    logging.getLogger("uvicorn.error").addFilter(_NOT_INCOMPLETE)  # adding it twice adds it once
