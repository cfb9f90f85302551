"""The files of the served page, by their addresses: these and no others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

__all__ = ["PAGE_FILES", "PageFile"]


@dataclass(frozen=True)
class PageFile:
    """A file of the page.

    Attributes:
        path: Where it is.
        mime: What to send it as.
    """

    path: Path
    mime: str


_FOLDER: Final = Path(__file__).parent
_MODULES: Final = sorted(set((_FOLDER / "js").glob("*.js")) - {_FOLDER / "js" / "exported.js"})

PAGE_FILES: Final = {
    "/": PageFile(_FOLDER / "index.html", "text/html; charset=utf-8"),
    "/style.css": PageFile(_FOLDER / "style.css", "text/css; charset=utf-8"),
    "/icon.svg": PageFile(_FOLDER / "icon.svg", "image/svg+xml"),
    **{f"/js/{m.name}": PageFile(m, "text/javascript; charset=utf-8") for m in _MODULES},
}
"""By address; the page asks for nothing else but `/v1`."""
