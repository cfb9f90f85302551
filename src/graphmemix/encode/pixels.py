"""The pixels of a view: a stored picture, or a frame of a stored video."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from graphmemix.errors import InvalidDataError, MissingExtraError

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.memory import View
    from graphmemix.store.media import MediaFolder


def pixels_of(view: View, media: MediaFolder) -> bytes | None:
    """Return the encoded picture that a view shows; None for a view of words.

    Raises:
        InvalidDataError: The video cannot be decoded.
        MissingExtraError: Frames need the extra ``video``.
    """
    if view.media_sha256 is None or view.kind not in {"image", "frame"}:
        return None
    if view.kind == "image":
        return media.read(view.media_sha256)
    return frame(media.path(view.media_sha256), view.seconds or 0.0)


def frame(video: Path, seconds: float) -> bytes:
    """Return the frame of a video that is shown at this time, as PNG."""
    try:
        import av
    except ImportError as error:
        raise MissingExtraError("video", "Reading frames of videos") from error
    try:
        with av.open(str(video)) as container:
            stream = container.streams.video[0]
            base = float(stream.time_base or 1)
            container.seek(int(seconds / base), stream=stream)  # to the key frame before
            shown = None
            for decoded in container.decode(stream):
                if shown is not None and (decoded.time or 0.0) > seconds:
                    break
                shown = decoded
            if shown is None:
                raise InvalidDataError(f"video {video.name}: has no frame at {seconds:g} s")
            out = io.BytesIO()
            shown.to_image().save(out, "PNG")  # type: ignore[no-untyped-call]
            return out.getvalue()
    except (av.FFmpegError, IndexError) as error:
        raise InvalidDataError(f"video {video.name}: cannot be decoded ({error})") from None
