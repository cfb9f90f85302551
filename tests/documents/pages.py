"""The pages, and what stands in them."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of code in a language, those within lists without their indentation."""
    form = re.compile(rf"^( *)```{language}\n(.*?)^\1```", re.DOTALL | re.MULTILINE)
    return [dedent(code) for _, code in form.findall(page.read_text("utf-8"))]


@dataclass(frozen=True)
class Command:
    """A line of a shell: variables that are set for it, and its words, without its comment."""

    page: str
    words: tuple[str, ...]
    variables: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.page}: {' '.join(self.words)}"


def commands(page: Path) -> list[Command]:
    """Return what a reader would type, in order; lines that go on behind a backslash are one."""
    lines = "".join(blocks(page, "sh")).replace("\\\n", " ").splitlines()
    found = []
    for line in lines:
        words = shlex.split(line, comments=True)
        if "|" in words:  # what follows is another program
            words = words[: words.index("|")]
        if words[:1] == ["export"]:
            words = words[1:]
        variables = []
        while words and re.match(r"[A-Z_]+=", words[0]):
            variable, _, value = words.pop(0).partition("=")
            variables.append((variable, value))
        if words or variables:
            found.append(Command(name_of(page), tuple(words), tuple(variables)))
    return found


def mentioned(page: Path) -> list[str]:
    """Return commands of ours that a page names in its text."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"`graphmemix\s([^`]+)`", text)
