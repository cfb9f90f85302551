"""A short video of the lantern parade. Needs the extra ``video``; left out without it."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING, Any, Final

from graphmemix.sample.drawing import draw
from graphmemix.sample.household import SCHOOL, at
from graphmemix.sample.photos import Shot

if TYPE_CHECKING:
    from pathlib import Path

VIDEO_NAME: Final = "VID_20231110_171205.mp4"
VIDEO: Final = Shot(
    VIDEO_NAME,
    at(11, 10, 17, 12, 5),
    SCHOOL,
    "night",
    note="Lantern parade of class 1b",
    people=("Mia",),
)
_FRAMES: Final = 24
_RATE: Final = 8  # frames a second
_SIZE: Final = (320, 240)


def write_video(path: Path) -> bool:
    """Write three seconds of lanterns; return False without PyAV."""
    try:
        import av
    except ImportError:
        return False
    from PIL import ImageDraw

    still = draw("lantern parade", "night").resize(_SIZE)
    options = {"fflags": "+bitexact", "movflags": "+faststart"}
    with av.open(str(path), "w", format="mp4", options=options) as out:
        out.metadata["creation_time"] = f"{VIDEO.when.astimezone(UTC):%Y-%m-%dT%H:%M:%S.000000Z}"
        out.metadata["location"] = f"{SCHOOL.latitude:+08.4f}{SCHOOL.longitude:+09.4f}/"
        stream: Any = out.add_stream("mpeg4", rate=_RATE)
        stream.width, stream.height = _SIZE
        stream.pix_fmt = "yuv420p"
        stream.codec_context.flags |= 1 << 23  # bit-exact: no version of the encoder in the stream
        stream.codec_context.thread_count = 1
        of_image: Any = av.VideoFrame.from_image
        for i in range(_FRAMES):
            image = still.copy()
            pen = ImageDraw.Draw(image)
            for lantern in range(5):
                x = (lantern * 70 + i * 6) % (_SIZE[0] + 40) - 40
                pen.ellipse([x, 120 + 12 * (lantern % 3), x + 30, 150 + 12 * (lantern % 3)],
                            fill="#ff9a2e")  # fmt: skip
            for packet in stream.encode(of_image(image)):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
    return True
