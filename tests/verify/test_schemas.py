"""The schemas that models decode under: a letter more or less, and a server lets anything pass."""

from __future__ import annotations

import json
from typing import Any

import pytest

from graphmemix.llm import ScriptedChat, run_sync
from graphmemix.settings import Settings
from graphmemix.verify import LlmVerifier
from tests.verify.cases import OURS, PAPER, calls_named, model, small_case
from tests.verify.test_joint import GOOD, settings

LABELS = ["C01", "C02", "C03", "C04"]
STEPS = {"type": "number", "enum": [0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5]}
SUPPORT = {"type": "number", "minimum": 0, "maximum": 5}
ROLES = [
    "new_fact",
    "clarification",
    "corroboration",
    "redundant",
    "conflict",
    "irrelevant",
]


def strict(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def anchored(*anchors: str, score: dict[str, Any]) -> dict[str, Any]:
    return {
        "best_anchor_id": {"anyOf": [{"type": "string", "enum": [*anchors]}, {"type": "null"}]},
        "incremental_support": score,
        "role": {"type": "string", "enum": ROLES},
    }


def asked_with(name: str, chosen: Settings) -> Any:
    chat = model() if name != "joint_verdict" else ScriptedChat([json.dumps(GOOD)])
    run_sync(LlmVerifier(chat, chosen).verify(small_case()))
    (call,) = calls_named(chat, name)
    assert call.options.format is not None
    return call.options.format.schema


@pytest.mark.parametrize(("chosen", "score"), [(OURS, STEPS), (PAPER, SUPPORT)])
def test_of_nodes(chosen: Settings, score: dict[str, Any]) -> None:
    row = strict(id={"type": "string", "enum": LABELS}, score=score)
    rows = {"type": "array", "items": row, "maxItems": 4}
    assert asked_with("node_verdict", chosen) == strict(selected=rows)


def test_of_edges() -> None:
    row = strict(
        id={"type": "string", "enum": LABELS},
        best_anchor_id={"type": "string", "enum": ["C01", "C02"]},
        incremental_support=STEPS,
        role={"type": "string", "enum": ROLES[:-1]},
    )
    rows = {"type": "array", "items": row, "maxItems": 4}
    assert asked_with("edge_verdict", OURS) == strict(candidates=rows)


def test_of_edges_in_paper() -> None:
    row = strict(
        id={"type": "string", "enum": LABELS},
        direct_support={"type": "integer", "enum": [0]},
        **anchored("C01", "C02", score=SUPPORT),
    )
    rows = {"type": "array", "items": row, "minItems": 4, "maxItems": 4}
    assert asked_with("edge_verdict", PAPER) == strict(candidates=rows)


@pytest.mark.parametrize(("profile", "score"), [("default", STEPS), ("paper", SUPPORT)])
def test_of_both(profile: str, score: dict[str, Any]) -> None:
    increments = {
        "C01": strict(**anchored("C02", score=score)),
        "C02": strict(**anchored("C01", score=score)),
        "C03": strict(**anchored("C01", score=score)),
        "C04": strict(**anchored("C02", score=score)),
    }
    assert asked_with("joint_verdict", settings(profile)) == strict(
        scores=strict(**dict.fromkeys(LABELS, score)), increments=strict(**increments)
    )
