"""The node verifier: one listwise call about all candidates (METHOD sections 3 and 7)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from graphmemix.llm.prompts import load_prompt
from graphmemix.verify.brief import (
    PUBLISHED_SCORE,
    Brief,
    Fields,
    ask_model,
    messages_for,
    options_for,
    strict_object,
)
from graphmemix.verify.replies import read_nodes
from graphmemix.verify.shared import score_schema, shared_messages

if TYPE_CHECKING:
    from collections import Counter

    from graphmemix.llm.chat import Chat, Message, Options
    from graphmemix.settings import VerifierSettings

__all__ = ["PROMPT", "judge_nodes"]

PROMPT = load_prompt("node", "graphmemix.verify.prompts")
_OUTPUT = {"selected": [{"id": "an id of candidates", "score": "a number from 0 to 5"}]}
# Of a reply written with indentation, with room to spare.
_TOKENS, _TOKENS_PER_ROW = 64, 32


async def judge_nodes(
    chat: Chat, brief: Brief, settings: VerifierSettings, repairs: Counter[str]
) -> dict[str, float]:
    """Return ``v_i`` in [0, 5] by memory id, for the useful candidates; the others have 0.

    `repairs` counts repairs and rejected replies. Makes one call and at most `settings.retries`
    more.

    Raises:
        ModelError: The model is unavailable, its replies stay invalid, or a limit was reached.
    """
    read = partial(read_nodes, brief=brief, repair_unknown=settings.repair_unknown, repairs=repairs)
    return await ask_model(chat, _request(brief, settings), read, settings, repairs)


def _request(brief: Brief, settings: VerifierSettings) -> tuple[list[Message], Options]:
    if settings.prompts == "published":
        messages = messages_for(PROMPT, _fields(brief))
        schema = _schema(brief, PUBLISHED_SCORE)
        return messages, options_for(messages, "node_verdict", schema, settings)
    messages = shared_messages(brief, "node", _OUTPUT)
    most = _TOKENS + _TOKENS_PER_ROW * len(brief.labels)
    schema = _schema(brief, score_schema())
    return messages, options_for(messages, "node_verdict", schema, settings, most)


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


def _schema(brief: Brief, score: Fields) -> Fields:
    labels = list(brief.labels.values())
    row = strict_object({"id": {"type": "string", "enum": labels}, "score": score})
    return strict_object({"selected": {"type": "array", "items": row, "maxItems": len(labels)}})
