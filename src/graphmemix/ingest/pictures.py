"""Reads size and metadata of picture files, decoding pixels only if needed."""

from __future__ import annotations

import re
import warnings
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email.utils import parsedate_tz
from typing import TYPE_CHECKING, Any, BinaryIO

from graphmemix.errors import ImportSourceError, InvalidDataError, MissingExtraError
from graphmemix.imaging import allowing_truncated, quiet_decoders, register_heif
from graphmemix.ingest.exif import Tags, as_text, exif_facts
from graphmemix.ingest.facts import Facts, merge_facts
from graphmemix.ingest.xmp import xmp_facts
from graphmemix.text.dates.capture_time import written_time

if TYPE_CHECKING:
    from pathlib import Path

    from PIL.Image import Image

    from graphmemix.ingest.magic import Magic
    from graphmemix.text.dates.capture_time import Hint

TRUNCATED = "truncated or damaged; what can be shown was kept"
"""The note of a picture whose end is missing."""
_TAIL = 1 << 16  # bytes; a complete file has its end marker in them
_PNG_TEXTS = ("Title", "Description", "Comment")
_PNG_TIMES = ("Creation Time", "creation time", "CreationTime", "create-date")
_IPTC_TIMES = ((55, 60), (62, 63))  # created, digitized: numbers of day and time
_XMP_TAG = 700  # of TIFF


@dataclass(frozen=True)
class PictureFile:
    """The size of a picture when shown upright, and its metadata."""

    width: int
    height: int
    facts: Facts


def read_picture(path: Path, magic: Magic) -> PictureFile:
    """Open a picture in the format of its first bytes, and read size and metadata.

    Pixels are decoded only if the end of the file is not as expected, to distinguish a truncated
    picture, which gets a note, from one with trailing data.

    Raises:
        InvalidDataError: It shows nothing for damage, or has more pixels than Pillow's limit.
        ImportSourceError: It cannot be opened, or has vanished.
        MissingExtraError: HEIC needs the extra ``heic``.
    """
    from PIL import Image, UnidentifiedImageError

    if magic.format == "HEIF" and not register_heif():
        raise MissingExtraError("heic", "Reading HEIC pictures")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about oddities in metadata
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            try:
                return _opened(path, magic)
            except (OSError, SyntaxError, ValueError, EOFError) as error:
                if getattr(error, "errno", None):
                    raise
            with allowing_truncated():
                picture = _opened(path, magic)
            noted = replace(picture.facts, notes=(*picture.facts.notes, TRUNCATED))
            return replace(picture, facts=noted)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise InvalidDataError("too many pixels to be a photo") from None
    except UnidentifiedImageError:
        raise InvalidDataError(_unopened(path, magic)) from None
    except FileNotFoundError:
        raise ImportSourceError(f"{path.name}: no longer exists") from None
    except MemoryError:
        raise
    except Exception as error:  # decoders raise anything on damaged input, OSError too
        if isinstance(error, OSError) and error.errno is not None:
            raise ImportSourceError(f"{path.name}: {error.strerror}") from None
        raise InvalidDataError(_undecoded(error, magic)) from error


def _opened(path: Path, magic: Magic) -> PictureFile:
    from PIL import Image

    with Image.open(path, formats=_formats(magic)) as image, quiet_decoders(magic.format):
        picture = _picture(image)
        if not _ends_properly(path, magic):
            image.load()
        return picture


def _undecoded(error: Exception, magic: Magic) -> str:
    if "unsupported" in str(error).lower():
        return f"a {magic.format} picture of a rare kind, which Pillow cannot open"
    return f"a damaged or truncated {magic.format} picture"


def _unopened(path: Path, magic: Magic) -> str:
    with path.open("rb") as stream:
        if stream.read(4) == b"MM\0+":
            return "a BigTIFF picture in Motorola byte order, which Pillow cannot open"
    return f"a damaged or truncated {magic.format} picture"


def upright_size(picture: Path | BinaryIO) -> tuple[int, int] | None:
    """Return width and height when shown upright, from the header; None if unreadable."""
    from PIL import Image

    register_heif()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(picture) as image:
                width, height = image.size
                return (
                    (height, width) if Tags(image.getexif()).lies_on_its_side else (width, height)
                )
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # decoders raise anything on damaged input
        return None


def _formats(magic: Magic) -> list[str]:
    # Two pictures in one JPEG file make Pillow call it MPO.
    return ["JPEG", "MPO"] if magic.format == "JPEG" else [magic.format]


def _picture(image: Image) -> PictureFile:
    width, height = image.size
    tags = Tags(image.getexif())
    if tags.lies_on_its_side:
        width, height = height, width
    embedded = xmp_facts(packet) if (packet := _xmp(image)) else Facts()
    sources = [exif_facts(tags), embedded, _iptc(image), _texts(image)]
    return PictureFile(width, height, merge_facts(sources))


def _xmp(image: Image) -> bytes:
    packet: Any = image.info.get("xmp") or image.info.get("XML:com.adobe.xmp")
    if packet is None:
        packet = getattr(image, "tag_v2", {}).get(_XMP_TAG)
    if isinstance(packet, str):
        return packet.encode("utf-8", "replace")
    return packet if isinstance(packet, bytes) else b""


def _texts(image: Image) -> Facts:
    """Return the text fields of PNG and the comments of JPEG."""
    texts = getattr(image, "text", {}) if image.format == "PNG" else {}
    found = [as_text(_plain(texts.get(name))) for name in _PNG_TEXTS]
    if image.format == "JPEG":
        found.append(_comment(image.info.get("comment")))
    creator = as_text(_plain(texts.get("Author") or texts.get("author")))
    dated = next((t for name in _PNG_TIMES if (t := as_text(_plain(texts.get(name))))), "")
    hint, notes = _png_time(dated)
    times = () if hint is None else (hint,)
    return Facts(times=times, texts=tuple(filter(None, found)), creator=creator, notes=notes)


def _png_time(text: str) -> tuple[Hint | None, tuple[str, ...]]:
    """Return a time as PNG has it: of RFC 1123 by its specification, of any other form in use."""
    ignored = ("PNG time ignored: not a time",)
    try:
        return written_time("png", text), ()
    except (ValueError, OverflowError):
        pass
    try:
        parsed = parsedate_tz(text[:64])
        moment = None if parsed is None else datetime(*parsed[:6])  # noqa: DTZ001  # zone follows
    except (ValueError, TypeError, IndexError, OverflowError):
        return None, ignored
    if parsed is None or moment is None:
        return None, ignored
    offset = _offset(parsed[9] or 0) if _STATED_ZONE.search(text) else ""
    try:
        return written_time("png", moment.isoformat(" "), offset), ()
    except (ValueError, OverflowError):
        return None, ignored


_STATED_ZONE = re.compile(r"(?:[+-]\d{4}|\b(?:UTC|GMT|Z|[A-Z]{1,3}[SD]T))\W*$")


def _offset(seconds: int) -> str:
    minutes = abs(seconds) // 60
    return f"{'-' if seconds < 0 else '+'}{minutes // 60:02}:{minutes % 60:02}"


def _iptc(image: Image) -> Facts:
    """Return title, keywords, author, place and caption of IPTC, which older programs write."""
    from PIL import ImageFile, IptcImagePlugin

    if not isinstance(image, ImageFile.ImageFile):
        return Facts()
    try:
        fields = IptcImagePlugin.getiptcinfo(image) or {}
    except Exception:  # noqa: BLE001  # damaged: ignore it
        return Facts()

    def texts(number: int) -> list[str]:
        value = fields.get((2, number), b"")
        return [
            t for each in (value if isinstance(value, list) else [value]) if (t := as_text(each))
        ]

    def time() -> Hint | None:
        for day, clock in _IPTC_TIMES:
            written = _IPTC_TIME.fullmatch(" ".join([*texts(day)[:1], *texts(clock)[:1]]))
            if written is not None:
                date, hours, offset = "-".join(written.groups()[:3]), written[4], written[5]
                text = f"{date} {hours[:2]}:{hours[2:4]}:{hours[4:]}" if hours else date
                with suppress(ValueError, OverflowError):
                    return written_time("iptc", text, offset or "")
        return None

    hint = time()
    place = [text for number in (92, 90, 95, 101) for text in texts(number)[:1]]
    return Facts(
        times=() if hint is None else (hint,),
        texts=(*texts(5), *texts(120)),
        tags=tuple(texts(25)),
        creator=next(iter(texts(80)), ""),
        place_name=", ".join(dict.fromkeys(place)),
    )


def _plain(value: object) -> object:
    return str(value) if isinstance(value, str) else None


_IPTC_TIME = re.compile(r"(\d{4})-?(\d{2})-?(\d{2})(?: (\d{6})([+-]\d{4})?)?")


def _comment(value: object) -> str:
    text = as_text(value)
    return "" if "\ufffd" in text else text


def _ends_properly(path: Path, magic: Magic) -> bool:
    """Return whether the file ends like a complete one. False may be wrong, True hardly ever is."""
    with path.open("rb") as stream:
        size = stream.seek(0, 2)
        stream.seek(max(0, size - _TAIL))
        tail = stream.read(_TAIL)
        if magic.format == "JPEG":
            # The preview inside EXIF, at the beginning, also has an end marker.
            return size > 4 * _TAIL and b"\xff\xd9" in tail
        if magic.format == "WEBP":
            stream.seek(4)
            return size >= int.from_bytes(stream.read(4), "little") + 8
    if magic.format == "PNG":
        return b"IEND" in tail
    return magic.format == "GIF" and tail.endswith(b"\x3b")
