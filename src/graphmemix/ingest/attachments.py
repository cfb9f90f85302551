"""Media that a source refers to: looked up below the source's folder and nowhere else."""

from __future__ import annotations

import binascii
import mimetypes
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from graphmemix.errors import ImportSourceError, InvalidDataError
from graphmemix.ingest.magic import picture_magic, sound_or_video_magic
from graphmemix.ingest.protocol import HEAD_BYTES, Found, Skipped
from graphmemix.memory import Media, Modality

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from graphmemix.ingest.protocol import MediaSink

# The same on every machine, whatever its own table of types says.
_TYPES = mimetypes.MimeTypes(filenames=())
for _suffix, _type in {
    ".webp": "image/webp", ".heic": "image/heic", ".avif": "image/avif", ".opus": "audio/ogg",
    ".m4a": "audio/mp4", ".amr": "audio/amr", ".3gp": "video/3gpp", ".mkv": "video/x-matroska",
    ".webm": "video/webm", ".vcf": "text/vcard", ".vcard": "text/vcard", ".md": "text/markdown",
    ".tgs": "application/x-tgsticker", ".ogg": "audio/ogg", ".oga": "audio/ogg",
}.items():  # fmt: skip
    _TYPES.add_type(_type, _suffix)
_OUTSIDE = "names a file outside its folder"
_LONGEST_NAME = 255
_BLOCK = 1 << 20  # bytes in which file names are searched at once
_OVERLAP = 600  # bytes; a name at the end of a block is found with the next one


class Attachments:
    """Stores the media of one source from its folder, and collects what it could not store."""

    def __init__(self, found: Found, sink: MediaSink, folder: Path | None = None) -> None:
        self._name = found.name
        self._keeper = sink
        self._folder = folder if folder is not None else found.path.parent
        self._refused: list[Skipped] = []

    def take(self, name: str, *, mime: str = "", shown: str = "") -> Media:
        """Store a file that the source refers to and return its medium.

        A missing or forbidden file becomes a medium without content; `refused` yields the reason.

        Args:
            name: A path relative to the folder.
            mime: The type that the source states; used if the content does not show it.
            shown: The name to display; the last part of `name` unless given.
        """
        shown = base_name(shown or name)
        path = locate(self._folder, name)
        if path is None:
            return self._without(
                shown, mime, _OUTSIDE if _leads_out(self._folder, name) else "file not found"
            )
        try:
            with path.open("rb") as stream:
                mime = mime_of(stream.read(HEAD_BYTES), shown, mime)
            return self._keeper.keep_file(path, modality=modality(mime), mime=mime, name=shown)
        except (OSError, InvalidDataError, ImportSourceError):
            return self._without(shown, mime, "cannot be read")

    def has(self, name: str) -> bool:
        """Return whether a file exists and may be stored."""
        return locate(self._folder, name) is not None

    def keep(self, data: bytes, *, mime: str = "", shown: str = "") -> Media:
        """Store bytes that are embedded in the source."""
        mime = mime_of(data[:HEAD_BYTES], shown, mime)
        return self._keeper.keep_bytes(data, modality=modality(mime), mime=mime, name=shown)

    def keep_base64(self, text: str, *, mime: str = "", shown: str = "") -> Media | None:
        """Store a file that is written in the source; None, noting it, if nothing is left of it."""
        try:
            data = binascii.a2b_base64(text)
        except (binascii.Error, ValueError):
            data = b""
        if data:
            return self.keep(data, mime=mime, shown=base_name(shown))
        self.refuse(f"media {base_name(shown)!r}", "its content is missing or damaged")
        return None

    def _without(self, shown: str, mime: str, reason: str) -> Media:
        self.refuse(f"media {shown!r}", reason)
        return known(shown, mime)

    def refuse(self, part: str, reason: str) -> None:
        """Note that a part was left out."""
        self._refused.append(Skipped(f"{self._name} {part}", reason))

    def refused(self) -> Iterator[Skipped]:
        """Yield the parts that were left out since the last call."""
        yield from self._refused
        self._refused.clear()


def known(name: str, mime: str = "") -> Media:
    """Return a medium whose content is not in the archive.

    Args:
        name: The file name; empty if unknown.
        mime: What the source states; ``image/*`` if it states only the kind.
    """
    kind = modality(mime) if mime.endswith("/*") else None
    mime = mime_of(b"", name, "" if kind else mime)
    if kind is not None and modality(mime) != kind:
        mime = ""
    return Media(kind or modality(mime), mime=mime, name=base_name(name) if name else "")


def locate(folder: Path, name: str) -> Path | None:
    """Return the file `name` below `folder`; None if it does not exist or is outside of it."""
    if not is_inside(name):
        return None
    try:
        root = folder.resolve(strict=True)
        path = (folder / name.replace("\\", "/")).resolve(strict=True)
        return path if path.is_relative_to(root) and path.is_file() else None
    except (OSError, ValueError, RuntimeError):  # gone, a loop of links, or no name at all
        return None


def named_files(path: Path, pattern: re.Pattern[bytes]) -> Iterator[str]:
    """Yield each file name once that a JSON file mentions, from its bytes, without parsing them.

    Args:
        path: The JSON file.
        pattern: Its first group is a name; matches at most 600 bytes.
    """
    seen: set[str] = set()
    tail = b""
    try:
        with path.open("rb") as stream:
            while block := stream.read(_BLOCK):
                text = tail + block
                for match in pattern.finditer(text):
                    name = match[1].decode("utf-8", "replace").replace("\\/", "/")
                    if name not in seen:
                        seen.add(name)
                        yield name
                tail = text[-_OVERLAP:]
    except OSError:
        return


def _leads_out(folder: Path, name: str) -> bool:
    try:
        path = (folder / name.replace("\\", "/")).resolve()
        return not is_inside(name) or not path.is_relative_to(folder.resolve())
    except (OSError, ValueError, RuntimeError):
        return True


def is_inside(name: str) -> bool:
    """Return whether a name is a relative path that stays inside its folder; ignores links."""
    path = PurePosixPath(name.replace("\\", "/"))
    drive = len(name) > 1 and name[1] == ":"
    return bool(name.strip()) and not (
        path.is_absolute() or ".." in path.parts or drive or "\0" in name or "://" in name
    )


def folder_of(found: Found) -> str:
    """Return the name of the folder or zip that contains a file."""
    named = PurePosixPath(found.name).parent.name or found.path.absolute().parent.name
    return base_name(named.removesuffix(".zip"))


def base_name(name: str) -> str:
    """Return the last part of a path with slashes of any kind, printable and of bounded length."""
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return "".join(c if c.isprintable() else "\ufffd" for c in last)[-_LONGEST_NAME:]


def mime_of(head: bytes, name: str, stated: str = "") -> str:
    """Return the media type by content, else as the source states it, else by file name.

    Containers of videos may hold sound alone: then the source knows better.
    """
    magic = picture_magic(head) or sound_or_video_magic(head)
    if magic is not None and magic.mime.startswith("video/") and stated.startswith("audio/"):
        return magic.mime.replace("video/", "audio/")
    if magic is not None:
        return magic.mime
    if stated and "/" in stated:
        return stated.split(";", 1)[0].strip().lower()
    return _TYPES.guess_type(name, strict=False)[0] or "application/octet-stream"


def modality(mime: str) -> Modality:
    """Return the modality of files of this type."""
    main = mime.split("/", 1)[0]
    if main == "image" and not mime.endswith(("svg+xml", "x-tgsticker")):
        return "image"
    return "video" if main == "video" else "audio" if main == "audio" else "text"
