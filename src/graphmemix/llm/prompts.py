"""Prompts are readable files, known by the hash of their text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Prompt", "load_prompt"]


@dataclass(frozen=True)
class Prompt:
    """A prompt file: paragraphs and lists under headings.

    Attributes:
        name: The file's, such as ``node``.
        digest: The first 12 digits of the SHA-256 of its text.
        sections: Headings in lower case to the lines below, list marks removed.
    """

    name: str
    digest: str
    sections: Mapping[str, tuple[str, ...]]

    def text(self, section: str) -> str:
        """Return a section as one paragraph."""
        return " ".join(self.sections[section])

    def items(self, section: str) -> list[str]:
        """Return a section as a list."""
        return list(self.sections[section])

    def pairs(self, section: str) -> dict[str, str]:
        """Return a section of ``name: meaning`` lines."""
        return dict(line.split(": ", 1) for line in self.sections[section])


@lru_cache
def load_prompt(name: str, package: str) -> Prompt:
    """Read a prompt of a package."""
    text = files(package).joinpath(f"{name}.md").read_text(encoding="utf-8")
    sections: dict[str, list[str]] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("# "):
            heading = line[2:].lower()
            sections[heading] = []
        elif line.strip():
            sections[heading].append(line.removeprefix("- ").strip())
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return Prompt(name, digest, {key: tuple(lines) for key, lines in sections.items()})
