"""Types and helpers of the ASGI interface that several layers use."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from graphmemix.serve.keys import Principal
from graphmemix.serve.problems import Problem, ProblemError, problem_response

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]


def headers_of(scope: Scope, name: bytes) -> list[str]:
    """Return every value of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def header_of(scope: Scope, name: bytes) -> str | None:
    """Return a header's first value."""
    found = headers_of(scope, name)
    return found[0] if found else None


def media_type_of(scope: Scope) -> str:
    """Return the media type of a request's body, without parameters."""
    return (header_of(scope, b"content-type") or "").partition(";")[0].strip().lower()


def state_of(scope: Scope) -> dict[str, Any]:
    """Return the state shared by the layers of a request; routes see it as request.state."""
    state: dict[str, Any] = scope.setdefault("state", {})
    return state


def principal_of(scope: Scope) -> Principal:
    """Return who sent an authenticated request."""
    found: Principal = state_of(scope)["principal"]
    return found


def request_id_of(scope: Scope) -> str:
    """Return the id of a request."""
    return str(state_of(scope).get("request_id", ""))


async def refuse(scope: Scope, receive: Receive, send: Send, error: Problem | ProblemError) -> None:
    """Reply with a problem."""
    problem, extra = (
        (error.problem, error.headers) if isinstance(error, ProblemError) else (error, {})
    )
    response = problem_response(problem, request_id_of(scope), extra)
    await response(scope, receive, send)
