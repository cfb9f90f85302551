"""A small data set with everything that a run looks at, and a model that answers by fixed rules."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphmemix.evidence import Question
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from graphmemix_bench.datasets import Context, GoldQuestion, bundle
from graphmemix_bench.datasets.base import Choice
from tests.llm.servers import Connection, says

_TALKS = {
    "anna": [
        ("The ferry to Hvar leaves at seven.", "Seven sharp, I will set an alarm."),
        ("Which vet looked after Momo?", "Doctor Brandt, near the harbour."),
        ("I painted the balcony green.", "Lovely, the neighbours will stare."),
        ("My bicycle has a flat tyre.", "The shop in Kant street repairs it."),
    ],
    "ben": [
        ("We booked the hotel Miramar.", "Breakfast is part of the price."),
        ("The oven broke again.", "Call the electrician, Mister Novak."),
        ("Paula was born in spring.", "On the fourth of April."),
        ("The piano needs tuning.", "Ask the man who did it last year."),
    ],
    "cora": [
        ("Our train was cancelled.", "They pay half of the ticket."),
        ("The garden has two plum trees.", "Mother planted them in March."),
        ("Grandpa sold the boat.", "For nine hundred, to a fisherman."),
        ("I lost the key of the cellar.", "Olga has the spare one."),
    ],
}
_QUESTIONS = {
    "anna": [("Which vet looked after Momo?", "Brandt", 1), ("What is painted green?", "", 2)],
    "ben": [("Which hotel was booked?", "Miramar", 0), ("Who repairs the oven?", "Novak", 1)],
    "cora": [("Who has the spare key of the cellar?", "Olga", 3)],
}


def contexts() -> list[Context]:
    """Three chats of eight messages; a round means both its halves. One question has no gold."""
    return [
        Context(name, _memories(talk), _questions(name)) for name, talk in sorted(_TALKS.items())
    ]


def _memories(talk: list[tuple[str, str]]) -> tuple[Memory, ...]:
    return tuple(
        Memory(
            f"{number}/{who}",
            "message",
            text,
            session="s",
            round=str(number),
            sequence=2 * number + half,
            speaker=who,
            timestamp=datetime(2024, 5, 1 + number, 12, half, tzinfo=UTC),
        )
        for number, pair in enumerate(talk)
        for half, (who, text) in enumerate(zip(("user", "friend"), pair, strict=True))
    )


def _questions(name: str) -> tuple[GoldQuestion, ...]:
    found = [
        GoldQuestion(
            Question(text),
            frozenset({f"{number}/user", f"{number}/friend"}),
            "fact",
            answer or "the balcony",
            f"Q{place}",
        )
        for place, (text, answer, number) in enumerate(_QUESTIONS[name])
    ]
    if name == "cora":
        found.append(
            GoldQuestion(
                Question("What is her car?"),
                frozenset(),
                "absent",
                "",
                "Q8",
                response_type="refusal",
            )
        )
        found.append(
            GoldQuestion(
                Question("Who bought the boat?"),
                frozenset({"2/user", "2/friend"}),
                "choice",
                "B",
                "Q9",
                choices=(Choice("A", "a baker"), Choice("B", "a fisherman")),
                response_type="choice",
            )
        )
    return tuple(found)


def written(folder: Path) -> Path:
    """Write the data set as a bundle; return its folder."""
    bundle.write(folder, contexts(), name="small")
    return folder


def settings(**overrides: object) -> Settings:
    """Settings with few candidates, so that little is sent, and no wait between tries."""
    few: dict[str, object] = {
        "retrieval.seeds": 4,
        "graph.candidates": 6,
        "forest.budget": 3,
        "model.first_wait": 0.0,
        "model.retries": 0,
    }
    dotted = {key.replace("__", "."): value for key, value in overrides.items()}
    return Settings.load(environment={"HOME": "/nowhere"}, overrides=few | dotted)


def oracle(connection: Connection) -> None:
    """Answer by fixed rules: what shares words with the question is useful."""
    says(reply_to(connection.body))(connection)


def reply_to(body: dict[str, Any]) -> str:
    """Return what the model says to a request; the same request gets the same reply."""
    shape = body.get("response_format", {}).get("json_schema", {}).get("name", "")
    last = body["messages"][-1]["content"]
    text = last if isinstance(last, str) else "\n".join(part.get("text", "") for part in last)
    if shape in {"node_verdict", "edge_verdict", "joint_verdict"}:
        return _verdict(shape, json.loads(text.split("===== BEGIN CASE =====")[1].splitlines()[1]))
    if "reference_answer" in text:
        told = json.loads(text)
        right = told["reference_answer"].lower() in told["prediction"].lower()
        return json.dumps({"correct": right})
    first = re.search(r"^> (.*)$", text, re.MULTILINE)
    return f"{first[1] if first else 'Not mentioned.'} [1]"


def _verdict(shape: str, case: dict[str, Any]) -> str:
    scores = {each["id"]: _shared(case["question"], each["snippet"]) for each in case["candidates"]}
    rows = {
        each["id"]: {
            "best_anchor_id": _anchors(each)[0],
            "incremental_support": 4,
            "role": "new_fact",
        }
        for each in case["candidates"]
        if _anchors(each)
    }
    if shape == "node_verdict":
        chosen = [{"id": name, "score": score} for name, score in scores.items() if score]
        return json.dumps({"selected": chosen})
    if shape == "edge_verdict":
        listed = [{"id": name, "direct_support": 0, **row} for name, row in rows.items()]
        return json.dumps({"candidates": listed})
    return json.dumps({"scores": scores, "increments": rows})


def _anchors(candidate: dict[str, Any]) -> list[str]:
    """Return the anchors of a candidate, in a call of either form."""
    relations = candidate.get("eligible_anchor_relations", [])
    return [*candidate.get("linked_to", {}), *(each["anchor_id"] for each in relations)]


def _shared(question: str, snippet: str) -> int:
    words = [set(re.findall(r"\w{4,}", text.lower())) for text in (question, snippet)]
    return min(5, 2 * len(words[0] & words[1]))
