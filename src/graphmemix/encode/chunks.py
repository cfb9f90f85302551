"""Long texts in parts: at sentence borders, with some overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING

import regex

if TYPE_CHECKING:
    from collections.abc import Iterator

# A sentence ends with its mark and closing quotes, or at a blank line; Chinese and Japanese marks
# need no space behind them. A run of marks is tried once, from its beginning: linear time.
_END = regex.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s|$)|[。！？]++[」』”]*+|\n[^\S\n]*+\n")


def chunks(text: str, *, size: int, overlap: int) -> list[str]:
    """Return `text` in parts of at most `size` characters.

    Parts end at sentence borders where they can, at spaces where a sentence is longer than a part,
    and anywhere in a run without spaces. Each part but the first repeats up to `overlap` characters
    of whole sentences from the one before. Empty text has no part. Costs O(length).
    """
    text = text.strip()
    if len(text) <= size:
        return [text] if text else []
    parts: list[str] = []
    current: list[str] = []
    length = 0
    for sentence in _pieces(text, size):
        if current and length + len(sentence) > size:
            parts.append("".join(current).strip())
            current = _tail(current, min(overlap, size - len(sentence)))
            length = sum(map(len, current))
        current.append(sentence)
        length += len(sentence)
    parts.append("".join(current).strip())
    return [part for part in parts if part]


def _pieces(text: str, size: int) -> list[str]:
    """Return the sentences of a text; those longer than `size` in pieces."""
    pieces = []
    for sentence in _sentences(text):
        start = 0
        while len(sentence) - start > size:
            end = sentence.rfind(" ", start + size // 2, start + size) + 1 or start + size
            pieces.append(sentence[start:end])
            start = end
        if start < len(sentence):
            pieces.append(sentence[start:])
    return pieces


def _sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text; together they are the text."""
    start = 0
    for end in _END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _tail(sentences: list[str], most: int) -> list[str]:
    """Return the last sentences that fit into `most` characters."""
    kept: list[str] = []
    length = 0
    for sentence in reversed(sentences):
        length += len(sentence)
        if length > most:
            break
        kept.insert(0, sentence)
    return kept
