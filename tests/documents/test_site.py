"""The site is built as CI builds it: no warning, nothing from elsewhere, nothing left out."""

from __future__ import annotations

import fcntl
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from pydantic import BaseModel

import graphmemix
from graphmemix import errors
from graphmemix.cli.root import full_tree
from graphmemix.record import Record
from graphmemix.serve.routes import ROUTERS
from graphmemix.settings import describe_settings
from tests.documents.html_page import HtmlPage, read_page
from tests.documents.pages import ROOT

PACKAGES = [
    name
    for name in (
        "graphmemix",
        *(
            info.name
            for info in pkgutil.walk_packages(graphmemix.__path__, "graphmemix.")
            if info.ispkg
        ),
    )
    if importlib.import_module(name).__all__
]


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, built once for all workers."""
    base = tmp_path_factory.getbasetemp()
    shared = base if worker_id == "master" else base.parent
    target = shared / "site"
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            built = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(target)],
                cwd=ROOT,
                env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
                capture_output=True,
                text=True,
                check=False,
            )
            (shared / "site.log").write_text(f"{built.returncode}\n{built.stdout}{built.stderr}")
    log = (shared / "site.log").read_text()
    assert log.startswith("0\n"), log
    assert "WARNING" not in log
    return target


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, HtmlPage]:
    """All pages by their place."""
    return {path.relative_to(site).as_posix(): read_page(path) for path in site.rglob("*.html")}


def test_every_page_is_there(pages: dict[str, HtmlPage]) -> None:
    sources = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert {path.with_suffix(".html").as_posix() for path in sources} <= set(pages)
    assert {"index.html", "contributing.html", "changelog.html"} <= set(pages)


def test_no_page_is_in_the_navigation_twice() -> None:
    named = re.findall(r"([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.MULTILINE)
    assert len(named) > 30
    assert sorted(named) == sorted(set(named))


def test_nothing_is_fetched_from_elsewhere(site: Path, pages: dict[str, HtmlPage]) -> None:
    assert sum(len(page.fetched) for page in pages.values()) > 100
    for place, page in pages.items():
        for address in page.fetched:
            assert not re.match(r"(https?:)?//", address), f"{place}: {address}"
        # The theme fetches the programs that draw these.
        assert not page.classes & {"mermaid", "arithmatex"}, place
    styles = [text for page in pages.values() for text in page.styles]
    styles += [path.read_text("utf-8") for path in site.rglob("*.css")]
    for style in styles:
        assert not re.search(r"(url\(|@import)\s*[\"']?(https?:)?//", style)


def test_links_and_anchors_lead_somewhere(site: Path, pages: dict[str, HtmlPage]) -> None:
    for place, page in pages.items():
        if place == "404.html":
            continue  # its links are for a server's root
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (page.path.parent / unquote(parts.path)) if parts.path else page.path
            if target.is_dir():
                target /= "index.html"
            assert target.is_file(), f"{place}: {link}"
            fragment = unquote(parts.fragment)
            if fragment and target.suffix == ".html":
                name = target.resolve().relative_to(site.resolve()).as_posix()
                assert fragment in pages[name].ids, f"{place}: {link}"


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_is_in_the_reference(package: str, pages: dict[str, HtmlPage]) -> None:
    page = pages[f"reference/python/{package}.html"]
    described = re.search(r"Exported here too: (.*?)\.(?: |$)", page.text)
    elsewhere = set(described[1].split(" , ")) if described else set()
    linked = {link.rpartition(".")[2] for link in page.links if "#graphmemix." in link}
    for name in importlib.import_module(package).__all__:
        assert f"{package}.{name}" in page.ids or name in elsewhere | linked, name


def methods(kind: type) -> Iterator[str]:
    """Yield the public methods that a class of ours has by itself or from another of ours."""
    for base in kind.__mro__:
        if base.__module__.startswith("graphmemix") and base not in {Record, BaseModel}:
            for name, value in vars(base).items():
                if not name.startswith("_") and inspect.isroutine(inspect.unwrap(value)):
                    yield name


def test_every_method_of_an_archive_is_in_the_reference(pages: dict[str, HtmlPage]) -> None:
    ids = pages["reference/python/graphmemix.html"].ids
    found = set(methods(graphmemix.Archive))
    assert {"ask", "recall", "ingest", "erase"} <= found
    assert {name for name in found if f"graphmemix.Archive.{name}" not in ids} == set()


def test_every_setting_is_in_the_reference(pages: dict[str, HtmlPage]) -> None:
    page = pages["reference/settings.html"]
    keys = dict(describe_settings())
    assert keys.keys() - page.ids == set()
    for field in keys.values():
        assert " ".join((field.description or "?").replace("`", "").split()) in page.text


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield " ".join(path), command
        return
    for name, below in command.commands.items():
        yield from leaves(below, (*path, name))


def test_every_command_and_option_is_in_the_reference(pages: dict[str, HtmlPage]) -> None:
    page = pages["reference/commands.html"]
    _, _, told = page.text.partition("All commands")
    for name, command in leaves(full_tree()):
        assert name.replace(" ", "-") in page.ids
        section = re.search(rf"graphmemix {name}(?: \[?[A-Z_.]+\]?)* \[OPTIONS\].*?(?:¶|$)", told)
        assert section is not None
        for parameter in command.params:
            is_option = parameter.param_type_name == "option"
            wanted = parameter.opts if is_option else [parameter.metavar or parameter.name]
            for word in wanted:
                shown = word if word.startswith("-") else word.upper()
                assert shown in section[0] or "--help" in wanted, f"{name} {shown}"


def test_every_route_and_shape_is_in_the_reference(pages: dict[str, HtmlPage]) -> None:
    from graphmemix.serve.routes.common import DESCRIBED

    page = pages["reference/http.html"]
    routes = [route for router in ROUTERS for route in router.routes]
    assert len(routes) > 20
    for route in routes:
        path = re.sub(r":path\}", "}", getattr(route, "path", "?"))
        for method in getattr(route, "methods", set()) - {"HEAD"}:
            assert f"{method} {path}¶" in page.text, path
    assert {name.lower() for name in DESCRIBED} - page.ids == set()


def test_every_route_of_an_archive_tells_its_scope(pages: dict[str, HtmlPage]) -> None:
    text = pages["reference/http.html"].text
    sections = re.findall(r"(?:GET|POST|PUT|DELETE) /v1/archives/\{.*?¶(.*?)Gives", text)
    assert len(sections) > 15
    assert [section for section in sections if "Needs the scope" not in section] == []


def test_every_error_is_in_the_reference(pages: dict[str, HtmlPage]) -> None:
    page = pages["reference/errors.html"]
    for name in errors.__all__:
        assert f"graphmemix.errors.{name}" in page.ids
        assert page.text.count(name) > 1  # in the tree, and below


def test_every_extra_is_in_the_reference(pages: dict[str, HtmlPage]) -> None:
    text = pages["reference/extras.html"].text
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for name, packages in project["optional-dependencies"].items():
        if name != "dev":
            assert f"{name} " in text
            assert all(package in text for package in packages)
