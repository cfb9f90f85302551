"""Files as cameras and phones write them, made with Pillow, piexif and PyAV."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Any

import av
import numpy as np
import piexif
from PIL import Image

from graphmemix.ingest.photos import Photos
from graphmemix.ingest.protocol import HEAD_BYTES, Found, Importer, Reading, Skipped
from graphmemix.ingest.videos import Videos
from graphmemix.memory import Media, Memory, Modality
from graphmemix.store.media import MediaFolder


class Box:
    """Keeps files in a real media folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = MediaFolder(folder)

    def keep_bytes(self, data: bytes, *, modality: Modality, mime: str, name: str) -> Media:
        stored = self.folder.put(data)
        return Media(modality, stored.sha256, mime, name, stored.size)

    def keep_file(self, path: Path, *, modality: Modality, mime: str, name: str = "") -> Media:
        stored = self.folder.put(path)
        return Media(modality, stored.sha256, mime, name or path.name, stored.size)


def found(path: Path, below: Path | None = None) -> Found:
    name = path.relative_to(below).as_posix() if below else path.name
    with path.open("rb") as stream:
        return Found(path, name, stream.read(HEAD_BYTES))


def readings(
    importer: Importer, path: Path, below: Path | None = None, kept: Path | None = None
) -> list[Reading]:
    met = found(path, below)
    assert importer.recognises(met)
    return list(importer.read(met, Box(kept or path.parent.parent / "kept")))


def read_photo(path: Path, **options: Any) -> Memory:
    below = options.pop("below", None)
    [memory] = readings(Photos(**options), path, below)
    assert isinstance(memory, Memory), memory
    return memory


def read_video(path: Path, **options: Any) -> Memory:
    [memory] = readings(Videos(**options), path)
    assert isinstance(memory, Memory), memory
    return memory


def skipped(importer: Importer, path: Path) -> Skipped:
    [reading] = readings(importer, path)
    assert isinstance(reading, Skipped), reading
    return reading


def picture(width: int = 32, height: int = 20) -> Image.Image:
    ramp = np.linspace(0, 255, width * height * 3).reshape(height, width, 3)
    return Image.fromarray(ramp.astype(np.uint8))


def jpeg(
    path: Path,
    *,
    zeroth: dict[int, Any] | None = None,
    exif: dict[int, Any] | None = None,
    gps: dict[int, Any] | None = None,
    size: tuple[int, int] = (32, 20),
) -> Path:
    """Write a JPEG with EXIF by piexif."""
    path.parent.mkdir(parents=True, exist_ok=True)
    tags = {"0th": zeroth or {}, "Exif": exif or {}, "GPS": gps or {}, "1st": {}}
    plain = BytesIO()
    picture(*size).save(plain, "JPEG")
    piexif.insert(piexif.dump(tags), plain.getvalue(), str(path))
    return path


def dms(degrees: float) -> tuple[tuple[int, int], ...]:
    whole = int(degrees)
    minutes = int((degrees - whole) * 60)
    seconds = round(((degrees - whole) * 60 - minutes) * 60 * 10000)
    return (whole, 1), (minutes, 1), (seconds, 10000)


def place(latitude: float, longitude: float) -> dict[int, Any]:
    gps = piexif.GPSIFD
    return {
        gps.GPSLatitudeRef: "S" if latitude < 0 else "N",
        gps.GPSLatitude: dms(abs(latitude)),
        gps.GPSLongitudeRef: "W" if longitude < 0 else "E",
        gps.GPSLongitude: dms(abs(longitude)),
    }


def video(
    path: Path,
    *,
    container: str = "mp4",
    codec: str = "mpeg4",
    metadata: dict[str, str] | None = None,
    options: dict[str, str] | None = None,
    turned: int = 0,
    sound: str = "",
    frames: int = 10,
) -> Path:
    """Write a video of 64 x 48 pixels and 10 frames a second by PyAV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format=container, options=options or {}) as out:
        out.metadata.update(metadata or {})
        stream: Any = out.add_stream(codec, rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        if turned:
            stream.set_display_rotation(turned)
        heard: Any = out.add_stream(sound, rate=48000, layout="mono") if sound else None
        for i in range(frames):
            pixels = np.full((48, 64, 3), i * 20 % 255, np.uint8)
            for packet in stream.encode(av.VideoFrame.from_ndarray(pixels, "rgb24")):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)
        if heard is not None:
            _tone(out, heard, frames / 10)
    return path


def audio(
    path: Path, *, container: str, codec: str, metadata: dict[str, str] | None = None
) -> Path:
    """Write a second of a tone by PyAV."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w", format=container) as out:
        out.metadata.update(metadata or {})
        _tone(out, out.add_stream(codec, rate=48000, layout="mono"), 1.0)
    return path


def _tone(out: Any, stream: Any, seconds: float) -> None:
    time = np.arange(int(48000 * seconds)) / 48000
    wave = (np.sin(2 * np.pi * 440 * time) * 8000).astype(np.int16)[None, :]
    frame = av.AudioFrame.from_ndarray(wave, format="s16", layout="mono")
    frame.sample_rate = 48000
    resampler = av.AudioResampler(stream.format.name, "mono", 48000, stream.frame_size or None)
    for part in [*resampler.resample(frame), *resampler.resample(None)]:
        for packet in stream.encode(part):
            out.mux(packet)
    for packet in stream.encode():
        out.mux(packet)
