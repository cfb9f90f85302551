from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import make_family, quiet_home


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A folder for archives; commands run in this process find nobody's settings."""
    with quiet_home(tmp_path):
        yield tmp_path


@pytest.fixture
def family(home: Path) -> Path:
    """An archive that a test may change."""
    return make_family(home / "family")
