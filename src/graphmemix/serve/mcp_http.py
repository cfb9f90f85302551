"""MCP over HTTP: next to the other routes of a server, or alone.

Stateless: there are no sessions, so idle clients cost nothing and each call is authorised by
itself.
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
from graphmemix.integrations.tools import ArchiveAccess
from graphmemix.serve.asgi import Message, Receive, Scope, Send, principal_of, refuse, state_of
from graphmemix.serve.auth import Auth, is_loopback
from graphmemix.serve.connection import uvicorn_config
from graphmemix.serve.keys import ANYONE, KeyRing
from graphmemix.serve.limits import LimitsMiddleware
from graphmemix.serve.mcp import make_server
from graphmemix.serve.options import Limits
from graphmemix.serve.problems import ProblemError

try:
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
except ImportError as error:
    raise MissingExtraError("mcp", "The MCP server") from error

if TYPE_CHECKING:
    from graphmemix.serve.archives import ServedArchive
    from graphmemix.serve.service import Service

__all__ = ["mount", "mount_archives", "serve_http"]

_T = TypeVar("_T")
PATH = "/mcp"
LIMITS = Limits(in_flight=64, connections=256)
"""Limits of a server that serves only MCP; otherwise the server's own limits apply."""


class _ServedAccess:
    """Access to an archive that the HTTP server has open."""

    def __init__(self, served: ServedArchive) -> None:
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
    """The MCP endpoint of one archive."""

    def __init__(self, name: str, access: ArchiveAccess, *, local_writes: bool) -> None:
        self._name = name
        self._desk = access
        self._local_writes = local_writes
        self._manager: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Accept requests inside this context."""
        server = make_server(self._desk, may_write=self._may_write)
        # `Auth` has already checked Host and Origin.
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
            except ProblemError as error:  # too large or too slow: an HTTP error, not an MCP one
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
        """Answer one call; cancel it if the client disconnects, and wait for its work to end."""
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
        # This is called at the start of every call, in its own task: register the task here.
        if (task := asyncio.current_task()) is not None:
            state_of(request.scope).get("calls", set()).add(task)
        who = principal_of(request.scope)
        return who.may(self._name, "write") and (who is not ANYONE or self._local_writes)


class _ArchiveRouter:
    """Routes paths below `PATH` to the archive they name, for callers who may read it.

    For all others, an existing archive looks like a missing one, so that a key for one archive
    reveals nothing about another.
    """

    def __init__(self, endpoints: Mapping[str, _Endpoint]) -> None:
        self._endpoints = endpoints
        self._only = next(iter(endpoints)) if len(endpoints) == 1 else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path_params"].get("archive", self._only)
        endpoint = self._endpoints.get(name)
        if endpoint is None or not principal_of(scope).may(name, "read"):
            problem = ProblemError(404, "not_found", "not found")
            await refuse(scope, receive, send, problem)
        else:
            await endpoint(scope, receive, send)


async def _body(receive: Receive) -> Message | None:
    """Return a whole body as one message; None if the client disconnected."""
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
    """Add MCP to a server behind `Auth`: ``/mcp/NAME`` for each archive.

    A single archive is also at ``/mcp``. Returns a context manager for the server's lifespan.
    """
    archives = {served.name: _ServedAccess(served) for served in service.archives}
    return mount_archives(app, archives, local_writes=service.options.mcp_write)


def mount_archives(
    app: Starlette, archives: Mapping[str, ArchiveAccess], *, local_writes: bool
) -> AbstractAsyncContextManager[None]:
    """Like `mount`, for any archives.

    Args:
        app: The routes are added to it.
        archives: The archives by name.
        local_writes: Whether callers without a key may add memories while no keys are in use.
    """
    endpoints = {
        name: _Endpoint(name, access, local_writes=local_writes)
        for name, access in archives.items()
    }
    router = _ArchiveRouter(endpoints)
    # Before the page, which matches every other path.
    app.router.routes[:0] = [Route(PATH, router), Route(PATH + "/{archive:path}", router)]
    return _running(endpoints.values())


@asynccontextmanager
async def _running(endpoints: Iterable[_Endpoint]) -> AsyncIterator[None]:
    async with AsyncExitStack() as stack:
        for endpoint in endpoints:
            await stack.enter_async_context(endpoint.running())
        yield


def serve_http(
    access: ArchiveAccess,
    name: str,
    *,
    host: str,
    port: int,
    state: Path,
    hosts: Iterable[str] = (),
    announce: Callable[[str], None],
) -> None:
    """Serve one archive until the process is stopped.

    Args:
        access: The archive.
        name: Its name in grants.
        host: The address to bind.
        port: The port; 0 for any free one.
        state: The folder of the keys.
        hosts: Additional host names of the server.
        announce: Called with the URL when the server listens.

    Raises:
        InvalidInputError: The address cannot be bound, it is not loopback and there is no key, or
            the keys cannot be read.
    """
    keys = KeyRing(state)
    keys.check()  # fail at startup if the file is damaged, not at the first request
    loopback = is_loopback(host)
    if not loopback and not keys.in_use:
        raise InvalidInputError(
            f"--host {host}: only loopback works without a key; run: graphmemix keys create"
        )
    app = Starlette()
    serving = mount_archives(
        app, {name: access}, local_writes=True
    )  # the access says whether at all
    app.router.lifespan_context = lambda _: serving
    limited = LimitsMiddleware(app, LIMITS)
    protected = Auth(limited, keys=keys, hosts=hosts, loopback=loopback)
    config = uvicorn_config(protected, LIMITS, log_level="error")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family)
    except (OSError, TypeError, UnicodeError) as error:  # the last two: an invalid host name
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"cannot bind {host}:{port}: {reason}") from None
    with listening:
        shown = f"[{host}]" if ":" in host else host
        announce(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        uvicorn.Server(config).run(sockets=[listening])
