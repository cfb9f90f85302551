"""The wheel and the sdist: everything that the program needs, and nothing else.

`tools/install.py` does more: it installs them into empty environments and tries every extra.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from tools import install

from tests.packaging.project import EXTRAS, PROJECT, ROOT

OF_THE_PROGRAM = {
    ".css", ".html", ".js", ".json", ".md", ".npz", ".py", ".svg", ".template", ".txt", ".typed",
}  # fmt: skip


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a wheel and an sdist of this tree; the wheel is made from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def in_wheel(built: Path) -> set[str]:
    (wheel,) = built.glob("*.whl")
    return set(zipfile.ZipFile(wheel).namelist())


def in_tree() -> set[str]:
    """Return the files of both packages: those that git knows, and new ones."""
    files = [path for path in (ROOT / "src").rglob("*") if path.is_file()]
    kept = [path for path in files if "__pycache__" not in path.parts]
    return {path.relative_to(ROOT / "src").as_posix() for path in kept}


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(built: Path) -> None:
    package = {name for name in in_wheel(built) if not name.startswith("graphmemix-")}
    assert package == in_tree()
    assert {Path(name).suffix or Path(name).name for name in package} <= OF_THE_PROGRAM


@pytest.mark.parametrize(
    "needed",
    [
        "py.typed",
        "serve/page/index.html",
        "serve/page/export.template",
        "encode/projections.npz",
        "verify/fitted/multilingual.json",
        "verify/fitted/minilm.json",
        "verify/prompts/ecv.md",
        "read/prompts/reader.md",
        "text/countries.json",
        "text/country_towns.json",
        "sample/mails.py",
    ],
)
def test_what_is_read_at_run_time_is_in_the_wheel(built: Path, needed: str) -> None:
    assert f"graphmemix/{needed}" in in_wheel(built)


def test_the_wheel_names_its_licence_and_its_command(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        (metadata,) = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
        text = packed.read(metadata).decode()
        entries = packed.read(metadata.replace("METADATA", "entry_points.txt")).decode()
    assert "License-Expression: Apache-2.0" in text
    assert {f"Provides-Extra: {extra}" for extra in EXTRAS} <= set(text.splitlines())
    assert "graphmemix = graphmemix.cli:main" in entries
    assert any(name.endswith("licenses/LICENSE") for name in in_wheel(built))


def test_the_sdist_has_what_builds_tests_and_documents_the_program(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as packed:
        names = {name.partition("/")[2] for name in packed.getnames()}
    assert {f"src/{name}" for name in in_tree()} <= names
    assert {"Makefile", "Dockerfile", "compose.yaml", "tests/conftest.py", "tools/install.py",
            "docs/licences.md", "CHANGELOG.md"} <= names  # fmt: skip
    assert not [
        name for name in names if "__pycache__" in name or name.startswith((".venv", "site/"))
    ]


def test_the_python_versions_are_those_that_were_run() -> None:
    assert PROJECT["requires-python"] == ">=3.11"
    assert "Programming Language :: Python :: 3.11" in PROJECT["classifiers"]


def test_every_extra_is_tried_in_an_empty_environment() -> None:
    assert set(install.extras()) == set(install.TRIED) | install.RESOLVED_ONLY
