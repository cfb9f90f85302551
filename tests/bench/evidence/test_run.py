"""The first benchmark: loaders, metrics and the command, on tiny data in the public layouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings
from graphmemix_bench.datasets import CATALOGUE, Context
from graphmemix_bench.evidence import run as evidence
from graphmemix_bench.evidence import verified
from graphmemix_bench.evidence.verified import NAMES
from graphmemix_bench.fitting.training_cases import fit_all
from graphmemix_bench.measures.evidence import EvidenceScore, evidence_score
from graphmemix_bench.vector_cache import RememberingEncoder
from tests.bench import talks
from tests.cli import commands
from tests.cli.asking import Run

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
    assert (third.type, third.gold) == ("AR", frozenset())


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
        evidence.run(dataset, folder, encoder=HashingEncoder(), cache=tmp_path / "cache")


def test_what_is_not_json_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_bytes(b"\xff{")
    with pytest.raises(InvalidInputError, match=r"one\.json: is not JSON"):
        list(CATALOGUE["locomo"].load(tmp_path))


@pytest.mark.parametrize("dataset", CATALOGUE)
def test_an_empty_folder_is_told(tmp_path: Path, dataset: str) -> None:
    with pytest.raises(InvalidInputError, match="is this the folder of"):
        list(CATALOGUE[dataset].load(tmp_path))


# Metrics


def test_metrics_by_hand() -> None:
    pairs = [
        (["a", "b", "c"], {"a", "b"}),  # all
        (["a", "x"], {"a", "b", "c", "d"}),  # a quarter
        (["x", "y"], {"a"}),  # none
        (["a", "a"], {"a", "b"}),  # a half: repeats count once
    ]
    score = evidence_score(pairs)
    assert score.recall == pytest.approx(100 * (1 + 0.25 + 0 + 0.5) / 4)
    assert score.hit == pytest.approx(75)
    assert score.all == pytest.approx(25)


def test_without_questions_everything_is_zero() -> None:
    assert evidence_score([]) == EvidenceScore(0.0, 0.0, 0.0)


# The ladder


def run(folder: Path, dataset: str, content: Any, **options: Any) -> dict[str, Any]:
    data = written(folder / "data", dataset, content)
    return evidence.run(dataset, data, encoder=HashingEncoder(), cache=folder / "cache", **options)


def test_the_report_has_a_row_for_each_step(tmp_path: Path) -> None:
    report = run(tmp_path, "mem-gallery", GALLERY)
    assert (report["dataset"], report["contexts"]) == ("mem-gallery", ["one"])
    assert (report["questions"], report["encoder"]) == (2, "hashing/256")
    rows = report["configurations"]
    assert [row["name"] for row in rows] == [*(step.name for step in evidence.LADDER), *NAMES]
    for row in rows:
        for key in ("recall_at_10", "hit_at_10", "all_at_10", "pool_recall"):
            assert 0 <= row[key] <= 100
            low, high = row["intervals"].get(key, (row[key], row[key]))
            assert low <= row[key] <= high
        assert row["seconds"] >= 0
        assert {"recall", "hit", "all", "size"} == set(row["refined"])
    assert rows[-1]["recall_at_10"] == 100  # seven memories, and ten are taken
    head, *lines = evidence.table(report)
    assert head[0] == "name"
    assert len(lines) == len(rows)


def test_a_run_again_gives_the_same_from_its_cache(tmp_path: Path) -> None:
    first = run(tmp_path, "locomo", LOCOMO)
    again = run(tmp_path, "locomo", LOCOMO)
    for report in (first, again):
        for row in (report, *report["configurations"]):
            del row["seconds"]
    assert first == again


def test_contexts_can_be_chosen(tmp_path: Path) -> None:
    written(tmp_path / "data", "locomo", LOCOMO, name="two")
    told: list[str] = []
    report = run(tmp_path, "locomo", LOCOMO, contexts=["two"], report=told.append)
    assert report["contexts"] == ["two"]
    assert told == ["two: 3 memories", "two: shipped"]
    with pytest.raises(InvalidInputError, match="has no context 'three'"):
        run(tmp_path, "locomo", LOCOMO, contexts=["three"])


def test_an_unknown_data_set_is_told(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"locomo, mem-gallery, .*, not 'atm'"):
        evidence.run("atm", tmp_path, encoder=HashingEncoder(), cache=tmp_path)


def test_the_report_says_who_judged_and_what_the_forest_does(tmp_path: Path) -> None:
    report = run(tmp_path, "mem-gallery", GALLERY)
    assert report["coefficients"] == {
        "shipped": ["one"],
        "refitted_without_the_context": [],
        "not_judged": [],
    }
    forest = report["forest"]
    assert forest["links_per_proposal"] >= 0
    assert 0 <= forest["differs_from_top_k"] <= 100
    assert {each["of"] for each in forest["comparisons"]} == {NAMES[-1]}
    last = report["configurations"][-1]
    assert 0 < last["refined"]["size"] <= 7
    assert report["seconds"] >= 0


def test_contexts_that_the_coefficients_know_are_refitted_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = talks.written(tmp_path / "data")
    known = fit_all(talks.asked(tmp_path / "talks"), talks.ENCODER.identity)
    for module in (evidence, verified):
        monkeypatch.setattr(module, "shipped_model", lambda _: known)
    told: list[str] = []
    report = evidence.run(
        "locomo",
        data,
        encoder=talks.ENCODER,
        cache=tmp_path / "cache",
        contexts=["talk-2"],
        report=told.append,
    )
    assert report["contexts"] == ["talk-2"]
    assert report["questions"] == 6
    assert report["coefficients"]["refitted_without_the_context"] == ["talk-2"]
    # The others are read too, for the refit learns from them.
    assert told[-1] == "talk-2: refitted without it"
    assert len(told) == 5


def test_another_budget_is_another_metric(tmp_path: Path) -> None:
    settings = Settings.load(environment={"HOME": "/x"}, overrides={"forest.budget": 2})
    report = run(tmp_path, "locomo", LOCOMO, settings=settings)
    assert "recall_at_2" in report["configurations"][-1]
    assert {each["metric"] for each in report["forest"]["comparisons"]} == {
        "recall_at_2",
        "hit_at_2",
        "all_at_2",
    }


# The cache


def test_remembered_vectors_are_the_same_and_are_encoded_once(tmp_path: Path) -> None:
    inner = HashingEncoder(16)
    texts = ["key", "", "lake", "key", "half \ud800"]
    cached = RememberingEncoder(inner, tmp_path / "cache")
    first = cached.texts(texts)
    cached.close()
    assert first.tobytes() == inner.texts(texts).tobytes()

    class Away(HashingEncoder):
        def texts(self, *_: Any, **__: Any) -> Any:
            raise AssertionError

    again = RememberingEncoder(Away(16), tmp_path / "cache")
    assert again.texts(texts).tobytes() == first.tobytes()
    with pytest.raises(AssertionError):
        again.texts(["new"])
    again.close()


# The command


@pytest.fixture
def command(tmp_path: Path) -> Iterator[Run]:
    with commands.quiet_home(tmp_path):
        yield lambda *arguments: commands.run("bench", "evidence", *arguments)


def test_the_command_prints_json_with_the_packaged_encoder(tmp_path: Path, command: Run) -> None:
    data = written(tmp_path / "data", "locomo", LOCOMO)
    result = command("--dataset", "locomo", "--data", str(data), "--json")
    assert result.code == 0, result.err
    report = result.json
    assert set(report) >= {"dataset", "contexts", "questions", "encoder", "configurations"}
    assert report["encoder"].startswith("all-minilm-l6-v2-int8/")
    assert set(report["configurations"][0]) >= {
        "name",
        "recall_at_10",
        "hit_at_10",
        "all_at_10",
        "pool_recall",
    }


def test_the_command_finds_data_by_its_variable_and_prints_a_table(
    tmp_path: Path, command: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path / "data" / "locomo", "locomo", LOCOMO)
    monkeypatch.setenv("GRAPHMEMIX_BENCH_DATA", str(tmp_path / "data"))
    result = command("--dataset", "locomo")
    assert result.code == 0, result.err
    assert "locomo: 1 contexts, 2 questions" in result.out
    assert "dense text" in result.out


def test_the_command_says_that_it_needs_data(command: Run) -> None:
    result = command("--dataset", "locomo")
    assert result.code == 2
    assert (
        result.err == "graphmemix: say where the data lie: --data DIR, or GRAPHMEMIX_BENCH_DATA\n"
    )


def test_the_command_refuses_a_folder_without_data_in_one_line(
    tmp_path: Path, command: Run
) -> None:
    result = command("--dataset", "mem-gallery", "--data", str(tmp_path / "nothing"))
    assert result.code == 2
    assert result.err.startswith("graphmemix: ")
    assert "is this the folder of Mem-Gallery?" in result.err
