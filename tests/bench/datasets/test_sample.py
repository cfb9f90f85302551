from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.encode.hashing import HashingEncoder
from graphmemix.errors import InvalidInputError
from graphmemix.sample import build
from graphmemix.settings import Settings
from graphmemix_bench.datasets import CATALOGUE, Context


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("sample")
    build(made)
    return made


@pytest.fixture(scope="module")
def household(folder: Path) -> Context:
    (context,) = CATALOGUE["sample"].load(folder)
    return context


def test_all_evidence_is_ingested_and_answers_without_any_are_refusals(household: Context) -> None:
    assert household.dropped == {}
    assert household.annotated
    for question in household.questions:
        assert (question.response_type == "refusal") == (not question.gold)
        assert (question.type == "unanswerable") == (not question.gold)


def test_its_files_can_be_stored_after_loading(tmp_path: Path, household: Context) -> None:
    pictures = [m for memory in household.memories for m in memory.media if m.modality == "image"]
    assert pictures
    assert all(medium.sha256 is None for medium in pictures)
    with Archive.open(tmp_path / "a", encoder=HashingEncoder(), settings=Settings()) as archive:
        stored = household.with_media(archive.media)
        found = {m.sha256 for memory in stored.memories for m in memory.media}
        assert None not in found
        assert all(sha256 in archive.media for sha256 in found if sha256)


def test_questions_of_another_form_are_told(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "questions.json").write_text('{"questions": 1}')
    with pytest.raises(InvalidInputError, match=r"questions\.json: not a SampleQuestions"):
        CATALOGUE["sample"].load(tmp_path)
