"""The Evidence-Chain Verifier: what candidates add to their anchors (METHOD sections 4 and 7)."""

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
from graphmemix.verify.replies import ROLES, read_edges
from graphmemix.verify.shared import score_schema, shared_messages

if TYPE_CHECKING:
    from collections import Counter

    from graphmemix.evidence import Increment
    from graphmemix.llm.chat import Chat, Message, Options
    from graphmemix.settings import VerifierSettings

__all__ = ["PROMPT", "judge_edges", "judgment_schema"]

PROMPT = load_prompt("ecv", "graphmemix.verify.prompts")
_OUTPUT = {
    "candidates": [
        {
            "id": "an id of candidates",
            "direct_support": 0,
            "best_anchor_id": "an eligible anchor's id, or null",
            "incremental_support": "a number from 0 to 5",
            "role": "one of " + ", ".join(ROLES),
        }
    ]
}
_SHORT_OUTPUT = {
    "candidates": [
        {
            "id": "an id of candidates with linked_to",
            "best_anchor_id": "an id in its linked_to",
            "incremental_support": "a number from 0 to 5",
            "role": "one of " + ", ".join(role for role in ROLES if role != "irrelevant"),
        }
    ]
}
# Of a reply written with indentation, with room to spare.
_TOKENS, _TOKENS_PER_ROW = 64, 64


async def judge_edges(
    chat: Chat,
    brief: Brief,
    settings: VerifierSettings,
    repairs: Counter[str],
    *,
    ceiling: float,
) -> tuple[Increment, ...]:
    """Return one increment per candidate that has an eligible anchor, in retrieval order.

    Makes one call and at most `settings.retries` more; none if no candidate has an anchor.

    Args:
        chat: The model.
        brief: The case.
        settings: Settings of the call.
        repairs: Counts repairs and rejected replies.
        ceiling: ``w_schema``, the weight of a link with full support.

    Raises:
        ModelError: The model is unavailable, its replies stay invalid, or a limit was reached.
    """
    if not brief.case.eligible:
        return ()
    read = partial(
        read_edges,
        brief=brief,
        repair_unknown=settings.repair_unknown,
        repairs=repairs,
        ceiling=ceiling,
        complete=settings.prompts == "published",
    )
    return await ask_model(chat, _request(brief, settings), read, settings, repairs)


def _request(brief: Brief, settings: VerifierSettings) -> tuple[list[Message], Options]:
    if settings.prompts == "published":
        messages = messages_for(PROMPT, _fields(brief))
        return messages, options_for(messages, "edge_verdict", _schema(brief), settings)
    messages = shared_messages(brief, "edge", _SHORT_OUTPUT)
    most = _TOKENS + _TOKENS_PER_ROW * len(brief.case.eligible)
    return messages, options_for(messages, "edge_verdict", _short_schema(brief), settings, most)


def _fields(brief: Brief) -> Fields:
    case = brief.case
    anchors = [
        {**brief.describe(anchor, modalities=False), "snippet": brief.snippets[anchor]}
        for anchor in case.anchors
    ]
    candidates = []
    for memory_id in case.eligible:
        fields = brief.describe(memory_id)
        candidates.append(
            {
                "id": fields.pop("id"),
                "is_atomic_anchor": memory_id in case.anchors,
                **fields,
                "snippet": brief.snippets[memory_id],
                "eligible_anchor_relations": brief.relations(memory_id),
            }
        )
    return {
        **brief.question(),
        "definitions": PROMPT.pairs("definitions"),
        "anchors_note": PROMPT.text("anchors note"),
        "anchors": anchors,
        "candidates": candidates,
        "instructions": PROMPT.items("instructions"),
        "output_schema": _OUTPUT,
    }


def _schema(brief: Brief) -> Fields:
    listed = [brief.labels[memory_id] for memory_id in brief.case.eligible]
    anchors = [brief.labels[anchor] for anchor in brief.case.anchors]
    row = strict_object(
        {
            "id": {"type": "string", "enum": listed},
            "direct_support": {"type": "integer", "enum": [0]},
            **judgment_schema(anchors, PUBLISHED_SCORE)["properties"],
        }
    )
    rows = {"type": "array", "items": row, "minItems": len(listed), "maxItems": len(listed)}
    return strict_object({"candidates": rows})


def _short_schema(brief: Brief) -> Fields:
    listed = [brief.labels[memory_id] for memory_id in brief.case.eligible]
    anchors = sorted(set().union(*(brief.eligible(each) for each in brief.case.eligible)))
    row = strict_object(
        {
            "id": {"type": "string", "enum": listed},
            "best_anchor_id": {"type": "string", "enum": anchors},
            "incremental_support": score_schema(),
            "role": {"type": "string", "enum": [role for role in ROLES if role != "irrelevant"]},
        }
    )
    return strict_object({"candidates": {"type": "array", "items": row, "maxItems": len(listed)}})


def judgment_schema(anchors: list[str], score: Fields) -> Fields:
    """Return the JSON schema of the judgment on one candidate and its anchor."""
    return strict_object(
        {
            "best_anchor_id": {"anyOf": [{"type": "string", "enum": anchors}, {"type": "null"}]},
            "incremental_support": score,
            "role": {"type": "string", "enum": list(ROLES)},
        }
    )
