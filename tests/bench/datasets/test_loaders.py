from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidInputError
from graphmemix.settings import Settings
from graphmemix_bench.datasets import CATALOGUE, Context

from .files import atm, gallery, h2hmem, memeye, picture, put


def load(name: str, folder: Path) -> list[Context]:
    return list(CATALOGUE[name].load(folder))


# All of them


@pytest.mark.parametrize("name", CATALOGUE)
def test_an_empty_folder_is_told_with_the_layout_that_was_expected(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        load(name, tmp_path)
    assert f"Expected: {CATALOGUE[name].layout}" in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("atm-bench", atm),
        ("atm-bench-hard", atm),
        ("atm-bench-niah", atm),
        ("h2hmem", h2hmem),
        ("memeye", memeye),
    ],
)
def test_questions_have_unique_ids_and_gold_that_is_there(
    tmp_path: Path, name: str, write: Any
) -> None:
    for context in load(name, write(tmp_path)):
        ids = [question.id for question in context.questions]
        assert len(set(ids)) == len(ids)
        assert all(ids)
        known = {memory.id for memory in context.memories}
        assert len(known) == len(context.memories)
        for question in context.questions:
            assert question.gold <= known
            assert question.group


# Mem-Gallery


def in_gallery(folder: Path, content: dict[str, Any] | None = None) -> Context:
    put(folder / "data" / "dialog" / "one.json", content or gallery())
    (context,) = load("mem-gallery", folder)
    return context


def test_answers_have_the_public_forms(tmp_path: Path) -> None:
    context = in_gallery(tmp_path)
    assert [q.id for q in context.questions] == ["Q001", "Q002", "Q003", "Q004"]
    assert [q.response_type for q in context.questions] == ["open", "image_ids", "yes_no", "open"]
    fr, vs, cd, ar = (q.instruction for q in context.questions)
    assert fr == ""
    assert "ascending order, separated by commas" in vs
    assert "Yes." in cd
    assert "Not mentioned." in ar


def test_without_picture_files_captions_stand_for_them(tmp_path: Path) -> None:
    context = in_gallery(tmp_path)
    assert context.files == ()
    shown = context.memories[2]
    assert [(m.name, m.description.caption) for m in shown.media] == [
        ("D1:IMG_001", "A boat."),
        ("D1:IMG_002", ""),
    ]
    asked = context.questions[1]
    assert [(i.data, i.caption) for i in asked.question.images] == [(b"", "A sail.")]
    assert asked.images == ("q",)


def test_picture_files_beside_the_json_are_attached(tmp_path: Path) -> None:
    for name, colour in (("a", "red"), ("b", "blue"), ("q", "green")):
        put(tmp_path / "data" / "image" / "one" / f"{name}.png", picture(colour))
    context = in_gallery(tmp_path)
    assert [(f.memory_id, f.index, f.path.name) for f in context.files] == [
        ("D1:2/user", 0, "a.png"),
        ("D1:2/user", 1, "b.png"),
    ]
    assert context.questions[1].question.images[0].data == picture("green")
    assert context.questions[1].question.images[0].mime == "image/png"


class Seeing(HashingEncoder):
    """Sees pictures, as far as their bytes go."""

    sees_images = True

    def __init__(self) -> None:
        super().__init__(16)
        self.seen: list[bytes] = []

    def images(self, images: Any, *, progress: Any = None) -> Any:
        self.seen += images
        return self.texts([data.hex() for data in images])


def test_attached_pictures_are_encoded_as_pixels(tmp_path: Path) -> None:
    put(tmp_path / "data" / "image" / "one" / "a.png", picture())
    context = in_gallery(tmp_path)
    encoder = Seeing()
    with Archive.open(tmp_path / "a", encoder=encoder, settings=Settings()) as archive:
        stored = context.with_media(archive.media)
        first, second = stored.memories[2].media
        assert first.sha256 is not None
        assert archive.media.read(first.sha256) == picture()
        assert (first.mime, first.size) == ("image/png", len(picture()))
        assert second.sha256 is None
        archive.add(stored.memories)
        assert encoder.seen == [picture()]
        assert archive.get("D1:2/user").media[0].sha256 == first.sha256
    assert context.memories[2].media[0].sha256 is None  # the context itself did not change


def test_a_context_without_files_stays_as_it_is(tmp_path: Path) -> None:
    context = in_gallery(tmp_path / "data")
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=Settings()) as archive:
        assert context.with_media(archive.media) is context


@pytest.mark.parametrize(
    "name", ["../../../secret.png", "/etc/hostname", "file:///etc/hostname", "x\0.png", ""]
)
def test_a_name_that_leads_out_of_the_folder_is_no_picture(tmp_path: Path, name: str) -> None:
    put(tmp_path / "secret.png", picture())
    content = gallery()
    content["multi_session_dialogues"][0]["dialogues"][1]["input_image"] = [name]
    assert in_gallery(tmp_path / "set", content).files == ()


# LoCoMo


def chat(**changes: Any) -> dict[str, Any]:
    turns = [{"speaker": "Ann", "dia_id": f"D1:{n}", "text": f"Turn {n}."} for n in (1, 2, 3, 4, 5)]
    made = {
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": turns,
        "session_3_date_time": "not a date",
        "session_3": [{"speaker": "Bo", "dia_id": "D3:1", "text": "Later."}],
        "session_4_date_time": "9:00 am on 1 June, 2023",
        "qa": [],
    }
    return {**made, **changes}


@pytest.mark.parametrize(
    ("evidence", "gold"),
    [
        (["D1:1"], {"D1:1"}),
        ("D1:2", {"D1:2"}),
        ("D1:1, D1:3", {"D1:1", "D1:3"}),
        (["D1:1; D1:2", "D1:4 D1:5"], {"D1:1", "D1:2", "D1:4", "D1:5"}),
        (["D1:01", "D:3:1"], {"D1:1", "D3:1"}),
        ([["D1:1"], "D1:2"], {"D1:1", "D1:2"}),
        (["D9:9", "D", "D:2", "", None, 7], set()),
        ([], set()),
        ("", set()),
        (None, set()),
    ],
)
def test_evidence_in_every_form_gives_the_turns_that_exist(
    tmp_path: Path, evidence: object, gold: set[str]
) -> None:
    row = {"question": "?", "answer": "x", "evidence": evidence, "category": 1}
    put(tmp_path / "one.json", chat(qa=[row]))
    (context,) = load("locomo", tmp_path)
    assert context.questions[0].gold == gold


def test_a_missing_session_number_ends_nothing(tmp_path: Path) -> None:
    put(tmp_path / "one.json", chat())
    (context,) = load("locomo", tmp_path)
    assert [m.id for m in context.memories][-1] == "D3:1"
    assert context.memories[-1].timestamp == context.memories[0].timestamp  # no date of its own


@pytest.mark.parametrize("nested", [False, True])
def test_a_list_of_conversations_is_several_contexts(tmp_path: Path, nested: bool) -> None:
    talk = chat()
    questions = talk.pop("qa")
    item = {"conversation": talk, "qa": questions} if nested else {**talk, "qa": questions}
    put(tmp_path / "locomo10.json", [{**item, "sample_id": "conv-26"}, item])
    assert [context.name for context in load("locomo", tmp_path)] == ["conv-26", "locomo10-2"]


def test_an_adversarial_answer_is_a_trap_and_not_the_reference(tmp_path: Path) -> None:
    rows = [
        {"question": "a?", "adversarial_answer": "a bus", "evidence": ["D1:1"], "category": 5},
        {"question": "b?", "answer": "right", "adversarial_answer": "wrong", "category": 5},
        {"question": "c?", "answer": 2022, "category": 2},
    ]
    put(tmp_path / "one.json", chat(qa=rows))
    (context,) = load("locomo", tmp_path)
    assert [q.reference for q in context.questions] == ["Not mentioned.", "right", "2022"]
    assert [q.answer for q in context.questions] == ["a bus", "right", "2022"]


def test_shared_photos_have_their_caption_and_their_file_if_it_is_there(tmp_path: Path) -> None:
    talk = chat()
    talk["session_1"][0] |= {
        "img_url": ["https://x/y/boat.png", "https://x/y/.."],
        "blip_caption": "a boat",
    }
    talk["session_1"][1] |= {"blip_caption": "a cake"}
    put(tmp_path / "one.json", talk)
    put(tmp_path / "images" / "boat.png", picture())
    (context,) = load("locomo", tmp_path)
    assert [(m.name, m.description.caption) for m in context.memories[0].media] == [
        ("boat.png", "a boat"),
        ("..", ""),
    ]
    assert [m.description.caption for m in context.memories[1].media] == ["a cake"]
    assert [(f.memory_id, f.index) for f in context.files] == [("D1:1", 0)]


# MemEye


def test_every_file_but_the_concatenations_is_a_context(tmp_path: Path) -> None:
    memeye(tmp_path)
    assert [c.name for c in load("memeye", tmp_path)] == ["Boats", "Boats_Open"]
    assert [c.name for c in load("memeye-mcq", tmp_path)] == ["Boats"]
    assert [c.name for c in load("memeye-open", tmp_path)] == ["Boats_Open"]


def test_rotations_are_rows_of_one_group_and_balanced(tmp_path: Path) -> None:
    (context,) = load("memeye-mcq", memeye(tmp_path))
    assert [q.id for q in context.questions[:4]] == ["q1/r1", "q1/r2", "q1/r3", "q1/r4"]
    groups: dict[str, list[Any]] = {}
    for question in context.questions:
        groups.setdefault(question.group, []).append(question)
        assert question.response_type == "choice"
        assert [choice.choice_id for choice in question.choices] == list("ABCD")
    assert list(groups) == ["q1", "Q002", "q3"]
    for rows in groups.values():
        assert sorted(row.answer for row in rows) == list("ABCD")
    right = {
        group: {next(c.text for c in row.choices if c.choice_id == row.answer) for row in rows}
        for group, rows in groups.items()
    }
    assert right == {"q1": {"red"}, "Q002": {"3"}, "q3": {"x"}}


def test_a_reader_gets_the_options_and_retrieval_does_not(tmp_path: Path) -> None:
    (context,) = load("memeye-mcq", memeye(tmp_path))
    second = context.questions[1]
    assert second.question.text == "Which colour?"
    assert second.prompt == "Which colour?\nA. white\nB. red\nC. blue\nD. green"
    assert second.type == "X2+Y1"


def test_open_questions_and_their_dialogues(tmp_path: Path) -> None:
    memeye(tmp_path)
    put(tmp_path / "data" / "image" / "q.png", picture())
    (context,) = load("memeye-open", tmp_path)
    assert len(context.memories) == 4  # two rounds; no profile
    (question,) = context.questions
    assert (question.answer, question.subset, question.choices) == ("red", "open", ())
    assert question.gold == {"D1:2/user", "D1:2/assistant"}
    assert question.question.images[0].data == picture()


# H2HMem


def test_gold_is_every_turn_of_the_answer_sessions(tmp_path: Path) -> None:
    first, second = load("h2hmem", h2hmem(tmp_path))
    assert [first.name, second.name] == ["dyadic/dialogue2", "dyadic/dialogue10"]
    assert [m.id for m in first.memories] == [
        "session2/1",
        "session2/2",
        "session10/1",
        "session10/2",
    ]
    elsewhere, steps, both = first.questions
    assert elsewhere.gold == steps.gold == {"session10/1", "session10/2"}
    assert both.gold == {"session2/1", "session2/2"}
    assert (steps.id, steps.type, steps.answer) == ("session10/Q01", "Precise", "7,800 steps")


def test_sessions_that_are_not_there_are_dropped_and_counted(tmp_path: Path) -> None:
    context = load("h2hmem", h2hmem(tmp_path))[0]
    assert context.dropped == {"sessions": 4, "questions": 3}


def test_turns_keep_person_day_and_picture(tmp_path: Path) -> None:
    context = load("h2hmem", h2hmem(tmp_path))[0]
    turn = context.memories[2]
    assert (turn.speaker, turn.session, turn.sequence) == ("Ann", "session10", 2)
    assert turn.timestamp == datetime(2024, 12, 31, tzinfo=UTC)
    assert [file.memory_id for file in context.files] == ["session2/1", "session10/1"]
    assert context.questions[1].question.images[0].data == picture()
    assert context.questions[1].images == ("1",)


def test_a_picture_may_be_of_another_session_and_have_another_ending(tmp_path: Path) -> None:
    question = load("h2hmem", h2hmem(tmp_path))[0].questions[0]
    assert question.id == "session0/Q02"
    assert question.question.images[0].data == picture()
    assert question.images == ("session10_1",)


def test_a_session_in_another_layout_is_told(tmp_path: Path) -> None:
    h2hmem(tmp_path)
    put(
        tmp_path / "dataset" / "dyadic" / "dialogue2" / "scenes" / "session2" / "session.json",
        {"dialogue": [{"role": "Ann"}]},
    )
    with pytest.raises(InvalidInputError, match=r"dialogue2: is not in the layout of H2HMem"):
        load("h2hmem", tmp_path)


# ATM-Bench


def test_the_archive_of_mails_photos_and_videos(tmp_path: Path) -> None:
    (context,) = load("atm-bench", atm(tmp_path))
    kinds = {memory.id: memory.kind for memory in context.memories}
    assert kinds == {
        "email202401010001": "email",
        "email202402030002": "email",
        "20220430_132212": "photo",
        "20220430_140000": "video",
    }
    mail, undated, photo, video = context.memories
    assert mail.text == "Your order 4711\nTwo tickets."
    assert mail.metadata["subject"] == "Your order 4711"
    assert mail.timestamp == datetime(2024, 1, 1, 12, 34, 56, tzinfo=UTC)
    assert undated.timestamp == datetime(2024, 2, 3, tzinfo=UTC)  # from its id
    assert photo.place is not None
    assert (photo.place.name, photo.place.latitude) == ("Porto", 41.1)
    assert photo.media[0].description.ocr == "Porto"
    assert photo.metadata["tags"] == ["bridge", "river"]
    assert video.timestamp == datetime(2022, 4, 30, 14, 0, tzinfo=UTC)
    assert video.place is None
    assert [file.memory_id for file in context.files] == ["20220430_132212"]


def test_default_and_hard_questions_and_their_types(tmp_path: Path) -> None:
    (context,) = load("atm-bench", atm(tmp_path))
    told = [(q.id, q.subset, q.type, q.response_type) for q in context.questions]
    assert told == [
        ("d1", "default", "number", "number"),
        ("d2", "default", "list_recall", "list"),
        ("h1", "hard", "open_end", "open"),
    ]
    assert context.questions[1].answer == "20220430_132212, 20220430_140000"
    assert context.questions[1].gold == {"20220430_132212", "20220430_140000"}
    assert context.dropped == {"evidence": 1}
    (hard,) = load("atm-bench-hard", tmp_path)
    assert [q.id for q in hard.questions] == ["h1"]
    assert len(hard.memories) == 4


def test_each_niah_question_has_its_own_archive_by_pool_size(tmp_path: Path) -> None:
    small, large = load("atm-bench-niah", atm(tmp_path))
    assert [small.name, large.name] == ["niah25/h1", "niah100/h1"]
    assert [m.id for m in small.memories] == ["20220430_132212", "email202401010001"]
    assert len(large.memories) == 3
    assert small.questions[0].gold == {"email202401010001"}
    assert small.questions[0].subset == "niah25"
    assert small.dropped == {"memories": 1}
    assert [file.memory_id for file in small.files] == ["20220430_132212"]


@pytest.mark.parametrize("content", [[{"no": "path"}], [1], {"a": 1}])
def test_descriptions_in_another_layout_are_told(tmp_path: Path, content: Any) -> None:
    atm(tmp_path)
    put(tmp_path / "output" / "image" / "model" / "batch_results.json", content)
    with pytest.raises(InvalidInputError, match=r"batch_results\.json: is not in the layout"):
        load("atm-bench", tmp_path)


def test_the_same_photo_in_two_descriptions_is_told(tmp_path: Path) -> None:
    atm(tmp_path)
    row = {"image_path": "20220430_132212.jpg", "caption": "Another."}
    put(tmp_path / "data" / "processed_memory" / "image_batch_results.json", [row])
    with pytest.raises(InvalidInputError, match="'20220430_132212' was described before"):
        load("atm-bench", tmp_path)


def test_questions_without_an_archive_are_told(tmp_path: Path) -> None:
    put(tmp_path / "atm-bench.json", [])
    with pytest.raises(InvalidInputError, match=r"has no emails\.json or \*batch_results\.json"):
        load("atm-bench", tmp_path)
