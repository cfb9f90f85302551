"""Small pieces of Markdown."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def cell(text: str) -> str:
    """Return text for a cell of a table: one line, no bar that would end the cell."""
    return re.sub(r"\s+", " ", text).replace("|", "&#124;").strip()


def code(text: str) -> str:
    """Return text as code that may stand in a table, whatever it holds; nothing for nothing."""
    if not text:
        return ""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return (
        f"<code>{escaped.replace('|', '&#124;').replace('*', '&#42;').replace('_', '&#95;')}</code>"
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def paragraphs(docstring: str) -> str:
    """Return a docstring for a page: blocks behind ``::`` are blocks of code there anyway."""
    alone = re.sub(r"^ *::\n\n", "", docstring, flags=re.MULTILINE)
    return re.sub(r"::(?=\n\n)", ":", alone)
