"""What routes have in common: access, bodies, replies, their description in OpenAPI."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, Final, TypeVar

from fastapi import Depends, Header, Path, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from graphmemix.record import Record, describe
from graphmemix.serve.archives import Served
from graphmemix.serve.asgi import media_type_of, principal_of
from graphmemix.serve.idempotency import Stored
from graphmemix.serve.keys import Principal, Scope
from graphmemix.serve.problems import MEDIA_TYPE, ProblemError
from graphmemix.serve.service import Service

_M = TypeVar("_M", bound=BaseModel)

# Each value takes some 50 to 150 bytes of memory while it is read, however short it is. More than
# the commas of the largest memory, so that any memory can be sent by itself.
_MOST_VALUES: Final = 500_000
MOST_IN_A_QUESTION: Final = 100_000
"""Commas and opening brackets of a question: 20,000 turns of a history have 60,000."""

DESCRIBED: Final[dict[str, type[BaseModel | Record]]] = {}
"""What routes take and give, by name; OpenAPI describes all of it."""

ArchiveName = Annotated[str, Path(description="As `GET /v1/archives` tells it.", examples=["home"])]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        description="Sent twice with the same request, it is done once.",
        max_length=128,
    ),
]


def service_of(request: Request) -> Service:
    """Return the server's insides."""
    service: Service = request.app.state.service
    return service


def granted(scope: Scope) -> Callable[[Request, str], Served]:
    """Return what finds an archive for somebody who needs this scope there."""

    def find(request: Request, archive: ArchiveName) -> Served:
        who = principal_of(request.scope)
        served = service_of(request).archives.get(archive)
        # Archives of others and those that are not there look the same.
        if served is None or who.scope(served.name) is None:
            raise ProblemError(404, "archive_not_found", f"there is no archive {archive!r}")
        require(who, served, scope)
        return served

    return find


def require(who: Principal, served: Served, scope: Scope) -> None:
    """Raise unless somebody has this scope in an archive."""
    if not who.may(served.name, scope):
        raise ProblemError(403, "forbidden", f"this key may not {scope} in {served.name}")


Reading = Annotated[Served, Depends(granted("read"))]
Writing = Annotated[Served, Depends(granted("write"))]


async def body_of(request: Request, shape: type[_M], *, most_values: int = _MOST_VALUES) -> _M:
    """Return the body of a request.

    Args:
        request: Has it.
        shape: What it must be.
        most_values: Commas and opening brackets; each may become a value, or a fault, in memory.

    Raises:
        ProblemError: It is not JSON by its type, or not what is asked for.
    """
    if (
        media_type_of(request.scope) != "application/json"
    ):  # what a form elsewhere can send is not JSON
        raise ProblemError(415, "unsupported_media_type", "send application/json")
    raw = await request.body()
    if sum(map(raw.count, b",[{")) > most_values:
        raise ProblemError(
            413,
            "too_large",
            f"a JSON body has at most {most_values} commas and opening brackets",
        )
    try:
        return shape.model_validate_json(raw)
    except ValidationError as error:
        raise ProblemError(422, "invalid_input", describe(error, shape.__name__)) from None


def json_reply(body: BaseModel | Record | str, status: int = 200) -> Response:
    """Return JSON."""
    return Response(_text(body), status, media_type="application/json")


def stored(body: BaseModel | Record, status: int = 200) -> Stored:
    """Return a reply that can be told again."""
    return Stored(status, _text(body))


def _text(body: BaseModel | Record | str) -> str:
    if isinstance(body, str):
        return body
    return body.to_json() if isinstance(body, Record) else body.model_dump_json(by_alias=True)


async def once(
    request: Request,
    served: Served,
    key: str | None,
    content: bytes,
    act: Callable[[], Awaitable[Stored]],
) -> Response:
    """Do a write once for an idempotency key, and reply."""
    asked = b"\0".join((request.method.encode(), request.url.path.encode(), content))
    who = principal_of(request.scope).id
    done = await service_of(request).once.run(who, served.place, key, asked, act)
    return Response(done.body, done.status, media_type="application/json")


def takes(*shapes: type[BaseModel], **others: dict[str, Any]) -> dict[str, Any]:
    """Return what OpenAPI says about a body: JSON of these shapes, or other media types."""
    content: dict[str, Any] = {}
    if shapes:
        references = [_reference(shape) for shape in shapes]
        schema = references[0] if len(references) == 1 else {"anyOf": references}
        content["application/json"] = {"schema": schema}
    content |= {name.replace("__", "/").replace("_", "-"): told for name, told in others.items()}
    return {"requestBody": {"required": True, "content": content}}


def gives(
    shape: type[BaseModel | Record] | None,
    says: str,
    *,
    status: int = 200,
    content: dict[str, Any] | None = None,
) -> dict[int | str, dict[str, Any]]:
    """Return what OpenAPI says about replies: this one, and problems."""
    told = content if shape is None else {"application/json": {"schema": _reference(shape)}}
    return {status: {"description": says, "content": told or {}}, **_PROBLEMS}


def _reference(shape: type[BaseModel | Record]) -> dict[str, str]:
    DESCRIBED[shape.__name__] = shape
    return {"$ref": f"#/components/schemas/{shape.__name__}"}


def _problems() -> dict[int | str, dict[str, Any]]:
    from graphmemix.serve.problems import Problem

    content = {MEDIA_TYPE: {"schema": _reference(Problem)}}
    return {
        "4XX": {"description": "What was sent is refused.", "content": content},
        "5XX": {"description": "The server cannot do it now.", "content": content},
    }


_PROBLEMS: Final = _problems()
