"""Fits a packet into a model's context: media are dropped first, then texts are shortened."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from typing import TYPE_CHECKING, Final

from graphmemix.read.packet_text import block_text, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graphmemix.evidence import Block, Packet, Question, QuestionImage
    from graphmemix.memory import Media
    from graphmemix.settings import Settings

__all__ = ["fitted", "media_tokens", "picture_tokens", "room_for_packet", "text_tokens"]

_BYTES_PER_TOKEN: Final = 3  # conservative: numbers and names take more tokens than English prose
_OVERHEAD: Final = 600  # tokens of our own prompt, roles and labels around the packet
_UNKNOWN: Final = 1_300  # tokens of a picture of unknown size
_LEAST: Final = 240  # characters that a shortened text keeps if there is room


def text_tokens(text: str) -> int:
    """Return a rough upper bound of a text's tokens."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)


def picture_tokens(width: int | None, height: int | None, edge: int, settings: Settings) -> int:
    """Return the tokens of a picture after scaling its longest edge down to `edge`."""
    if not width or not height:
        return _UNKNOWN
    scale = min(1.0, edge / max(width, height))
    return max(1, -int(-width * height * scale * scale // settings.reader.pixels_per_token))


def media_tokens(medium: Media, settings: Settings) -> int:
    """Return the tokens of a picture, or of the frames of a video."""
    if medium.modality == "video":
        edge = settings.reader.frame_edge
        frames = settings.views.frames if medium.duration else 1
        return frames * picture_tokens(medium.width, medium.height, edge, settings)
    return picture_tokens(medium.width, medium.height, settings.verifier.image_edge, settings)


def room_for_packet(packet: Packet, question: Question | None, settings: Settings) -> int:
    """Return how many tokens are left for blocks after question, instruction and answer."""
    taken = _OVERHEAD + settings.reader.output_tokens + text_tokens(packet.instruction)
    if question is not None:
        # Twice: the question may be repeated after the packet.
        taken += 2 * text_tokens(question.text)
        taken += sum(_question_image(image, settings) for image in question.images)
        taken += sum(text_tokens(turn.text) for turn in question.history)
    return settings.verifier.context_tokens - taken


def _question_image(image: QuestionImage, settings: Settings) -> int:
    from PIL import Image

    try:
        with Image.open(BytesIO(image.data)) as opened:  # reads the header alone
            width, height = opened.size
    except Exception:  # noqa: BLE001 - decoders raise anything; sending it reports the error
        return _UNKNOWN
    return picture_tokens(width, height, settings.verifier.image_edge, settings)


def fitted(packet: Packet, room: int, settings: Settings) -> Packet:
    """Return a packet that takes at most `room` tokens, if possible.

    Media are dropped, lowest-ranked first; then texts are shortened in the same order. The packet
    records what was left out.
    """
    return _with_short_texts(_with_few_media(packet, room, settings), room, settings)


def _size(blocks: Iterable[Block], settings: Settings) -> int:
    return sum(
        text_tokens(block_text(block))
        + sum(media_tokens(medium, settings) for medium in block.media)
        for block in blocks
    )


def _with_few_media(packet: Packet, room: int, settings: Settings) -> Packet:
    blocks, dropped = list(packet.blocks), list(packet.dropped_media)
    excess = _size(blocks, settings) - room
    for position in reversed(range(len(blocks))):
        while excess > 0 and blocks[position].media:
            block = blocks[position]
            *kept, last = block.media
            blocks[position] = replace(block, media=tuple(kept))
            dropped.append((block.memory_id, last.name))
            excess -= _size([block], settings) - _size([blocks[position]], settings)
    return replace(packet, blocks=tuple(blocks), dropped_media=tuple(dropped))


def _with_short_texts(packet: Packet, room: int, settings: Settings) -> Packet:
    blocks, cut = list(packet.blocks), list(packet.shortened)
    for least in (_LEAST, 0):
        excess = _size(blocks, settings) - room
        for position in reversed(range(len(blocks))):
            block = blocks[position]
            if excess <= 0 or len(block.text) <= least:
                continue
            # A character takes at least one byte, so this cuts enough if it can; the ellipsis
            # takes some bytes itself, and tokens are rounded up.
            most = max(least, len(block.text) - excess * _BYTES_PER_TOKEN - 2 * _BYTES_PER_TOKEN)
            blocks[position] = replace(block, text=shortened(block.text, most))
            excess -= _size([block], settings) - _size([blocks[position]], settings)
            cut.append(block.memory_id)
    return replace(packet, blocks=tuple(blocks), shortened=tuple(dict.fromkeys(cut)))
