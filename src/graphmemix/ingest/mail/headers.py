"""Decodes headers: encoded words (RFC 2047), parameters (RFC 2231), raw bytes."""

from __future__ import annotations

import binascii
import re
from urllib.parse import unquote_to_bytes

from graphmemix.ingest.text import decode

_MOST_CHARACTERS = 100_000  # of one header field; a list of a thousand recipients has fewer
_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?\r\n]*)\?=")
_BETWEEN = re.compile(r"(\?=)\s+(=\?)")
_FOLD = re.compile(r"[\r\n]\s*+")
_PARAMETER = re.compile(
    r""";\s*([^\s=;*]+)(\*\d{0,3})?(\*)?\s*=\s*("(?:[^"\\]|\\.)*+"?|[^;]*)""", re.DOTALL
)
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def header_text(value: bytes) -> str:
    """Return a header field as text on one line, even if it has non-ASCII bytes."""
    text = value.decode("ascii") if value.isascii() else decode(value)
    return _FOLD.sub(" ", text[:_MOST_CHARACTERS]).strip()


def decoded(text: str) -> str:
    """Decode the encoded words of a text; undecodable ones are left as they are."""
    if "=?" not in text:
        return _CONTROL.sub("", text)
    made: list[str] = []
    position = 0
    pending: list[bytes] = []  # a character may be split across two words
    pending_charset = ""
    joined = _BETWEEN.sub(r"\1\2", text)
    for word in _WORD.finditer(joined):
        before = joined[position : word.start()]
        charset = word.group(1).split("*")[0].lower()
        data = _word_bytes(word.group(2), word.group(3))
        if before or charset != pending_charset:
            made += [decode(b"".join(pending), pending_charset), before]
            pending, pending_charset = [], charset
        pending.append(data)
        position = word.end()
    made += [decode(b"".join(pending), pending_charset), joined[position:]]
    return " ".join(_CONTROL.sub("", "".join(made)).split())


def _word_bytes(encoding: str, text: str) -> bytes:
    data = text.encode("utf-8", "replace")
    if encoding in "qQ":
        return binascii.a2b_qp(data.replace(b" ", b"_"), header=True)
    try:
        return binascii.a2b_base64(data + b"=" * (-len(data) % 4))
    except binascii.Error:
        return data


def parameters(text: str) -> dict[str, str]:
    """Return the parameters of a header field, by lower-case name, continuations joined."""
    found: dict[str, list[tuple[int, bool, str]]] = {}
    for name, number, encoded, value in _PARAMETER.findall(text[:_MOST_CHARACTERS]):
        order = int(number[1:]) if number[1:].isdigit() else 0
        is_encoded = bool(encoded) or number == "*"
        found.setdefault(name.lower(), []).append((order, is_encoded, _unquoted(value)))
    return {name: _joined(pieces) for name, pieces in found.items()}


def _unquoted(value: str) -> str:
    value = value.strip()
    if value.startswith('"'):
        inside = value[1:-1] if len(value) > 1 and value.endswith('"') else value[1:]
        return re.sub(r"\\(.)", r"\1", inside)
    return value


def _joined(pieces: list[tuple[int, bool, str]]) -> str:
    """Return the value of a parameter; an encoded form takes precedence over a plain one."""
    if any(encoded for _, encoded, _ in pieces):
        pieces = [each for each in pieces if each[1] or each[0]]
    pieces.sort(key=lambda piece: piece[0])
    charset = ""
    made: list[bytes] = []
    for i, (_, encoded, value) in enumerate(pieces):
        if encoded and i == 0 and value.count("'") >= 2:
            charset, _, value = value.split("'", 2)  # noqa: PLW2901  # the rest of the piece
        made.append(unquote_to_bytes(value) if encoded else value.encode("utf-8", "replace"))
    data = b"".join(made)
    return decode(data, charset or None) if charset or not data.isascii() else data.decode()
