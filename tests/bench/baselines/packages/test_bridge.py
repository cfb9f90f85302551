"""The loopback server through which packages use our model and our encoder."""

from __future__ import annotations

import asyncio
import json
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import pytest

from graphmemix.errors import ModelUnavailableError
from graphmemix.llm import ScriptedChat
from graphmemix_bench.baselines.packages.bridge import Bridge
from tests.bench.baselines.archive import ENCODER


def post(bridge: Bridge, route: str, body: Any, *, path: str = "") -> tuple[int, dict[str, Any]]:
    """Send a request to a bridge, as a package does: from another thread."""

    def send() -> tuple[int, dict[str, Any]]:
        address = urlsplit(bridge.url)
        connection = HTTPConnection(address.hostname or "", address.port)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", (path or address.path) + route, data)
        reply = connection.getresponse()
        found = json.loads(reply.read())
        connection.close()
        return reply.status, found

    async def asked() -> tuple[int, dict[str, Any]]:
        bridge.serve()
        return await asyncio.to_thread(send)

    return asyncio.run(asked())


def test_vectors_are_those_of_the_encoder() -> None:
    bridge = Bridge(ENCODER, None)
    status, found = post(bridge, "/embeddings", {"model": "any", "input": ["a key", "a cat"]})
    vectors = [row["embedding"] for row in found["data"]]
    assert status == 200
    np.testing.assert_allclose(vectors, ENCODER.texts(["a key", "a cat"]), atol=1e-6)
    bridge.close()


def test_one_text_needs_no_list() -> None:
    bridge = Bridge(ENCODER, None)
    status, found = post(bridge, "/embeddings", {"input": "a key"})
    assert (status, len(found["data"])) == (200, 1)
    bridge.close()


def test_questions_are_encoded_as_questions() -> None:
    class Asking(type(ENCODER)):  # type: ignore[misc]
        def questions(self, texts: list[str]) -> Any:
            return -self.texts(texts)

    encoder = Asking(8)
    bridge = Bridge(encoder, None)
    bridge.asking = True
    _, found = post(bridge, "/embeddings", {"input": "where?"})
    np.testing.assert_allclose(
        found["data"][0]["embedding"], -encoder.texts(["where?"])[0], atol=1e-6
    )
    bridge.close()


def test_a_completion_is_asked_of_the_model_at_temperature_0_and_counted() -> None:
    chat = ScriptedChat(['{"facts": []}'])
    bridge = Bridge(ENCODER, chat)
    body = {
        "model": "another",
        "temperature": 0.7,
        "max_tokens": 50,
        "response_format": {"type": "json_object"},
        "messages": [
            {"role": "system", "content": "Find facts."},
            {"role": "user", "content": [{"type": "text", "text": "I like tea."}]},
        ],
    }
    status, found = post(bridge, "/chat/completions", body)
    assert status == 200
    assert found["choices"][0]["message"]["content"] == '{"facts": []}'
    (call,) = chat.calls
    assert [(turn.role, turn.text) for turn in call.messages] == [
        ("system", "Find facts."),
        ("user", "I like tea."),
    ]
    assert (call.options.temperature, call.options.max_tokens) == (0.0, 50)
    assert call.options.format is not None
    cost = bridge.taken("write", 1.5)
    assert (cost.stage, cost.seconds, cost.calls) == ("write", 1.5, 1)
    assert cost.input_tokens > 0
    assert bridge.taken("write", 0.0).calls == 0
    bridge.close()


@pytest.mark.parametrize(
    ("route", "body", "status"),
    [
        ("/embeddings", {"input": 7}, 400),
        ("/embeddings", ["a"], 400),
        ("/embeddings", b"{", 400),
        ("/embeddings", {"input": "a", "encoding_format": "base64"}, 400),
        ("/chat/completions", {"messages": []}, 400),
        ("/chat/completions", {"messages": ["hello"]}, 400),
        (
            "/chat/completions",
            {"messages": [{"role": "user", "content": "a"}], "stream": True},
            400,
        ),
        ("/models", {"a": 1}, 404),
    ],
)
def test_what_is_not_understood_is_refused(route: str, body: Any, status: int) -> None:
    bridge = Bridge(ENCODER, ScriptedChat(["never"]))
    assert post(bridge, route, body)[0] == status
    bridge.close()


def test_nobody_gets_in_without_the_random_path() -> None:
    bridge = Bridge(ENCODER, None)
    assert post(bridge, "/embeddings", {"input": "a"}, path="/v1")[0] == 404
    bridge.close()


def test_a_model_that_does_not_answer_is_said() -> None:
    bridge = Bridge(ENCODER, ScriptedChat([ModelUnavailableError("down")]))
    body = {"messages": [{"role": "user", "content": "hello"}]}
    status, found = post(bridge, "/chat/completions", body)
    assert status == 503
    assert "down" in found["error"]["message"]
    bridge.close()


def test_without_a_model_nothing_is_completed() -> None:
    bridge = Bridge(ENCODER, None)
    body = {"messages": [{"role": "user", "content": "hello"}]}
    status, found = post(bridge, "/chat/completions", body)
    assert (status, found["error"]["message"]) == (400, "this run has no model")
    bridge.close()
