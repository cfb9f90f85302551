"""PDF: a memory per page. Pages without text keep their pictures, which OCR reads later."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

from graphmemix.errors import ImportSourceError, MissingExtraError
from graphmemix.ingest.attachments import mime_of, modality
from graphmemix.ingest.documents.parts import About, Part, keep_file, memories
from graphmemix.ingest.documents.pdf_cost import Allowance
from graphmemix.ingest.node import short, with_offset
from graphmemix.ingest.protocol import Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import tzinfo
    from pathlib import Path

    from graphmemix.ingest.protocol import Found, MediaSink, Reading
    from graphmemix.memory import Media

_MAGIC = b"%PDF-"
_MAGIC_WITHIN = 1024  # bytes; PDF readers accept leading junk
_DATE = re.compile(
    r"(?:D:)?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?"
    r"(?:(?P<sign>[Zz+-])(?:(?P<hours>\d\d)'?(?:(?P<minutes>\d\d)'?)?)?)?"
)
_MOST_PAGES = 5_000
_MOST_PICTURES = 4  # of a page without text
_LARGEST_PICTURE = 64 << 20
_FEWEST_WORDS = 20  # characters; a scanned page may have a stamp or a page number as text


class Pdf:
    """Reads text, pictures of scanned pages, title, author and date. Needs ``documents``.

    Args:
        zone: Time zone for dates without an offset; None for this machine's.
    """

    name = "pdf"

    def __init__(self, zone: tzinfo | None = None) -> None:
        self.zone = zone

    def recognises(self, found: Found) -> bool:
        """Return whether the file starts like a PDF."""
        return _MAGIC in found.head[:_MAGIC_WITHIN]

    def companions(self, found: Found) -> Iterator[Path]:  # noqa: ARG002
        """Return nothing."""
        yield from ()

    def read(self, found: Found, sink: MediaSink) -> Iterator[Reading]:
        """Yield the pages in order; one that cannot be read is skipped.

        Raises:
            ImportSourceError: The file is damaged or encrypted.
            MissingExtraError: The extra ``documents`` is not installed.
        """
        skipped: list[Skipped] = []
        with _opened(found) as reader:
            file = keep_file(found, sink, "application/pdf")
            parts = _pages(reader, found, sink, skipped)
            yield from memories(found, self.name, parts, self._about(reader), file=file)
        yield from skipped

    def _about(self, reader: Any) -> About:
        try:
            said = reader.metadata or {}
            title, author = str(said.get("/Title") or ""), str(said.get("/Author") or "")
            dates = [_date(str(said.get(key) or "")) for key in ("/CreationDate", "/ModDate")]
        except Exception:  # noqa: BLE001  # damaged properties are ignored
            return About()
        clock = next((each for each in dates if each is not None), None)
        written = None if clock is None else with_offset(clock, self.zone)
        return About(short(title), short(author), written)


@contextmanager
def _opened(found: Found) -> Iterator[Any]:
    try:
        import pypdf
    except ImportError:
        raise MissingExtraError("documents", "reading PDF") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its warnings quote the file
    try:
        with found.path.open("rb") as stream:
            reader = pypdf.PdfReader(stream, strict=False)
            _require_open(reader, found)
            yield reader
    except ImportSourceError:
        raise
    except (pypdf.errors.PyPdfError, OSError, ValueError, TypeError, KeyError, AttributeError,
            IndexError, RecursionError, AssertionError, NotImplementedError) as error:  # fmt: skip
        kind = type(error).__name__
        raise ImportSourceError(f"{found.name}: is not a readable PDF ({kind})") from None


def _require_open(reader: Any, found: Found) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise ImportSourceError(f"{found.name}: is locked with a password")
    if len(reader.pages) == 0:
        raise ImportSourceError(f"{found.name}: has no pages")


def _pages(reader: Any, found: Found, sink: MediaSink, skipped: list[Skipped]) -> Iterator[Part]:
    allowance = Allowance(found.path.stat().st_size)
    for number in range(1, len(reader.pages) + 1):
        if number > _MOST_PAGES:
            skipped.append(Skipped(f"{found.name} from page {number}", "has too many pages"))
            return
        try:
            page = reader.pages[number - 1]
            if not allowance.allows(page):
                reason = "would unpack to far more than the file is"
                skipped.append(Skipped(f"{found.name} page {number}", reason))
                continue
            text = (page.extract_text() or "").strip()
            pictures = _pictures(page, sink) if len(text) < _FEWEST_WORDS else ()
        except Exception as error:  # noqa: BLE001  # untrusted input; the next one may be fine
            kind = type(error).__name__
            skipped.append(Skipped(f"{found.name} page {number}", f"cannot be read ({kind})"))
            continue
        yield Part(text, tuple(pictures), {"page": number})


def _pictures(page: Any, sink: MediaSink) -> Iterator[Media]:
    """Yield the pictures of a scanned page."""
    for count, picture in enumerate(page.images):
        if count >= _MOST_PICTURES:
            return
        data = picture.data
        mime = mime_of(data[:64], picture.name)
        if modality(mime) == "image" and len(data) <= _LARGEST_PICTURE:
            yield sink.keep_bytes(data, modality="image", mime=mime, name=picture.name)


def _date(text: str) -> datetime | None:
    """Return a date in PDF format, with its offset if it has one; None if invalid."""
    match = _DATE.fullmatch(text.strip())
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(each or "0") for each in match.groups()[:6])
    sign, hours, minutes = match["sign"], match["hours"], match["minutes"]
    zone = None
    if sign in {"Z", "z"}:
        zone = UTC
    elif sign:
        offset = timedelta(hours=int(hours or "0"), minutes=int(minutes or "0"))
        zone = timezone(offset if sign == "+" else -offset) if offset < timedelta(days=1) else None
    try:
        return datetime(year, month or 1, day or 1, hour, minute, second, tzinfo=zone)
    except ValueError:
        return None
