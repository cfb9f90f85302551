"""The schemas that models decode under: a letter more or less, and a server lets anything pass."""

from __future__ import annotations

from typing import Any

from graphmemix.llm import run_sync
from graphmemix.verify import LlmVerifier
from tests.verify.cases import OURS, calls_named, model, small_case
from tests.verify.test_joint import GOOD, judge

LABELS = ["C01", "C02", "C03", "C04"]
SUPPORT = {"type": "number", "minimum": 0, "maximum": 5}
ROLE = {
    "type": "string",
    "enum": [
        "new_fact",
        "clarification",
        "corroboration",
        "redundant",
        "conflict",
        "irrelevant",
    ],
}


def strict(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def anchored(*anchors: str) -> dict[str, Any]:
    return {
        "best_anchor_id": {"anyOf": [{"type": "string", "enum": [*anchors]}, {"type": "null"}]},
        "incremental_support": SUPPORT,
        "role": ROLE,
    }


def asked_with(name: str) -> Any:
    chat = model()
    run_sync(LlmVerifier(chat, OURS).verify(small_case()))
    (call,) = calls_named(chat, name)
    assert call.options.format is not None
    return call.options.format.schema


def test_of_nodes() -> None:
    row = strict(id={"type": "string", "enum": LABELS}, score=SUPPORT)
    rows = {"type": "array", "items": row, "maxItems": 4}
    assert asked_with("node_verdict") == strict(selected=rows)


def test_of_edges() -> None:
    row = strict(
        id={"type": "string", "enum": LABELS},
        direct_support={"type": "integer", "enum": [0]},
        **anchored("C01", "C02"),
    )
    rows = {"type": "array", "items": row, "minItems": 4, "maxItems": 4}
    assert asked_with("edge_verdict") == strict(candidates=rows)


def test_of_both() -> None:
    _, chat = judge(GOOD)
    (call,) = calls_named(chat, "joint_verdict")
    assert call.options.format is not None
    increments = {
        "C01": strict(**anchored("C02")),
        "C02": strict(**anchored("C01")),
        "C03": strict(**anchored("C01")),
        "C04": strict(**anchored("C02")),
    }
    assert call.options.format.schema == strict(
        scores=strict(**dict.fromkeys(LABELS, SUPPORT)), increments=strict(**increments)
    )
