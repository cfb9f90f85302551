from __future__ import annotations

from pathlib import Path

import pytest

from graphmemix_bench.datasets import CATALOGUE, check, count
from graphmemix_bench.datasets.counts import State
from graphmemix_bench.reports.published import published_counts

from .files import atm, gallery, h2hmem, put


def test_counts_of_a_gallery_by_hand(tmp_path: Path) -> None:
    put(tmp_path / "data" / "dialog" / "one.json", gallery())
    put(tmp_path / "data" / "dialog" / "two.json", gallery())
    assert count(CATALOGUE["mem-gallery"].load(tmp_path)) == {
        "contexts": 2,
        "sessions": 2,
        "memories": 10,
        "history_images": 4,
        "images": 4,
        "query_images": 2,
        "questions": 8,
        "annotated": 6,
        "ar_without_gold": 2,
        "released_questions": 8,
    }


def test_counts_of_mails_media_and_subsets(tmp_path: Path) -> None:
    found = count(CATALOGUE["atm-bench"].load(atm(tmp_path)))
    assert {key: found[key] for key in ("emails", "images", "videos", "default", "hard")} == {
        "emails": 2,
        "images": 1,
        "videos": 1,
        "default": 2,
        "hard": 1,
    }


def test_dropped_questions_were_released(tmp_path: Path) -> None:
    found = count(CATALOGUE["h2hmem"].load(h2hmem(tmp_path)))
    assert (found["questions"], found["released_questions"]) == (3, 6)


PUBLISHED = {"contexts": 2, "questions": 8, "videos": 3}


@pytest.mark.parametrize(
    ("ours", "state"),
    [
        ({"contexts": 2, "questions": 8, "videos": 3}, "full"),
        ({"contexts": 1, "questions": 4, "videos": 1}, "partial"),
        ({"contexts": 2, "questions": 8}, "partial"),  # the videos are not there at all
        ({"contexts": 2, "questions": 7, "videos": 3}, "mismatch"),
        ({"contexts": 3, "questions": 12, "videos": 3}, "mismatch"),
    ],
)
def test_what_counts_mean(ours: dict[str, int], state: State) -> None:
    assert check(ours, PUBLISHED).state == state


def test_the_line_shows_published_counts_where_ours_differ() -> None:
    assert check({"contexts": 2, "questions": 7}, {"contexts": 2, "questions": 1711}).line == (
        "mismatch: contexts 2, questions 7 (published 1,711)"
    )
    assert check({"contexts": 1}, {}).line == "unpublished: contexts 1"


def test_every_published_key_of_the_catalogue_has_counts() -> None:
    for dataset in CATALOGUE.values():
        assert bool(published_counts(dataset.published)) == bool(dataset.published)


def test_every_published_count_is_one_that_we_count() -> None:
    for dataset in CATALOGUE.values():
        published = published_counts(dataset.published)
        assert set(check({}, published).published) == set(published)
