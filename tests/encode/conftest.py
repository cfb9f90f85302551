"""Encoders behind a server, closed when a test is done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from graphmemix.encode import endpoint
from graphmemix.encode.endpoint import EndpointEncoder
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
