"""Shared by the three office formats: recognition, properties, relationships."""

from __future__ import annotations

import posixpath
import zipfile
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.documents.parts import DocumentProperties, author
from graphmemix.ingest.node import iso_moment, short

if TYPE_CHECKING:
    from datetime import datetime

    from graphmemix.ingest.documents.packed import Packed
    from graphmemix.ingest.protocol import Found

ZIP = b"PK\x03\x04"
_LONGEST_NOTE = 2_000  # characters


def holds(found: Found, member: str) -> bool:
    """Return whether a file is a zip with this member. Reads the directory at its end."""
    if found.is_folder or not found.head.startswith(ZIP):
        return False
    try:
        with zipfile.ZipFile(found.path) as archive:
            return member in archive.NameToInfo
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError):
        return False


def about(packed: Packed) -> DocumentProperties:
    """Return the properties of an office file. The date is when its content was last saved.

    Damaged properties are ignored.
    """
    try:
        core = packed.xml_or_none("docProps/core.xml")
    except ImportSourceError:
        core = None
    if core is None:
        return DocumentProperties()
    texts = {child.tag: (child.text or "").strip() for child in core}
    written = _date(texts.get("modified", "")) or _date(texts.get("created", ""))
    kept = ("created", "modified", "subject", "keywords", "description")
    # Bounded, because each part of the document has a copy.
    return DocumentProperties(
        short(texts.get("title", "")),
        author(texts.get("creator", "")),
        written,
        {name: texts[name][:_LONGEST_NOTE] for name in kept if texts.get(name)},
    )


def _date(text: str) -> datetime | None:
    return iso_moment(text) if text else None


def related(packed: Packed, member: str) -> dict[str, tuple[str, str]]:
    """Return the relationships of a member by id: the last part of the type, and the target."""
    folder, name = posixpath.split(member)
    root = packed.xml_or_none(f"{folder}/_rels/{name}.rels")
    found: dict[str, tuple[str, str]] = {}
    for each in root if root is not None else ():
        target = each.get("Target", "")
        if each.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
        found[each.get("Id", "")] = (each.get("Type", "").rpartition("/")[2], target)
    return found
