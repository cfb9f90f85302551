"""A model for baselines: it answers by the schema that is asked for, always in the same way."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from graphmemix.llm import Message, Options, ScriptedChat
from tests.bench.small import oracle
from tests.llm.servers import Connection, says


def obliging() -> ScriptedChat:
    """A model that does what each call asks."""
    return ScriptedChat(answer)


def answer(messages: Sequence[Message], options: Options) -> str:
    """Return a valid reply to any call of a baseline."""
    assert options.format is not None
    return json.dumps(_REPLIES[options.format.name](messages[-1].text))


def serving(connection: Connection) -> None:
    """Answer over HTTP: calls of baselines as above, all others as `small.oracle` does."""
    wanted = connection.body.get("response_format", {}).get("json_schema", {}).get("name", "")
    if wanted not in _REPLIES:
        oracle(connection)
        return
    text = connection.body["messages"][-1]["content"]
    says(json.dumps(_REPLIES[wanted](text)))(connection)


def _body(text: str) -> str:
    found = re.search(r"===== BEGIN =====\n(.*?)\n===== END", text, re.DOTALL)
    return found[1] if found else text


def _write(text: str) -> dict[str, Any]:
    words = re.findall(r"[A-Za-z]{4,}", _body(text))[-3:]
    return {
        "keywords": [*words, "thing", "day", "home"][:3],
        "context": "It is about " + " ".join(words),
        "tags": ["chat", "home", "life"],
    }


def _evolve(text: str) -> dict[str, Any]:
    return {
        "should_evolve": True,
        "suggested_connections": ["N1", "N9", "N1"],
        "tags_to_update": ["joined"],
        "neighbor_updates": [{"label": "N1", "context": "Rewritten.", "tags": ["renewed"]}],
    }


def _extract(text: str) -> dict[str, Any]:
    records = re.findall(r"Record (\d+)\n===== BEGIN =====\n(.*?)\n===== END", text, re.DOTALL)
    facts = [{"source_id": int(n), "fact": body.split("\n")[-1]} for n, body in records[:-1]]
    return {"data": [*facts, {"source_id": 99, "fact": "From nowhere."}]}


def _step(text: str) -> dict[str, Any]:
    if "sum them up now" in text:
        mark = {"information_id": "Text 1", "is_useful": True, "priority_score": 5}
        return {
            "action": "summarize_and_memorize",
            "summarize": "Found.",
            "memorize": [mark, {**mark, "information_id": "Text 99"}],
        }
    if '"Found."' in text:
        return {"action": "add_answer_node", "parent_ids": ["one"], "answer": "Doctor Brandt"}
    asked = re.search(r"Question: (.*)", text)
    return {
        "action": "add_search_node",
        "id": "one",
        "parent_ids": ["root"],
        "query": asked[1] if asked else "x",
    }


def _triples(text: str) -> dict[str, Any]:
    words = [word.lower() for word in re.findall(r"[A-Za-z]{4,}", _body(text))]
    pairs = [{"subject": a, "relation": "with", "object": b} for a, b in pairwise(words)]
    return {"names": words, "triples": pairs}


_REPLIES: dict[str, Any] = {
    "amem_write": _write,
    "amem_evolve": _evolve,
    "universalrag_route": lambda _: {"routes": ["no", "paragraph", "image"]},
    "memguide_question": lambda _: {"question": "Q: Who was it?"},
    "memguide_filter": lambda _: {"selected": [2, 99, 2, 1]},
    "lightmem_extract": _extract,
    "lightmem_repair": lambda text: {"fact": _body(text).split("\n")[-1]},
    "lightmem_consolidate": lambda _: {"action": "ignore"},
    "vimrag_step": _step,
    "rankgpt": lambda _: {"ranking": [2, 99, 2]},
    "agents_importance": lambda text: {"importance": 9 if "cat" in _body(text) else 2},
    "hipporag_triples": _triples,
    "hipporag_filter": lambda _: {"kept": [1, 99]},
}
