"""Calls that begin alike: the same system text and the same case, and the task at the end.

Servers keep what they have read (llama.cpp per slot, vLLM by blocks, hosted services from about a
thousand tokens up), so the second call about a case costs little more than its task. Replies are
short: scores come in steps, candidates that deserve nothing are left out, and the token limit
follows from the number of candidates, so that a small model cannot go on writing for minutes.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from graphmemix.evidence import MAX_SUPPORT
from graphmemix.llm.chat import Message
from graphmemix.llm.prompts import load_prompt
from graphmemix.verify.brief import BEGIN, END, as_material

if TYPE_CHECKING:
    from graphmemix.verify.brief import Brief, Fields

__all__ = ["PROMPT", "STEPS", "score_schema", "shared_messages"]

PROMPT = load_prompt("shared", "graphmemix.verify.prompts")

STEPS: Final = [step / 2 if step % 2 else step // 2 for step in range(int(2 * MAX_SUPPORT) + 1)]
"""The scores that a model may give: 0, 0.5, 1, …, 5."""


def score_schema() -> Fields:
    """Return the JSON schema of a score: one of the steps, so that no digits can run on."""
    return {"type": "number", "enum": list(STEPS)}


def shared_messages(brief: Brief, task: str, form: Fields) -> list[Message]:
    """Return the messages of a call: all of them are alike up to the end of the case.

    Args:
        brief: The case.
        task: The name of the task in the prompt: ``node``, ``edge`` or ``joint``.
        form: What the reply looks like.
    """
    rules = "\n".join(f"- {rule}" for rule in PROMPT.items(f"{task} rules"))
    text = (
        f"{BEGIN}\n{as_material(_case(brief))}\n{END}\n"
        f"Task: {PROMPT.text(f'{task} task')}\n{rules}\n"
        f"Reply form: {json.dumps(form)}"
    )
    return [Message.system(PROMPT.text("system")), Message.user(text)]


def _case(brief: Brief) -> Fields:
    """Return the case; what is empty or usual is left out, because every token is paid for."""
    fields = brief.question()
    captions = fields.pop("question_image_captions")
    if captions:
        fields["image_captions"] = captions
    fields["candidates"] = [_candidate(brief, memory_id) for memory_id in brief.labels]
    return fields


def _candidate(brief: Brief, memory_id: str) -> Fields:
    fields = {key: value for key, value in brief.describe(memory_id).items() if value}
    if fields.get("modalities") == ["text"]:
        del fields["modalities"]
    fields["snippet"] = brief.snippets[memory_id]
    linked = {each["anchor_id"]: each["relation_types"] for each in brief.relations(memory_id)}
    if linked:
        fields["linked_to"] = linked
    return fields
