"""API keys: list, create, revoke. Only with a key that may do everything (`*:admin`)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from graphmemix.errors import InvalidInputError
from graphmemix.serve.asgi import principal_of
from graphmemix.serve.keys import ALL, Key, KeyRing
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.routes.common import body_of, gives, json_reply, service_of, takes
from graphmemix.serve.schemas import CreatedKey, KeyLine, KeyList, NewKey

router = APIRouter(prefix="/v1/keys", tags=["keys"])

_KeyId = Annotated[str, Path(pattern="^[0-9a-f]{8}$")]


def _ring(request: Request, *, changing: bool = False) -> KeyRing:
    """Return the keys, if the caller may see and change them.

    The first key is created in a terminal: it is what turns keys on, for everyone.
    """
    if not principal_of(request.scope).may(ALL, "admin"):
        raise ProblemError(403, "forbidden", "keys need a key with the grant *:admin")
    ring = service_of(request).keys
    if changing and not ring.in_use:
        raise ProblemError(
            409,
            "no_keys",
            "this server works without keys; `graphmemix keys create` makes the first",
        )
    return ring


@router.get("", responses=gives(KeyList, "Oldest first."))
async def list_keys(request: Request) -> Response:
    """List keys, revoked and expired ones included. Needs `*:admin`."""
    keys = _ring(request).keys()
    return json_reply(KeyList(keys=[_line(key) for key in keys]))


@router.post(
    "",
    status_code=201,
    responses=gives(CreatedKey, "The key, with its token: shown once.", status=201),
    openapi_extra=takes(NewKey),
)
async def create_key(request: Request) -> Response:
    """Create a key. The token is in this reply and nowhere else. Needs `*:admin`."""
    ring = _ring(request, changing=True)
    body = await body_of(request, NewKey)
    served = service_of(request).archives
    unknown = [name for name in body.grants if name != ALL and served.get(name) is None]
    if unknown:
        raise ProblemError(422, "invalid_input", f"grants: there is no archive {unknown[0]!r}")
    key, token = ring.create(body.name, body.grants, days=body.days)
    return json_reply(CreatedKey(key=_line(key), token=token), 201)


@router.delete("/{key}", responses=gives(KeyLine, "The key is revoked."))
async def revoke_key(request: Request, key: _KeyId) -> Response:
    """Revoke a key; not the one that asks for it. Needs `*:admin`."""
    ring = _ring(request, changing=True)
    if principal_of(request.scope).id == key:
        raise ProblemError(409, "own_key", "a key cannot revoke itself; use another one for that")
    try:
        return json_reply(_line(ring.revoke(key)))
    except InvalidInputError:
        raise ProblemError(404, "not_found", f"there is no key {key!r}") from None


def _line(key: Key) -> KeyLine:
    return KeyLine(
        id=key.id,
        name=key.name,
        grants=key.grants,
        created_at=key.created_at,
        expires_at=key.expires_at,
        revoked_at=key.revoked_at,
    )
