"""Splits the address fields of mails, as they should be written and as they are.

The standard library's parser gives up a whole field for one mistake, differs between versions of
Python and takes quadratic time; this one reads each character once.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from graphmemix.ingest.mail.headers import decoded

if TYPE_CHECKING:
    from collections.abc import Iterator

_LONGEST_LIST = 100_000  # characters of a field that are searched
_LONGEST_PIECE = 2_000  # characters of one name with its address
_LONGEST_NAME = 200  # characters
_BETWEEN = re.compile(r"[\s<>()\[\]\"',;:]")  # what is not in an address
_QUOTED_PAIR = re.compile(r"\\(.)")
_ENCODED = re.compile(r"=\?[^?\s]{1,60}\?[bBqQ]\?[^?]*\?=")
_COMMENT = re.compile(r"\([^()]*\)")
_END = re.compile("[,;]|$")


class Address(NamedTuple):
    """A name and a mail address; either may be empty."""

    name: str
    address: str

    @property
    def shown(self) -> str:
        """The name, or else the address."""
        return self.name or self.address

    @property
    def whole(self) -> str:
        """Name and address, such as ``Anna <anna@example.org>``."""
        return f"{self.name} <{self.address}>" if self.name and self.address else self.shown


@dataclass
class _Piece:
    """What stands between two commas: words, comments, and what is in angle brackets."""

    words: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    inside: str | None = None
    quoted: bool = False

    @property
    def text(self) -> str:
        return " ".join("".join(self.words)[:_LONGEST_PIECE].split())


def addresses(text: str) -> list[Address]:
    """Return the addresses in a field, in order, without the names of groups. Never raises."""
    found: list[Address] = []
    family = ""  # "Kay, Anna <anna@example.org>" without quotes
    for piece in _pieces(text[:_LONGEST_LIST].replace("mailto:", "")):
        here = _address(piece)
        if here is None:
            continue
        if family:
            if piece.inside is not None and here.name[:1].isupper():
                here = Address(f"{family}, {here.name}"[:_LONGEST_NAME], here.address)
            else:
                found.append(Address("", family))
            family = ""
        if _is_family_name(piece, here):
            family = here.address
        else:
            found.append(here)
    return [*found, Address("", family)] if family else found


def _is_family_name(piece: _Piece, here: Address) -> bool:
    alone = piece.inside is None and not piece.quoted and not here.name
    return alone and "@" not in here.address and here.address[:1].isupper()


def _address(piece: _Piece) -> Address | None:
    """Return the address of a piece; None if it says nothing."""
    text = piece.text
    if piece.inside is not None:
        address = "".join(piece.inside.split())
        name = _tidy(text)
        if not address and not name:
            return None
    else:
        found = next((word for word in _BETWEEN.split(text) if "@" in word.strip("@")), "")
        address = found or _tidy(text)
        name = _tidy(text.replace(found, "", 1)) if found else ""
        if not address:
            return None
        name = name or _tidy(" ".join(piece.comments))
    return Address("" if name == address else name, address)


def _tidy(text: str) -> str:
    return decoded(text).strip(" \t'\"[]<>")[:_LONGEST_NAME]


def _pieces(text: str) -> Iterator[_Piece]:
    """Yield what stands between commas and semicolons."""
    piece = _Piece()
    at = 0
    last = len(text)
    closing = {'"': True, "(": True}  # whether one may still be closed
    brackets_end = text.rfind(">")
    while at < last:
        letter = text[at]
        end = at + 1
        if closing.get(letter):
            end = _closed(text, at)
            closing[letter] = end > 0
            end = end or at + 1
        if end > at + 1 and letter == '"':
            piece.words.append(_QUOTED_PAIR.sub(r"\1", text[at + 1 : end - 1]))
            piece.quoted = True
        elif end > at + 1:
            piece.comments.append(_QUOTED_PAIR.sub(r"\1", text[at + 1 : end - 1]))
            piece.words.append(" ")
        elif letter == "=" and (word := _ENCODED.match(text, at)):
            piece.words.append(word[0])
            end = word.end()
        elif letter == "<":
            piece.inside, end = _in_brackets(text, at, closed=at < brackets_end)
        elif letter in ",;":
            yield piece
            piece = _Piece()
        elif letter == ":" and piece.inside is None and "@" not in piece.words:
            piece = _Piece()  # it was the name of a group
        elif letter not in '"()':
            piece.words.append(letter)
        at = end
    yield piece


def _in_brackets(text: str, at: int, *, closed: bool) -> tuple[str, int]:
    """Return what is in angle brackets, which may lack their end, and where they end."""
    if closed:
        end = text.index(">", at)
        return _COMMENT.sub("", text[text.rfind("<", at, end) + 1 : end]), end + 1
    match = _END.search(text, at)
    end = match.start() if match else len(text)
    return text[at + 1 : end], end


def _closed(text: str, at: int) -> int:
    """Return where a quotation or comment ends, behind its mark; 0 if it does not."""
    is_quote = text[at] == '"'
    depth = 0
    position = at
    while position < len(text):
        letter = text[position]
        if letter == "\\":
            position += 1
        elif is_quote and letter == '"' and position > at:
            return position + 1
        elif not is_quote and letter in "()":
            depth += 1 if letter == "(" else -1
            if depth == 0:
                return position + 1
        position += 1
    return 0
