"""Small data sets in the public layouts, written for the tests."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

from PIL import Image


def picture(colour: str = "red") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8), colour).save(stream, "PNG")
    return stream.getvalue()


def put(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(json.dumps(content), encoding="utf-8")
    return path


def gallery() -> dict[str, Any]:
    return {
        "character_profile": {"name": "Mia"},
        "multi_session_dialogues": [
            {
                "session_id": "D1",
                "date": "2023-05-08",
                "dialogues": [
                    {"round": "D1:1", "user": "I adopted a parrot.", "assistant": "Lovely!"},
                    {
                        "round": "D1:2",
                        "user": "Look.",
                        "assistant": "Nice.",
                        "image_id": ["D1:IMG_001", "D1:IMG_002"],
                        "input_image": ["../image/one/a.png", "../image/one/b.png"],
                        "image_caption": ["A boat."],
                    },
                ],
            }
        ],
        "human-annotated QAs": [
            {"point": "FR", "question": "Pet?", "answer": "A parrot", "clue": ["D1:1"]},
            {
                "point": "VS",
                "question": "Which picture shows this?",
                "answer": "D1:IMG_001",
                "clue": ["D1:2"],
                "question_image": "../image/one/q.png",
                "image_caption": "A sail.",
            },
            {"point": "CD", "question": "Is it a cat?", "answer": "No.", "clue": ["D1:1"]},
            {"point": "AR", "question": "Car?", "answer": "Not mentioned.", "clue": ["D1:1"]},
        ],
    }


def memeye(folder: Path) -> Path:
    rotations = [
        {"A": "red", "B": "blue", "C": "green", "D": "white", "answer": "A"},
        {"A": "white", "B": "red", "C": "blue", "D": "green", "answer": "B"},
        {"A": "green", "B": "white", "C": "red", "D": "blue", "answer": "C"},
        {"A": "blue", "B": "green", "C": "white", "D": "red", "answer": "D"},
    ]
    sessions = gallery()["multi_session_dialogues"]
    asked = {"question": "Which colour?", "clue": ["D1:2"], "point": [["X2"], ["Y1"]]}
    dialog = folder / "data" / "dialog"
    put(
        dialog / "Boats.json",
        {
            "character_profile": {"name": "Mia"},
            "multi_session_dialogues": sessions,
            "human_annotated_qas": [
                {**asked, "question_id": "q1", "options": rotations, "answer": "red"},
                {**asked, "options": {"A": "1", "B": "2", "C": "3", "D": "4"}, "answer": "C"},
                {**asked, "question_id": "q3", "options": ["w", "x", "y", "z"], "answer": "x"},
            ],
        },
    )
    put(
        dialog / "Boats_Open.json",
        {
            "multi_session_dialogues": sessions,
            "qas": [{**asked, "question_id": "q1", "answer": "red", "question_images": ["q.png"]}],
        },
    )
    put(dialog / "concat_all.json", {"multi_session_dialogues": sessions, "qas": []})
    return folder


def h2hmem(folder: Path) -> Path:
    dialogue = folder / "dataset" / "dyadic" / "dialogue2"
    for number in (2, 10):
        scene = dialogue / "scenes" / f"session{number}"
        put(
            scene / "session.json",
            {
                "session_id": "health_04",
                "session_title": f"Title {number}",
                "timeline_date": "2024-12-31",
                "dialogue": [
                    {"role": "Ann", "content": {"image": "1.png", "text": f"Hello {number}."}},
                    {"role": "Bo", "content": {"image": "", "text": "Hi."}},
                ],
            },
        )
        put(scene / "image" / "1.png", picture())
    kind = {"main_type": "Memory Recall", "sub_type": "Precise"}
    row = {"original_answer": "7,800 steps", "question_type": kind, "difficulty": "easy"}
    put(
        dialogue / "scenes" / "session10" / "questions.json",
        {
            "questions": [
                {
                    **row,
                    "question": {"image": "1.png", "text": "Steps?"},
                    "answer_session": ["session10"],
                    "answer_dialogue": "dialogue2",
                },
                {
                    **row,
                    "question": {"image": "", "text": "Both?"},
                    "answer_session": ["session2", "session99"],
                },
                {**row, "question": {"text": "None?"}, "answer_session": ["session99"]},
                {
                    **row,
                    "question": {"text": "Elsewhere?"},
                    "answer_session": ["session2"],
                    "answer_dialogue": "dialogue7",
                },
            ]
        },
    )
    put(
        dialogue / "scenes" / "session0" / "questions.json",
        {
            "questions": [
                {**row, "question": {"text": "All of it?"}, "answer_session": ["session0"]},
                {
                    **row,
                    "question": {"image": "session10/1.jpg", "text": "This?"},
                    "answer_session": ["Session 10"],
                },
            ]
        },
    )
    put(dialogue.parent / "dialogue10" / "scenes" / "session0" / "session.json", {"dialogue": []})
    return folder


def atm(folder: Path) -> Path:
    data = folder / "data"
    row = {"question": "How many?", "answer": "2", "evidence_ids": ["email202401010001"]}
    put(
        data / "atm-bench" / "atm-bench.json",
        [
            {**row, "id": "d1", "qtype": "number"},
            {
                "id": "d2",
                "question": "Which photos?",
                "answer": ["20220430_132212", "20220430_140000"],
                "evidence_ids": ["20220430_132212", "20220430_140000", "gone"],
                "qtype": "list_recall",
            },
        ],
    )
    hard = {**row, "id": "h1", "qtype": "open_end"}
    put(data / "atm-bench" / "atm-bench-hard.json", {"qas": [hard]})
    for size, pool in ((100, ["20220430_140000"]), (25, [])):
        named = [*pool, "20220430_132212", "email202401010001", "gone"]
        put(
            data / "atm-bench" / "niah" / f"atm-bench-hard-niah{size}.json",
            [{**hard, "niah_evidence_ids": named}],
        )
    put(
        data / "raw_memory" / "email" / "emails.json",
        [
            {
                "id": "email202401010001",
                "timestamp": "2024-01-01 12:34:56",
                "short_summary": "Your order 4711",
                "detail": "Two tickets.",
            },
            {"id": "email202402030002", "short_summary": "Hello", "detail": ""},
        ],
    )
    put(
        folder / "output" / "image" / "model" / "batch_results.json",
        [
            {
                "image_path": "/somewhere/20220430_132212.jpg",
                "timestamp": "2022-04-30 13:22:12",
                "location_name": "Porto",
                "latitude": 41.1,
                "longitude": -8.6,
                "short_caption": "A bridge.",
                "caption": "A steel bridge over a river.",
                "ocr_text": "Porto",
                "tags": ["bridge", "river"],
            }
        ],
    )
    put(
        folder / "output" / "video" / "model" / "batch_results.json",
        [{"video_path": "v/20220430_140000.mp4", "location_name": "", "caption": "Waves."}],
    )
    put(data / "raw_memory" / "image" / "20220430_132212.jpg", picture())
    return folder
