"""Runs the code of notebooks without Jupyter, and writes what they print into them.

``python -m tests.documents.notebooks`` writes the outputs of all notebooks anew.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import json
import os
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.documents.pages import DOCS

NOTEBOOKS = sorted((DOCS / "examples").glob("*.ipynb"))
_NEEDS = "needs:"  # how a tag starts that names a package


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    """Return the cells with code."""
    cells: list[dict[str, Any]] = json.loads(notebook.read_text("utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def is_runnable(cell: dict[str, Any]) -> bool:
    """Return whether the packages that a cell's tags name are installed."""
    tags = cell["metadata"].get("tags", ())
    needed = [tag.removeprefix(_NEEDS) for tag in tags if tag.startswith(_NEEDS)]
    return all(find_spec(name) is not None for name in needed)


def printed(cell: dict[str, Any]) -> str:
    """Return what a cell is stored to print."""
    return "".join("".join(output["text"]) for output in cell["outputs"])


def run(cells: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], str]]:
    """Run cells in one namespace and one event loop; yield each with what it printed."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    with asyncio.Runner() as runner:
        for number, cell in enumerate(cells):
            if not is_runnable(cell):
                continue
            code = compile(
                "".join(cell["source"]),
                f"<cell {number}>",
                "exec",
                flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
            )
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                made = eval(code, namespace)
                if inspect.iscoroutine(made):
                    runner.run(made)
            yield cell, said.getvalue()


def _write(notebook: Path) -> None:
    content = json.loads(notebook.read_text("utf-8"))
    cells = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    for cell, text in run(cells):
        lines = text.splitlines(keepends=True)
        cell["outputs"] = (
            [{"name": "stdout", "output_type": "stream", "text": lines}] if lines else []
        )
    notebook.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for each in NOTEBOOKS:
        os.chdir(tempfile.mkdtemp())
        _write(each)
