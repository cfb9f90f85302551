"""Makes the packet that a reader gets from a forest (METHOD section 6).

First the exact texts of memories and blocks, then what fits into a model's context:
media are dropped first, then texts are shortened.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Final

from graphmemix.encode.views import spoken
from graphmemix.errors import MemoryNotFoundError
from graphmemix.evidence import Block, Packet
from graphmemix.text.dates.zones import shown_in
from graphmemix.text.quoting import harmless, one_line, quoted

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graphmemix.evidence import Forest, Question, QuestionImage
    from graphmemix.memory import Media, Memory, Place
    from graphmemix.settings import Settings

__all__ = [
    "CAPTION",
    "HEARD",
    "LINE_BREAK",
    "NOTHING",
    "SEEN_TEXT",
    "block_text",
    "canonical",
    "fitted",
    "kind_name",
    "make_packet",
    "media_tokens",
    "packet_text",
    "picture_tokens",
    "room_for_packet",
    "shortened",
    "text_tokens",
]

NOTHING = "(no memories were found)"

_KINDS = {"email": "mail", "audio": "recording", "event": "calendar entry"}
CAPTION: Final = "Shown: "
SEEN_TEXT: Final = "Text in the picture: "
HEARD: Final = "Heard: "
LINE_BREAK: Final = " / "
"""Separates lines of text in a picture."""

# Characters. A page of a book has about 2,000; a photographed bill about 800.
_MOST_WORDS: Final = 20_000
_MOST_CAPTION: Final = 1_500
_MOST_OCR: Final = 2_000
_MOST_TRANSCRIPT: Final = 6_000
_MOST_MEDIA: Final = 12
_GAP: Final = " …"
_BYTES_PER_TOKEN: Final = 3  # conservative: numbers and names take more tokens than English prose
_OVERHEAD: Final = 600  # tokens of our own prompt, roles and labels around the packet
_UNKNOWN: Final = 1_300  # tokens of a picture of unknown size
_LEAST: Final = 240  # characters that a shortened text keeps if there is room


def packet_text(packet: Packet) -> str:
    """Return all blocks, in order, with the file names of their pictures.

    Without the instruction, which is the user's own and precedes the question.
    """
    return "\n\n".join(map(block_text, packet.blocks)) or NOTHING


def block_text(block: Block) -> str:
    """Return one labelled block. Labels start a line; lines of the memory start with ``>``."""
    by = f" by {one_line(block.speaker)}" if block.speaker else ""
    fields = (
        ("id", one_line(block.memory_id)),
        ("source id", one_line(block.source_id)),
        ("modalities", ", ".join(block.modalities)),
        ("kind", f"{kind_name(block.kind)}{by}" if block.kind else ""),
        ("date", _with_weekday(block.date)),
        ("place", one_line(block.place)),
        ("media", ", ".join(one_line(medium.name) or "unnamed" for medium in block.media)),
    )
    head = [f"=== Memory [{block.rank}] ==="]
    head += [f"{name}: {value}" for name, value in fields if value]
    return "\n".join([*head, "text:" if block.text else "text: (none)", *_body(block)])


def kind_name(kind: str) -> str:
    """Return the everyday name of a kind of memory."""
    return _KINDS.get(kind, kind)


def _body(block: Block) -> list[str]:
    return [quoted(block.text)] if block.text else []


def _with_weekday(date: str) -> str:
    """Return a date with its weekday, which models compute poorly and questions ask for."""
    try:
        return f"{date} ({datetime.fromisoformat(date):%A})"
    except ValueError:
        return one_line(date)


def canonical(memory: Memory) -> str:
    """Return the cleaned text of a memory: its own words, then a line for each description.

    Without repetitions, and at most a few pages in total.
    """
    parts = [shortened(harmless(spoken(memory)), _MOST_WORDS)]
    for medium in memory.media[:_MOST_MEDIA]:
        parts += _described(medium)
    return "\n".join(dict.fromkeys(filter(None, parts)))


def _described(medium: Media) -> list[str]:
    said = medium.description
    read = _without_noise(harmless(said.ocr))
    texts = (
        (CAPTION, _flat(said.caption or said.short_caption, " "), _MOST_CAPTION),
        (SEEN_TEXT, _flat(read, LINE_BREAK), _MOST_OCR),
        (HEARD, _flat(said.transcript, " "), _MOST_TRANSCRIPT),
    )
    return [f"{label}{shortened(text, most)}" for label, text, most in texts if text]


def _flat(text: str, between: str) -> str:
    return between.join(harmless(text).split("\n")).strip()


def _without_noise(text: str) -> str:
    """Drop repeated lines and lines that are mostly symbols, which OCR often produces."""
    lines = dict.fromkeys(text.split("\n"))
    return "\n".join(
        line for line in lines if sum(letter.isalnum() for letter in line) * 2 > len(line)
    )


def shortened(text: str, most: int) -> str:
    """Return at most `most` characters of a text, with an ellipsis if it was cut."""
    if len(text) <= most:
        return text
    room = most - len(_GAP)
    if room <= 0:
        return ""
    end = text.rfind(" ", 0, room + 1)
    return text[: end if end > room // 2 else room].rstrip() + _GAP


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
    if _size(packet.blocks, settings) <= room:  # as nearly always; to measure a block takes time
        return packet
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


def make_packet(
    forest: Forest,
    memories: Mapping[str, Memory],
    settings: Settings,
    instruction: str = "",
    *,
    question: Question | None = None,
    visual: bool = True,
) -> Packet:
    """Return the evidence as labelled blocks, in the forest's order, within the model's context.

    No file is opened: `load_pictures` does that, and drops pictures that do not fit.

    Args:
        forest: The selection. Scores and roles are not passed on: the reader judges for itself.
        memories: The memories of the forest, by id.
        settings: Sections `reader`, `verifier` (context, edge of pictures) and `views` (frames).
        instruction: The data set's or the user's own.
        question: Its size is deducted from the context.
        visual: Whether to include pictures and videos; without, a reader gets text only.

    Raises:
        MemoryNotFoundError: A memory of the forest is missing in `memories`.
    """
    blocks = []
    for rank, memory_id in enumerate(forest.memory_ids, start=1):
        if memory_id not in memories:
            raise MemoryNotFoundError(memory_id)
        blocks.append(_block(rank, memories[memory_id], settings, visual=visual))
    packet = Packet(tuple(blocks), instruction)
    return fitted(packet, room_for_packet(packet, question, settings), settings)


def _block(rank: int, memory: Memory, settings: Settings, *, visual: bool) -> Block:
    shown = settings.reader.show_date_and_place
    media = tuple(medium for medium in memory.media if medium.modality in {"image", "video"})
    return Block(
        rank,
        memory.id,
        memory.source_id,
        memory.modalities,
        canonical(memory),
        _date(memory, settings.ingest.zone) if shown else "",
        _place(memory.place) if shown else "",
        media if visual else (),
        memory.kind if shown else None,
        memory.speaker or "" if shown else "",
    )


def _date(memory: Memory, zone: str) -> str:
    """Return day and time; midnight is omitted, since it means that only the day is known."""
    if memory.timestamp is None:
        return ""
    when = shown_in(memory.timestamp, zone)
    return f"{when:%Y-%m-%d}" if not (when.hour or when.minute) else f"{when:%Y-%m-%d %H:%M}"


def _place(place: Place | None) -> str:
    if place is None or place.name:
        return place.name if place else ""
    if place.latitude is None or place.longitude is None:
        return ""
    return f"{place.latitude:.4f}, {place.longitude:.4f}"
