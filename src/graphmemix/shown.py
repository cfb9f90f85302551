"""Records as people see them in a console and in a notebook: short lines, and small HTML.

The HTML needs no script and no style sheet, and everything in it is escaped: what somebody wrote in
a mail stays text.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["first_words", "html_card", "html_table", "short_id"]

_ID: Final = 32  # hexadecimal digits of an id that is derived from content
_SHORT: Final = 8  # of them, where people read it
_HEX: Final = frozenset("0123456789abcdef")
_FRAME: Final = "border:1px solid #8884;border-radius:6px;padding:8px 12px;max-width:60em"
_DIM: Final = "color:#777"
_UNBROKEN: Final = 16  # characters, as of a date with its time
_CELL: Final = "text-align:left;vertical-align:top;padding:2px 8px"


def short_id(memory_id: str) -> str:
    """Return an id for people: the first digits of a long one, which are seldom another's."""
    is_long = len(memory_id) == _ID and set(memory_id) <= _HEX
    return memory_id[:_SHORT] if is_long else memory_id


def first_words(text: str, most: int) -> str:
    """Return the beginning of a text in one line, cut at a space."""
    line = " ".join(text[: 4 * most].split())
    if len(line) <= most:
        return line if len(text) <= 4 * most else f"{line} …"
    head = line[:most]
    return f"{head[: head.rfind(' ')] if ' ' in head[most // 2 :] else head}…"


def html_card(title: str, words: str, about: Iterable[str], below: str = "") -> str:
    """Return a frame with a title, words, and a dim line about them.

    Args:
        title: Plain text, as all others but `below`.
        words: Keeps its lines.
        about: Parts of the last line; empty ones are left out.
        below: HTML that follows.
    """
    parts = [f'<div style="{_DIM}">{escape(title)}</div>'] if title else []
    if words:
        parts.append(f'<div style="white-space:pre-wrap;margin:4px 0">{escape(words)}</div>')
    line = " · ".join(filter(None, about))
    if line:
        parts.append(f'<div style="{_DIM};font-size:90%">{escape(line)}</div>')
    return f'<div style="{_FRAME}">{"".join(parts)}{below}</div>'


def html_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of plain texts."""
    head = "".join(f'<th style="{_CELL}">{escape(name)}</th>' for name in columns)
    lines = ("".join(_cell(cell) for cell in row) for row in rows)
    body = "".join(f"<tr>{cells}</tr>" for cells in lines)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(text: str) -> str:
    """Return a cell; a short one, such as a date, stays on its line."""
    breaks = "pre-wrap" if len(text) > _UNBROKEN else "nowrap"
    return f'<td style="{_CELL};white-space:{breaks}">{escape(text)}</td>'
