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
    from collections.abc import Callable

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
    """Add the pages of packages to the navigation: a new package needs no line there."""
    for section in config.nav or []:
        if isinstance(section, dict) and "Reference" in section:
            section["Reference"].append({"Python": api.navigation()})
    return config


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
