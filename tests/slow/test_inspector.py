"""The MCP server with the MCP Inspector from npm, by its command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from graphmemix import Archive, HashingEncoder

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("npx") is None, reason="needs node, for npx"),
]

INSPECTOR = ["npx", "--yes", "@modelcontextprotocol/inspector", "--cli"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("inspector") / "family"
    with Archive.open(place, encoder=HashingEncoder()) as opened:
        opened.add({"id": "key", "text": "The spare key is with Olga.", "speaker": "Ruth"})
    return place


def inspected(archive: Path, method: str, *options: str) -> Any:
    server = [sys.executable, "-m", "graphmemix", "mcp", str(archive), "--encoder", "hashing"]
    done = subprocess.run(
        [*INSPECTOR, *server, "--method", method, *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "GRAPHMEMIX_CONFIG": ""},
    )
    if done.returncode and "npm error" in done.stderr:
        pytest.skip(f"npm cannot fetch the inspector: {done.stderr.splitlines()[0]}")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_inspector_lists_tools_with_their_schemas(archive: Path) -> None:
    tools = inspected(archive, "tools/list")["tools"]
    assert [tool["name"] for tool in tools] == ["search", "ask", "get", "timeline"]
    for tool in tools:
        assert tool["inputSchema"]["type"] == "object"
        assert tool["outputSchema"]["type"] == "object"
        assert tool["annotations"]["readOnlyHint"]


def test_the_inspector_calls_a_tool_and_accepts_its_structured_result(archive: Path) -> None:
    call = ("--tool-name", "search", "--tool-arg", "question=Who has the spare key?")
    result = inspected(archive, "tools/call", *call)
    assert not result.get("isError")
    assert "> The spare key is with Olga." in result["content"][0]["text"]
    assert result["structuredContent"]["memories"][0]["id"] == "key"


def test_the_inspector_lists_resources(archive: Path) -> None:
    [memory] = inspected(archive, "resources/list")["resources"]
    assert memory["uri"] == "graphmemix://memory/key"
    assert memory["title"] == "note: “The spare key is with Olga.”"
