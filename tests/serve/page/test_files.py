"""The files of the page, without a browser."""

from __future__ import annotations

import importlib.resources
import json
import re
from pathlib import Path
from typing import get_args

import pytest

import graphmemix.serve.page
from graphmemix.memory import Kind

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


def test_every_module_is_asked_for_at_once() -> None:
    asked = re.findall(r'href="js/(\w+\.js)"', text_of("index.html"))
    assert asked == [name for name in MODULES if name not in {"app.js", "exported.js"}]


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


CATALOGUES = ("de", "fr", "es")
# Texts that are translated where they are used, by the tables that hold them.
TABLES = {
    "access.js": ("SCOPES",),
    "ask.js": ("STAGES",),
    "bring.js": ("STATES",),
    "how.js": ("COLUMNS", "COST_COLUMNS"),
    "invite.js": ("EXPORTS",),
    "model.js": ("FATES",),
    "phrases.js": ("ADDS", "KINDS", "RELATIONS"),
    "problems.js": ("WORDS",),
    "start.js": ("NAMES",),
}
STRING = r'"([^"]*)"'


def catalogue(code: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDER / "words" / f"{code}.json").read_text("utf-8"))
    return found


def said() -> set[str]:
    """Return every text that is translated where it stands: in modules, and in the document."""
    found: list[str] = []
    for module in MODULES:
        text = text_of(module)
        found += re.findall(rf"\bt\(\s*{STRING}", text)
        found += re.findall(rf"new Problem\([^,]*, {STRING}", text)
        for choice in re.findall(rf"\bt\([^()\"]*\? {STRING} : {STRING}", text):
            found += choice
        for one, many in re.findall(rf"\bcounted\([^\"]*?{STRING}, {STRING}\)", text):
            found += (one, many)
    page = text_of("index.html")
    found += re.findall(r"<[^>]* data-t(?: [^>]*)?>([^<]+)<", page)
    for tag, name in re.findall(r"<([^>]* data-t-(placeholder|aria-label)[^>]*)>", page):
        found += re.findall(rf'{name}="([^"]*)"', tag)
    return set(found)


def tabled() -> set[str]:
    """Return the texts in tables."""
    found: set[str] = set()
    for module, names in TABLES.items():
        for name in names:
            [table] = re.findall(
                rf"const {name} = [\[{{](.*?)[\]}}];\n", text_of(module), re.DOTALL
            )
            values = re.findall(STRING, table)
            assert values, name
            found |= set(values)
    return found


@pytest.mark.parametrize("code", CATALOGUES)
def test_every_text_is_translated(code: str) -> None:
    assert said() | tabled() | set(get_args(Kind)) <= set(catalogue(code))


def test_every_code_of_an_error_in_words_is_one_of_the_server() -> None:
    [table] = re.findall(r"const WORDS = \{(.*?)\};", text_of("problems.js"), re.DOTALL)
    documents = Path(__file__).parents[3] / "docs" / "server.md"
    known = set(re.findall(r"`(\w+)`", documents.read_text("utf-8")))
    assert set(re.findall(r"(?m)^  (\w+):", table)) <= known


@pytest.mark.parametrize("code", CATALOGUES)
def test_a_translation_has_the_values_of_its_text(code: str) -> None:
    def values(text: str) -> list[str]:
        return sorted(re.findall(r"\{\w+\}", text))

    known = catalogue(code)
    assert list(known) == list(catalogue(CATALOGUES[0]))  # a text is added to all of them
    assert [text for text, other in known.items() if values(text) != values(other)] == []
    assert all(other.strip() for other in known.values())
