"""The wire and the parser against a real llama.cpp. Its model is too small to judge anything."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from graphmemix.llm import (
    JsonFormat,
    Message,
    OpenAiChat,
    Options,
    iterate_sync,
    run_sync,
)
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier
from graphmemix.verify.brief import make_brief
from graphmemix.verify.shared import shared_messages
from tests.verify.cases import EDGES, MEMORIES, OURS, common_start, small_case


@pytest.fixture
def chat(llama: str) -> Iterator[OpenAiChat]:
    chat = OpenAiChat(llama, "smollm2", timeout=300)
    yield chat
    run_sync(chat.aclose())


def test_a_stream_and_a_schema_over_http(chat: OpenAiChat) -> None:
    hello = [Message.user("Say hello.")]
    *pieces, last = iterate_sync(chat.stream(hello, Options(max_tokens=8)))
    assert last.end is not None
    assert last.end.text == "".join(piece.text for piece in pieces)
    assert len(pieces) > 1
    assert (last.end.usage.output_tokens, last.end.usage.estimated) == (8, False)
    schema = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["plum"]}},
        "required": ["answer"],
        "additionalProperties": False,
    }
    shape = JsonFormat("fruit", schema)  # type: ignore[arg-type]
    reply = run_sync(chat.complete(hello, Options(max_tokens=40, format=shape)))
    assert reply.decoding == "json_schema"
    assert "".join(reply.text.split()) == '{"answer":"plum"}'


def test_the_server_reads_the_case_once(chat: OpenAiChat) -> None:
    brief = make_brief(small_case(*MEMORIES[:2], anchors=1, edges=EDGES[:1]), (), OURS.verifier)
    calls = [shared_messages(brief, task, {}) for task in ("node", "edge")]
    first, second = (run_sync(chat.complete(call, Options(max_tokens=1))).usage for call in calls)
    shared = calls[0][0].text + common_start([call[1].text for call in calls])
    task = len(calls[1][0].text + calls[1][1].text) - len(shared)
    # Tokens of three to six letters.
    assert first.cached_tokens < 100  # the beginning of the template, at most
    assert second.cached_tokens > len(shared) / 6
    assert second.input_tokens - second.cached_tokens < task / 3


@pytest.mark.slow
def test_both_verifiers_over_http(chat: OpenAiChat) -> None:
    case = small_case(*MEMORIES[:2], anchors=1, edges=EDGES[:1])
    limits = {"verifier.context_tokens": 3000, "verifier.output_tokens": 120}
    settings = Settings.load(environment={"HOME": "/x"}, overrides=limits)
    verdict = run_sync(LlmVerifier(chat, settings).verify(case))
    assert [support.memory_id for support in verdict.supports] == ["m-a", "m-b"]
    assert all(0 <= support.score <= 5 and 0 < support.utility < 1 for support in verdict.supports)
    assert [increment.memory_id for increment in verdict.increments] == ["m-b"]
    assert {cost.stage for cost in verdict.costs} == {"node", "ecv"}
    assert all(cost.input_tokens > 300 for cost in verdict.costs)
