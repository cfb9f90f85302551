"""Archives for tests, what goes into them, and what they look like inside."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import av
import numpy as np
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.protocol import Encoder, Matrix, Progress
from graphmemix.errors import (
    EncoderError,
)
from graphmemix.evidence import CandidateGraph
from graphmemix.memory import Media, Memory
from graphmemix.settings import Settings
from tests.encode.tiny_clip import COLOURS


class Failing(HashingEncoder):
    """Breaks after a number of calls."""

    def __init__(self, calls: int = 0) -> None:
        super().__init__()
        self.calls = calls

    def texts(self, texts: Sequence[str], *, progress: Progress | None = None) -> Matrix:
        if self.calls == 0:
            raise EncoderError("the model is away")
        self.calls -= 1
        return super().texts(texts, progress=progress)


def opened(path: Path, encoder: Encoder | None = None, **overrides: object) -> Archive:
    return Archive.open(
        path,
        encoder=encoder or HashingEncoder(),
        settings=Settings.load(environment={"HOME": str(path)}, overrides=overrides),
    )


def ids(graph: CandidateGraph) -> list[str]:
    return [candidate.memory_id for candidate in graph.candidates]


def note(memory_id: str, text: str) -> Memory:
    return Memory(memory_id, "note", text)


def photo(archive: Archive, memory_id: str, data: bytes, when: datetime | None = None) -> Memory:
    """A photo without any word."""
    return Memory(
        memory_id,
        "photo",
        timestamp=when,
        media=(Media("image", sha256=archive.media.put(data).sha256, mime="image/png"),),
    )


def scene(colour: str, seed: int = 0) -> bytes:
    """A picture that is of one colour for the tiny CLIP, but not for the eye: has a look."""
    noise = np.random.default_rng(seed).integers(-40, 40, (6, 6, 3))
    rgb = np.clip(np.array(COLOURS[colour]) + noise, 0, 255).astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(rgb).resize((96, 96), Image.Resampling.BICUBIC).save(out, "PNG")
    return out.getvalue()


def video(path: Path, colours: Sequence[str], seconds_each: int = 1) -> bytes:
    """A tiny real video: each colour for some seconds, 8 frames a second."""
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=8)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for colour in colours:
            image = Image.new("RGB", (64, 64), COLOURS[colour])
            for _ in range(8 * seconds_each):
                container.mux(stream.encode(av.VideoFrame.from_image(image)))  # type: ignore[no-untyped-call]
        container.mux(stream.encode(None))
    return path.read_bytes()


def state(archive: Archive) -> tuple[object, ...]:
    """Everything derived: views, vectors, edges, keys, first neighbours."""
    store = archive.store
    everybody = [memory.id for memory in store.find()]
    used = archive.settings.graph.neighbours
    return (
        store.views(everybody),
        {
            i: [None if v is None else v.tobytes() for v in rows]
            for i, rows in store.vectors(everybody).items()
        },
        store.edges(everybody),
        store.keys(everybody),
        {i: near[:used] for i, near in store.neighbours().items()},
    )


def require_rebuilt(archive: Archive) -> None:
    kept = state(archive)
    archive.rebuild()
    for part, again in zip(kept, state(archive), strict=True):
        assert part == again


def filmed(archive: Archive, memory_id: str, data: bytes, duration: float | None) -> Memory:
    stored = archive.media.put(data).sha256
    return Memory(memory_id, "video", media=(Media("video", sha256=stored, duration=duration),))


def turn(memory_id: str, text: str, sequence: int, round_id: str | None = "1") -> Memory:
    return Memory(memory_id, "message", text, session="s", round=round_id, sequence=sequence)


def context(archive: Archive, memory_id: str) -> str:
    (views,) = archive.store.views([memory_id]).values()
    return next((view.text for view in views if view.kind == "context"), "")
