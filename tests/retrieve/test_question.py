from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.protocol import Matrix, Progress
from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Question, QuestionImage, Turn
from graphmemix.retrieve.question import Clause, described, encode_question, split_clause
from tests.encode import tiny_clip
from tests.encode.tiny_clip import picture
from tests.growth.doubling import assert_linear

WORDS = HashingEncoder()
RED = QuestionImage(picture("red"), caption="a red bicycle")


@pytest.fixture(scope="module")
def clip_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_clip.build(Path(tmp_path_factory.mktemp("clip")))


@pytest.fixture(scope="module")
def clip(clip_folder: Path) -> ClipEncoder:
    return ClipEncoder(clip_folder)


def test_words_alone_are_one_part() -> None:
    encoded = encode_question(Question("Who has the key?"), WORDS)
    assert np.array_equal(encoded.vectors, WORDS.texts(["Who has the key?"]))
    assert encoded.words == "key?"
    assert not encoded.constraints


def test_where_pixels_mean_nothing_captions_join_the_words() -> None:
    encoded = encode_question(Question("Where is this?", (RED,)), WORDS)
    assert np.array_equal(encoded.vectors, WORDS.texts(["Where is this? a red bicycle"]))
    assert encoded.words == "red bicycle"


def test_a_picture_alone_is_its_caption() -> None:
    encoded = encode_question(Question(images=(RED,)), WORDS)
    assert encoded.vectors.shape == (1, WORDS.dimension)
    assert encoded.words == "red bicycle"


def test_a_picture_alone_without_a_caption_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidDataError, match="set an image encoder, or ask in words"):
        encode_question(Question(images=(QuestionImage(picture("red"), caption=" "),)), WORDS)


def test_pixels_are_parts_of_their_own(clip: ClipEncoder) -> None:
    images = (RED, QuestionImage(picture("blue")))
    encoded = encode_question(Question("which wall", images), clip)
    expected = [clip.texts(["which wall"]), clip.images([picture("red"), picture("blue")])]
    assert np.allclose(encoded.vectors, np.concatenate(expected), atol=1e-6)
    assert encoded.words == "wall red bicycle"


class Joint(ClipEncoder):
    """Adds up what the parts say."""

    def together(
        self, texts: Sequence[str], images: Sequence[bytes], *, progress: Progress | None = None
    ) -> Matrix:
        rows: Matrix = self.texts(texts) + self.images(images)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        return rows


def test_an_encoder_that_can_reads_text_and_pictures_as_one(clip_folder: Path) -> None:
    joint = Joint(clip_folder)
    images = (QuestionImage(picture("red")), QuestionImage(picture("blue")))
    encoded = encode_question(Question("which wall", images), joint)
    expected = joint.together(["which wall"] * 2, [picture("red"), picture("blue")])
    assert np.array_equal(encoded.vectors, expected)
    alone = encode_question(Question("which wall"), joint)
    assert np.array_equal(alone.vectors, joint.texts(["which wall"]))
    seen = encode_question(Question(images=images[:1]), joint)
    assert np.array_equal(seen.vectors, joint.images([picture("red")]))


def test_pixels_alone_need_no_words(clip: ClipEncoder) -> None:
    encoded = encode_question(Question(images=(QuestionImage(picture("blue")),)), clip)
    assert encoded.vectors.shape == (1, clip.dimension)
    assert encoded.words == ""


def test_a_picture_without_data_is_its_caption_even_where_pixels_count(clip: ClipEncoder) -> None:
    images = (QuestionImage(b"", caption="a red wall"), QuestionImage(picture("blue")))
    encoded = encode_question(Question("which", images), clip)
    expected = [clip.texts(["which a red wall"]), clip.images([picture("blue")])]
    assert np.allclose(encoded.vectors, np.concatenate(expected), atol=1e-6)


def test_a_caption_alone_is_enough(clip: ClipEncoder) -> None:
    encoded = encode_question(Question(images=(QuestionImage(b"", caption="a red wall"),)), clip)
    assert np.allclose(encoded.vectors, clip.texts(["a red wall"]), atol=1e-6)


def test_a_picture_with_neither_data_nor_caption_is_refused(clip: ClipEncoder) -> None:
    for encoder in (clip, WORDS):
        with pytest.raises(InvalidDataError, match="neither data nor captions"):
            encode_question(Question(images=(QuestionImage(b""),)), encoder)


def test_what_the_question_names_is_told_in_words() -> None:
    asked = Question(
        "Which photo did Olga take in Bled last month?", asked_at=datetime(2023, 7, 14, tzinfo=UTC)
    )
    encoded = encode_question(asked, WORDS, people=("Olga", "Max"), places=("Bled, Slovenia",))
    assert described(encoded.constraints) == (
        "time: last month (2023-06-01 to 2023-07-01)",
        "place: Bled",
        "person: Olga",
        "media: photo",
    )


def test_a_question_that_names_nothing_has_no_notes() -> None:
    assert described(encode_question(Question("Why?"), WORDS).constraints) == ()


def test_in_a_conversation_the_question_before_is_one_more_part() -> None:
    history = (
        Turn("user", "Which hotel was it?"),
        Turn("assistant", "Hotel Miramar."),
        Turn("user", " "),
    )
    encoded = encode_question(Question("And what did it cost?", history=history), WORDS)
    asked = ["And what did it cost?", "Which hotel was it? And what did it cost?"]
    assert np.array_equal(encoded.vectors, WORDS.texts(asked))
    assert encoded.words == "hotel cost?"


@pytest.mark.parametrize(
    ("text", "clause"),
    [
        (
            "Which hotel did we have when Mia lost her tooth?",
            Clause("Which hotel did we have", "Mia lost her tooth", 0),
        ),
        (
            "Where did we eat the evening my son broke the window?",
            Clause("Where did we eat", "my son broke the window", 0),
        ),
        (
            "Who stayed with us the weekend that the boiler broke?",
            Clause("Who stayed with us", "the boiler broke", 0),
        ),
        ("What did I buy the day before my talk?", Clause("What did I buy", "my talk", -1)),
        ("What did we do after the funeral?", Clause("What did we do", "the funeral", 1)),
        ("On the trip to Porto, where did we eat?", Clause("where did we eat", "Porto", 0)),
        (
            "Welches Hotel hatten wir, als Mia den Zahn verlor?",
            Clause("Welches Hotel hatten wir", "Mia den Zahn verlor", 0),
        ),
        (
            "Quel hôtel avions-nous quand Mia a perdu sa dent ?",
            Clause("Quel hôtel avions-nous", "Mia a perdu sa dent", 0),
        ),
        (
            "¿Qué hotel teníamos cuando Mia perdió el diente?",
            Clause("¿Qué hotel teníamos", "Mia perdió el diente", 0),
        ),
    ],
)
def test_two_parts(text: str, clause: Clause) -> None:
    assert split_clause(text) == clause


@pytest.mark.parametrize(
    "text",
    [
        "When did Mia lose her tooth?",
        "Quand avons-nous déménagé ?",
        "Wann war der Umzug?",
        "How long is the flight to Rome?",
        "What is the name of the vet?",
        "when",
        "",
    ],
)
def test_one_part(text: str) -> None:
    assert split_clause(text) is None


@given(st.text(max_size=700))
def test_any_text(text: str) -> None:
    clause = split_clause(text)
    assert clause is None or (clause.asked in text and clause.event in text)


def test_linear() -> None:
    assert_linear(split_clause, lambda n: "the day the " * n, start=8, most=48)
