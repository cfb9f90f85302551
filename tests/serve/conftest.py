from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.serve.servers import Live, fill, serving


@pytest.fixture(scope="module", autouse=True)
def light_encoder() -> Iterator[None]:
    """Archives that name no encoder get one that loads nothing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("GRAPHMEMIX_ENCODER__MODEL", "hashing")
        yield


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """A server of one small archive, without keys, for tests that leave it as it is."""
    folder: Path = tmp_path_factory.mktemp("serve")
    fill(folder / "home", "quokka")
    with serving(folder) as found:
        yield found


@pytest.fixture
def client(live: Live) -> Iterator[httpx.Client]:
    with live.client() as found:
        yield found
