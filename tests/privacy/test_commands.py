"""What commands look up, connect to and leave behind: nothing but what the user named."""

from __future__ import annotations

import json
import re
import shlex
import socket
from urllib.parse import urlsplit

import httpx
import pytest

from tests.answering import KEY, serving
from tests.llm.servers import HostileServer
from tests.privacy.watching import Room, needs_strace, python
from tests.serve.servers import until

pytestmark = needs_strace
GRAPHMEMIX = python("-m", "graphmemix")


def in_turn(*commands: list[str]) -> list[str]:
    return ["sh", "-c", " && ".join(shlex.join([*GRAPHMEMIX, *command]) for command in commands)]


@pytest.mark.slow  # its commands are watched one by one below
def test_the_demo(room: Room) -> None:
    seen = room.run([*GRAPHMEMIX, "demo"])
    assert "No language model was used" in seen.out
    assert (seen.contacts, seen.created) == (set(), set())


def test_ingesting_recalling_and_asking(room: Room) -> None:
    """Also for a user who has the reports of libraries turned on."""
    seen = room.run(
        in_turn(["ingest", "a", "notes.md"], ["recall", "a", KEY], ["ask", "a", KEY]),
        ORT_DISABLE_TELEMETRY="0",
    )
    assert seen.out.count("Olga") >= 2
    assert (seen.contacts, seen.created) == (set(), set())


def test_asking_a_model_contacts_its_server_alone(asked: Room, hostile: HostileServer) -> None:
    hostile.script = [serving()]
    model = ["--set", f"model.base_url={hostile.url}", "--set", "model.name=m"]
    seen = asked.run([*GRAPHMEMIX, "ask", "a", KEY, *model])
    assert "Olga has it [1]" in seen.out
    assert (seen.contacts, seen.created) == ({urlsplit(hostile.url).netloc}, set())


def test_a_server_that_is_asked(asked: Room) -> None:
    serve = [*GRAPHMEMIX, "serve", "home=a", "--port", "0", "--state", "state"]
    # What would make FastAPI send spans of its own.
    spans = {
        "FASTAPI_OTEL_AUTO_CONFIGURE": "true",
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9",
    }
    with asked.running(serve, **spans) as process:
        assert process.stderr is not None
        address = process.stderr.readline().strip()
        with httpx.Client(base_url=address, timeout=120) as client:
            until(lambda: answers(client), seconds=120)
            reply = client.post("/v1/archives/home/ask", json={"question": KEY})
            wrong = client.post("/v1/archives/home/ask", json={"question": 7})
    assert "Olga" in reply.text
    assert wrong.is_client_error
    seen = asked.seen()
    assert (seen.contacts, seen.created) == (set(), set())


def answers(client: httpx.Client) -> bool:
    try:
        return client.get("/v1/ready").is_success
    except httpx.TransportError:
        return False


def test_an_agent_that_asks_over_mcp(asked: Room) -> None:
    pytest.importorskip("mcp", reason="needs the extra mcp")
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    call = {"name": "recall", "arguments": {"question": KEY}}
    replies = []
    with asked.running([*GRAPHMEMIX, "mcp", "a"]) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for message in (
            {"id": 1, "method": "initialize", "params": hello},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/call", "params": call},
        ):
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()
            if "id" in message:
                replies.append(process.stdout.readline())
        process.stdin.close()
        process.wait(120)
    assert "Olga" in replies[-1]
    seen = asked.seen()
    assert (seen.contacts, seen.created) == (set(), set())


@pytest.mark.slow
def test_a_worker_of_ray_contacts_this_machine_alone(asked: Room) -> None:
    pytest.importorskip("ray", reason="needs the extra ray")
    seen = asked.run([*GRAPHMEMIX, "encode", "a", "--into", "vectors", "--workers", "1"])
    assert re.search(r"[1-9]\d* contents? encoded with minilm-use-384", seen.out)
    assert [each for each in sorted(seen.contacts) if not is_of_this_machine(each)] == []
    assert seen.created == set()


def is_of_this_machine(contact: str) -> bool:
    address = contact.rpartition(":")[0].removeprefix("::ffff:")
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        try:
            probe.bind((address, 0))
        except OSError:
            return False
    return True
