"""Recognises files that no importer reads, so that the report can say what they are."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_JUNK = frozenset(
    name.casefold()
    for name in (
        "Thumbs.db",
        "ehthumbs.db",
        "desktop.ini",
        "Icon\r",
        "__MACOSX",
        "@eaDir",
        "$RECYCLE.BIN",
        "System Volume Information",
        "lost+found",
    )
)
_INDEX_SUFFIXES = (".msf", ".picasa.ini")  # of Thunderbird and Picasa
_UNFINISHED = (".part", ".crdownload", ".download", ".partial")
_MAGIC = (
    (b"!BDN", "an Outlook data file; export it as mbox or as .eml files"),
    (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        "an old Office or Outlook file; save it in a newer format, a mail as .eml",
    ),
    (b"\x1f\x8b", "a gzip file; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z file; unpack it first"),
    (b"Rar!\x1a\x07", "a RAR file; unpack it first"),
    (b"BZh", "a bzip2 file; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz file; unpack it first"),
    (b"SQLite format 3\x00", "a database"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)
_PACKAGE_NAMES = ("mimetype", "[Content_Types].xml", "META-INF/", "AndroidManifest.xml")


def is_junk(name: str) -> str:
    """Return why a file or folder is skipped by its name alone; empty if it is not."""
    folded = name.casefold()
    if folded in _JUNK or folded.endswith(_INDEX_SUFFIXES):
        return "a system file"
    if name.startswith("._") or folded == ".ds_store":
        return "a system file"
    if name.startswith("."):
        return "hidden"
    if folded.endswith(_UNFINISHED):
        return "an unfinished download"
    return ""


def unknown(head: bytes) -> str:
    """Return what an unsupported file is, judged by its first bytes."""
    for magic, what in _MAGIC:
        if head.startswith(magic):
            return what
    if head[257:262] == b"ustar":
        return "a tar file; unpack it first"
    if is_zip(head):
        return "unknown kind of package"
    return "unknown file format"


def is_zip(head: bytes) -> bool:
    """Return whether a file starts like a zip."""
    return head.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_package(path: Path) -> bool:
    """Return whether a zip is a document or a program, such as an EPUB or a JAR."""
    if path.suffix.lower() == ".zip":
        return False
    try:
        with path.open("rb") as stream:
            head = stream.read(4096)
        name = head[30 : 30 + int.from_bytes(head[26:28], "little")].decode("utf-8", "replace")
    except (OSError, zipfile.BadZipFile):
        return False
    return name.startswith(_PACKAGE_NAMES)
