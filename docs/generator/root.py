"""The pages that lie beside docs/: README is the home page, then CONTRIBUTING and CHANGELOG."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGES: Final = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
_LINK: Final = re.compile(r"(\]\(|src=\"|srcset=\")(?!https?:|#)([^)\"#]+)")


def pages(root: Path) -> Iterator[tuple[str, str]]:
    """Yield the name on the site and the content of each page, with links as the site has them."""
    for source, name in PAGES.items():
        text = (root / source).read_text("utf-8")
        yield name, _LINK.sub(lambda link: link[1] + _moved(link[2]), text)


def _moved(target: str) -> str:
    if target.startswith("docs/"):
        return target.removeprefix("docs/")
    return PAGES.get(target, target)
