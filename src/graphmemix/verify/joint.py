"""The joint variant: both judgments in one call, keyed by candidate (METHOD section 7)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from graphmemix.evidence import MAX_SUPPORT, Increment
from graphmemix.llm.prompts import load_prompt
from graphmemix.llm.structured import ask
from graphmemix.verify.brief import Brief, Fields, messages_for, options_for
from graphmemix.verify.ecv import judgment_schema
from graphmemix.verify.replies import ROLES, read_joint

if TYPE_CHECKING:
    from collections import Counter

    from graphmemix.llm.chat import Chat
    from graphmemix.settings import VerifierSettings

__all__ = ["PROMPT", "judge_jointly"]

PROMPT = load_prompt("joint", "graphmemix.verify.prompts")
_OUTPUT = {
    "scores": {"<id of each candidate>": "a number from 0 to 5"},
    "increments": {
        "<id of each candidate with eligible_anchor_relations>": {
            "best_anchor_id": "an eligible anchor's id, or null",
            "incremental_support": "a number from 0 to 5",
            "role": "one of " + ", ".join(ROLES),
        }
    },
}


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
    messages = messages_for(PROMPT, _fields(brief))
    options = options_for(messages, "joint_verdict", _schema(brief), settings)
    read = partial(
        read_joint,
        brief=brief,
        repair_unknown=settings.repair_unknown,
        repairs=repairs,
        ceiling=ceiling,
    )
    retries = settings.retries
    return await ask(chat, messages, options, read, retries=retries, repairs=repairs)


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


def _schema(brief: Brief) -> Fields:
    score = {"type": "number", "minimum": 0, "maximum": MAX_SUPPORT}
    judgments: Fields = {}
    for memory_id in brief.case.eligible:
        judgments[brief.labels[memory_id]] = judgment_schema(sorted(brief.eligible(memory_id)))
    properties = {
        "scores": _keyed(dict.fromkeys(brief.labels.values(), score)),
        "increments": _keyed(judgments),
    }
    return _keyed(properties)


def _keyed(properties: Fields) -> Fields:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
