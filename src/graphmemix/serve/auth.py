"""Access control: checks the Host header, the Origin and the API key of every request.

A web page elsewhere can make a browser call ``http://localhost:8765``. Three measures prevent that:
unknown host names are refused (DNS rebinding), requests that a browser marks as coming from another
page are refused, and no reply allows another page to read it.
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
    """Accepts requests addressed to this server that come from its own page or from no page.

    Sets ``state["principal"]`` of accepted requests, for the routes and for MCP.
    """

    def __init__(
        self, app: App, *, keys: KeyRing, hosts: Iterable[str] = (), loopback: bool = True
    ) -> None:
        """Protect `app`.

        Args:
            app: The application.
            keys: The API keys.
            hosts: Additional host names of this server.
            loopback: Whether it listens on the loopback address only.
        """
        self._app = app
        self._keys = keys
        self._hosts = frozenset(host.lower() for host in hosts)
        self._loopback = loopback
        self._fault = ""  # the problem with the keys that was logged last

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":  # no other protocol is served
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
                421,
                "unknown_host",
                f"Host {', '.join(named)[:100]!r} is not allowed; add it with --allow-host",
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
        try:  # an IP address cannot be rebound to this server, unlike a name
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True

    def _check_page(self, scope: Scope) -> None:
        origin = header_of(scope, b"origin")
        if origin is not None and origin.partition("://")[2] != header_of(scope, b"host"):
            raise ProblemError(403, "foreign_origin", "requests from other web pages are refused")
        site = header_of(scope, b"sec-fetch-site")
        if site in {None, "same-origin", "none"}:
            return
        # Links from elsewhere may open the page, which has no content of its own.
        leads_here = header_of(scope, b"sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        if _is_guarded(scope["path"]) or not leads_here:
            raise ProblemError(403, "foreign_origin", "requests from other web pages are refused")

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
            detail = "the server cannot read its keys; its log says how to fix it"
            raise ProblemError(503, "misconfigured", detail) from None
        self._log_fault("")
        if found is None:
            raise ProblemError(
                401,
                "unauthorized",
                "a valid key is required: Authorization: Bearer gmx_…",
                _CHALLENGE,
            )
        return found

    def _log_fault(self, fault: str) -> None:
        """Log a problem with the keys once, not for every request."""
        if fault != self._fault:
            self._fault = fault
            if fault:
                _LOG.error("%s", fault)
            else:
                _LOG.warning("the keys are readable again")


def _is_guarded(path: str) -> bool:
    return any(path == prefix or path.startswith(prefix + "/") for prefix in _GUARDED)
