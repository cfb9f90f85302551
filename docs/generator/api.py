"""A page for each package that exports names: what `tests/test_public.py` calls public.

A name that several packages export is described once, where it is reached soonest; the others link
there.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from functools import cache
from inspect import getdoc
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel

import graphmemix
from generator.markdown import paragraphs
from graphmemix.errors import GraphMemixError
from graphmemix.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType


@cache
def pages() -> tuple[tuple[str, str], ...]:
    """Return name and content of every page, by name."""
    homes: dict[tuple[str, int], str] = {}
    made = [(package.__name__, _page(package, homes)) for package in _packages()]
    return tuple((f"reference/python/{name}.md", content) for name, content in sorted(made))


def navigation() -> list[dict[str, str]]:
    """Return the pages with short titles."""
    names = [(Path(page).stem, page) for page, _ in pages()]
    return [{name.removeprefix("graphmemix."): page} for name, page in names]


def _packages() -> Iterator[ModuleType]:
    below = pkgutil.walk_packages(graphmemix.__path__, "graphmemix.")
    names = ["graphmemix", *(info.name for info in below if info.ispkg)]
    # Those nearest to the top first: there a name is reached soonest.
    for name in sorted(names, key=lambda each: (each.count("."), each)):
        package = importlib.import_module(name)
        if package.__all__:
            yield package


def _page(package: ModuleType, homes: dict[tuple[str, int], str]) -> str:
    described, linked = [], []
    for name in package.__all__:
        value = getattr(package, name)
        key = (name, id(value))
        if isinstance(value, type) and issubclass(value, GraphMemixError):
            linked.append(f"[`{name}`](../errors.md#{value.__module__}.{name})")
        elif key in homes:
            linked.append(f"[`{name}`]({_address(homes[key], name)})")
        else:
            homes[key] = package.__name__
            described.append(_described(f"{package.__name__}.{name}", value))
    also = f"Exported here too: {', '.join(linked)}.\n" if linked else ""
    about = paragraphs(getdoc(package) or "")
    return "\n".join([f"# {package.__name__}\n", about, "", also, *described])


def _described(full: str, value: object) -> str:
    """Return what mkdocstrings turns into a description."""
    # Methods of all records (`to_json`, `from_json`) and of pydantic would be told each time.
    inherits = isinstance(value, type) and not issubclass(value, Record | BaseModel)
    options = "    options:\n      inherited_members: true\n" if inherits else ""
    if full in sys.modules:  # a module of the same name hides it
        own = f"{getattr(value, '__module__', '')}.{full.rpartition('.')[2]}"
        return f'<a id="{full}"></a>\n\n::: {own}\n{options}'
    return f"::: {full}\n{options}"


def _address(package: str, name: str) -> str:
    return f"{package}.md#{package}.{name}"
