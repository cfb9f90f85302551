"""Small changes of functions, those of mutmut, and how a process takes one over."""

from __future__ import annotations

import ast
import importlib
import inspect
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import libcst as cst
from mutmut.mutation.file_mutation import create_mutations, deep_replace

import graphmemix

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType, FunctionType

_SRC = Path(graphmemix.__file__).parents[1]
PACKAGES = {
    "optimize": _SRC / "graphmemix" / "optimize",
    "verify": _SRC / "graphmemix" / "verify",
    "selectors": _SRC / "graphmemix_bench" / "selectors",
}


def short_name(path: Path) -> str:
    """Return a source file as docs/mutation.md names it, such as ``optimize/exact.py``."""
    return Path(*path.relative_to(_SRC).parts[1:]).as_posix()


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, and what the line was and becomes."""

    file: str
    function: str
    line: int
    before: str
    after: str

    @property
    def name(self) -> str:
        """What docs/mutation.md calls it."""
        return f"{self.file} {self.function}: {self.before} => {self.after}"


class Module:
    """A source file, its functions and the mutants of their bodies."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = short_name(path)
        self.source = path.read_text(encoding="utf-8")
        self.tree = ast.parse(self.source)

    def mutants(self) -> Iterator[tuple[Mutant, str]]:
        """Yield each mutant with the source of its function."""
        tree, mutations, _, _ = create_mutations(str(self.path), self.source)
        places = dict(_definitions(self.tree))
        # Constants of modules and classes are data, and set before any test runs: no mutants.
        for name, function in _functions(tree):
            before = _alone(name, function)
            first = min(each.lineno for each in (places[name], *places[name].decorator_list))
            for mutation in mutations:
                if mutation.contained_by_top_level_function is not function:
                    continue
                changed = deep_replace(function, mutation.original_node, mutation.mutated_node)
                after = _alone(name, cst.ensure_type(changed, cst.FunctionDef))
                at, old, new = _difference(before.splitlines(), after.splitlines())
                line = first + at - (name.count(".") + 1)  # less the lines around it
                yield Mutant(self.file, name, line, old, new), after

    def install(self, mutant: Mutant, source: str) -> None:
        """Give the function of `mutant` the changed code, in this process."""
        parts = self.path.relative_to(_SRC).with_suffix("").parts
        module = importlib.import_module(".".join(parts).removesuffix(".__init__"))
        function = _function(module, mutant.function)
        function.__code__ = _code(compile(source, str(self.path), "exec"), mutant.function)
        arguments = _definition(ast.parse(source), mutant.function).args
        defaults = [_value(node, module) for node in arguments.defaults]
        function.__defaults__ = tuple(defaults) or None
        function.__kwdefaults__ = {
            name.arg: _value(node, module)
            for name, node in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if node is not None
        }

    def statement_at(self, line: int) -> range:
        """Return the lines of the innermost statement there.

        Of a function they are all of it, for its defaults; of a compound statement those above
        what it encloses.
        """
        found = range(line, line + 1)
        for node in ast.walk(self.tree):  # what encloses comes first
            if isinstance(node, ast.stmt) and node.lineno <= line <= (node.end_lineno or line):
                body = None if isinstance(node, _FUNCTIONS) else getattr(node, "body", None)
                end = body[0].lineno if body else (node.end_lineno or line) + 1
                if line < end:
                    found = range(node.lineno, end)
        return found


def _functions(tree: cst.Module) -> Iterator[tuple[str, cst.FunctionDef]]:
    for node in tree.body:
        if isinstance(node, cst.FunctionDef):
            yield node.name.value, node
        elif isinstance(node, cst.ClassDef):
            for inner in node.body.body:
                if isinstance(inner, cst.FunctionDef):
                    yield f"{node.name.value}.{inner.name.value}", inner


def _alone(qualified: str, function: cst.FunctionDef) -> str:
    """Return the source of a function, in a class of its own if it is a method."""
    node: cst.FunctionDef | cst.ClassDef = function.with_changes(leading_lines=[])
    if "." in qualified:
        owner = cst.Name(qualified.partition(".")[0])
        node = cst.ClassDef(owner, cst.IndentedBlock([cst.ensure_type(node, cst.FunctionDef)]))
    return "from __future__ import annotations\n" + cst.Module([node]).code


def _difference(old: list[str], new: list[str]) -> tuple[int, str, str]:
    """Return how many lines come before the first that differs, and both texts."""
    start = _in_common(old, new)
    end = _in_common(old[start:][::-1], new[start:][::-1])
    before, after = (lines[start : len(lines) - end] for lines in (old, new))
    return start, " ".join(map(str.strip, before)), " ".join(map(str.strip, after))


def _in_common(old: list[str], new: list[str]) -> int:
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False))))


def _definitions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in tree.body:
        if isinstance(node, _FUNCTIONS):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for inner in node.body:
                if isinstance(inner, _FUNCTIONS):
                    yield f"{node.name}.{inner.name}", inner


def _definition(tree: ast.Module, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef:
    return dict(_definitions(tree))[name]


def _function(module: object, qualified: str) -> FunctionType:
    found: Any = module
    for name in qualified.split("."):
        found = inspect.getattr_static(found, name)
    function: FunctionType = inspect.unwrap(getattr(found, "__func__", found))
    return function


def _code(module: CodeType, qualified: str) -> CodeType:
    waiting = [module]
    for code in waiting:
        if code.co_qualname == qualified:
            return code
        waiting += [const for const in code.co_consts if inspect.iscode(const)]
    raise AssertionError(f"no code of {qualified}")


def _value(node: ast.expr, module: object) -> object:
    return eval(compile(ast.Expression(node), "<default>", "eval"), vars(module))  # noqa: S307
