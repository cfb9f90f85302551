"""Spans go where `serve --telemetry` says, and not where the rest of the process sends its own."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PROGRAM = """
import asyncio
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

spans = InMemorySpanExporter()
trace.set_tracer_provider(TracerProvider())
trace.get_tracer_provider().add_span_processor(SimpleSpanProcessor(spans))
trace.get_tracer("own").start_span("own").end()

from fastapi.testclient import TestClient
from mcp import Client
from graphmemix.serve.app import create_app
from graphmemix.serve.mcp import ReopeningAccess, make_server

async def over_mcp(access):
    client = Client(make_server(access))
    await client.__aenter__()
    await client.call_tool("list_sources", {})
    # Its own spans, of what it asks for, are the client's business.
    print(*(span.name for span in spans.get_finished_spans() if span.kind.name != "CLIENT"))
    await client.__aexit__(None, None, None)

with TestClient(create_app(["home=a"]), base_url="http://127.0.0.1") as client:
    assert client.get("/v1/archives/home").status_code == 200
    assert client.post("/v1/archives/home/ask", json={"question": 7}).status_code == 422
access = ReopeningAccess("a", encoder="hashing", writable=False)
asyncio.run(over_mcp(access))
access.close()
"""


def test_requests_make_no_spans_but_those_that_are_asked_for(tmp_path: Path) -> None:
    from graphmemix import Archive

    for name in ("fastapi", "mcp", "opentelemetry"):
        if find_spec(name) is None:
            pytest.skip("needs the extras mcp, server and telemetry")
    Archive.open(tmp_path / "a", encoder="hashing").close()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        cwd=tmp_path,
        env={
            "HOME": str(tmp_path),
            "GRAPHMEMIX_ENCODER__MODEL": "hashing",
            "PATH": "/usr/bin:/bin",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["own"]
