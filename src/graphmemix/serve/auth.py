"""Who may talk to the server at all: by which name, from which page, with which key.

A web page elsewhere can make a browser call ``http://localhost:8765``. Three things stand against
it: names that others control are refused (DNS rebinding), requests that a browser says come from
another page are refused, and no reply allows another page to read it.
"""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import Iterable
from typing import Final
from urllib.parse import urlsplit

from graphmemix.errors import SettingsError
from graphmemix.serve.asgi import App, Receive, Scope, Send, header_of, headers_of, refuse, state_of
from graphmemix.serve.keys import ANYONE, KeyRing, Principal
from graphmemix.serve.problems import ProblemError

__all__ = ["Auth", "is_loopback"]

_OPEN: Final = frozenset({"/v1/health", "/v1/ready", "/v1/openapi.json"})
_GUARDED: Final = ("/v1", "/mcp")
_LOG: Final = logging.getLogger("graphmemix.serve")
_CHALLENGE: Final = {"WWW-Authenticate": 'Bearer realm="graphmemix"'}


def is_loopback(host: str) -> bool:
    """Return whether an address or name is this machine's own."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Auth:
    """Lets in requests that name this server and come from its own page or from no page.

    Sets ``state["principal"]`` of what it lets in, for the routes and for MCP.
    """

    def __init__(
        self, app: App, *, keys: KeyRing, hosts: Iterable[str] = (), loopback: bool = True
    ) -> None:
        """Stand before `app`.

        Args:
            app: What is guarded.
            keys: Who has one.
            hosts: Further names of this server.
            loopback: Whether it listens on the loopback address alone.
        """
        self._app = app
        self._keys = keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._loopback = loopback
        self._fault = ""  # what is wrong with the keys, and in the log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # there is nothing here for other protocols
            return
        try:
            self._check_host(scope)
            self._check_page(scope)
            state_of(scope)["principal"] = self._principal(scope)
        except ProblemError as error:
            await refuse(scope, receive, send, error)
            return
        await self._app(scope, receive, send)

    def _check_host(self, scope: Scope) -> None:
        named = headers_of(scope, b"host")
        if len(named) != 1 or not self._knows(named[0]):
            raise ProblemError(
                421, "unknown_host", "this server is not called so; see --allow-host"
            )

    def _knows(self, netloc: str) -> bool:
        try:
            parts = urlsplit(f"//{netloc}")
            host, _ = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.netloc != netloc or "@" in netloc:
            return False
        if host in self._hosts or is_loopback(host):
            return True
        if self._loopback:
            return False
        try:  # an address is no name that somebody could point here
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True

    def _check_page(self, scope: Scope) -> None:
        origin = header_of(scope, b"origin")
        if origin is not None and origin.partition("://")[2] != header_of(scope, b"host"):
            raise ProblemError(403, "foreign_origin", "another page may not talk to this server")
        site = header_of(scope, b"sec-fetch-site")
        if site in {None, "same-origin", "none"}:
            return
        # A link elsewhere may lead to the page, which holds nothing by itself.
        leads_here = header_of(scope, b"sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        if _is_guarded(scope["path"]) or not leads_here:
            raise ProblemError(403, "foreign_origin", "another page may not talk to this server")

    def _principal(self, scope: Scope) -> Principal:
        if not _is_guarded(scope["path"]) or scope["path"] in _OPEN:
            return Principal("none", {})
        scheme, _, token = (header_of(scope, b"authorization") or "").partition(" ")
        try:
            if not self._keys.in_use and self._loopback:
                return ANYONE
            found = self._keys.principal(token.strip()) if scheme.lower() == "bearer" else None
        except SettingsError as error:
            self._log_fault(str(error))
            detail = "the keys of this server cannot be used; its log says how to mend it"
            raise ProblemError(503, "misconfigured", detail) from None
        self._log_fault("")
        if found is None:
            raise ProblemError(
                401, "unauthorized", "send a key: Authorization: Bearer gmx_…", _CHALLENGE
            )
        return found

    def _log_fault(self, fault: str) -> None:
        """Log what is wrong with the keys, once and not for every request."""
        if fault != self._fault:
            self._fault = fault
            if fault:
                _LOG.error("%s", fault)
            else:
                _LOG.warning("the keys can be used again")


def _is_guarded(path: str) -> bool:
    return any(path == prefix or path.startswith(prefix + "/") for prefix in _GUARDED)
