"""Snippets of Python in README and docs run and print what they say; links and targets exist."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
from pathlib import Path

import pytest

from tests.documents.pages import PAGES, ROOT, blocks, name_of

SNIPPETS = [
    pytest.param(code, id=f"{name_of(page)}-{i}")
    for page in PAGES
    for i, code in enumerate(blocks(page, "python"))
]


@pytest.mark.parametrize("code", SNIPPETS)
def test_a_python_snippet_runs_and_prints_what_its_comments_say(
    code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # archives without a path
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "<snippet>", "exec"), {})
    promised = re.findall(r"^\s*print\(.*\)\s+# (.*?)(?::.*)?$", code, re.MULTILINE)
    assert printed.getvalue().splitlines() == promised


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / target).exists(), target


def test_the_make_targets_that_documents_name_exist() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for page in PAGES:
        for target in re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text("utf-8"), re.MULTILINE):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_helpers_that_contributing_names_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    [step] = re.findall(r"look for what is\s+there: (.*?)\n3\.", text, re.DOTALL)
    names = re.findall(r"`([\w.]+)\.(\w+)`", step)
    assert len(names) > 5
    for module, name in names:
        assert hasattr(importlib.import_module(f"graphmemix.ingest.{module}"), name), name


def test_files_that_contributing_names_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    named = [name for name in re.findall(r"`([\w./-]+\.py)`", text) if "NAME" not in name]
    assert len(named) > 100
    rooms = [ROOT / room for room in ("src", "tests", "docs", "benchmarks", "tools")]
    files = [f"/{file.relative_to(ROOT)}" for room in rooms for file in room.rglob("*.py")]
    for name in named:
        assert any(file.endswith(f"/{name}") for file in files), name


def test_readme_fits_on_a_screen() -> None:
    """What, a picture, two commands, five lines of Python; everything else by link."""
    page = ROOT / "README.md"
    text = page.read_text("utf-8")
    assert len(text.splitlines()) <= 45
    assert text.count("![") == 1
    [commands] = blocks(page, "sh")
    assert len(commands.splitlines()) == 2
    [python] = blocks(page, "python")
    assert len([line for line in python.splitlines() if line.strip()]) <= 5
