"""Profile ``paper`` sends the published calls, byte by byte: these digests must never change."""

from __future__ import annotations

import hashlib
import json

import pytest

from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier
from tests.verify.cases import calls_named, model, small_case
from tests.verify.test_joint import GOOD


def paper(calls: str) -> Settings:
    overrides = {"profile": "paper", "verifier.calls": calls}
    return Settings.load(environment={"HOME": "/x"}, overrides=overrides)


@pytest.mark.parametrize(
    ("calls", "name", "digest"),
    [
        ("two", "node_verdict", "97f60688c40bb9b2"),
        ("two", "edge_verdict", "3a86e9d41ac7353f"),
        ("joint", "joint_verdict", "853940dd412cdcd4"),
    ],
)
def test_messages_and_options_are_the_published_ones(calls: str, name: str, digest: str) -> None:
    chat = model() if calls == "two" else ScriptedChat([json.dumps(GOOD)])
    run_sync(LlmVerifier(chat, paper(calls)).verify(small_case()))
    (call,) = calls_named(chat, name)
    sent = [*(message.to_json() for message in call.messages), call.options.to_json()]
    assert hashlib.sha256("\n".join(sent).encode()).hexdigest()[:16] == digest
