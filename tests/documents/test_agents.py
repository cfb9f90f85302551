"""The examples of agents start a server that answers; only the models' SDKs are replaced.

Their SDKs are no dependency: small stand-ins connect with the client of the MCP SDK to the server
that an example describes, and do what a model would.
"""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Self

import pytest

from graphmemix import Archive, HashingEncoder
from tests.documents.pages import DOCS

QUESTION = "Who has our spare key?"


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GRAPHMEMIX_ENCODER__MODEL", "hashing")
    with Archive.open(tmp_path / "family", encoder=HashingEncoder()) as opened:
        opened.add("The spare key is with Olga.")
    return str(tmp_path / "family")


async def searched(server: dict[str, Any], question: str) -> str:
    """Return what ``search`` of a described server finds first."""
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(
        command=server["command"], args=server["args"], env=dict(os.environ)
    )
    with Path(os.devnull).open("w", encoding="utf-8") as errors:  # noqa: ASYNC230  # it never waits
        async with Client(stdio_client(parameters, errlog=errors)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == ["search", "ask", "get", "timeline"]
            found = await client.call_tool("search", {"question": question})
            assert found.structured_content is not None
            words: str = found.structured_content["memories"][0]["words"]
            return words


def test_the_agent_of_claude_may_use_the_tools_that_the_server_has(
    archive: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @dataclass
    class Options:
        mcp_servers: dict[str, dict[str, Any]]
        tools: list[str]
        allowed_tools: list[str]
        system_prompt: str

    @dataclass
    class Result:
        result: str

    async def query(*, prompt: str, options: Options) -> AsyncIterator[Result]:
        [(name, server)] = options.mcp_servers.items()
        assert options.allowed_tools == [
            f"mcp__{name}__{tool}" for tool in ("search", "ask", "get", "timeline")
        ]
        yield Result(await searched(server, prompt))

    sdk: Any = ModuleType("claude_agent_sdk")
    sdk.ClaudeAgentOptions, sdk.ResultMessage, sdk.query = Options, Result, query
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", sdk)
    example = runpy.run_path(str(DOCS / "examples" / "claude_agent.py"))
    asyncio.run(example["main"](archive, QUESTION))
    assert capsys.readouterr().out == "The spare key is with Olga.\n"


def test_the_agent_of_openai_reaches_the_server(
    archive: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Server:
        def __init__(self, params: dict[str, Any], **options: Any) -> None:
            assert set(options) == {"name", "cache_tools_list", "client_session_timeout_seconds"}
            self.params = params

        async def __aenter__(self) -> Self:
            return self

        async def __aexit__(self, *_: object) -> None:
            pass

    @dataclass
    class Agent:
        name: str
        instructions: str
        mcp_servers: list[Server]

    class Runner:
        @staticmethod
        async def run(agent: Agent, question: str) -> SimpleNamespace:
            [server] = agent.mcp_servers
            return SimpleNamespace(final_output=await searched(server.params, question))

    agents: Any = ModuleType("agents")
    agents.Agent, agents.Runner = Agent, Runner
    servers: Any = ModuleType("agents.mcp")
    servers.MCPServerStdio = Server
    monkeypatch.setitem(sys.modules, "agents", agents)
    monkeypatch.setitem(sys.modules, "agents.mcp", servers)
    example = runpy.run_path(str(DOCS / "examples" / "openai_agent.py"))
    asyncio.run(example["main"](archive, QUESTION))
    assert capsys.readouterr().out == "The spare key is with Olga.\n"
