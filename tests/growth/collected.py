"""All patterns of both packages: in calls of `re` and `regex`, and those that modules hold."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import regex

import graphmemix

ROOT = Path(graphmemix.__file__).parents[1]
PACKAGES = ("graphmemix", "graphmemix_bench")
_CALLS = frozenset(
    {"compile", "match", "search", "sub", "subn", "split", "findall", "finditer", "fullmatch"}
)
_AT_ONE_PLACE = frozenset({"match", "fullmatch"})


@dataclass(frozen=True)
class Found:
    """A pattern, where it stands, and how it is used.

    Attributes:
        place: File below the package.
        name: Variable, keyword or function.
        pattern: Compiled.
        searched: It is tried at every position of a text.
        whole: It must match to the end of a text.
    """

    place: str
    name: str
    pattern: Any  # re.Pattern or regex.Pattern
    searched: bool
    whole: bool = False

    @property
    def key(self) -> str:
        return f"{self.place}:{self.name}"


def places() -> dict[str, Path]:
    """Return the files that may hold patterns, by their place below the package."""
    files = sorted(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))
    return {
        path.relative_to(ROOT).as_posix().removeprefix("graphmemix/"): path
        for path in files
        if re.search(r"\b(?:re|regex)\b", path.read_text("utf-8"))
    }


@cache
def collected() -> tuple[tuple[Found, ...], tuple[str, ...]]:
    """Return all patterns, and the calls whose pattern is only known at run time."""
    found: dict[tuple[str, str, Any], Found] = {}
    open_calls: list[str] = []
    for place, path in places().items():
        source = path.read_text("utf-8")
        module = importlib.import_module(_module_name(path))
        tree = ast.parse(source)
        methods = _methods(tree)
        for name, pattern, method in _calls(tree, module):
            if pattern is None:
                open_calls.append(f"{place}:{name}")
                continue
            used = {method} if method != "compile" else methods.get(name, set())
            each = Found(
                place, name, pattern, not used or bool(used - _AT_ONE_PLACE), "fullmatch" in used
            )
            found.setdefault((place, name, pattern), each)
        seen = {each.pattern for each in found.values()}
        for name, pattern in _held(vars(module)):
            if pattern not in seen:
                found.setdefault((place, name, pattern), Found(place, name, pattern, True))
    return tuple(found.values()), tuple(open_calls)


def _module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _calls(tree: ast.Module, module: ModuleType) -> Iterator[tuple[str, Any, str]]:
    """Yield the name that is assigned, the pattern, the function of `re`."""
    parents = {child: parent for parent in ast.walk(tree) for child in ast.iter_child_nodes(parent)}
    for node in ast.walk(tree):
        if not (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in ("re", "regex")
            and node.func.attr in _CALLS
        ):
            continue
        kind: Any = regex if node.func.value.id == "regex" else re
        yield _name(node, parents), _compiled(kind, node, module), node.func.attr


def _name(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    """Return the variable, the keyword or the function in which a call stands."""
    while node in parents:
        node = parents[node]
        if isinstance(node, ast.keyword) and node.arg:
            return node.arg
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            return node.target.id
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if name.isupper():  # a constant; others are local
                return name
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return node.name
    return "module"


def _compiled(kind: Any, call: ast.Call, module: ModuleType) -> Any:
    assert isinstance(call.func, ast.Attribute)
    flags = [each.value for each in call.keywords if each.arg == "flags"]
    if call.func.attr == "compile":
        flags += call.args[1:2]
    elif call.func.attr in ("match", "search", "findall", "finditer", "fullmatch"):
        flags += call.args[2:3]
    try:
        source, *marks = (
            eval(compile(ast.Expression(each), "pattern", "eval"), vars(module))
            for each in (call.args[0], *flags)
        )
    except NameError:
        return None
    return kind.compile(source, *marks)


def _methods(tree: ast.Module) -> dict[str, set[str]]:
    """Return what is called on each name, as in ``_WORD.finditer(text)``; "" for other uses."""
    used: dict[str, set[str]] = {}
    called: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            value = node.func.value
            name = value.id if isinstance(value, ast.Name) else getattr(value, "attr", "")
            used.setdefault(name, set()).add(node.func.attr)
            called.add(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node not in called:
            used.setdefault(node.id, set()).add("")
    return used


def _held(values: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield patterns in variables of a module, in what they contain too."""
    for name, value in list(values.items()):
        if name.startswith("__"):
            continue
        for pattern in _inside(value, 3):
            yield name, pattern


def _inside(value: Any, deep: int) -> Iterator[Any]:
    if isinstance(value, (re.Pattern, regex.Pattern)):
        yield value
    elif deep and isinstance(value, dict):
        for each in list(value.values()):
            yield from _inside(each, deep - 1)
    elif deep and isinstance(value, (list, tuple, set, frozenset)):
        for each in list(value):
            yield from _inside(each, deep - 1)
    elif deep and is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from _inside(getattr(value, each.name, None), deep - 1)
