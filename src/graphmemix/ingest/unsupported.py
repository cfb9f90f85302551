"""Recognises files that no importer reads, so that the report can say what they are."""

from __future__ import annotations

import zipfile
from typing import TYPE_CHECKING, Final

from graphmemix.errors import ImportSourceError
from graphmemix.ingest.compound import MAGIC as COMPOUND_FILE
from graphmemix.ingest.compound import Compound
from graphmemix.ingest.outline import outline

if TYPE_CHECKING:
    from pathlib import Path

    from graphmemix.ingest.protocol import Found

SQLITE: Final = b"SQLite format 3\0"

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
_MAGIC = (  # position, bytes, what it is
    (0, b"!BDN", "an Outlook data file (.pst, .ost); export it as mbox, .eml or .msg files"),
    (0, b"\xcf\xad\x12\xfe", "an Outlook Express mailbox; import it into Thunderbird first"),
    (0, b"\x1f\x8b", "a gzip file; unpack it first"),
    (0, b"7z\xbc\xaf\x27\x1c", "a 7z file; unpack it first"),
    (0, b"Rar!\x1a\x07", "a RAR file; unpack it first"),
    (0, b"BZh", "a bzip2 file; unpack it first"),
    (0, b"\xfd7zXZ\x00", "an xz file; unpack it first"),
    (0, b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d", "a OneNote section; export it as PDF or Word"),
    (0, b"\0\1\0\0Standard Jet DB", "an Access database; export its tables as Excel"),
    (0, b"\0\1\0\0Standard ACE DB", "an Access database; export its tables as Excel"),
    (0, b"bplist00", "a property list of macOS"),
    (0, b"AT&TFORM", "a DjVu document; convert it to PDF"),
    (0, b"%!PS", "a PostScript file; convert it to PDF"),
    (0, b"8BPS", "a Photoshop picture; export it as JPEG or PNG"),
    (0, b"-----BEGIN PGP", "encrypted or signed by PGP"),
    (0, b"\x7fELF", "a program"),
    (0, b"MZ", "a program"),
    (0, SQLITE, "a database"),
    (60, b"BOOKMOBI", "a Kindle book; convert it to EPUB"),
    (257, b"ustar", "a tar file; unpack it first"),
)
_COMPOUND = {
    "WordDocument": "an old Word document (.doc); open it and save it as .docx",
    "Workbook": "an old Excel workbook (.xls); open it and save it as .xlsx",
    "Book": "an old Excel workbook (.xls); open it and save it as .xlsx",
    "PowerPoint Document": "an old PowerPoint presentation (.ppt); open it and save it as .pptx",
    "EncryptedPackage": "an Office file with a password; save it without one",
    "Contents": "a Works or Publisher file; save it as .docx or PDF",
    "VisioDocument": "an old Visio drawing; export it as PDF",
}
_PACKAGES = {
    ".pages": "a Pages document; export it as Word or PDF",
    ".numbers": "a Numbers spreadsheet; export it as Excel or PDF",
    ".key": "a Keynote presentation; export it as PowerPoint or PDF",
    ".jar": "a program",
    ".apk": "a program",
    ".vsdx": "a Visio drawing; export it as PDF",
    ".xps": "an XPS document; print it to PDF",
}
_NAMED = {
    ".azw3": "a Kindle book; convert it to EPUB",
    ".fit": "a FIT recording of a sports watch; export it as GPX",
    ".tcx": "a TCX recording of a sports watch; export it as GPX",
    ".svg": "a drawing (SVG)",
    ".plist": "a property list of macOS",
}
_READ = frozenset({
    ".bmp", ".docx", ".eml", ".epub", ".gif", ".heic", ".heif", ".ics", ".jpeg", ".jpg", ".m4a",
    ".mov", ".mp3", ".mp4", ".msg", ".odp", ".ods", ".odt", ".pdf", ".png", ".pptx", ".rtf",
    ".tif", ".tiff", ".vcf", ".wav", ".webp", ".xlsx", ".zip",
})  # fmt: skip
"""Endings of formats that are read."""
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


def unknown(found: Found) -> str:
    """Return what an unsupported file is, judged by its first bytes, else by its extension."""
    head = found.head
    if head.startswith(COMPOUND_FILE):
        return _compound(found)
    by_content = next((what for at, magic, what in _MAGIC if head.startswith(magic, at)), "")
    if by_content:
        return by_content
    if is_zip(head):
        return _PACKAGES.get(found.suffix, "unknown kind of package")
    return _NAMED.get(found.suffix) or _markup(head) or _misnamed(found.suffix)


def _misnamed(suffix: str) -> str:
    """Return what is to be said of a file of no known format, by its ending."""
    if suffix in _READ:
        return f"content does not fit the ending {suffix}"
    return "unknown file format"


def _compound(found: Found) -> str:
    """Return which program wrote a compound file, by the names of its streams."""
    try:
        with Compound(found.path, found.name) as file:
            names = {stream.split("/", 1)[0] for stream in file.streams()}
    except ImportSourceError:
        return "a damaged Office or Outlook file"
    known = (what for name, what in _COMPOUND.items() if name in names)
    return next(known, "an old Office file; save it in a newer format")


def _markup(head: bytes) -> str:
    """Return what data of another program are written in; empty if it is neither of the two."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"<?xml"):
        return "XML of a program that is not supported"
    is_json = start[:1] in {b"{", b"["} and bool(outline(head))
    return "JSON of a program that is not supported" if is_json else ""


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
