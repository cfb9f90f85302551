"""A small case that a reader can hold in mind: four messages, two of them a question and a reply.

=====  =====  ==================================================  =============================
id     score  text                                                related to
=====  =====  ==================================================  =============================
m-a    0.75   Anna: Which hotel did we take in Lisbon?            anchor; m-c answers it
m-b    0.72   Ben: Lisbon was lovely.                             anchor; next to m-a
m-c    0.55   Anna: It was the Hotel Avenida.                     hangs on m-a
m-d    0.40   Ben: My cat sleeps.                                 hangs on m-b
=====  =====  ==================================================  =============================
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from itertools import takewhile
from typing import Any

from graphmemix.evidence import Candidate, CandidateGraph, Edge, Question, QuestionImage
from graphmemix.llm import ScriptedChat
from graphmemix.llm.scripted import Call
from graphmemix.memory import Memory, Place
from graphmemix.settings import Settings
from graphmemix.verify.protocol import Case, make_case

MEMORIES = (
    Memory(
        "m-a",
        "message",
        "Which hotel did we take in Lisbon?",
        speaker="Anna",
        timestamp=datetime(2024, 5, 17, 12, 30, tzinfo=UTC),
    ),
    Memory("m-b", "message", "Lisbon was lovely.", speaker="Ben", place=Place("Lisbon")),
    Memory("m-c", "message", "It was the Hotel Avenida.", speaker="Anna"),
    Memory("m-d", "message", "My cat sleeps.", speaker="Ben", place=Place("", 38.7223, -9.1393)),
)
SCORES = (0.75, 0.72, 0.55, 0.40)
EDGES = (
    Edge("m-a", "m-b", "consecutive_turn", 0.99),
    Edge("m-a", "m-c", "same_round", 0.99),
    Edge("m-a", "m-c", "consecutive_turn", 0.99),
    Edge("m-b", "m-d", "consecutive_turn", 0.99),
    Edge("m-c", "m-d", "semantic", 0.7),
)

NODE = {"selected": [{"id": "C01", "score": 5}, {"id": "C03", "score": 3}]}
ROWS: dict[str, dict[str, Any]] = {
    "C01": {"best_anchor_id": "C02", "incremental_support": 0, "role": "redundant"},
    "C02": {"best_anchor_id": None, "incremental_support": 0, "role": "irrelevant"},
    "C03": {"best_anchor_id": "C01", "incremental_support": 4, "role": "new_fact"},
    "C04": {"best_anchor_id": "C02", "incremental_support": 0, "role": "irrelevant"},
}


def small_case(
    *memories: Memory,
    anchors: int = 2,
    edges: tuple[Edge, ...] = EDGES,
    images: tuple[QuestionImage, ...] = (),
    text: str = "Which hotel in Lisbon?",
) -> Case:
    chosen = memories or MEMORIES
    graph = CandidateGraph(
        tuple(
            Candidate(memory.id, score, rank)
            for rank, (memory, score) in enumerate(zip(chosen, SCORES, strict=False))
        ),
        edges,
    )
    question = Question(text, images)
    return make_case(question, graph, {memory.id: memory for memory in chosen}, anchors)


def ecv(**changed: dict[str, Any]) -> dict[str, Any]:
    """A good reply of the edge verifier, with changes by candidate."""
    rows = {label: row | changed.get(label, {}) for label, row in ROWS.items()}
    return {"candidates": [{"id": label, "direct_support": 0, **rows[label]} for label in rows]}


def model(node: Any = NODE, edges: Any = None, **more: Any) -> ScriptedChat:
    """A model that gives the node verifier and the edge verifier their replies, in any order.

    A list has one reply for each time it is asked; the last one repeats.
    """
    scripts = {"node_verdict": _list(node), "edge_verdict": _list(edges or ecv())}
    asked = dict.fromkeys(scripts, 0)

    def reply(messages: Any, options: Any) -> Any:
        if options.format is None:
            return "A hotel door."  # a caption
        name = options.format.name
        line = scripts[name][min(asked[name], len(scripts[name]) - 1)]
        asked[name] += 1
        return line if isinstance(line, str | Exception) else json.dumps(line)

    return ScriptedChat(reply, **more)


def _list(replies: Any) -> list[Any]:
    return replies if isinstance(replies, list) else [replies]


def material(call: Call) -> dict[str, Any]:
    """What was sent between the markers."""
    lines = call.messages[-1].text.splitlines()
    begin, end = lines.index("===== BEGIN CASE ====="), lines.index("===== END CASE =====")
    assert end == begin + 2
    found: dict[str, Any] = json.loads(lines[begin + 1])
    return found


def common_start(texts: list[str]) -> str:
    """What all these texts begin with."""
    same = takewhile(lambda letters: len(set(letters)) == 1, zip(*texts, strict=False))
    return "".join(letters[0] for letters in same)


def calls_named(chat: ScriptedChat, name: str) -> list[Call]:
    return [call for call in chat.calls if call.options.format and call.options.format.name == name]


PAPER = Settings.for_profile("paper")
OURS = Settings()
