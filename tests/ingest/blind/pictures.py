"""Photos and videos as Pillow, piexif, pillow-heif and PyAV write them, with sidecars."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import av
import numpy as np
import piexif
from PIL import Image

if TYPE_CHECKING:
    from pathlib import Path

QUADRANTS = {
    "vienna": (48.20849, 16.37208),
    "new york": (40.7128, -74.006),
    "sydney": (-33.8568, 151.2153),
    "rio": (-22.9519, -43.2105),
}


def _degrees(value: float) -> tuple[tuple[int, int], ...]:
    value = abs(value)
    minutes = value % 1 * 60
    return (int(value), 1), (int(minutes), 1), (round(minutes % 1 * 60 * 10000), 10000)


def exif(
    *,
    taken: str | None = None,
    offset: str | None = None,
    place: tuple[float, float] | None = None,
    orientation: int | None = None,
    camera: tuple[str, str] | None = None,
) -> bytes:
    """Return an EXIF block by piexif."""
    tags: dict[str, dict[int, object]] = {"0th": {}, "Exif": {}, "GPS": {}}
    if camera:
        tags["0th"][piexif.ImageIFD.Make], tags["0th"][piexif.ImageIFD.Model] = camera
    if orientation:
        tags["0th"][piexif.ImageIFD.Orientation] = orientation
    if taken:
        tags["Exif"][piexif.ExifIFD.DateTimeOriginal] = taken
    if offset:
        tags["Exif"][piexif.ExifIFD.OffsetTimeOriginal] = offset
    if place:
        north, east = place
        tags["GPS"] = {
            piexif.GPSIFD.GPSLatitudeRef: "N" if north >= 0 else "S",
            piexif.GPSIFD.GPSLatitude: _degrees(north),
            piexif.GPSIFD.GPSLongitudeRef: "E" if east >= 0 else "W",
            piexif.GPSIFD.GPSLongitude: _degrees(east),
        }
    return bytes(piexif.dump(tags))


def picture(
    path: Path,
    *,
    size: tuple[int, int] = (40, 20),
    colour: int = 0,
    block: bytes = b"",
) -> Path:
    """Write a picture; its name says the format. Another colour makes other bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    shade = (colour * 37 % 256, 90, colour * 11 % 256)
    Image.new("RGB", size, shade).save(path, exif=block)
    return path


def takeout(path: Path, title: str, taken: int, **more: object) -> Path:
    """Write a sidecar as Google Takeout does: moments in UTC seconds, zeros for no place."""
    nowhere = {
        "latitude": 0.0,
        "longitude": 0.0,
        "altitude": 0.0,
        "latitudeSpan": 0.0,
        "longitudeSpan": 0.0,
    }
    sidecar = {
        "title": title,
        "description": "",
        "imageViews": "3",
        "creationTime": {"timestamp": str(taken + 90000), "formatted": "some day"},
        "photoTakenTime": {"timestamp": str(taken), "formatted": "some day"},
        "geoData": nowhere,
        "geoDataExif": nowhere,
        "url": "https://photos.example/p",
        "googlePhotosOrigin": {"mobileUpload": {"deviceType": "ANDROID_PHONE"}},
        **more,
    }
    path.write_text(json.dumps(sidecar, indent=2))
    return path


XMP = """<?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
 <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
  <rdf:Description rdf:about=""
    xmlns:exif="http://ns.adobe.com/exif/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"
    xmlns:photoshop="http://ns.adobe.com/photoshop/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
    exif:DateTimeOriginal="2021-08-09T10:11:12-03:00"
    exif:GPSLatitude="22,57.114S" exif:GPSLongitude="43,12.63W"
    photoshop:City="Rio de Janeiro" photoshop:Country="Brazil">
   <dc:description><rdf:Alt>
     <rdf:li xml:lang="x-default">On the sugar loaf</rdf:li>
   </rdf:Alt></dc:description>
   <dc:creator><rdf:Seq><rdf:li>Ines Prado</rdf:li></rdf:Seq></dc:creator>
   <dc:subject><rdf:Bag><rdf:li>holiday</rdf:li><rdf:li>mountain</rdf:li></rdf:Bag></dc:subject>
  </rdf:Description>
 </rdf:RDF>
</x:xmpmeta>
<?xpacket end="w"?>
"""


def video(path: Path, tags: dict[str, str], *, sound: bool = True, seconds: int = 2) -> Path:
    """Write a video of a few frames with PyAV, with tags for its container."""
    path.parent.mkdir(parents=True, exist_ok=True)
    options = {"movflags": "use_metadata_tags"} if path.suffix.lower() == ".mov" else {}
    with av.open(str(path), "w", options=options) as out:
        out.metadata.update(tags)
        stream = out.add_stream("mpeg4", rate=5)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        voice = out.add_stream("aac", rate=16000) if sound else None
        for number in range(5 * seconds):
            pixels = np.full((48, 64, 3), number * 20 % 256, dtype=np.uint8)
            out.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
        out.mux(stream.encode())
        if voice is not None:
            for number in range(16 * seconds):
                frame = av.AudioFrame.from_ndarray(
                    np.zeros((1, 1000), dtype=np.float32), format="fltp", layout="mono"
                )
                frame.sample_rate, frame.pts = 16000, number * 1000
                out.mux(voice.encode(frame))
            out.mux(voice.encode())
    return path
