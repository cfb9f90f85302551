"""Renders a frame of a video or a page of a PDF as JPEG, in a process of its own.

What decodes them may crash or hang on a damaged file; then only this process ends::

    python -m graphmemix.serve.rendering video FILE SECONDS EDGE > poster.jpg
    python -m graphmemix.serve.rendering page FILE NUMBER EDGE > page.jpg
"""

from __future__ import annotations

import subprocess
import sys
from io import BytesIO
from pathlib import Path
from typing import Final, Literal

from graphmemix.errors import GraphMemixError, InvalidDataError

__all__ = ["rendered"]

_MODULE: Final = "graphmemix.serve.rendering"
_SECONDS: Final = 30.0
_CANNOT: Final = 3  # exit code: the reason is on standard error
_QUALITY: Final = 85  # of JPEG


def rendered(what: Literal["video", "page"], file: Path, at: float, edge: int) -> bytes:
    """Return the frame at these seconds, or the page of this number (1 is the first), as JPEG.

    Raises:
        InvalidDataError: It cannot be decoded, does not exist, or takes more than 30 s.
    """
    command = [sys.executable, "-m", _MODULE, what, str(file), f"{at:g}", str(edge)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=_SECONDS, check=False)  # noqa: S603  # our own
    except subprocess.TimeoutExpired:
        raise InvalidDataError(f"{what}: takes more than {_SECONDS:g} s to decode") from None
    if done.returncode == 0:
        return done.stdout
    reason = done.stderr.decode("utf-8", "replace").strip() if done.returncode == _CANNOT else ""
    raise InvalidDataError(f"{what}: {reason or 'cannot be decoded'}")


def _render(what: str, file: Path, at: float, edge: int) -> bytes:
    from graphmemix.imaging import decode_picture

    picture = decode_picture(_frame(file, at) if what == "video" else _page(file, int(at)), what)
    picture.thumbnail((edge, edge))
    out = BytesIO()
    picture.save(out, "JPEG", quality=_QUALITY)
    return out.getvalue()


def _frame(file: Path, seconds: float) -> bytes:
    from graphmemix.encode.pixels import frame

    return frame(file, seconds)


def _page(file: Path, number: int) -> bytes:
    from graphmemix.ingest.documents.pdf_pages import PdfPages

    with PdfPages(file) as pages:
        if not 1 <= number <= len(pages):
            raise InvalidDataError(f"there is no page {number}")
        if seen := pages.picture(number - 1):
            return seen
    raise InvalidDataError(f"page {number} is blank")


def main(arguments: list[str]) -> int:
    """Write the picture to standard output; return the exit code."""
    what, file, at, edge = arguments
    try:
        data = _render(what, Path(file), float(at), int(edge))
    except GraphMemixError as error:
        sys.stderr.write(f"{error}\n")
        return _CANNOT
    sys.stdout.buffer.write(data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
