"""Previews: a picture, a frame of a video or a page of a PDF, as a small JPEG.

Those that lists, grids and cards show are made once and kept beside the file, with which they go.
"""

from __future__ import annotations

from contextlib import suppress
from io import BytesIO
from shutil import rmtree
from typing import TYPE_CHECKING, Final

from graphmemix.fsio import make_folder, write_whole
from graphmemix.imaging import decode_picture
from graphmemix.serve.problems import ProblemError
from graphmemix.serve.rendering import rendered

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import Media
    from graphmemix.serve.archives import ServedArchive

__all__ = ["preview"]

_LARGEST_PICTURE: Final = 128 << 20  # bytes
_KEPT_EDGES: Final = frozenset({256, 512})  # of pictures and videos
_KEPT_OF_PAGES: Final = frozenset({256, 512, 1024})  # rendering costs more, and a page is read
_QUALITY: Final = 85  # of JPEG
_POSTER: Final = 0.2  # of a video's duration: many begin black


def preview(served: ServedArchive, medium: Media, edge: int, page: int) -> bytes:
    """Return a preview of a medium whose file the archive holds.

    Args:
        served: The archive.
        medium: A picture, a video or a PDF.
        edge: The longest edge in pixels.
        page: Of a PDF; 1 is the first.

    Raises:
        ProblemError: There are no previews of this kind of file, or it is too large for one.
        InvalidDataError: It cannot be decoded.
    """
    sha256 = medium.sha256 or ""
    media = served.archive.media
    if medium.modality not in {"image", "video"} and not _is_pdf(medium):
        raise ProblemError(404, "no_preview", "only pictures, videos and PDF have previews")
    name = f"page-{page}-{edge}.jpg" if _is_pdf(medium) else f"preview-{edge}.jpg"
    kept = media.described(sha256) / name
    is_kept = edge in (_KEPT_OF_PAGES if _is_pdf(medium) else _KEPT_EDGES)
    if is_kept:
        with suppress(OSError):
            return kept.read_bytes()
    data = _made(medium, media.path(sha256), edge, page)
    if is_kept and served.writable:
        with suppress(OSError):  # a full disk must not cost the preview
            make_folder(kept.parent)
            write_whole(kept, data, durable=False)
        if sha256 not in media:  # erased meanwhile: what was made of it must go too
            rmtree(kept.parent, ignore_errors=True)
    return data


def _is_pdf(medium: Media) -> bool:
    return medium.modality == "text" and medium.mime.lower() == "application/pdf"


def _made(medium: Media, file: Path, edge: int, page: int) -> bytes:
    if _is_pdf(medium):
        return rendered("page", file, page, edge)
    if medium.modality == "video":
        return rendered("video", file, (medium.duration or 0.0) * _POSTER, edge)
    if file.stat().st_size > _LARGEST_PICTURE:
        raise ProblemError(422, "no_preview", "this picture is too large for a preview")
    picture = decode_picture(file.read_bytes(), file.name)
    picture.thumbnail((edge, edge))
    out = BytesIO()
    picture.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()
