"""Attachments as memories of their own: read by the importer of such files, else stored as is."""

from __future__ import annotations

import mimetypes
import os
import re
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

from graphmemix.errors import ArchiveReadOnlyError, GraphMemixError, StorageFullError
from graphmemix.fsio import open_binary
from graphmemix.ingest.protocol import HEAD_BYTES, Found, Skipped
from graphmemix.ingest.text import looks_like_text
from graphmemix.memory import Memory, Reference, content_id

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import tzinfo

    from graphmemix.ingest.mail.mime import MimePart
    from graphmemix.ingest.protocol import Importer, MediaSink, Reading
    from graphmemix.memory import Kind, Modality
    from graphmemix.record import Json

_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_LONGEST = 120  # bytes of a file name
_LONGEST_TEXT = 100_000  # bytes of a text under an unknown ending; a longer one is a protocol
_KINDS: dict[str, tuple[Kind, Modality]] = {
    "image": ("photo", "image"),
    "video": ("video", "video"),
    "audio": ("audio", "audio"),
}
_SUFFIXES = {"text/calendar": ".ics", "text/vcard": ".vcf", "image/jpeg": ".jpg"}


class Scratch:
    """A private folder for one attachment at a time; created on first use."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @contextmanager
    def holding(self, name: str, data: bytes) -> Iterator[Path]:
        """Provide the data as a file while it is read."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="graphmemix-mail-")  # mode 0700
        path = Path(self._folder.name) / name
        with open_binary(path) as stream:
            stream.write(data)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)


def attachment(
    part: MimePart,
    number: int,
    mail: Memory,
    label: str,
    sink: MediaSink,
    scratch: Scratch,
    zone: tzinfo | None = None,
) -> Iterator[Reading]:
    """Yield the memories of an attachment, linked to its mail.

    Args:
        part: The part of the message.
        number: Its position among the attachments, from 1.
        mail: The memory of the mail.
        label: The mail's name in reports.
        sink: Stores the file.
        scratch: Holds the file while it is read.
        zone: Time zone for timestamps without an offset, such as a camera's.
    """
    data = part.content()
    name = file_name(part, number)
    where = f"{label}, attachment {name}"
    if not data:
        yield Skipped(where, "an empty attachment")
        return
    read: list[Reading] = []
    with scratch.holding(name, data) as path:
        if mail.timestamp is not None:
            with suppress(OSError, OverflowError, ValueError):
                os.utime(path, (mail.timestamp.timestamp(),) * 2)
        found = Found(path, name, data[:HEAD_BYTES])
        read += _read(
            found,
            where,
            sink,
            zone,
            is_text=part.kind == "text/plain" and len(data) <= _LONGEST_TEXT,
        )
    skipped = [each for each in read if isinstance(each, Skipped)]
    memories = [each for each in read if isinstance(each, Memory)]
    yield from skipped
    if not memories:
        memories = [_as_file(part, data, name, sink)]
    for ordinal, memory in enumerate(memories):
        yield _linked(memory, mail, number, ordinal, name)


def _read(
    found: Found, where: str, sink: MediaSink, zone: tzinfo | None, *, is_text: bool
) -> Iterator[Reading]:
    """Yield what the importer of such files reads; nothing if there is none or it fails."""
    importers = _importers(zone)
    importer = next((each for each in importers if _recognises(each, found)), None)
    if importer is None and is_text and looks_like_text(found.head):
        importer = next(each for each in importers if each.name == "text")
    if importer is None:
        return
    try:
        for reading in importer.read(found, sink):
            yield Skipped(where, reading.reason) if isinstance(reading, Skipped) else reading
    except (StorageFullError, ArchiveReadOnlyError):
        raise
    except GraphMemixError as error:
        yield Skipped(where, str(error).removeprefix(f"{found.name}: "))
    except Exception as error:  # noqa: BLE001  # a bad attachment must not lose its mail
        yield Skipped(where, f"importer {importer.name} failed: {type(error).__name__}")


def _importers(zone: tzinfo | None) -> Sequence[Importer]:
    from graphmemix.ingest.builtin import importers  # it lists this package: avoids a cycle

    return [each for each in importers(zone) if each.name != "mail"]


def _recognises(importer: Importer, found: Found) -> bool:
    try:
        return importer.recognises(found)
    except Exception:  # noqa: BLE001  # an importer of another package may raise
        return False


def _as_file(part: MimePart, data: bytes, name: str, sink: MediaSink) -> Memory:
    """Return the memory of a file that no importer reads: only its name is known."""
    kind, modality = _KINDS.get(part.kind.split("/")[0], ("document", "text"))
    medium = sink.keep_bytes(data, modality=modality, mime=part.kind, name=name)
    return Memory("file", kind, name, media=(medium,))


def _linked(memory: Memory, mail: Memory, number: int, ordinal: int, name: str) -> Memory:
    """Return a memory as an attachment of a mail; its id does not depend on the temporary path."""
    base = f"{mail.source_id}#{number}"
    references = [Reference("attachment_of", mail.source_id)]
    if any(each.relation == "same_document" for each in memory.references):
        references.append(Reference("same_document", base))
    files: list[Json] = [medium.sha256 for medium in memory.media]
    return replace(
        memory,
        id=content_id([mail.id, number, ordinal, memory.kind, memory.text, files]),
        source=mail.source,
        source_id=f"{base}/{ordinal}" if ordinal else base,
        session=mail.session if memory.sequence is None else base,
        speaker=memory.speaker or mail.speaker,
        timestamp=memory.timestamp or mail.timestamp,
        references=tuple(references),
        metadata={**memory.metadata, "filename": name},
    )


def file_name(part: MimePart, number: int) -> str:
    """Return a safe name for the file of a part."""
    name = _UNSAFE.sub("_", part.filename).strip(" .")
    stem, dot, suffix = name.rpartition(".")
    if not name:
        suffix = _SUFFIXES.get(part.kind) or mimetypes.guess_extension(part.kind) or ".bin"
        return f"attachment-{number}{suffix}"
    if len(os.fsencode(name)) > _LONGEST:
        suffix = suffix[:10] if dot else ""
        name = _cut(stem if dot else name) + dot + suffix
    return name


def _cut(text: str) -> str:
    return text.encode("utf-8", "replace")[: _LONGEST - 12].decode("utf-8", "ignore")
