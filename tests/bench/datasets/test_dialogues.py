"""Mem-Gallery and LoCoMo: loaders on tiny data in the public layouts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets import CATALOGUE, Context

GALLERY: dict[str, Any] = {
    "character_profile": {"name": "Mia", "job": "baker"},
    "multi_session_dialogues": [
        {
            "session_id": "D1",
            "date": "2023-05-08",
            "dialogues": [
                {"round": "D1:1", "user": "I adopted a parrot.", "assistant": "Lovely! Its name?"},
                {
                    "round": "D1:2",
                    "user": "Look at this.",
                    "assistant": "What a nice view.",
                    "image_id": ["D1:IMG_001"],
                    "input_image": ["x.jpg"],
                    "image_caption": ["A sailing boat on a lake."],
                },
            ],
        },
        {
            "session_id": "D2",
            "date": "2023-06-01",
            "dialogues": [
                {"round": "D2:1", "user": "The oven broke.", "assistant": "Call the electrician."}
            ],
        },
    ],
    "human-annotated QAs": [
        {
            "point": "FR",
            "question": "Which pet did Mia adopt?",
            "answer": "A parrot",
            "session_id": ["D1"],
            "clue": ["D1:1"],
        },
        {
            "point": "VS",
            "question": "Which picture shows this?",
            "answer": "D1:IMG_001",
            "session_id": ["D1"],
            "clue": ["D1:2", "D9:9"],
            "question_image": "y.jpg",
            "image_caption": "A boat with sails.",
        },
        {
            "point": "AR",
            "question": "What is her car?",
            "answer": "Not mentioned.",
            "clue": ["D1:1"],
        },
    ],
}

LOCOMO: dict[str, Any] = {
    "speaker_a": "Ann",
    "speaker_b": "Bo",
    "session_1_date_time": "1:56 pm on 8 May, 2023",
    "session_1": [
        {"speaker": "Ann", "dia_id": "D1:1", "text": "I went sailing."},
        {
            "speaker": "Bo",
            "dia_id": "D1:2",
            "text": "I baked this.",
            "img_url": ["http://x"],
            "blip_caption": "a photo of a chocolate cake",
            "query": "cake",
        },
    ],
    "session_2_date_time": "9:00 am on 1 June, 2023",
    "session_2": [{"speaker": "Ann", "dia_id": "D2:1", "text": "My parrot learned to talk."}],
    "qa": [
        {"question": "What did Bo bake?", "answer": "cake", "evidence": ["D1:2"], "category": 1},
        {
            "question": "What did Ann do?",
            "answer": 2,
            "evidence": ["D1:1; D2:1", "D7:7", "D", "D:2"],
            "category": 2,
        },
        {
            "question": "What is Bo's car?",
            "adversarial_answer": "a bus",
            "evidence": [],
            "category": 5,
        },
    ],
}


def written(folder: Path, dataset: str, content: Any, name: str = "one") -> Path:
    below = folder / "data" / "dialog" if dataset == "mem-gallery" else folder
    below.mkdir(parents=True, exist_ok=True)
    (below / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    return folder


def loaded(folder: Path, dataset: str, content: Any) -> Context:
    (context,) = CATALOGUE[dataset].load(written(folder, dataset, content))
    return context


# Mem-Gallery


def test_a_round_is_two_memories_and_the_profile_is_one(tmp_path: Path) -> None:
    context = loaded(tmp_path, "mem-gallery", GALLERY)
    assert context.name == "one"
    assert [memory.id for memory in context.memories] == [
        "D1:1/user",
        "D1:1/assistant",
        "D1:2/user",
        "D1:2/assistant",
        "D2:1/user",
        "D2:1/assistant",
        "profile",
    ]
    user, assistant = context.memories[2:4]
    assert (user.session, user.round, user.sequence) == ("D1", "D1:2", 2)
    assert user.timestamp is not None
    assert user.timestamp.date().isoformat() == "2023-05-08"
    assert [(m.name, m.description.caption) for m in user.media] == [
        ("D1:IMG_001", "A sailing boat on a lake.")
    ]
    assert assistant.media == ()
    assert json.loads(context.memories[-1].text) == {"name": "Mia", "job": "baker"}


def test_a_gold_round_means_both_halves_and_unknown_rounds_nothing(tmp_path: Path) -> None:
    first, second, third = loaded(tmp_path, "mem-gallery", GALLERY).questions
    assert first.gold == {"D1:1/user", "D1:1/assistant"}
    assert second.gold == {"D1:2/user", "D1:2/assistant"}
    assert [image.caption for image in second.question.images] == ["A boat with sails."]
    assert (third.type, third.gold, third.held) == ("AR", frozenset(), False)


def test_only_questions_with_gold_are_annotated(tmp_path: Path) -> None:
    context = loaded(tmp_path, "mem-gallery", GALLERY)
    assert [each.type for each in context.annotated] == ["FR", "VS"]


# LoCoMo


@pytest.mark.parametrize("wrapped", [False, True])
def test_turns_keep_speaker_time_and_caption(tmp_path: Path, wrapped: bool) -> None:
    content = LOCOMO
    if wrapped:
        talk = {key: value for key, value in LOCOMO.items() if key != "qa"}
        content = {"conversation": talk, "qa": LOCOMO["qa"]}
    context = loaded(tmp_path, "locomo", content)
    assert [(m.id, m.speaker, m.sequence, m.session) for m in context.memories] == [
        ("D1:1", "Ann", 0, "session_1"),
        ("D1:2", "Bo", 1, "session_1"),
        ("D2:1", "Ann", 2, "session_2"),
    ]
    cake = context.memories[1]
    assert cake.media[0].description.caption == "a photo of a chocolate cake"
    assert cake.timestamp is not None
    assert cake.timestamp.isoformat() == "2023-05-08T13:56:00+00:00"


def test_malformed_evidence_gives_the_turns_that_exist(tmp_path: Path) -> None:
    questions = loaded(tmp_path, "locomo", LOCOMO).questions
    assert [each.gold for each in questions] == [{"D1:2"}, {"D1:1", "D2:1"}, set()]
    assert [each.answer for each in questions] == ["cake", "2", "a bus"]
    asked_at = questions[0].question.asked_at
    assert asked_at is not None
    assert asked_at.isoformat() == "2023-06-01T09:00:00+00:00"


# Files that are not what they should be


def without(content: dict[str, Any], *path: str | int) -> Any:
    copy = json.loads(json.dumps(content))
    node = copy
    for key in path[:-1]:
        node = node[key]
    del node[path[-1]]
    return copy


@pytest.mark.parametrize(
    ("dataset", "content"),
    [
        ("mem-gallery", without(GALLERY, "multi_session_dialogues")),
        ("mem-gallery", without(GALLERY, "human-annotated QAs")),
        ("mem-gallery", without(GALLERY, "character_profile")),
        ("mem-gallery", without(GALLERY, "multi_session_dialogues", 0, "session_id")),
        ("mem-gallery", without(GALLERY, "multi_session_dialogues", 0, "dialogues", 0, "user")),
        ("mem-gallery", without(GALLERY, "human-annotated QAs", 0, "question")),
        ("mem-gallery", []),
        ("mem-gallery", "text"),
        ("locomo", without(LOCOMO, "session_1")),
        ("locomo", without(LOCOMO, "qa")),
        ("locomo", without(LOCOMO, "session_1", 0, "text")),
        ("locomo", without(LOCOMO, "session_1", 0, "dia_id")),
        ("locomo", without(LOCOMO, "qa", 0, "question")),
        ("locomo", [1]),
        ("locomo", None),
    ],
)
def test_a_missing_field_is_a_typed_error_that_names_the_file(
    tmp_path: Path, dataset: str, content: Any
) -> None:
    with pytest.raises(InvalidInputError, match=r"one\.json: is not in the layout of"):
        loaded(tmp_path, dataset, content)


@pytest.mark.parametrize(
    ("dataset", "key", "value"), [("locomo", "text", None), ("locomo", "text", 3)]
)
def test_a_field_of_the_wrong_type_is_a_typed_error(
    tmp_path: Path, dataset: str, key: str, value: object
) -> None:
    content = json.loads(json.dumps(LOCOMO))
    content["session_1"][0][key] = value
    folder = written(tmp_path / "data", dataset, content)
    with pytest.raises(InvalidInputError):
        list(CATALOGUE[dataset].load(folder))


def test_what_is_not_json_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(b"\xff{")
    with pytest.raises(InvalidInputError, match=r"one\.json: is not JSON"):
        list(CATALOGUE["locomo"].load(tmp_path))


@pytest.mark.parametrize("dataset", CATALOGUE)
def test_an_empty_folder_is_told(tmp_path: Path, dataset: str) -> None:
    with pytest.raises(InvalidInputError, match="is this the folder of"):
        list(CATALOGUE[dataset].load(tmp_path))
