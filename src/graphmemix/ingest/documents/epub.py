"""Electronic books (EPUB): a memory per part of a chapter."""

from __future__ import annotations

import posixpath
from datetime import UTC
from typing import TYPE_CHECKING
from urllib.parse import unquote

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.attachments import Attachments
from graphmemix.ingest.documents.html import read_page
from graphmemix.ingest.documents.markup import Tag, attributes_of, tokens
from graphmemix.ingest.documents.office import holds
from graphmemix.ingest.documents.packed import Packed
from graphmemix.ingest.documents.packed_pictures import PackedPictures
from graphmemix.ingest.documents.parts import DocumentPart, DocumentProperties, keep_file, memories
from graphmemix.ingest.node import iso_moment, short
from graphmemix.ingest.protocol import Skipped
from graphmemix.ingest.text import decode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_MIME = "application/epub+zip"
_PICTURES = frozenset({"img", "image"})
_TEXTS = ("html", "oeb1-document", "dtbook")  # parts of the types of chapters, also of old books
_MOST_PICTURES = 200  # of a chapter
_LONGEST_NOTE = 2_000  # characters


class Epub:
    """Reads the chapters in the order of the book, with the pictures that they show."""

    name = "epub"

    def recognises(self, found: Found) -> bool:
        """Return whether this is a package that names the file with the order of a book."""
        return holds(found, _CONTAINER)

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the chapters in order; one that cannot be read is skipped by name.

        Raises:
            ImportSourceError: The book is damaged, or its order of chapters is missing.
        """
        parts: list[DocumentPart] = []
        with Packed(found) as packed:
            pictures = PackedPictures(packed, Attachments(found, sink))
            book = _Book(packed, found.name)
            for member in book.chapters():
                label = f"{found.name} {member}"
                if isinstance(member, Skipped):
                    yield member
                    continue
                if member in book.encrypted:
                    yield Skipped(label, "is encrypted (DRM)")
                    continue
                try:
                    parts.append(_chapter(packed, member, pictures))
                except ImportSourceError as error:
                    yield Skipped(label, str(error).removeprefix(f"{found.name}: "))
        yield from memories(
            found, self.name, parts, book.about(), file=keep_file(found, sink, _MIME)
        )


class _Book:
    """The package document of a book: what it is about, its files and their order."""

    def __init__(self, packed: Packed, name: str) -> None:
        container = packed.xml(_CONTAINER, document_type=True)
        roots = [each.get("full-path", "") for each in container.iter("rootfile")]
        member = next((each for each in roots if each in packed), "")
        if not member:
            raise ImportSourceError(f"{name}: the list of its chapters is missing")
        self._name = name
        self._packed = packed
        # Some books are packed with names in other letters than their order has.
        self._stored = {each.casefold(): each for each in packed.members()}
        self._folder = posixpath.dirname(member)
        self._root = packed.xml(member, document_type=True)
        self.encrypted = frozenset(_encrypted(packed))

    def chapters(self) -> Iterator[str | Skipped]:
        """Yield the members that are chapters, each once, in the order of the book.

        What is in the order and is no chapter is yielded as skipped.
        """
        files = {each.get("id", ""): each for each in self._root.iter("item")}
        seen: set[str] = set()
        for each in self._root.iter("itemref"):
            named = each.get("idref", "")
            item = files.get(named)
            member = _resolved(self._folder, item.get("href", "")) if item is not None else named
            if member in seen:
                continue
            seen.add(member)
            if item is None:
                yield Skipped(f"{self._name} {member}", "is no file of the book")
            elif any(kind in item.get("media-type", "html") for kind in _TEXTS):
                stored = self._stored.get(member.casefold(), member)
                yield member if member in self._packed else stored
            else:
                yield Skipped(f"{self._name} {member}", "is not a text")

    def about(self) -> DocumentProperties:
        """Return title, authors and date of publication."""
        said: dict[str, list[str]] = {}
        metadata = self._root.find("metadata")
        for each in [] if metadata is None else metadata.iter():
            said.setdefault(each.tag, []).append(short(each.text or ""))
        authors = ", ".join(filter(None, said.get("creator", [])[:10]))
        written = next((when for text in said.get("date", []) if (when := _date(text))), None)
        kept = ("language", "publisher", "subject", "description", "identifier")
        notes = {name: ", ".join(said[name])[:_LONGEST_NOTE] for name in kept if said.get(name)}
        return DocumentProperties(
            short(" ".join(said.get("title", [])[:1])), short(authors), written, notes
        )


def _date(text: str) -> datetime | None:
    """Return a date of publication; a year or a month alone is its first day."""
    filled = text + {4: "-01-01", 7: "-01"}.get(len(text), "")
    return iso_moment(filled, UTC)


def _encrypted(packed: Packed) -> Iterator[str]:
    """Yield the members that are encrypted; in books without DRM these are fonts at most."""
    root = packed.xml_or_none(_ENCRYPTION)
    for each in root.iter("CipherReference") if root is not None else ():
        yield unquote(each.get("URI", ""))


def _chapter(packed: Packed, member: str, pictures: PackedPictures) -> DocumentPart:
    page = decode(packed.read(member))
    title, text = read_page(page)
    folder = posixpath.dirname(member)
    media = pictures.take(_resolved(folder, address) for address in _pictures(page))
    return DocumentPart(text, media, {"section": short(title)})


def _pictures(page: str) -> list[str]:
    """Return the addresses of the pictures that a chapter shows."""
    named: list[str] = []
    for token in tokens(page):
        if isinstance(token, Tag) and token.name in _PICTURES and len(named) < _MOST_PICTURES:
            attributes = attributes_of(token)
            source = attributes.get("src") or attributes.get("xlink:href") or attributes.get("href")
            named += [source] if source else []
    return named


def _resolved(folder: str, address: str) -> str:
    """Return the member that a relative address names."""
    path = unquote(address.split("#", 1)[0])
    return posixpath.normpath(posixpath.join("/" + folder, path)).lstrip("/")
