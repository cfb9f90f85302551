"""HTML to text, for web pages and for the bodies of mails. Nothing is fetched, nothing is run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graphmemix.ingest.documents.markup import Tag, attributes_of, tokens
from graphmemix.ingest.documents.parts import DocumentPart, DocumentProperties, memories, read_small
from graphmemix.ingest.node import iso_moment, short
from graphmemix.ingest.text import decode, looks_like_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime, tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_DROPPED = frozenset(
    {"script", "style", "template", "noscript", "svg", "math", "object", "head", "iframe", "canvas"}
)
_BLOCKS = frozenset(
    {
        *(
            "address",
            "article",
            "aside",
            "blockquote",
            "body",
            "caption",
            "center",
            "dd",
            "details",
        ),
        *("dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "legend", "li", "main"),
        *("menu", "nav", "ol", "option", "p", "pre", "section", "select", "summary", "table"),
        *("tbody", "tfoot", "thead", "title", "tr", "ul"),
    }
)
_PARAGRAPHS = frozenset({"p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "pre", "table"})
_LISTS = frozenset({"ul", "ol", "dl"})
_CELLS = frozenset({"td", "th"})
_VOID = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta"})
# Not white space to Python, and yet invisible: preview padding of newsletters is made of them.
_INVISIBLE = re.compile("[\u00ad\u034f\u061c\u200b-\u200f\u2060-\u2064\ufeff]")
_SPACE = re.compile(r"[ \t\r\n\f\u00a0]+")
_HIDDEN = re.compile(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden|mso-hide\s{0,9}:\s{0,9}all",
    re.IGNORECASE,
)
_CHARSET = re.compile(
    rb"""charset\s{0,9}=\s{0,9}["']?\s{0,9}([A-Za-z0-9_:.-]{2,40})""", re.IGNORECASE
)
_DATES = frozenset(
    {"article:published_time", "date", "dc.date", "dcterms.created", "dcterms.date"}
    | {"datepublished", "pubdate", "publish-date", "parsely-pub-date", "sailthru.date"}
)
_HEAD = 1 << 16  # characters in which a page says when it was published
_LINK = re.compile(r"(?:https?|mailto|tel|ftp|geo):\S+", re.IGNORECASE)


def to_text(html: str) -> str:
    """Return what a reader of the page sees, as plain text. Never raises.

    Scripts, styles and hidden parts are dropped; blocks become lines, list items start with a dash,
    cells of a row are separated by " | ". The address of a link follows its words in angle brackets
    if it is not among them; the `alt` of a picture stands for it. Costs time linear in the input.
    """
    return read_page(html)[1]


def read_page(html: str) -> tuple[str, str]:
    """Return the title of a page and its text; see `to_text`."""
    reader = _Reader()
    for token in tokens(html):
        if isinstance(token, str):
            reader.words(token)
        elif token.closing:
            reader.close(token.name)
        else:
            reader.open(token)
    return reader.title, reader.text()


class _Reader:
    """Collects lines. While `_skipped` names an element, all is dropped until it closes."""

    def __init__(self) -> None:
        self.title = ""
        self._lines: list[str] = []
        self._line: list[str] = []
        self._has_words = False  # whether there are any in the line: not to look for each cell
        self._skipped = ""
        self._depth = 0
        self._in_title = False
        self._preformatted = 0
        self._link: tuple[str, int] | None = None  # its address, and where its words start

    def text(self) -> str:
        self._break()
        text = "\n".join(line.rstrip() for line in self._lines)
        return re.sub(r"\n{3,}", "\n\n", text).strip()

    def open(self, tag: Tag) -> None:
        name = tag.name
        self._in_title = name == "title"
        if self._skipped:
            if not (self._skipped == "p" and name in _BLOCKS) and name != "body":
                self._depth += name == self._skipped
                return
            self._skipped = ""  # a paragraph ends where the next block starts
        given = attributes_of(tag) if tag.attributes.strip(" /\n") else {}
        if name in _DROPPED or (name != "body" and _is_hidden(given)):
            if name not in _VOID and not tag.attributes.endswith("/"):
                self._skipped, self._depth = name, 1
            return
        if name == "br":
            self._break(keep_empty=True)
        elif name in _BLOCKS:
            self._break(paragraph=name in _PARAGRAPHS or name in _LISTS)
        self._start(name, given)

    def _start(self, name: str, given: dict[str, str]) -> None:
        if name == "li":
            self._add("- ")
        elif name in _CELLS and self._has_words:
            self._add(" | ")
        elif name == "pre":
            self._preformatted += 1
        elif name == "a":
            self._close_link()
            self._link = (given.get("href", "").strip(), len(self._line))
        elif name == "img" and given.get("alt", "").strip():
            self._add(f"[{_SPACE.sub(' ', given['alt']).strip()}]")

    def close(self, name: str) -> None:
        if name == "title":
            self._in_title = False
        if self._skipped:
            self._depth -= name == self._skipped
            if self._depth <= 0 or name in {"body", "html"}:
                self._skipped = ""
            return
        if name == "a":
            self._close_link()
        elif name == "pre" and self._preformatted:
            self._break()
            self._preformatted -= 1
        if name in _BLOCKS:
            self._break(paragraph=name in _PARAGRAPHS or name in _LISTS)

    def _close_link(self) -> None:
        if self._link is None:
            return
        address, start = self._link
        self._link = None
        words = "".join(self._line[start:])
        bare = address.split(":", 1)[-1].strip("/")
        if _LINK.fullmatch(address) and bare not in words:
            self._add(f" <{address}>" if words.strip() else f"<{address}>")

    def words(self, text: str) -> None:
        if self._in_title:
            self.title = self.title or _SPACE.sub(" ", text).strip()
            return
        if self._skipped:
            return
        text = _INVISIBLE.sub("", text)
        if not self._preformatted:
            self._add(_SPACE.sub(" ", text))
            return
        first, *others = text.split("\n")
        self._add(first)
        for other in others:
            self._break(keep_empty=True)
            self._add(other)

    def _add(self, text: str) -> None:
        self._line.append(text)
        self._has_words = self._has_words or bool(text.strip())

    def _break(self, *, paragraph: bool = False, keep_empty: bool = False) -> None:
        line = "".join(self._line)
        if not self._preformatted:
            line = _SPACE.sub(" ", line).strip()
        self._line.clear()
        self._has_words = False
        if self._link is not None:
            self._link = (self._link[0], 0)
        if line.strip(" -"):
            self._lines.append(line)
        elif keep_empty and self._lines:
            self._lines.append("")
        if paragraph and self._lines and self._lines[-1]:
            self._lines.append("")


def _is_hidden(given: dict[str, str]) -> bool:
    return (
        "hidden" in given
        or given.get("aria-hidden") == "true"
        or bool(_HIDDEN.search(given.get("style", "")))
    )


class Html:
    """Reads saved web pages; scripts are not run and nothing is fetched.

    Args:
        zone: The zone of dates that have none; None for this machine's.
    """

    name = "html"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Say whether the file begins as a web page does."""
        if found.is_folder or not looks_like_text(found.head):
            return False
        start = decode(found.head).lstrip("\ufeff \t\r\n")[:2000].lower()
        if start.startswith(("<!doctype html", "<html", "<head", "<body")):
            return True
        return start.startswith(("<?xml", "<!--")) and "<html" in start

    def companions(self, found: Found) -> Iterator[Path]:
        """Name the files that browsers save along with a page: they are its decoration."""
        for suffix in ("_files", "_Files", "-Dateien", "_archivos", "_fichiers"):
            folder = found.path.parent / f"{found.path.stem}{suffix}"
            if folder.is_dir() and not folder.is_symlink():
                yield from sorted(path for path in folder.rglob("*") if path.is_file())

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:  # noqa: ARG002
        """Yield the page, in parts if it is long; the title stands first."""
        data = read_small(found)
        html = decode(data, _declared(data))
        title, text = read_page(html)
        if title and not text.startswith(title):
            text = f"{title}\n\n{text}"
        said = DocumentProperties(short(title), written=self._written(html))
        yield from memories(found, self.name, [DocumentPart(text)], said)

    def _written(self, html: str) -> datetime | None:
        """Return when the page says it was published; None if it does not."""
        for token in tokens(html[:_HEAD]):
            if isinstance(token, Tag) and token.name == "meta":
                given = attributes_of(token)
                name = given.get("property") or given.get("name") or given.get("itemprop", "")
                if name.lower() in _DATES:
                    found = iso_moment(given.get("content") or "-", self.zone)
                    if found is not None:
                        return found
        return None


def _declared(data: bytes) -> str | None:
    match = _CHARSET.search(data[:2048])
    return match[1].decode("ascii", "replace") if match else None
