"""Small data in the layout of LoCoMo, enough to fit the local verifier to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.settings import Settings
from graphmemix_bench.datasets import CATALOGUE
from graphmemix_bench.fitting.training_cases import AskedCase
from graphmemix_bench.runs.context import collect

THINGS = (
    "parrot", "bicycle", "guitar", "tent", "kettle", "sofa", "camera", "boat", "drill", "ladder",
    "violin", "kayak", "toaster", "scooter", "globe", "lamp", "carpet", "mirror", "piano", "anvil",
    "basket", "candle", "drum", "easel",
)  # fmt: skip
COLOURS = ("red", "green", "blue", "white", "black", "brown")
ENCODER = HashingEncoder(128)


def talk(first: int) -> dict[str, Any]:
    """One conversation about six things, with questions about four of them and two others."""
    things = [THINGS[(first + i) % len(THINGS)] for i in range(6)]
    turns, questions = [], []
    for i, thing in enumerate(things):
        colour = COLOURS[(first + i) % len(COLOURS)]
        asked = {
            "speaker": "Ann",
            "dia_id": f"D1:{2 * i + 1}",
            "text": f"I bought a {thing} today.",
        }
        said = {
            "speaker": "Bo",
            "dia_id": f"D1:{2 * i + 2}",
            "text": f"Is it {colour}? I like that.",
        }
        turns += [asked, said]
        evidence = [asked["dia_id"]] if i % 2 else [asked["dia_id"], said["dia_id"]]
        questions.append(
            {
                "question": f"Which {thing} did Ann buy?",
                "answer": colour,
                "evidence": evidence,
                "category": 1,
            }
        )
    for away in (8, 13):
        other = THINGS[(first + away) % len(THINGS)]
        questions.append(
            {
                "question": f"Where did Bo lose his {other}?",
                "adversarial_answer": "at sea",
                "evidence": [],
                "category": 5,
            }
        )
    return {
        "speaker_a": "Ann",
        "speaker_b": "Bo",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
        "qa": questions,
    }


def written(folder: Path, count: int = 4) -> Path:
    """A folder with conversations ``talk-0``, ``talk-1``, …"""
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        content = json.dumps(talk(5 * number))
        (folder / f"talk-{number}.json").write_text(content, encoding="utf-8")
    return folder


def asked(folder: Path, count: int = 4, settings: Settings | None = None) -> list[AskedCase]:
    """All questions of such conversations with their candidates."""
    contexts = CATALOGUE["locomo"].load(written(folder, count))
    return [
        each
        for context in contexts
        for each in collect("locomo", context, ENCODER, settings or Settings())
    ]
