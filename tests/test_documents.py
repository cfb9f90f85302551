"""Snippets in README and docs are run; links and commands they name exist."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def snippets() -> list[tuple[str, str]]:
    return [
        (f"{page.name}-{i}", code)
        for page in PAGES
        for i, code in enumerate(
            re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
        )
    ]


@pytest.mark.parametrize(
    "code", [code for _, code in snippets()], ids=[name for name, _ in snippets()]
)
def test_a_python_snippet_runs_and_prints_what_its_comments_say(code: str) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<snippet>", "exec"), {})
    promised = re.findall(r"^\s*print\(.*\)\s+# (.*?)(?::.*)?$", code, re.MULTILINE)
    assert printed.getvalue().splitlines() == promised


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_make_targets_that_documents_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for page in PAGES:
        for target in re.findall(r"^make ([a-z]+)", page.read_text("utf-8"), re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
