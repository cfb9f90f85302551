"""Files of memories: upload, download, preview. A file is served only while a memory has it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Annotated, Any, BinaryIO, Final, Self, cast

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import FileResponse, Response

from graphmemix.memory import Media
from graphmemix.serve.archives import ServedArchive
from graphmemix.serve.idempotency import StoredReply
from graphmemix.serve.previews import preview
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.routes.common import IdempotencyKey, Reading, Writing, gives, run_once, stored
from graphmemix.serve.schemas import StoredMedia

router = APIRouter(prefix="/v1/archives/{archive}", tags=["media"])

# Types that a browser shows without running anything in them. Others, such as HTML and SVG, are
# downloads without a specific type.
_SHOWN: Final = frozenset(
    {
        *("image/jpeg", "image/png", "image/gif", "image/webp", "image/avif", "image/bmp"),
        *("image/heic", "image/heif", "image/tiff"),
        *("video/mp4", "video/webm", "video/quicktime", "video/ogg", "video/mpeg"),
        *("audio/mpeg", "audio/mp4", "audio/ogg", "audio/wav", "audio/x-wav", "audio/webm"),
        *("audio/flac", "audio/aac", "audio/opus"),
    }
)
_HEADERS: Final = {
    # Caches must revalidate, so that an erased file does not survive in a cache.
    "Cache-Control": "private, no-cache",
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
_BINARY: Final = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_IN_MEMORY: Final = 1 << 20  # bytes of an upload
_Sha256 = Annotated[str, Path(pattern="^[0-9a-f]{64}$")]


@router.post(
    "/media",
    status_code=201,
    responses=gives(StoredMedia, "The file is stored; refer to it in a memory.", status=201),
    openapi_extra={"requestBody": {"required": True, "content": _BINARY}},
)
async def put_media(
    request: Request, served: Writing, idempotency_key: IdempotencyKey = None
) -> Response:
    """Upload a file, before the memory that it belongs to."""
    media = served.archive.media
    await served.read(media.require_writable)
    async with _UploadBuffer(request.stream(), served.read) as spooled:

        async def act() -> StoredReply:
            kept = await served.read(media.put, spooled.file)
            return stored(StoredMedia(sha256=kept.sha256, size=kept.size), 201)

        return await run_once(request, served, idempotency_key, spooled.digest, act)


@router.get(
    "/media/{sha256}",
    responses=gives(None, "The file.", content={"*/*": _BINARY["application/octet-stream"]}),
)
async def get_media(request: Request, served: Reading, sha256: _Sha256) -> Response:
    """Get a file, or a range of it."""
    medium = await served.read(_medium, served, sha256)
    headers = {**_HEADERS, "ETag": f'"{sha256}"'}
    if f'"{sha256}"' in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    shown = medium.mime.lower() in _SHOWN
    return FileResponse(
        served.archive.media.path(sha256),
        media_type=medium.mime.lower() if shown else "application/octet-stream",
        filename=None if shown else (medium.name or sha256),
        headers=headers,
    )


@router.get(
    "/previews/{sha256}",
    responses=gives(
        None,
        "A JPEG, upright.",
        content={"image/jpeg": {"schema": {"type": "string", "format": "binary"}}},
    ),
)
async def get_preview(
    request: Request,
    served: Reading,
    sha256: _Sha256,
    edge: Annotated[int, Query(ge=16, le=2048, description="Longest edge in pixels.")] = 512,
    page: Annotated[int, Query(ge=1, le=100_000, description="Page of a PDF.")] = 1,
) -> Response:
    """Get a picture, a frame of a video or a page of a PDF, as JPEG of the given size."""
    medium = await served.read(_medium, served, sha256)
    etag = f'"{hashlib.sha256(f"{sha256} {edge} {page}".encode()).hexdigest()[:32]}"'
    headers = {**_HEADERS, "ETag": etag}
    if etag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    data = await served.read(preview, served, medium, edge, page)
    return Response(data, media_type="image/jpeg", headers=headers)


def _medium(served: ServedArchive, sha256: str) -> Media:
    """Return the medium of a memory that has this file.

    Raises:
        ProblemError: No memory of this archive has it, or the file is missing.
    """
    media = served.archive.media
    for memory in served.archive.store.with_media(sha256):
        for medium in memory.media:
            if medium.sha256 == sha256 and sha256 in media:
                return medium
    raise ProblemError(404, "not_found", f"no memory of this archive has the file {sha256}")


class _UploadBuffer:
    """Holds a body inside its context: small ones in memory, others in an unnamed file."""

    def __init__(self, chunks: AsyncIterator[bytes], thread: Callable[..., Awaitable[Any]]) -> None:
        """Prepare to read.

        Args:
            chunks: The body.
            thread: Runs blocking calls.
        """
        self._chunks = chunks
        self._thread = thread
        self._digest = hashlib.sha256()
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115

    async def __aenter__(self) -> Self:
        try:
            async for chunk in self._chunks:
                self._digest.update(chunk)
                if self._file.tell() + len(chunk) > _IN_MEMORY:
                    await self._thread(self._file.write, chunk)
                else:
                    self._file.write(chunk)
            self._file.seek(0)
        except BaseException:
            self._file.close()
            raise
        return self

    async def __aexit__(self, *exception: object) -> None:
        self._file.close()

    @property
    def file(self) -> BinaryIO:
        """The body, from its start."""
        return cast("BinaryIO", self._file)

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the body."""
        return self._digest.digest()
