"""The exception tree, drawn from the classes themselves, and what each says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphmemix.errors import GraphMemixError

if TYPE_CHECKING:
    from collections.abc import Iterator

_OWN = "graphmemix."


def told() -> str:
    """Return the tree, then a section for each error."""
    tree = "\n".join(_drawn(GraphMemixError))
    sections = (f"::: {kind.__module__}.{kind.__name__}\n" for kind in _below(GraphMemixError))
    return f"```text\n{tree}\n```\n\n" + "\n".join(sections)


def _children(kind: type[Exception]) -> list[type[Exception]]:
    """Return the errors directly below one, in the order of their definition."""
    return [child for child in kind.__subclasses__() if child.__module__ == kind.__module__]


def _below(kind: type[Exception]) -> Iterator[type[Exception]]:
    yield kind
    for child in _children(kind):
        yield from _below(child)


def _drawn(kind: type[Exception], lead: str = "") -> Iterator[str]:
    foreign = [
        base.__name__
        for base in kind.__bases__
        if not base.__module__.startswith(_OWN) and base is not Exception
    ]
    yield kind.__name__ + (f" (also {', '.join(foreign)})" if foreign else "")
    children = _children(kind)
    for child in children:
        last = child is children[-1]
        for number, line in enumerate(_drawn(child)):
            branch = ("└── " if last else "├── ") if number == 0 else ("    " if last else "│   ")
            yield lead + branch + line
