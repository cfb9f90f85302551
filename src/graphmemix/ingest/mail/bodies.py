"""What a mail says: its text, the pictures within it, and what is attached."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.mail.tnef import unwrapped
from graphmemix.ingest.text import decode

if TYPE_CHECKING:
    from graphmemix.ingest.mail.mime import Part

MOST_CHARACTERS = 1_000_000
"""Of the text of one mail. What is behind them is left out, and told."""

_MOST_HTML = 8 << 20  # bytes; a page of that size is no letter
_SIGNATURES = frozenset(
    {
        "application/pgp-signature",
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-encrypted",
    }
)
_LETTERS = frozenset({"text/plain", "text/html", "text/enriched", "text/richtext", "text/markdown"})
_MOST_LOST = 0.1  # of the words of the page: a plain version with fewer only points to the page
_MANY_WORDS = 40
_MANY_LINES = re.compile(r"\n{3,}")
_TRACKING = re.compile(r" ?<https?://[^<>\s]{100,}>")  # links of newsletters: long, and no words
_CID = re.compile(r"cid:([^\s\"'<>)]{1,250})", re.IGNORECASE)


@dataclass
class Content:
    """What a mail holds.

    Attributes:
        texts: In order.
        pictures: Parts that a page shows in its midst.
        attached: All other parts that stand for themselves.
        is_cut: Whether text was left out.
    """

    texts: list[str] = field(default_factory=list)
    pictures: list[Part] = field(default_factory=list)
    attached: list[Part] = field(default_factory=list)
    is_cut: bool = False

    @property
    def text(self) -> str:
        """All that the mail says."""
        return "\n\n".join(text for text in self.texts if text)


def content_of(message: Part) -> Content:
    """Return what a message holds. Never raises."""
    content = Content()
    shown: set[str] = set()
    _collect(message, content, shown)
    attached = []
    for part in content.attached:
        if part.kind.startswith("image/") and part.content_id and part.content_id in shown:
            content.pictures.append(part)
        else:
            attached.append(part)
    content.attached = attached
    left = MOST_CHARACTERS
    for i, text in enumerate(content.texts):
        content.is_cut |= len(text) > left
        content.texts[i] = text[:left]
        left -= len(content.texts[i])
    return content


def _collect(part: Part, content: Content, shown: set[str]) -> None:
    """Sort a part and those inside it. As deep as the parser goes, which is bounded."""
    if part.kind == "multipart/alternative":
        _collect_alternatives(part, content, shown)
    elif part.kind.startswith("multipart/"):
        for inside in part.parts:
            _collect(inside, content, shown)
        if not part.parts and part.body.strip():
            content.texts.append(_plain(part))  # a boundary that is missing or wrong
    elif part.kind in _SIGNATURES:
        return
    elif _is_letter(part):
        content.texts.append(letter(part, shown))
    else:
        content.attached += unwrapped(part)


def _collect_alternatives(part: Part, content: Content, shown: set[str]) -> None:
    """Take the plain version, or the page if the plain one says much less; and what is neither."""
    versions: list[tuple[Part, Content]] = []
    for inside in part.parts:
        version = Content()
        _collect(inside, version, shown)
        content.pictures += version.pictures
        content.attached += version.attached
        versions.append((inside, version))
    plain = next((v.text for p, v in versions if p.kind == "text/plain" and v.text), "")
    others = [v.text for p, v in versions if p.kind != "text/plain" and v.text]
    richest = max(others, key=len, default="")
    count = len(richest.split())
    says_less = count > _MANY_WORDS and len(plain.split()) < _MOST_LOST * count
    content.texts.append(richest if says_less or not plain else plain)


def _is_letter(part: Part) -> bool:
    if part.disposition == "attachment":
        return False
    if part.kind in _LETTERS:
        return not part.filename
    # What a mail server says about a mail that it could not deliver.
    return part.kind in {"message/delivery-status", "text/rfc822-headers"}


def letter(part: Part, shown: set[str] | None = None) -> str:
    """Return a text part as plain text; note in `shown` which pictures a page shows."""
    if part.kind != "text/html":
        return _plain(part)
    html = decode(part.content()[:_MOST_HTML], part.parameter("content-type", "charset"))
    if shown is not None:
        shown.update(_CID.findall(html))
    return _tidied(_TRACKING.sub("", to_text(html)))


def _plain(part: Part) -> str:
    text = decode(part.content(), part.parameter("content-type", "charset"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if part.parameter("content-type", "format").lower() == "flowed":
        text = _unflowed(text, delete=part.parameter("content-type", "delsp").lower() == "yes")
    return _tidied(text)


def _unflowed(text: str, *, delete: bool) -> str:
    """Return text whose paragraphs were broken with a space at the ends of lines (RFC 3676)."""
    made: list[list[str]] = []
    open_depth: int | None = None
    for line in text.split("\n"):
        bare = line.lstrip(">")
        depth = len(line) - len(bare)
        words = bare.removeprefix(" ")
        is_soft = words.endswith(" ") and words != "-- "
        if open_depth != depth:
            made.append(["> " * depth])
        made[-1].append(words[:-1] if is_soft and delete else words)
        open_depth = depth if is_soft else None
    return "\n".join("".join(pieces) for pieces in made)


def _tidied(text: str) -> str:
    lines = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    return _MANY_LINES.sub("\n\n", lines).strip()
