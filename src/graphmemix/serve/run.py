"""Binds a socket and serves until the process is stopped."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable, Sequence
from typing import TextIO

import uvicorn

from graphmemix.errors import InvalidInputError
from graphmemix.serve.access_log import JsonFormat, PlainFormat, logger
from graphmemix.serve.app import create_app
from graphmemix.serve.auth import is_loopback
from graphmemix.serve.connection import uvicorn_config
from graphmemix.serve.keys import KeyRing
from graphmemix.serve.options import ServeOptions
from graphmemix.settings import Settings

__all__ = ["make_server", "serve"]


def serve(
    locations: Sequence[str],
    options: ServeOptions,
    settings: Settings | None = None,
    *,
    on_listening: Callable[[str], None] = lambda _: None,
    log_for_people: bool = False,
) -> None:
    """Serve archives until Ctrl-C or SIGTERM; finishes requests, jobs continue at the next start.

    Args:
        locations: Archives, each ``LOCATION`` or ``NAME=LOCATION``.
        options: The server's options.
        settings: For all archives.
        on_listening: Called with the URL when the socket is bound.
        log_for_people: Whether the log on standard error is short lines instead of JSON.

    Raises:
        InvalidInputError: The address cannot be bound, or it is not loopback and there is no key.
        StoreError: An archive cannot be opened.
    """
    log_to(sys.stderr, for_people=log_for_people)
    bound = bind(options)
    try:
        host = f"[{options.host}]" if ":" in options.host else options.host
        server = make_server(locations, options, settings)
        on_listening(f"http://{host}:{bound.getsockname()[1]}")
        server.run(sockets=[bound])
    finally:
        bound.close()


def make_server(
    locations: Sequence[str], options: ServeOptions, settings: Settings | None = None
) -> uvicorn.Server:
    """Return a server that has opened its archives but does not listen yet.

    Raises:
        InvalidInputError: The address is not loopback and there is no key.
    """
    _require_key(options)
    app = create_app(locations, options, settings)
    return uvicorn.Server(uvicorn_config(app, options.limits, log_config=None))


def bind(options: ServeOptions) -> socket.socket:
    """Return a socket bound to the server's address.

    Raises:
        InvalidInputError: It cannot be bound, or it is not loopback and there is no key.
    """
    _require_key(options)
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    # asyncio sets TCP_NODELAY only if the socket says that it is TCP; without it, each small reply
    # waits up to 40 ms for the client's acknowledgement.
    made = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((options.host, options.port))
    except (OSError, TypeError, UnicodeError) as error:  # the last two: an invalid host name
        made.close()
        reason = getattr(error, "strerror", None) or error
        raise InvalidInputError(f"cannot bind {options.host}:{options.port}: {reason}") from None
    return made


def _require_key(options: ServeOptions) -> None:
    if not is_loopback(options.host) and not KeyRing(options.state).in_use:
        raise InvalidInputError(
            f"{options.host}: only loopback addresses work without a key; create one with "
            "`graphmemix keys create NAME --grant '*:read'`"
        )


def log_to(stream: TextIO, *, for_people: bool) -> None:
    """Log requests to a stream: as short lines for people, or as JSON."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(PlainFormat() if for_people else JsonFormat())
    for name in ("graphmemix.serve", "uvicorn.error"):
        each = logging.getLogger(name)
        each.handlers, each.propagate = [handler], False
    logger.setLevel(logging.INFO)
    logging.getLogger("uvicorn.error").setLevel(logging.WARNING)
