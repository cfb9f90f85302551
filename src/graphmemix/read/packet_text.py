"""The exact texts that a reader gets: of a memory, of its block, of a packet (METHOD section 6)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final

from graphmemix.encode.views import spoken
from graphmemix.text.quoting import harmless, one_line, quoted

if TYPE_CHECKING:
    from graphmemix.evidence import Block, Packet
    from graphmemix.memory import Media, Memory

__all__ = [
    "CAPTION",
    "HEARD",
    "LINE_BREAK",
    "NOTHING",
    "SEEN_TEXT",
    "block_text",
    "canonical",
    "kind_name",
    "packet_text",
    "shortened",
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
