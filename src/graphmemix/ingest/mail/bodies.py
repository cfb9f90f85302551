"""The content of a mail: its text, inline pictures and attachments."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.html import to_text
from graphmemix.ingest.mail.tnef import unwrapped
from graphmemix.ingest.text import decode

if TYPE_CHECKING:
    from graphmemix.ingest.mail.mime import MimePart

MOST_CHARACTERS = 1_000_000
"""Characters of one mail's text. The rest is left out and reported."""

_MOST_HTML = 8 << 20  # bytes; a larger page is not written by a person
_SIGNATURES = frozenset(
    {
        "application/pgp-signature",
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "application/pgp-encrypted",
    }
)
_LETTERS = frozenset({"text/plain", "text/html", "text/enriched", "text/richtext", "text/markdown"})
_MOST_LOST = (
    0.1  # share of the page's words; a plain version that lacks more only refers to the page
)
_MANY_WORDS = 40
_MANY_LINES = re.compile(r"\n{3,}")
_TRACKING = re.compile(r" ?<https?://[^<>\s]{100,}>")  # links of newsletters: long, and no words
_CID = re.compile(r"cid:([^\s\"'<>)]{1,250})", re.IGNORECASE)


@dataclass
class MailContent:
    """The content of a mail.

    Attributes:
        texts: Its texts, in order.
        pictures: Pictures shown within its HTML.
        attached: All other attachments.
        is_cut: Whether text was left out.
    """

    texts: list[str] = field(default_factory=list)
    pictures: list[MimePart] = field(default_factory=list)
    attached: list[MimePart] = field(default_factory=list)
    is_cut: bool = False

    @property
    def text(self) -> str:
        """The whole text of the mail."""
        return "\n\n".join(text for text in self.texts if text)


def content_of(message: MimePart) -> MailContent:
    """Return the content of a message. Never raises."""
    content = MailContent()
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


def _collect(part: MimePart, content: MailContent, shown: set[str]) -> None:
    """Classify a part and those inside it. The parser bounds the depth."""
    if part.kind.startswith("multipart/") and not part.parts:
        content.texts.append(_without_boundaries(part))
    elif part.kind == "multipart/alternative":
        _collect_alternatives(part, content, shown)
    elif part.kind.startswith("multipart/"):
        for inside in part.parts:
            _collect(inside, content, shown)
    elif part.kind in _SIGNATURES:
        return
    elif _is_text(part):
        content.texts.append(text_of(part, shown))
    else:
        content.attached += unwrapped(part)


def _without_boundaries(part: MimePart) -> str:
    """Return the text of a multipart whose boundaries are missing or wrong."""
    mark = f"--{part.parameter('content-type', 'boundary')}"
    lines = (line for line in _plain(part).split("\n") if line.strip() not in {mark, f"{mark}--"})
    return _tidied("\n".join(lines))


def _collect_alternatives(part: MimePart, content: MailContent, shown: set[str]) -> None:
    """Take the plain version, or the HTML if the plain one has much less text; and other parts."""
    versions: list[tuple[MimePart, MailContent]] = []
    for inside in part.parts:
        version = MailContent()
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


def _is_text(part: MimePart) -> bool:
    if part.disposition == "attachment":
        return False
    if part.kind in _LETTERS:
        return not part.filename
    # What a mail server says about a mail that it could not deliver.
    return part.kind in {"message/delivery-status", "text/rfc822-headers"}


def text_of(part: MimePart, shown: set[str] | None = None) -> str:
    """Return a text part as plain text; note in `shown` which pictures a page shows."""
    if part.kind != "text/html":
        return _plain(part)
    html = decode(part.content()[:_MOST_HTML], part.parameter("content-type", "charset"))
    if shown is not None:
        shown.update(_CID.findall(html))
    return _tidied(_TRACKING.sub("", to_text(html)))


def _plain(part: MimePart) -> str:
    text = decode(part.content(), part.parameter("content-type", "charset"))
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if part.parameter("content-type", "format").lower() == "flowed":
        text = _unflowed(text, delete=part.parameter("content-type", "delsp").lower() == "yes")
    return _tidied(text)


def _unflowed(text: str, *, delete: bool) -> str:
    """Join paragraphs of format=flowed text, whose wrapped lines end with a space (RFC 3676)."""
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
