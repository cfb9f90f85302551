"""The keys of contents: the same content has the same key, on any machine."""

from __future__ import annotations

import hashlib


def text_key(text: str) -> bytes:
    """Return the key of a text. It is never that of a picture."""
    return hashlib.sha256(b"text\0" + text.encode("utf-8", "surrogatepass")).digest()


def picture_key(data: bytes) -> bytes:
    """Return the key of an encoded picture: its SHA-256, as the media folder names it."""
    return hashlib.sha256(data).digest()
