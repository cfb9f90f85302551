"""What MkDocs calls while it builds the site: pages and parts of pages that are made from the code.

`generator/` makes them; a page takes a part where it says ``<!-- made from the code: NAME -->``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

from generator import api, commands, errors, extras, root, routes, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

PARTS: Final[dict[str, Callable[[], str]]] = {
    "commands": commands.told,
    "errors": errors.told,
    "extras": extras.told,
    "routes": routes.told,
    "settings": settings.told,
}
_PLACE: Final = re.compile(r"<!-- made from the code: (\w+) -->")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Add pages to the navigation: those of packages, and last those that it does not name."""
    sections = {name: told for section in config.nav or [] for name, told in section.items()}
    sections["Reference"].append({"Python": api.navigation()})
    named = set(_named(config.nav))
    docs = Path(config.docs_dir)
    found = (path.relative_to(docs).as_posix() for path in sorted(docs.rglob("*.md")))
    sections["Project"].extend(page for page in found if page not in named)
    return config


def _named(part: object) -> Iterator[str]:
    """Yield the pages in a part of the navigation."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict | list):
        for below in part.values() if isinstance(part, dict) else part:
            yield from _named(below)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages that are no files below docs/."""
    here = Path(config.config_file_path).parent
    for name, content in (*api.pages(), *root.pages(here)):
        files.append(File.generated(config, name, content=content))
    return files


def on_page_markdown(markdown: str, *, page: Page, **_: object) -> str:
    """Put parts in their places."""

    def part(place: re.Match[str]) -> str:
        if place[1] not in PARTS:
            raise PluginError(f"{page.file.src_uri}: nothing is called {place[1]!r}")
        return PARTS[place[1]]()

    return _PLACE.sub(part, markdown)
