"""Decodes text in any charset, even if the declared charset is wrong.

Used by every importer of text of unknown origin: mails, chats, notes, web pages, contacts.
"""

from __future__ import annotations

import codecs
import re

from graphmemix.ingest.charset import guess

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it starts with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Charsets as used in practice: programs declare the smaller set and use the larger one.
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "iso8859-9": "cp1254",
    "tis-620": "cp874",
}
# Python codecs that are no charsets; declared as one, they are a mistake or an attack.
_NO_CHARSETS = frozenset(
    {"idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"}
)
_LONGEST_NAME = 100  # characters of the name of a charset
_SAMPLE = 1 << 16  # bytes from which the charset is guessed
_BINARY = re.compile(rb"[\x01-\x06\x0e-\x1a\x1c-\x1f]")


def decode(data: bytes, declared: str | None = None) -> str:
    """Return `data` as text. Never raises: undecodable bytes become U+FFFD.

    In order of precedence: a byte order mark, valid UTF-8 with non-ASCII characters, the declared
    charset, a guess from the letters.

    Args:
        data: The encoded text.
        declared: The charset that the source declares, if any; may be wrong or unknown.
    """
    for mark, name in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(name, "replace")
    known = _known(declared)
    own = known if known is not None and _is_own(known) else None
    wide = _wide(data) if own is None else None
    if wide is not None:
        return data.decode(wide, "replace")
    for charset in (own, "utf-8", known):
        text = None if charset is None else _strictly(data, charset)
        if text is not None:
            return text
    if _is_damaged_utf8(data):
        return data.decode("utf-8", "replace")
    meant = known if known != "utf-8" else None
    return data.decode(meant or _guessed(data[:_SAMPLE]), "replace")


def _guessed(sample: bytes) -> str:
    """Return the likeliest charset; for binary data a fixed one, since guessing is slow."""
    return guess(sample) if looks_like_text(sample) else "cp1252"


def looks_like_text(head: bytes) -> bool:
    """Return whether the start of a file is non-empty text in some charset."""
    if not head:
        return False
    if any(head.startswith(mark) for mark, _ in _BOMS) or _wide(head) is not None:
        return True
    if b"\0" in head:
        return False
    return len(_BINARY.findall(head)) * 100 <= len(head)


def _known(declared: str | None) -> str | None:
    """Return the codec of a declared charset; None if there is no such text codec."""
    name = (declared or "")[:_LONGEST_NAME].strip().strip("\"'").lower()
    if not name.isascii():
        return None
    try:
        codec = codecs.lookup(name)
        b"a".decode(codec.name)  # fails for codecs that do not produce text, such as zlib
    except UnicodeError:
        pass  # two or more bytes per character
    except (LookupError, ValueError):
        return None
    if codec.name.replace("-", "_") in _NO_CHARSETS:
        return None
    return _MEANT.get(codec.name, codec.name)


def _is_own(charset: str) -> bool:
    """Return whether texts in this charset look like valid UTF-8 without being UTF-8."""
    return charset.startswith(("utf-16", "utf-32", "iso2022", "utf-7", "hz"))


def _strictly(data: bytes, charset: str) -> str | None:
    try:
        return data.decode(charset)
    except (UnicodeError, ValueError):
        return None


def _wide(data: bytes) -> str | None:
    """Return the UTF-16 byte order of a text without BOM: every other byte of Latin text is 0."""
    sample = data[: min(len(data), 4096) // 2 * 2]
    if len(sample) < 4:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if odd > 0.6 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.6 * half and odd < 0.05 * half:
        return "utf-16-be"
    return None


def _is_damaged_utf8(data: bytes) -> bool:
    """Return whether most non-ASCII bytes are UTF-8, as in a truncated or damaged text."""
    sample = data[:_SAMPLE]
    text = sample.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    good = sum(character > "\x7f" for character in text) - bad
    return good >= 2 * bad
