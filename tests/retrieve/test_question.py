from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.encode.protocol import Matrix, Progress
from graphmemix.errors import InvalidDataError
from graphmemix.evidence import Question, QuestionImage, Turn
from graphmemix.retrieve.question import described, encode_question
from tests.encode import tiny_clip
from tests.encode.tiny_clip import picture

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
    assert encoded.words == "Who has the key?"
    assert not encoded.constraints


def test_where_pixels_mean_nothing_captions_join_the_words() -> None:
    encoded = encode_question(Question("Where is this?", (RED,)), WORDS)
    assert np.array_equal(encoded.vectors, WORDS.texts(["Where is this? a red bicycle"]))
    assert encoded.words == "Where is this? a red bicycle"


def test_a_picture_alone_is_its_caption() -> None:
    encoded = encode_question(Question(images=(RED,)), WORDS)
    assert encoded.vectors.shape == (1, WORDS.dimension)
    assert encoded.words == "a red bicycle"


def test_a_picture_alone_without_a_caption_is_refused_with_the_way_out() -> None:
    with pytest.raises(InvalidDataError, match="set an image encoder, or ask in words"):
        encode_question(Question(images=(QuestionImage(picture("red"), caption=" "),)), WORDS)


def test_pixels_are_parts_of_their_own(clip: ClipEncoder) -> None:
    images = (RED, QuestionImage(picture("blue")))
    encoded = encode_question(Question("which wall", images), clip)
    expected = [clip.texts(["which wall"]), clip.images([picture("red"), picture("blue")])]
    assert np.allclose(encoded.vectors, np.concatenate(expected), atol=1e-6)
    assert encoded.words == "which wall a red bicycle"


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
    assert encoded.words == "Which hotel was it? And what did it cost?"
