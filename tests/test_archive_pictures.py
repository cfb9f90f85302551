from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.clip import ClipEncoder
from graphmemix.errors import (
    InvalidDataError,
)
from graphmemix.evidence import Question, QuestionImage
from tests.archives import filmed, ids, note, opened, photo, scene, video
from tests.encode import tiny_clip
from tests.encode.tiny_clip import picture


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipEncoder:
    return ClipEncoder(tiny_clip.build(tmp_path_factory.mktemp("clip")))


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[Archive]:
    with opened(tmp_path / "archive") as archive:
        yield archive


def test_a_picture_alone_is_asked_by_its_caption_where_pixels_mean_nothing(
    archive: Archive,
) -> None:
    archive.add([note("k", "A red bicycle."), note("c", "Cat food.")])
    asked = Question(images=(QuestionImage(picture("red"), caption="a red bicycle"),))
    assert ids(archive.candidates(asked))[0] == "k"


def test_a_picture_alone_without_caption_is_refused_where_pixels_mean_nothing(
    archive: Archive,
) -> None:
    archive.add([note("k", "A red bicycle.")])
    with pytest.raises(InvalidDataError, match="does not see images"):
        archive.candidates(Question(images=(QuestionImage(picture("red")),)))


@pytest.mark.parametrize("colour", ["red", "green", "blue"])
def test_a_photo_without_any_word_is_found_by_a_picture_and_by_words(
    tmp_path: Path, clip: ClipEncoder, colour: str
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        names = ["red", "green", "blue"]
        archive.add([photo(archive, f"p-{c}", scene(c, i)) for i, c in enumerate(names)])
        archive.add([note("n", "which wall")])
        asked = Question(images=(QuestionImage(picture(colour)),))
        by_picture = archive.candidates(asked).candidates[0]
        by_words = archive.candidates(f"which photo is {colour}").candidates[0]
    assert by_picture.memory_id == by_words.memory_id == f"p-{colour}"
    assert by_picture.dense > 0.9


def test_a_photo_in_the_published_profile_is_found_too(tmp_path: Path, clip: ClipEncoder) -> None:
    with opened(tmp_path / "a", clip, profile="paper") as archive:
        archive.add([photo(archive, f"p-{c}", scene(c)) for c in ("red", "green")])
        assert ids(archive.candidates("a photo of the green wall"))[0] == "p-green"


def test_a_frame_of_a_video_is_found_by_a_picture_and_by_words(
    tmp_path: Path, clip: ClipEncoder
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        one = video(tmp_path / "1.mp4", ["red", "green"], 2)
        two = video(tmp_path / "2.mp4", ["blue", "yellow"], 2)
        archive.add([filmed(archive, "v1", one, 4.0), filmed(archive, "v2", two, 4.0)])
        for colour, expected in (("green", "v1"), ("red", "v1"), ("yellow", "v2"), ("blue", "v2")):
            asked = Question(images=(QuestionImage(picture(colour)),))
            found = archive.candidates(asked).candidates[0]
            assert (found.memory_id, found.dense > 0.9) == (expected, True)
            assert ids(archive.candidates(f"the {colour} car"))[0] == expected
        frames = [view.seconds for view in archive.store.views(["v1"])["v1"]]
        assert frames == [0.25, 0.75, 1.25, 1.75, 2.25, 2.75, 3.25, 3.75]


@pytest.mark.parametrize("duration", [None, 0.0, 1000.0])
def test_a_video_with_a_wrong_or_unknown_duration_is_still_found(
    tmp_path: Path, clip: ClipEncoder, duration: float | None
) -> None:
    with opened(tmp_path / "a", clip) as archive:
        data = video(tmp_path / "1.mp4", ["red"])
        archive.add([filmed(archive, "v", data, duration), note("n", "green")])
        assert ids(archive.candidates("red"))[0] == "v"
