"""The files of the page, without a browser."""

from __future__ import annotations

import importlib.resources
import re

import pytest

import graphmemix.serve.page

FOLDER = importlib.resources.files(graphmemix.serve.page)
MODULES = sorted(file.name for file in (FOLDER / "js").iterdir())
OTHERS = ("index.html", "style.css", "icon.svg", "export.template")


def text_of(name: str) -> str:
    return (FOLDER / "js" / name if name.endswith(".js") else FOLDER / name).read_text("utf-8")


def test_everything_that_the_page_asks_for_is_there() -> None:
    wanted = set(re.findall(r'(?:src|href)="([\w./]+)"', text_of("index.html")))
    imports = [re.findall(r'from "\./(\w+\.js)"', text_of(module)) for module in MODULES]
    wanted |= {f"js/{name}" for names in imports for name in names}
    assert {"style.css", "icon.svg", "js/app.js", "js/graph.js"} <= wanted
    assert all((FOLDER / name).is_file() for name in wanted)


def test_every_module_is_used() -> None:
    everything = text_of("index.html") + "".join(text_of(module) for module in MODULES)
    assert [name for name in MODULES if name not in everything] == ["exported.js"]


@pytest.mark.parametrize("name", [*OTHERS, *MODULES])
def test_nothing_is_fetched_from_elsewhere(name: str) -> None:
    addresses = re.findall(r"https?://[^\s\"')]+", text_of(name))
    assert set(addresses) <= {"http://www.w3.org/2000/svg"}  # a name, not an address


def test_the_page_has_no_script_or_style_of_its_own() -> None:
    page = text_of("index.html")
    assert re.findall(r"<script[^>]*>([^<]*)</script>", page) == [""]
    assert not re.search(r"<style|\sstyle=|\son\w+=", page)


@pytest.mark.parametrize("module", MODULES)
def test_no_module_parses_markup(module: str) -> None:
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\(|new Function"
    assert not re.search(ways, text_of(module))
