from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.packaged import MiniLmEncoder, MultilingualEncoder
from graphmemix.errors import (
    ArchiveReadOnlyError,
    EncoderError,
    EncoderMismatchError,
    GraphMemixError,
    InvalidDataError,
)
from graphmemix.evidence import CandidateGraph, Question, QuestionImage
from graphmemix.memory import Description, Media, Memory, Reference
from graphmemix.settings import Settings
from graphmemix.store.protocol import Filter
from tests.archives import (
    Failing,
    context,
    filmed,
    ids,
    note,
    opened,
    photo,
    require_rebuilt,
    state,
    turn,
    video,
)
from tests.encode import tiny_clip
from tests.encode.tiny_clip import picture


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipEncoder:
    return ClipEncoder(tiny_clip.build(tmp_path_factory.mktemp("clip")))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


# Adding and asking


def test_what_was_added_is_found_again_after_reopening(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([note("k", "The spare key is with Olga."), note("c", "Buy cat food.")])
    with opened(tmp_path / "a") as archive:
        assert ids(archive.candidates("Who has the spare key?"))[0] == "k"


def test_adding_the_same_again_changes_nothing(archive: Archive) -> None:
    archive.add([note("k", "key")])
    before = state(archive)
    archive.add([note("k", "key")])
    assert state(archive) == before


def test_an_empty_archive_answers_with_no_candidates(archive: Archive) -> None:
    assert archive.candidates("Anything?") == CandidateGraph((), (), (), ())


def test_progress_counts_memories(archive: Archive) -> None:
    told: list[tuple[int, int]] = []
    archive.add(
        [note(f"n{i:03}", f"note {i}") for i in range(100)],
        progress=lambda done, all_of_them: told.append((done, all_of_them)),
    )
    assert told == sorted(told)
    assert {(64, 100), (100, 100)} <= set(told)


def test_an_archive_encoded_with_another_encoder_refuses(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as archive:
        archive.add([note("k", "key")])
    with opened(tmp_path / "a", HashingEncoder(64)) as archive:
        with pytest.raises(EncoderMismatchError):
            archive.candidates("key?")
        with pytest.raises(EncoderMismatchError):
            archive.add([note("m", "more keys")])
        assert archive.get("m").text == "more keys"
    with opened(tmp_path / "a") as archive:
        assert archive.index() == 1
        require_rebuilt(archive)


def test_a_filter_hides_from_seeds_and_from_expansion(archive: Archive) -> None:
    archive.add([note("k", "spare key"), Memory("m", "message", "spare key too")])
    assert ids(archive.candidates("spare key", filter=Filter(kinds=("note",)))) == ["k"]


# Durable before any model


def test_memories_are_stored_before_the_encoder_sees_them(tmp_path: Path) -> None:
    with opened(tmp_path / "a", Failing()) as archive:
        with pytest.raises(EncoderError, match="away"):
            archive.add([note("k", "The spare key is with Olga.")])
        assert archive.get("k").text == "The spare key is with Olga."
    with opened(tmp_path / "a") as archive:
        assert archive.index() == 1
        assert archive.index() == 0
        assert ids(archive.candidates("spare key")) == ["k"]


def test_indexing_goes_on_where_it_stopped(tmp_path: Path) -> None:
    memories = [note(f"n{i:03}", f"note number {i}") for i in range(150)]
    with opened(tmp_path / "a", Failing(calls=2)) as archive:
        with pytest.raises(EncoderError):
            archive.add(memories)
        assert len(archive.store.without_vectors()) == 150 - 2 * 64
    with opened(tmp_path / "a") as archive:
        assert archive.index() == 150 - 2 * 64
        require_rebuilt(archive)


def test_what_has_no_view_is_not_tried_again_and_again(archive: Archive) -> None:
    archive.add([note("empty", "")])
    assert archive.index() == 0


# The other half


def test_the_context_view_takes_the_other_half_in_when_it_arrives_later(archive: Archive) -> None:
    archive.add([turn("q", "Where is the picnic?", 0)])
    assert context(archive, "q") == "Where is the picnic?"
    archive.add([turn("r", "At the lake.", 1)])
    assert context(archive, "q") == "Where is the picnic? At the lake."
    assert context(archive, "r") == "Where is the picnic? At the lake."
    assert set(ids(archive.candidates("lake"))) == {"q", "r"}
    require_rebuilt(archive)


def test_the_context_view_follows_an_update_of_the_other_half(archive: Archive) -> None:
    archive.add([turn("q", "Where is the picnic?", 0), turn("r", "At the lake.", 1)])
    archive.update(turn("r", "In the forest.", 1))
    assert context(archive, "q") == "Where is the picnic? In the forest."
    require_rebuilt(archive)


def test_the_context_view_forgets_an_erased_half(archive: Archive) -> None:
    archive.add([turn("q", "Where is the picnic?", 0), turn("r", "At the secret lake.", 1)])
    archive.erase(["r"])
    assert context(archive, "q") == "Where is the picnic?"
    assert archive.candidates("secret").candidates[0].lexical == 0
    require_rebuilt(archive)


def test_a_half_that_moves_to_another_round_is_read_with_that_one(archive: Archive) -> None:
    archive.add([turn("q", "Picnic?", 0, "1"), turn("p", "Dinner?", 2, "2")])
    archive.add([turn("r", "Yes, gladly.", 1, "1")])
    archive.update(turn("r", "Yes, gladly.", 3, "2"))
    assert context(archive, "q") == "Picnic?"
    assert context(archive, "p") == "Dinner? Yes, gladly."
    require_rebuilt(archive)


def test_a_mail_is_read_with_the_mail_that_it_answers_whichever_comes_first(
    archive: Archive,
) -> None:
    answer = Memory(
        "b", "email", "Agreed.", source_id="<2>", references=(Reference("reply_to", "<1>"),)
    )
    archive.add([answer])
    archive.add([Memory("a", "email", "Shall we meet on Monday?", source_id="<1>")])
    assert context(archive, "b") == "Shall we meet on Monday? Agreed."
    require_rebuilt(archive)


# Reading


def test_a_reader_asks_while_a_writer_writes(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as writer:
        writer.add([note("k", "spare key")])
        reading = Archive.open(tmp_path / "a", mode="read", encoder=HashingEncoder())
        with reading as reader:
            assert ids(reader.candidates("key")) == ["k"]
            writer.add([note("l", "another key")])
            assert set(ids(reader.candidates("key"))) == {"k", "l"}


def test_a_reader_cannot_change_anything(tmp_path: Path) -> None:
    with opened(tmp_path / "a") as writer:
        writer.add([note("k", "spare key")])
    with Archive.open(tmp_path / "a", mode="read", encoder=HashingEncoder()) as reader:
        with pytest.raises(ArchiveReadOnlyError):
            reader.add([note("l", "key")])
        with pytest.raises(ArchiveReadOnlyError):
            reader.update(note("k", "other"))
        with pytest.raises(ArchiveReadOnlyError):
            reader.erase(["k"])
        with pytest.raises(ArchiveReadOnlyError):
            reader.rebuild()
        assert ids(reader.candidates("spare key")) == ["k"]


# Bad input


def test_a_corrupt_picture_does_not_stop_indexing(tmp_path: Path, clip: ClipEncoder) -> None:
    whole = picture("red")
    with opened(tmp_path / "a", clip) as archive:
        damaged = photo(archive, "torn", whole[: len(whole) // 2])
        described = replace(
            photo(archive, "named", b"no picture at all"),
            media=(
                Media(
                    "image",
                    sha256=archive.media.put(b"no picture at all").sha256,
                    description=Description(caption="the blue wall"),
                ),
            ),
        )
        archive.add([damaged, described, photo(archive, "fine", whole)])
        assert archive.index() == 0
        assert ids(archive.candidates("red"))[0] == "fine"
        assert ids(archive.candidates("blue"))[0] == "named"
        require_rebuilt(archive)


def test_a_damaged_avif_does_not_stop_indexing(archive: Archive) -> None:
    out = io.BytesIO()
    Image.linear_gradient("L").convert("RGB").save(out, "AVIF")
    torn = bytearray(out.getvalue())
    torn[81] ^= 255
    archive.add([photo(archive, "torn", bytes(torn)), note("n", "key")])
    assert archive.index() == 0


def test_a_corrupt_video_does_not_stop_indexing(tmp_path: Path, clip: ClipEncoder) -> None:
    whole = video(tmp_path / "1.mp4", ["red"])
    with opened(tmp_path / "a", clip) as archive:
        archive.add(
            [
                filmed(archive, "torn", whole[:200], 1.0),
                filmed(archive, "text", b"no video", 1.0),
                filmed(archive, "picture", picture("blue"), 1.0),
                note("n", "green"),
            ]
        )
        assert archive.index() == 0
        assert ids(archive.candidates("green"))[0] == "n"


def test_a_corrupt_picture_in_a_question_is_refused(tmp_path: Path, clip: ClipEncoder) -> None:
    with opened(tmp_path / "a", clip) as archive:
        archive.add([note("n", "green")])
        with pytest.raises(InvalidDataError):
            archive.candidates(Question(images=(QuestionImage(b"no picture"),)))


def test_empty_text_is_stored_and_found_by_nothing(archive: Archive) -> None:
    archive.add([note("empty", ""), note("blank", " \n "), note("k", "key")])
    assert archive.get("blank").text == " \n "
    assert "empty" not in ids(archive.candidates("key"))
    require_rebuilt(archive)


@pytest.mark.parametrize(
    "filler", ["All work and no play. ", "word ", "x", "好", "\n", "1.", "a\u0301 "]
)
def test_a_very_long_message_is_found_by_what_stands_in_its_middle(
    archive: Archive, filler: str
) -> None:
    half = filler * (50_000 // len(filler))
    archive.add([note("long", f"{half} The spare key is with Olga. {half}"), note("n", "cat")])
    assert ids(archive.candidates("spare key Olga"))[0] == "long"


def test_a_language_that_nobody_declared_is_found_in_its_own_words(archive: Archive) -> None:
    archive.add(
        [
            note("ka", "სათადარიგო გასაღები ოლგასთან არის"),
            note("am", "ትርፍ ቁልፉ ኦልጋ ጋር ነው"),
            note("zh", "备用钥匙在奥尔加那里"),
            note("ar", "المفتاح الاحتياطي مع أولغا"),
        ]
    )
    assert ids(archive.candidates("გასაღები"))[0] == "ka"
    assert ids(archive.candidates("ቁልፉ"))[0] == "am"
    assert ids(archive.candidates("备用钥匙"))[0] == "zh"
    assert ids(archive.candidates("المفتاح"))[0] == "ar"


def test_what_cannot_be_stored_is_refused_as_a_whole(archive: Archive) -> None:
    with pytest.raises(GraphMemixError):
        archive.add([note("k", "key"), replace(note("m", ""), media=(Media("image", "0" * 64),))])
    assert archive.find() == []


def test_a_question_with_half_a_character_is_answered(archive: Archive) -> None:
    archive.add([note("k", "spare key")])
    assert ids(archive.candidates("spare key \ud800")) == ["k"]


# The packaged encoder


def test_an_archive_that_minilm_made_goes_on_with_it(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", encoder="minilm", settings=Settings()) as archive:
        archive.add([note("doctor", "The physician is available on Tuesday.")])
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        assert isinstance(archive.encoder, MiniLmEncoder)
        assert ids(archive.candidates("When can I see a doctor?")) == ["doctor"]


def test_the_packaged_encoder_is_the_default_and_knows_meaning(tmp_path: Path) -> None:
    with Archive.open(tmp_path / "a", settings=Settings()) as archive:
        assert isinstance(archive.encoder, MultilingualEncoder)
        archive.add(
            [
                note("doctor", "The physician is available on Tuesday."),
                note("car", "The vehicle needs new tyres."),
                turn("q", "Which film shall we see?", 0),
                turn("r", "The one about penguins.", 1),
            ]
        )
        assert ids(archive.candidates("When can I see a doctor?"))[0] == "doctor"
        assert ids(archive.candidates("automobile"))[0] == "car"
        require_rebuilt(archive)
