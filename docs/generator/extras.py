"""Every extra: what it is for, as `pyproject.toml` says above it, and what it brings."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Final

from generator.markdown import cell, code, table

_PROJECT: Final = Path(__file__).parents[2] / "pyproject.toml"
# A comment of one line or more, then the name.
_EXTRA: Final = re.compile(r"((?:^#.*\n)*)^([\w-]+) = \[", re.MULTILINE)


def told() -> str:
    """Return a table of all extras but those of developers."""
    text = _PROJECT.read_text("utf-8")
    brings = tomllib.loads(text)["project"]["optional-dependencies"]
    _, _, section = text.partition("[project.optional-dependencies]")
    purposes = {
        name: re.sub(r"^# ?", "", said, flags=re.MULTILINE)
        for said, name in _EXTRA.findall(section)
    }
    rows = (
        (code(name), cell(purposes[name]), ", ".join(map(code, packages)))
        for name, packages in brings.items()
        if name != "dev"
    )
    return table(("extra", "for", "brings"), rows)
