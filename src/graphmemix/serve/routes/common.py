"""Shared by routes: access rights, bodies, replies, and their OpenAPI description."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, Header, Path, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from graphmemix.record import Record, describe
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.asgi import media_type_of, principal_of
from graphmemix.serve.idempotency import StoredReply
from graphmemix.serve.keys import Principal, Scope
from graphmemix.serve.problems import MEDIA_TYPE, ProblemError
from graphmemix.serve.service import Service

_M = TypeVar("_M", bound=BaseModel)

# Parsing takes 50 to 150 bytes of memory per value, however short it is. The limit exceeds the
# commas of the largest memory, so that any memory can be sent by itself.
_MOST_VALUES: Final = 500_000
MOST_IN_A_QUESTION: Final = 100_000
"""Commas and opening brackets of a question: 20,000 turns of a history have 60,000."""

DESCRIBED: Final[dict[str, type[BaseModel | Record]]] = {}
"""Schemas that routes accept and return, by name, for OpenAPI."""

ArchiveName = Annotated[str, Path(description="A name from `GET /v1/archives`.", examples=["home"])]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="A request that is repeated with the same key is done only once.",
        max_length=128,
    ),
]


def service_of(request: Request) -> Service:
    """Return the server's shared state."""
    service: Service = request.app.state.service
    return service


def granted(scope: Scope) -> Callable[[Request, str], ServedArchive]:
    """Return a dependency that finds an archive and requires this scope."""

    def find(request: Request, archive: ArchiveName) -> ServedArchive:
        who = principal_of(request.scope)
        served = service_of(request).archives.get(archive)
        # An archive without a grant looks like a missing one.
        if served is None or who.scope(served.name) is None:
            raise ProblemError(404, "archive_not_found", f"there is no archive {archive!r}")
        require(who, served, scope)
        return served

    return find


def require(who: Principal, served: ServedArchive, scope: Scope) -> None:
    """Raise unless the caller has this scope for an archive."""
    if not who.may(served.name, scope):
        raise ProblemError(403, "forbidden", f"this key has no {scope} access to {served.name}")


Reading = Annotated[ServedArchive, Depends(granted("read"))]
Writing = Annotated[ServedArchive, Depends(granted("write"))]


async def body_of(request: Request, shape: type[_M], *, most_values: int = _MOST_VALUES) -> _M:
    """Return the body of a request.

    Args:
        request: The request.
        shape: The schema of the body.
        most_values: Most commas and opening brackets; each may become a value or an error.

    Raises:
        ProblemError: The content type is not JSON, or the body is invalid.
    """
    if (
        media_type_of(request.scope) != "application/json"
    ):  # a form on another site cannot send this type
        raise ProblemError(415, "unsupported_media_type", "send application/json")
    raw = await request.body()
    if sum(map(raw.count, b",[{")) > most_values:
        raise ProblemError(
            413,
            "too_large",
            f"the body has more than {most_values} commas and opening brackets",
        )
    try:
        return shape.model_validate_json(raw)
    except ValidationError as error:
        raise ProblemError(422, "invalid_input", describe(error, shape.__name__)) from None


def json_reply(body: BaseModel | Record | str, status: int = 200) -> Response:
    """Return JSON."""
    return Response(_text(body), status, media_type="application/json")


def stored(body: BaseModel | Record, status: int = 200) -> StoredReply:
    """Return a reply that can be stored and repeated."""
    return StoredReply(status, _text(body))


def _text(body: BaseModel | Record | str) -> str:
    if isinstance(body, str):
        return body
    return body.to_json() if isinstance(body, Record) else body.model_dump_json(by_alias=True)


async def run_once(
    request: Request,
    served: ServedArchive,
    key: str | None,
    content: bytes,
    act: Callable[[], Awaitable[StoredReply]],
) -> Response:
    """Do a write once per idempotency key, and return its reply."""
    asked = b"\0".join((request.method.encode(), request.url.path.encode(), content))
    who = principal_of(request.scope).id
    done = await service_of(request).idempotency.run(who, served.place, key, asked, act)
    return Response(done.body, done.status, media_type="application/json")


def takes(*shapes: type[BaseModel], **others: dict[str, Any]) -> dict[str, Any]:
    """Return the OpenAPI description of a body: JSON of these schemas, or other media types."""
    content: dict[str, Any] = {}
    if shapes:
        references = [_reference(shape) for shape in shapes]
        schema = references[0] if len(references) == 1 else {"anyOf": references}
        content["application/json"] = {"schema": schema}
    content |= {name.replace("__", "/").replace("_", "-"): each for name, each in others.items()}
    return {"requestBody": {"required": True, "content": content}}


def gives(
    shape: type[BaseModel | Record] | None,
    description: str,
    *,
    status: int = 200,
    content: dict[str, Any] | None = None,
) -> dict[int | str, dict[str, Any]]:
    """Return the OpenAPI description of the replies: this one, and problems."""
    if shape is not None:
        content = {"application/json": {"schema": _reference(shape)}}
    return {status: {"description": description, "content": content or {}}, **_PROBLEMS}


def _reference(shape: type[BaseModel | Record]) -> dict[str, str]:
    DESCRIBED[shape.__name__] = shape
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


def _problems() -> dict[int | str, dict[str, Any]]:
    from graphmemix.serve.problems import Problem

    content = {MEDIA_TYPE: {"schema": _reference(Problem)}}
    return {
        "4XX": {"description": "The request is refused.", "content": content},
        "5XX": {"description": "The server failed, or is not available.", "content": content},
    }


_PROBLEMS: Final = _problems()
