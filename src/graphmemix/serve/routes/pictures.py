"""What can be said of a picture before it is part of a question."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.pictures import facts_of
from graphmemix.serve.routes.common import Reading, body_of, gives, json_reply, takes
from graphmemix.serve.schemas import PictureReply, PictureRequest

router = APIRouter(prefix="/v1/archives/{archive}", tags=["questions"])


@router.post(
    "/picture",
    responses=gives(PictureReply, "What is known of it."),
    openapi_extra=takes(PictureRequest),
)
async def look_at_picture(request: Request, served: Reading) -> Response:
    """Find the same picture in the archive, the text in it, and when and where it was taken.

    Pass `caption` on with the picture in a question, so that an archive whose encoder does not see
    pictures can use it. Nothing is stored.
    """
    body = await body_of(request, PictureRequest)
    return json_reply(await served.read(_reply, served, body.image.data))


def _reply(served: ServedArchive, data: bytes) -> PictureReply:
    return PictureReply(**facts_of(served.archive, data)._asdict())
