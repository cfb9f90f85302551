"""Encoders for tests: behind a server, and a CLIP model so small that it is built here."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmemix.encode import endpoint
from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.endpoint import EndpointEncoder
from tests.encode import tiny_clip
from tests.encode.embeddings import Server


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(endpoint, "_FIRST_WAIT", 0.01)
    running = Server()
    yield running
    running.close()


@pytest.fixture
def opened() -> Iterator[Callable[..., EndpointEncoder]]:
    encoders: list[EndpointEncoder] = []

    def open_encoder(url: str | Server, model: str = "tiny", **options: Any) -> EndpointEncoder:
        address = url if isinstance(url, str) else url.url
        encoders.append(EndpointEncoder(address, model, **options))
        return encoders[-1]

    yield open_encoder
    for encoder in encoders:
        encoder.close()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of the CLIP model."""
    return tiny_clip.build(tmp_path_factory.mktemp("clip"))


@pytest.fixture(scope="module")
def encoder(folder: Path) -> ClipEncoder:
    return ClipEncoder(folder)


@pytest.fixture
def copy(folder: Path, tmp_path: Path) -> Path:
    """A model that a test may damage."""
    return Path(shutil.copytree(folder, tmp_path / "copy"))
