"""Prepares the pictures of a packet for a model: upright, scaled down, without metadata."""

from __future__ import annotations

from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING

from graphmemix.encode.pixels import frame
from graphmemix.encode.views import frame_times
from graphmemix.errors import InvalidDataError, MissingExtraError, StoreError
from graphmemix.imaging import decode_picture
from graphmemix.read.packet import block_text, picture_tokens, room_for_packet, text_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL import Image

    from graphmemix.evidence import Block, Packet, Question
    from graphmemix.memory import Media
    from graphmemix.settings import Settings
    from graphmemix.store.media import MediaFolder

__all__ = ["Picture", "PacketWithPictures", "load_pictures"]

_PLAIN = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp"}
_PLAIN_INFO = frozenset({"jfif", "jfif_version", "jfif_unit", "jfif_density", "dpi", "gamma"})


@dataclass(frozen=True)
class Picture:
    """A picture, or a frame of a video, on its way to a model.

    Attributes:
        rank: The rank of its block.
        name: The file name.
        data: The encoded picture.
        mime: Its media type.
        seconds: For a frame, its time in the video.
        tokens: Its approximate size in the context.
    """

    rank: int
    name: str
    data: bytes
    mime: str
    seconds: float | None = None
    tokens: int = 0


@dataclass(frozen=True)
class PacketWithPictures:
    """A packet with its pictures.

    Attributes:
        packet: Lists the media that are shown, and those that were dropped.
        pictures: By rank; frames in the order of time.
    """

    packet: Packet
    pictures: tuple[Picture, ...] = ()


def load_pictures(
    packet: Packet, folder: MediaFolder, settings: Settings, question: Question | None = None
) -> PacketWithPictures:
    """Read the files of a packet's media.

    A missing or damaged file, or a video without the extra ``video``, is recorded in the packet;
    the others are read. If pictures are larger than expected, the lowest-ranked are dropped. Takes
    about 0.1 s per picture; call it in a thread from async code.
    """
    room = room_for_packet(packet, question, settings)
    room -= sum(text_tokens(block_text(block)) for block in packet.blocks)
    pictures: list[Picture] = []
    blocks: list[Block] = []
    dropped, unreadable = list(packet.dropped_media), list(packet.unreadable_media)
    is_full = False
    for block in packet.blocks:
        kept: list[Media] = []
        for medium in block.media:
            named = (block.memory_id, medium.name)
            try:
                loaded = [] if is_full else list(_loaded(block.rank, medium, folder, settings))
            except (InvalidDataError, MissingExtraError, StoreError, OSError):
                unreadable.append(named)
                continue
            room -= sum(picture.tokens for picture in loaded)
            # After the first that does not fit, none is shown: the rank decides, not the size.
            is_full = is_full or room < 0
            if is_full:
                dropped.append(named)
            else:
                kept.append(medium)
                pictures += loaded
        blocks.append(replace(block, media=tuple(kept)))
    shown = replace(
        packet,
        blocks=tuple(blocks),
        dropped_media=tuple(dropped),
        unreadable_media=tuple(unreadable),
    )
    return PacketWithPictures(shown, tuple(pictures))


def _loaded(rank: int, medium: Media, folder: MediaFolder, settings: Settings) -> Iterator[Picture]:
    if medium.sha256 is None:
        raise InvalidDataError(f"{medium.name}: the archive does not contain this file")
    if medium.modality == "image":
        data = folder.read(medium.sha256)
        yield _picture(rank, medium, data, settings.verifier.image_edge, settings)
        return
    path = folder.path(medium.sha256)
    if not path.is_file():
        raise InvalidDataError(f"{medium.name}: the file is missing")
    for seconds in frame_times(medium, settings.views.frames):
        data = frame(path, seconds)
        shown = _picture(rank, medium, data, settings.reader.frame_edge, settings)
        yield replace(shown, seconds=seconds)


def _picture(rank: int, medium: Media, data: bytes, edge: int, settings: Settings) -> Picture:
    from PIL import Image

    picture = decode_picture(data, medium.name or "a picture")
    tokens = picture_tokens(picture.width, picture.height, edge, settings)
    mime = _plain_mime(data)
    if mime is None or max(picture.size) > edge:
        picture.thumbnail((edge, edge), Image.Resampling.LANCZOS)  # never enlarges
        data, mime = _encoded(picture), "image/jpeg"
    return Picture(rank, medium.name, data, mime, tokens=tokens)


def _plain_mime(data: bytes) -> str | None:
    """Return the type of a file that can be sent as is: one upright picture without metadata."""
    from PIL import Image

    with Image.open(BytesIO(data)) as original:
        is_plain = (
            original.mode in {"RGB", "L"}
            and getattr(original, "n_frames", 1) == 1
            and original.info.keys() <= _PLAIN_INFO
        )
        return _PLAIN.get(original.format or "") if is_plain else None


def _encoded(picture: Image.Image) -> bytes:
    out = BytesIO()
    picture.info.clear()  # Pillow would write comments and the like
    picture.save(out, "JPEG", quality=95)
    return out.getvalue()
