"""The node verifier: one listwise call about all candidates (METHOD sections 3 and 7)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from graphmemix.evidence import MAX_SUPPORT
from graphmemix.llm.prompts import load_prompt
from graphmemix.llm.structured import ask
from graphmemix.verify.brief import Brief, Fields, messages_for, options_for
from graphmemix.verify.replies import read_nodes

if TYPE_CHECKING:
    from collections import Counter

    from graphmemix.llm.chat import Chat
    from graphmemix.settings import VerifierSettings

__all__ = ["PROMPT", "judge_nodes"]

PROMPT = load_prompt("node", "graphmemix.verify.prompts")
_OUTPUT = {"selected": [{"id": "an id of candidates", "score": "a number from 0 to 5"}]}


async def judge_nodes(
    chat: Chat, brief: Brief, settings: VerifierSettings, repairs: Counter[str]
) -> dict[str, float]:
    """Return ``v_i`` in [0, 5] by memory id, for the useful candidates; the others have 0.

    `repairs` counts repairs and rejected replies. Makes one call and at most `settings.retries`
    more.

    Raises:
        ModelError: The model is unavailable, its replies stay invalid, or a limit was reached.
    """
    messages = messages_for(PROMPT, _fields(brief))
    options = options_for(messages, "node_verdict", _schema(brief), settings)
    read = partial(read_nodes, brief=brief, repair_unknown=settings.repair_unknown, repairs=repairs)
    retries = settings.retries
    return await ask(chat, messages, options, read, retries=retries, repairs=repairs)


def _fields(brief: Brief) -> Fields:
    candidates = [
        {
            **brief.describe(candidate.memory_id),
            "retrieval_score": round(candidate.score, 4),
            "snippet": brief.snippets[candidate.memory_id],
        }
        for candidate in brief.case.candidates
    ]
    return {
        **brief.question(),
        "question_type": "",
        "candidates": candidates,
        "instructions": PROMPT.items("instructions"),
        "output_schema": _OUTPUT,
    }


def _schema(brief: Brief) -> Fields:
    labels = list(brief.labels.values())
    row = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": labels},
            "score": {"type": "number", "minimum": 0, "maximum": MAX_SUPPORT},
        },
        "required": ["id", "score"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"selected": {"type": "array", "items": row, "maxItems": len(labels)}},
        "required": ["selected"],
        "additionalProperties": False,
    }
