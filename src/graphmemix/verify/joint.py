"""The joint variant: both judgments in one call, keyed by candidate (METHOD section 7)."""

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
from graphmemix.verify.ecv import judgment_schema
from graphmemix.verify.replies import ROLES, read_joint
from graphmemix.verify.shared import score_schema, shared_messages

if TYPE_CHECKING:
    from collections import Counter

    from graphmemix.evidence import Increment
    from graphmemix.llm.chat import Chat, Message, Options
    from graphmemix.settings import VerifierSettings

__all__ = ["PROMPT", "judge_jointly"]

PROMPT = load_prompt("joint", "graphmemix.verify.prompts")
_JUDGMENT = {
    "best_anchor_id": "an eligible anchor's id, or null",
    "incremental_support": "a number from 0 to 5",
    "role": "one of " + ", ".join(ROLES),
}
_SCORES = {"<id of each candidate>": "a number from 0 to 5"}
_OUTPUT = {
    "scores": _SCORES,
    "increments": {"<id of each candidate with eligible_anchor_relations>": _JUDGMENT},
}
_SHARED_OUTPUT = {
    "scores": _SCORES,
    "increments": {"<id of each candidate with linked_to>": _JUDGMENT},
}
# Of a reply written with indentation, with room to spare.
_TOKENS, _TOKENS_PER_SCORE, _TOKENS_PER_LINK = 64, 16, 64


async def judge_jointly(
    chat: Chat,
    brief: Brief,
    settings: VerifierSettings,
    repairs: Counter[str],
    *,
    ceiling: float,
) -> tuple[dict[str, float], tuple[Increment, ...]]:
    """Return what `judge_nodes` and `judge_edges` return, from one call and its retries.

    Raises:
        ModelError: The model is unavailable, its replies stay invalid, or a limit was reached.
    """
    read = partial(
        read_joint,
        brief=brief,
        repair_unknown=settings.repair_unknown,
        repairs=repairs,
        ceiling=ceiling,
    )
    return await ask_model(chat, _request(brief, settings), read, settings, repairs)


def _request(brief: Brief, settings: VerifierSettings) -> tuple[list[Message], Options]:
    if settings.prompts == "published":
        messages = messages_for(PROMPT, _fields(brief))
        schema = _schema(brief, PUBLISHED_SCORE)
        return messages, options_for(messages, "joint_verdict", schema, settings)
    messages = shared_messages(brief, "joint", _SHARED_OUTPUT)
    most = _TOKENS + _TOKENS_PER_SCORE * len(brief.labels)
    most += _TOKENS_PER_LINK * len(brief.case.eligible)
    schema = _schema(brief, score_schema())
    return messages, options_for(messages, "joint_verdict", schema, settings, most)


def _fields(brief: Brief) -> Fields:
    case = brief.case
    candidates = []
    for candidate in case.candidates:
        fields = brief.describe(candidate.memory_id)
        candidates.append(
            {
                "id": fields.pop("id"),
                "is_atomic_anchor": candidate.memory_id in case.anchors,
                **fields,
                "retrieval_score": round(candidate.score, 4),
                "snippet": brief.snippets[candidate.memory_id],
                "eligible_anchor_relations": brief.relations(candidate.memory_id),
            }
        )
    return {
        **brief.question(),
        "question_type": "",
        "definitions": PROMPT.pairs("definitions"),
        "anchors_note": PROMPT.text("anchors note"),
        "candidates": candidates,
        "instructions": PROMPT.items("instructions"),
        "output_schema": _OUTPUT,
    }


def _schema(brief: Brief, score: Fields) -> Fields:
    judgments: Fields = {}
    for memory_id in brief.case.eligible:
        judgments[brief.labels[memory_id]] = judgment_schema(
            sorted(brief.eligible(memory_id)), score
        )
    properties = {
        "scores": strict_object(dict.fromkeys(brief.labels.values(), score)),
        "increments": strict_object(judgments),
    }
    return strict_object(properties)
