from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import make_family, quiet_home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder for archives; commands run in this process find nobody's settings."""
    with quiet_home(tmp_path):
        yield tmp_path


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_family(tmp_path_factory.mktemp("made") / "family")


@pytest.fixture
def family(home: Path, made_once: Path) -> Path:
    """An archive that a test may change."""
    return Path(shutil.copytree(made_once, home / "family"))
