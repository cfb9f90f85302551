"""The importer of mail: mbox files, Maildir folders, single messages."""

from __future__ import annotations

import os
import re
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from graphmemix.errors import ArchiveReadOnlyError, ImportSourceError, StorageFullError
from graphmemix.ingest.mail.attachments import Scratch
from graphmemix.ingest.mail.mbox import MOST_BYTES, is_mbox, messages
from graphmemix.ingest.mail.message import SOURCE, MailContext, read_message
from graphmemix.ingest.mail.recognition import has_mail_field, is_header
from graphmemix.ingest.protocol import Gauge, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import tzinfo

    from graphmemix.ingest.protocol import Found, MediaSink, Reading

_PAGE = b"snapshot-content-location"  # a web page that a browser saved as MHTML
_APPLE = re.compile(rb"\s*(\d{1,10})[ \t]*\n")
_MAILDIR = ("cur", "new")
_FLAGS = re.compile(r"[:;!_]2,[A-Za-z]*\Z")  # behind a colon, or what Windows has instead
_ENDINGS = frozenset({".eml", ".emlx", ".mim", ".mime", ".msg"})  # .msg also of other programs


class Mail:
    """Reads mbox files, Maildirs and single messages (``.eml``, ``.emlx``)."""

    name = SOURCE
    version = 2

    def __init__(self, zone: tzinfo | None = None) -> None:
        """Set the time zone for timestamps without an offset; None for this machine's."""
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether it is a Maildir, or starts like an mbox or a message.

        A file that is named as a mail needs only one field that mails have.
        """
        if found.is_folder:
            return _is_maildir(found.path)
        head = _without_mark(found.head)
        if _PAGE in head.lower():
            return False
        apple = _APPLE.match(head) if found.suffix == ".emlx" else None
        header = head[apple.end() :] if apple else head
        is_named = found.suffix in _ENDINGS and has_mail_field(header)
        return is_mbox(head) or is_header(header) or is_named

    def companions(self, found: Found) -> Iterable[Path]:  # noqa: ARG002  # nothing lies beside
        """Return nothing: a mail carries its attachments."""
        return ()

    def parts(self, found: Found) -> Iterable[Path]:
        """Return the messages of a Maildir and of the folders below it, without unfinished ones."""
        made: list[Path] = []
        waiting = [found.path]
        while waiting:  # not os.walk, which recurses
            folder = waiting.pop()
            entries = sorted(os.scandir(folder), key=lambda entry: os.fsencode(entry.name))
            if folder.name in _MAILDIR:
                made += [Path(each) for each in entries if each.is_file() and each.name[0] != "."]
            else:
                waiting += [
                    Path(each)
                    for each in reversed(entries)
                    if each.is_dir(follow_symlinks=False) and each.name != "tmp"
                ]
        return made

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield mails, each before its attachments.

        Raises:
            ImportSourceError: It cannot be read, or is not mail.
        """
        with Scratch() as scratch:
            if is_mbox(_without_mark(found.head)):
                yield from self._read_mbox(found, MailContext(sink, scratch, zone=self.zone))
            else:
                yield from self._read_single(found, self._context(found, sink, scratch))

    def _read_mbox(self, found: Found, context: MailContext) -> Iterator[Reading]:
        with found.path.open("rb") as stream:
            if found.head.startswith(b"\xef\xbb\xbf"):
                stream.seek(3)
            for number, message in enumerate(messages(stream), start=1):
                label = f"{found.name} message {number}"
                if message.data is None:
                    yield Skipped(label, f"is longer than {MOST_BYTES >> 20} MiB")
                else:
                    context.received = message.date
                    yield from _read_one(message.data, label, context)
                if isinstance(context.sink, Gauge):
                    context.sink.advance(message.end)

    def _read_single(self, found: Found, context: MailContext) -> Iterator[Reading]:
        size = found.path.stat().st_size
        if size > MOST_BYTES:
            raise ImportSourceError(f"{found.name}: is longer than {MOST_BYTES >> 20} MiB")
        data = _without_mark(found.path.read_bytes())
        apple = _APPLE.match(data) if found.suffix == ".emlx" else None
        if apple is not None:
            data = data[apple.end() : apple.end() + int(apple.group(1))]
        yield from read_message(data.lstrip(b"\r\n"), found.name, context)

    def _context(self, found: Found, sink: MediaSink, scratch: Scratch) -> MailContext:
        """Return the context of a single message; a folder within a Maildir is a label."""
        folder = found.path.parent
        name = folder.parent.name if folder.name in _MAILDIR else ""
        labels = (name[1:].replace(".", "/"),) if name.startswith(".") else ()
        return MailContext(sink, scratch, labels=labels, zone=self.zone)


def _is_maildir(folder: Path) -> bool:
    """Return whether a folder is a Maildir; zips leave out those of its folders that are empty."""
    if not (folder / "cur").is_dir():
        return False
    if any((folder / part).is_dir() for part in ("new", "tmp")):
        return True
    with os.scandir(folder / "cur") as entries:
        return any(_FLAGS.search(entry.name) for entry in islice(entries, 100))


def _read_one(data: bytes, label: str, context: MailContext) -> Iterator[Reading]:
    """Yield the memories of a message; if it is broken, the following ones are still read."""
    try:
        yield from read_message(data, label, context)
    except (StorageFullError, ArchiveReadOnlyError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  # untrusted input
        yield Skipped(label, f"cannot be read ({type(error).__name__})")


def _without_mark(data: bytes) -> bytes:
    return data.removeprefix(b"\xef\xbb\xbf")
