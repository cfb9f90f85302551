"""A packet as the exact text that a reader gets (METHOD section 6)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from graphmemix.text.quoting import one_line, quoted

if TYPE_CHECKING:
    from graphmemix.evidence import Block, Packet

__all__ = ["NOTHING", "block_text", "kind_name", "packet_text"]

NOTHING = "(no memories were found)"

_KINDS = {"email": "mail", "audio": "recording", "event": "calendar entry"}


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
