"""PDF: a memory per page. Pages without text are kept as pictures, which OCR reads later."""

from __future__ import annotations

import logging
import re
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, NamedTuple

from graphmemix.errors import ImportSourceError, MissingExtraError
from graphmemix.ingest.documents.parts import (
    DocumentPart,
    DocumentProperties,
    author,
    keep_file,
    memories,
)
from graphmemix.ingest.documents.pdf_cost import Allowance
from graphmemix.ingest.documents.pdf_pages import PdfPages
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
_DAMAGED = "too damaged to be opened as a PDF"
_LOCKED = "is locked with a password; save a copy without one"
_MOST_PAGES = 5_000
_MOST_PICTURES = 4  # of a page without text
_FEWEST_WORDS = 20  # characters; a scanned page may have a stamp or a page number as text


class Pdf:
    """Reads text, pictures of scanned pages, title, author and date. Needs ``documents``.

    Args:
        zone: Time zone for dates without an offset; None for this machine's.
    """

    name = "pdf"
    version = 3

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
        with PdfPages(found.path) as pages, _opened(found, pages) as reader:
            file = keep_file(found, sink, "application/pdf")
            parts = _parts(_Document(reader, pages), found, sink, skipped)
            yield from memories(found, self.name, parts, self._about(reader, pages), file=file)
        yield from skipped

    def _about(self, reader: Any | None, pages: PdfPages) -> DocumentProperties:
        try:
            said = pages.properties() or {}
            if not said and reader is not None:
                said = {key.lstrip("/"): str(value) for key, value in reader.metadata.items()}
        except Exception:  # noqa: BLE001  # damaged properties are ignored
            return DocumentProperties()
        dates = [_date(said.get(key, "")) for key in ("CreationDate", "ModDate")]
        clock = next((each for each in dates if each is not None), None)
        written = None if clock is None else with_offset(clock, self.zone)
        return DocumentProperties(
            short(said.get("Title", "")), author(said.get("Author", "")), written
        )


class _Document(NamedTuple):
    """A file as pypdf and as PDFium read it; either may have failed, not both."""

    reader: Any | None
    pages: PdfPages

    @property
    def length(self) -> int:
        """The number of pages."""
        return len(self.pages) or len(self.reader.pages if self.reader else ())

    def text(self, number: int) -> str:
        if len(self.pages):
            return self.pages.text(number)
        assert self.reader is not None  # noqa: S101  # for the type checker
        return (self.reader.pages[number].extract_text() or "").strip()

    def allows(self, allowance: Allowance, number: int) -> bool:
        """Return whether a page is not too large; what pypdf cannot read is left to PDFium."""
        try:
            return self.reader is None or allowance.allows(self.reader.pages[number])
        except Exception:
            if len(self.pages):
                return True
            raise


@contextmanager
def _opened(found: Found, pages: PdfPages) -> Iterator[Any | None]:
    """Open a file with pypdf; None if only PDFium can."""
    try:
        import pypdf
    except ImportError:
        raise MissingExtraError("documents", "reading PDF") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # its warnings quote the file
    try:
        stream = found.path.open("rb")
    except OSError as error:
        raise ImportSourceError(f"{found.name}: cannot be read: {error.strerror}") from None
    with stream:
        try:
            reader = pypdf.PdfReader(stream, strict=False)
            _require_open(reader, found)
        except ImportSourceError:
            raise
        except Exception as error:  # a damaged file may raise anything
            if len(pages) == 0:
                raise ImportSourceError(f"{found.name}: {_DAMAGED}") from error
            reader = None
        yield reader


def _require_open(reader: Any, found: Found) -> None:
    if reader.is_encrypted and not reader.decrypt(""):
        raise ImportSourceError(f"{found.name}: {_LOCKED}")
    if len(reader.pages) == 0:
        raise ImportSourceError(f"{found.name}: has no pages")


def _parts(
    document: _Document, found: Found, sink: MediaSink, skipped: list[Skipped]
) -> Iterator[DocumentPart]:
    """Yield the pages; each stands for itself, and so do its text and its pictures."""
    allowance = Allowance(found.path.stat().st_size)
    for number in range(1, document.length + 1):
        label = f"{found.name} page {number}"
        if number > _MOST_PAGES:
            skipped.append(Skipped(f"{found.name} from page {number}", "has too many pages"))
            return
        text = ""
        pictures: list[Media] = []
        try:
            if not document.allows(allowance, number - 1):
                skipped.append(Skipped(label, "would unpack to far more than the file is"))
                continue
            text = document.text(number - 1)
        except Exception as error:  # noqa: BLE001  # untrusted input; the next one may be fine
            skipped.append(Skipped(label, f"cannot be read ({type(error).__name__})"))
        try:
            if len(text) < _FEWEST_WORDS:
                pictures += _pictures(document.pages, number - 1, sink, has_words=bool(text))
        except Exception:  # noqa: BLE001  # as above
            skipped.append(Skipped(f"{label}, picture", "cannot be decoded"))
        yield DocumentPart(text, tuple(pictures), {"page": number})


def _pictures(pages: PdfPages, number: int, sink: MediaSink, *, has_words: bool) -> Iterator[Media]:
    """Yield the photos of a page with hardly any text, or else the page as it looks.

    The pictures of scanners are often stripes of a page, or in formats that only PDFium decodes.
    """
    if len(pages) == 0 or (has_words and not pages.has_pictures(number)):
        return
    photos = pages.originals(number, _MOST_PICTURES) or [pages.picture(number)]
    for count, data in enumerate(filter(None, photos), start=1):
        name = f"page-{number + 1}-{count}.jpg"
        yield sink.keep_bytes(data, modality="image", mime="image/jpeg", name=name)


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
