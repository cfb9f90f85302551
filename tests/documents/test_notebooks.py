"""The notebooks among the examples run, and print what is stored in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.documents.notebooks import NOTEBOOKS, cells_of, is_runnable, printed, run


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_is_stored_in_it(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if notebook.stem == "agents":
        pytest.importorskip("mcp", reason="needs the extra mcp")
    monkeypatch.chdir(tmp_path)  # archives without a path
    monkeypatch.setenv("HOME", str(tmp_path))  # no settings of the user
    count = 0
    for cell, said in run(cells_of(notebook)):
        assert said == printed(cell), "".join(cell["source"])
        count += bool(said)
    assert count > 2


def test_there_are_notebooks_and_most_of_their_cells_run() -> None:
    assert len(NOTEBOOKS) >= 3
    cells = [cell for notebook in NOTEBOOKS for cell in cells_of(notebook)]
    assert sum(map(is_runnable, cells)) > 0.8 * len(cells)


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_has_the_form_that_jupyter_reads(notebook: Path) -> None:
    content = json.loads(notebook.read_text("utf-8"))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in content["cells"]]
    assert len(set(ids)) == len(ids)
    assert content["cells"][0]["cell_type"] == "markdown"
    for cell in content["cells"]:
        wanted = {"cell_type", "id", "metadata", "source"}
        wanted |= {"execution_count", "outputs"} if cell["cell_type"] == "code" else set()
        assert set(cell) == wanted
        assert cell.get("execution_count") is None
