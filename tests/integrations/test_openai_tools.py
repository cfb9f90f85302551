from __future__ import annotations

import asyncio
import base64
import json
from typing import Any

import pytest

from graphmemix import Archive
from graphmemix.integrations.openai_tools import acall, call, definitions, picture_parts

NAMES = ["recall", "ask", "add_memory", "get_memory", "list_sources"]


def test_the_definitions_are_what_the_openai_package_expects() -> None:
    from openai.types.shared import FunctionDefinition

    defined = definitions()
    assert [each["type"] for each in defined] == ["function"] * 5
    functions = [FunctionDefinition.model_validate(each["function"]) for each in defined]
    assert [function.name for function in functions] == NAMES
    for function in functions:
        assert function.parameters is not None
        assert function.parameters["type"] == "object"
        assert function.parameters["additionalProperties"] is False
        properties: Any = function.parameters["properties"]
        assert all("description" in each for each in properties.values())


def test_without_writes_nothing_can_be_added(archive: Archive) -> None:
    assert "add_memory" not in [each["function"]["name"] for each in definitions(writes=False)]
    told = call(archive, "add_memory", {"text": "x"}, writes=False)
    assert told.text == "error: add_memory: this archive is read-only"


def test_a_call_as_a_model_makes_it_is_answered_with_words_and_pictures(archive: Archive) -> None:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall

    made = ChatCompletionMessageFunctionToolCall.model_validate(
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "recall", "arguments": '{"question": "Where is the spare key?"}'},
        }
    )
    told = call(archive, made.function.name, made.function.arguments)
    assert "> The spare key is with Olga." in told.text
    [part] = picture_parts(told)
    assert part["image_url"]["url"].startswith("data:image/png;base64,")
    data = base64.b64decode(part["image_url"]["url"].partition(",")[2])
    assert data.startswith(b"\x89PNG")


def test_every_tool_works(archive: Archive) -> None:
    async def talk() -> None:
        asked = await acall(archive, "ask", {"question": "Who has the spare key?"})
        assert "Olga" in asked.text
        added = await acall(archive, "add_memory", '{"text": "The lock opens with 4711."}')
        memory_id = added.text.split()[-1]
        again = await acall(archive, "add_memory", '{"text": "The lock opens with 4711."}')
        assert "existed already" in again.text
        whole = await acall(archive, "get_memory", {"id": memory_id})
        assert json.loads(whole.text)["text"] == "The lock opens with 4711."
        sources = json.loads((await acall(archive, "list_sources", "")).text)
        assert sources["sources"]["assistant"] == 1

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("recall", "{", "not JSON"),
        ("recall", "[]", "not a JSON object"),
        ("recall", "{}", "question: Field required"),
        ("recall", '{"question": "x", "since": "2024-01-01T00:00:00"}', "since: "),
        ("get_memory", '{"id": "nobody"}', "no memory 'nobody'"),
        ("forget", "{}", "unknown tool 'forget'"),
    ],
)
def test_a_models_mistake_comes_back_for_it_to_read(
    archive: Archive, name: str, arguments: str, reason: str
) -> None:
    told = call(archive, name, arguments)
    assert told.text.startswith("error: ")
    assert reason in told.text
