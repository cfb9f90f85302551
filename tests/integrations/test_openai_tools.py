from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from graphmemix import Archive
from graphmemix.integrations.openai_tools import acall, call, definitions, picture_parts

NAMES = ["search", "ask", "get", "timeline", "add_note"]


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
    assert "add_note" not in [each["function"]["name"] for each in definitions(writes=False)]
    told = call(archive, "add_note", {"text": "x"}, writes=False)
    assert told.text == "error: add_note: this archive is read-only"


def test_a_call_as_a_model_makes_it_is_answered_with_words_and_pictures(archive: Archive) -> None:
    from openai.types.chat import ChatCompletionMessageFunctionToolCall

    made = ChatCompletionMessageFunctionToolCall.model_validate(
        {
            "id": "call_1",
            "type": "function",
            "function": {"name": "search", "arguments": '{"question": "Where is the spare key?"}'},
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
        added = await acall(archive, "add_note", '{"text": "The lock opens with 4711."}')
        memory_id = added.text.split()[-1]
        again = await acall(archive, "add_note", '{"text": "The lock opens with 4711."}')
        assert "existed already" in again.text
        whole = await acall(archive, "get", {"id": memory_id})
        assert whole.text.endswith("> The lock opens with 4711.")
        assert whole.data is not None
        assert whole.data["words"] == "The lock opens with 4711."
        held = await acall(archive, "timeline", "")
        assert held.data is not None
        assert held.data["holdings"]["sources"]["assistant"] == 1

    asyncio.run(talk())


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("search", "{", "not JSON"),
        ("search", "[]", "not a JSON object"),
        ("search", "{}", "question: Field required"),
        ("search", '{"question": "x", "since": "whenever"}', "since: 'whenever' is not a date"),
        ("search", '{"question": "x", "people": ["Nobody"]}', "people: nothing here was written"),
        ("get", '{"id": "nobody"}', "no memory 'nobody'"),
        ("forget", "{}", "unknown tool 'forget'"),
    ],
)
def test_a_models_mistake_comes_back_for_it_to_read(
    archive: Archive, name: str, arguments: str, reason: str
) -> None:
    told = call(archive, name, arguments)
    assert told.text.startswith("error: ")
    assert reason in told.text
