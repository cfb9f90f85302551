"""MCP over HTTP: beside the other routes of a server, or alone.

Stateless: no session is kept, so that any number of clients costs nothing between their calls and
each call is checked by itself.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import uvicorn
from starlette.applications import Starlette
from starlette.routing import Route

from graphmemix.archive import Archive
from graphmemix.errors import InvalidInputError, MissingExtraError
from graphmemix.integrations.tools import Desk
from graphmemix.serve.asgi import Message, Receive, Scope, Send, principal_of, refuse, state_of
from graphmemix.serve.auth import Auth, is_loopback
from graphmemix.serve.connection import configured
from graphmemix.serve.keys import ANYONE, KeyRing
from graphmemix.serve.limits import Guard
from graphmemix.serve.mcp import make_server
from graphmemix.serve.options import Limits
from graphmemix.serve.problems import ProblemError

try:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
except ImportError as error:
    raise MissingExtraError("mcp", "The MCP server") from error

if TYPE_CHECKING:
    from graphmemix.serve.archives import Served
    from graphmemix.serve.service import Service

__all__ = ["mount", "mount_desks", "serve_http"]

_T = TypeVar("_T")
PATH = "/mcp"
LIMITS = Limits(in_flight=64, connections=256)
"""Of a server of MCP alone; beside the other routes the server's own hold."""


class _ServedDesk:
    """The desk of an archive that the HTTP server holds."""

    def __init__(self, served: Served) -> None:
        self._served = served
        self.archive = served.archive
        self.writable = served.writable

    async def read(self, work: Callable[[], _T]) -> _T:
        """Run in one of the server's threads."""
        return await self._served.read(work)

    async def write(self, work: Callable[[Archive], _T]) -> _T:
        """Run as the server's one writer."""
        try:
            return await self._served.write(work, self.archive)
        except ProblemError as refused:
            raise InvalidInputError(refused.problem.detail) from None


class _Endpoint:
    """One archive as agents see it."""

    def __init__(self, name: str, desk: Desk, *, local_writes: bool) -> None:
        self._name = name
        self._desk = desk
        self._local_writes = local_writes
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Take requests inside."""
        server = make_server(self._desk, may_write=self._may_write)
        # The gate in front has checked Host and Origin.
        self._manager = StreamableHTTPSessionManager(server, stateless=True, json_response=True)
        try:
            async with self._manager.run():
                yield
        finally:
            self._manager = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._manager is None:
            problem = ProblemError(503, "not_ready", "the server is starting or stopping")
            await refuse(scope, receive, send, problem)
        else:
            try:
                body = await _body(receive)
            except ProblemError as error:  # too large or too slow: not for MCP to tell
                await refuse(scope, receive, send, error)
                return
            if body is not None:
                await self._handle(self._manager, scope, body, receive, send)

    async def _handle(
        self,
        manager: StreamableHTTPSessionManager,
        scope: Scope,
        body: Message,
        receive: Receive,
        send: Send,
    ) -> None:
        """Answer one call; end it if the client goes away, and return when its work has ended."""
        left = [body]

        async def again() -> Message:
            return left.pop() if left else await receive()

        calls: set[asyncio.Task[Any]] = set()
        state_of(scope)["calls"] = calls
        handling = asyncio.ensure_future(manager.handle_request(scope, again, send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait([handling, gone], return_when=asyncio.FIRST_COMPLETED)
            if not handling.done():
                handling.cancel()
                await asyncio.wait([handling, *calls])
                return
            await handling
        finally:
            gone.cancel()
            handling.cancel()

    def _may_write(self, request: Any) -> bool:
        if request is None:
            return False
        # Asked at the start of every call, in the task that does it: this is where a call is seen.
        if (task := asyncio.current_task()) is not None:
            state_of(request.scope).get("calls", set()).add(task)
        who = principal_of(request.scope)
        return who.may(self._name, "write") and (who is not ANYONE or self._local_writes)


class _Door:
    """Every address below `PATH`: leads to the archive that it names, for those who may read it.

    For everybody else an archive that is there looks like one that is not, whatever is sent: a key
    for one archive tells nothing about another.
    """

    def __init__(self, endpoints: Mapping[str, _Endpoint]) -> None:
        self._endpoints = endpoints
        self._only = next(iter(endpoints)) if len(endpoints) == 1 else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path_params"].get("archive", self._only)
        endpoint = self._endpoints.get(name)
        if endpoint is None or not principal_of(scope).may(name, "read"):
            problem = ProblemError(404, "not_found", "there is nothing at this address")
            await refuse(scope, receive, send, problem)
        else:
            await endpoint(scope, receive, send)


async def _body(receive: Receive) -> Message | None:
    """Return a whole body as one message; None if the client went away."""
    found = bytearray()
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        found += message.get("body", b"")
        more = message.get("more_body", False)
    return {"type": "http.request", "body": bytes(found), "more_body": False}


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def mount(app: Starlette, service: Service) -> AbstractAsyncContextManager[None]:
    """Add MCP to a server that has a `Auth` in front: ``/mcp/NAME`` for each archive.

    A single archive is at ``/mcp`` too. Returns what has to be entered while the server serves.
    """
    desks = {served.name: _ServedDesk(served) for served in service.archives}
    return mount_desks(app, desks, local_writes=service.options.mcp_write)


def mount_desks(
    app: Starlette, desks: Mapping[str, Desk], *, local_writes: bool
) -> AbstractAsyncContextManager[None]:
    """Do what `mount` does, for archives that are held in another way.

    Args:
        app: Gets the routes.
        desks: The archives by name.
        local_writes: Whether those who need no key, because there is none, may add memories.
    """
    endpoints = {
        name: _Endpoint(name, desk, local_writes=local_writes) for name, desk in desks.items()
    }
    door = _Door(endpoints)
    # Before a page that takes every other address.
    app.router.routes[:0] = [Route(PATH, door), Route(PATH + "/{archive:path}", door)]
    return _running(endpoints.values())


@asynccontextmanager
async def _running(endpoints: Iterable[_Endpoint]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for endpoint in endpoints:
            await stack.enter_async_context(endpoint.running())
        yield


def serve_http(
    desk: Desk,
    name: str,
    *,
    host: str,
    port: int,
    state: Path,
    hosts: Iterable[str] = (),
    announce: Callable[[str], None],
) -> None:
    """Serve one archive until the process is told to end.

    Args:
        desk: The archive.
        name: What keys call it.
        host: The address to bind.
        port: The port; 0 for any that is free.
        state: The folder of the keys.
        hosts: Further names by which clients may call the server.
        announce: Is told the address once the server listens.

    Raises:
        InvalidInputError: The address cannot be bound, others could reach it and there is no key,
            or the keys cannot be used.
    """
    keys = KeyRing(state)
    keys.check()  # a file that cannot be used ends the start, not the first request
    loopback = is_loopback(host)
    if not loopback and not keys.in_use:
        raise InvalidInputError(
            f"--host {host}: others could reach it; make a key first: graphmemix keys create"
        )
    app = Starlette()
    serving = mount_desks(app, {name: desk}, local_writes=True)  # the desk says whether at all
    app.router.lifespan_context = lambda _: serving
    guard = Guard(app, LIMITS)
    gate = Auth(guard, keys=keys, hosts=hosts, loopback=loopback)
    config = configured(gate, LIMITS, log_level="error")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, TypeError, UnicodeError) as error:  # the latter two: a host that is no name
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"{host}:{port} cannot be bound: {reason}") from None
    with listening:
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        uvicorn.Server(config).run(sockets=[listening])
