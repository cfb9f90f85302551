"""Builds the application: the routes, wrapped in limits, authentication and the access log."""

from __future__ import annotations

import importlib.util
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import Response

from graphmemix import __version__
from graphmemix.errors import GraphMemixError
from graphmemix.record import fault_in_words
from graphmemix.serve.access_log import AccessLog, logger
from graphmemix.serve.archives import Archives
from graphmemix.serve.asgi import request_id_of
from graphmemix.serve.auth import Auth, is_loopback
from graphmemix.serve.idempotency import IdempotencyKeys
from graphmemix.serve.keys import KeyRing
from graphmemix.serve.limits import LimitsMiddleware
from graphmemix.serve.metrics import Metrics
from graphmemix.serve.openapi import describe_app
from graphmemix.serve.options import ServeOptions
from graphmemix.serve.page_files import add_page
from graphmemix.serve.problems import ProblemError, as_problem, problem_response
from graphmemix.serve.routes import ROUTERS
from graphmemix.serve.service import Service
from graphmemix.serve.telemetry import Telemetry
from graphmemix.settings import Settings

__all__ = ["create_app"]

_MCP = "graphmemix.serve.mcp_http"
_CODES = {404: "not_found", 405: "method_not_allowed", 400: "bad_request", 416: "range"}


def create_app(
    locations: Sequence[str],
    options: ServeOptions | None = None,
    settings: Settings | None = None,
) -> FastAPI:
    """Open archives and return the application that serves them.

    The application closes them at the end of its lifespan.

    Args:
        locations: Archives, each ``LOCATION`` or ``NAME=LOCATION``.
        options: The server's options.
        settings: For all archives; by default those of the user's file and environment.

    Raises:
        InvalidInputError: A name is invalid, or two archives have the same.
        StoreError: An archive cannot be opened; the subclass says why.
        MissingExtraError: Telemetry is requested without its extra.
    """
    chosen = options or ServeOptions()
    keys = KeyRing(chosen.state)
    keys.check()  # fail at startup if the file is damaged, not at the first request
    telemetry = Telemetry(chosen.telemetry) if chosen.telemetry else None
    archives = Archives(
        locations,
        settings or Settings.load(),
        read_only=chosen.read_only,
        threads=chosen.threads,
        patience=chosen.limits.write_seconds,
    )
    try:
        idempotency = IdempotencyKeys(chosen.state, hours=chosen.limits.keep_hours)
    except BaseException:
        archives.close()
        raise
    service = Service(chosen, archives, keys, Metrics(), idempotency)
    app = FastAPI(
        title="GraphMemix",
        version=__version__,
        docs_url=None,  # it loads scripts from another site
        redoc_url=None,
        openapi_url="/v1/openapi.json",
        lifespan=_lifespan(service, telemetry),
        middleware=_layers(service, telemetry),
        redirect_slashes=False,
        # Its own spans and logs would follow the environment, and include error messages.
        telemetry={
            "auto_configure": False,
            "logs": False,
            "metrics": False,
            "operation_spans": False,
            "tracing": False,
        },
    )
    app.state.service = service
    app.openapi = lambda: describe_app(app)  # type: ignore[method-assign]
    for router in ROUTERS:
        app.router.routes.extend(router.routes)  # flat, so that tests can list them all
    _add_handlers(app)
    app.state.mcp = _mount_mcp(app, service)
    add_page(app)
    return app


def _layers(service: Service, telemetry: Telemetry | None) -> list[Middleware]:
    options = service.options
    return [
        Middleware(AccessLog, metrics=service.metrics, telemetry=telemetry),
        Middleware(
            Auth, keys=service.keys, hosts=options.hosts, loopback=is_loopback(options.host)
        ),
        Middleware(LimitsMiddleware, limits=options.limits),
    ]


def _lifespan(service: Service, telemetry: Telemetry | None) -> Any:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.callback(service.archives.close)
            if telemetry is not None:
                stack.callback(telemetry.close)
            stack.push_async_callback(service.close)
            await service.start()
            if app.state.mcp is not None:
                await stack.enter_async_context(app.state.mcp)
            logger.info("ready", extra={"fields": {"archives": len(list(service.archives))}})
            yield
            service.ready = False
            logger.info("stopping")

    return lifespan


def _mount_mcp(app: FastAPI, service: Service) -> Any:
    """Mount MCP if it is installed; return its context manager for the lifespan."""
    if importlib.util.find_spec(_MCP) is None or importlib.util.find_spec("mcp") is None:
        return None
    mount = importlib.import_module(_MCP).mount
    return mount(app, service)


def _add_handlers(app: FastAPI) -> None:
    async def known(request: Request, error: Exception) -> Response:
        headers = error.headers if isinstance(error, ProblemError) else None
        return problem_response(as_problem(error), request_id_of(request.scope), headers)

    async def wrong(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)  # noqa: S101  # for the type checker
        faults = [fault_in_words(fault["loc"][1:], fault["msg"]) for fault in error.errors()]
        problem = ProblemError(422, "invalid_input", "; ".join(faults)).problem
        return problem_response(problem, request_id_of(request.scope))

    async def unmatched(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)  # noqa: S101  # for the type checker
        code = _CODES.get(error.status_code, "refused")
        problem = ProblemError(error.status_code, code, str(error.detail)).problem
        return problem_response(problem, request_id_of(request.scope), error.headers)

    app.add_exception_handler(ProblemError, known)
    app.add_exception_handler(GraphMemixError, known)
    app.add_exception_handler(RequestValidationError, wrong)
    app.add_exception_handler(HTTPException, unmatched)
