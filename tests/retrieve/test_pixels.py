"""Pictures are first-class: found without a word, they arrive as pixels further down."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from graphmemix.archive import Archive
from graphmemix.encode.clip import ClipEncoder
from graphmemix.encode.pixels import pixels_of
from graphmemix.evidence import Question, QuestionImage
from graphmemix.settings import Settings
from tests.archives import filmed, photo, scene, video
from tests.encode import tiny_clip
from tests.encode.tiny_clip import COLOURS, picture


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> ClipEncoder:
    return ClipEncoder(tiny_clip.build(tmp_path_factory.mktemp("clip")))


def shown(colour: str) -> tuple[Question, Question]:
    """The same question as a picture and as words."""
    return Question(images=(QuestionImage(picture(colour)),)), Question(f"the {colour} wall")


def best(archive: Archive, question: Question) -> str:
    return archive.candidates(question).candidates[0].memory_id


def test_a_photo_arrives_as_the_bytes_that_were_kept(tmp_path: Path, clip: ClipEncoder) -> None:
    with Archive.open(tmp_path / "a", encoder=clip, settings=Settings()) as archive:
        files = {colour: scene(colour, seed) for seed, colour in enumerate(("red", "blue"))}
        archive.add(photo(archive, f"p-{colour}", data) for colour, data in files.items())
        for question in shown("blue"):
            memory = archive.get(best(archive, question))
            (medium,) = memory.media
            assert medium.sha256 is not None
            assert archive.media.read(medium.sha256) == files["blue"]
            (view,) = archive.store.views([memory.id])[memory.id]
            assert (view.kind, view.text) == ("image", "")
            assert pixels_of(view, archive.media) == files["blue"]


def test_the_frame_that_was_asked_for_arrives_as_a_picture(
    tmp_path: Path, clip: ClipEncoder
) -> None:
    with Archive.open(tmp_path / "a", encoder=clip, settings=Settings()) as archive:
        data = video(tmp_path / "v.mp4", ["red", "green"], 2)
        archive.add([filmed(archive, "v", data, 4.0), photo(archive, "p", scene("blue"))])
        for question in shown("green"):
            memory_id = best(archive, question)
            assert memory_id == "v"
            part = clip.texts([question.text]) if question.text else clip.images([picture("green")])
            hit = archive.store.search_vectors(part[0], clip.identity)[0]
            view = archive.store.views([memory_id])[memory_id][hit.view_ordinal]
            assert view.kind == "frame"
            assert (view.seconds or 0) > 2
            pixels = pixels_of(view, archive.media)
            assert pixels is not None
            mean = np.asarray(Image.open(io.BytesIO(pixels)).convert("RGB")).mean(axis=(0, 1))
            assert np.abs(mean - COLOURS["green"]).max() < 30
