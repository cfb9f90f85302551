"""What caches are told of removed views, and what happens when that is forgotten."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from graphmemix.store import Store, open_store
from graphmemix.store.sql import derived as derived_module
from tests.store.conftest import Archives
from tests.store.contents import axis, derived, entry, found, found_words, note

WORDS = ["apple", "bridge", "canal", "dog", "engine", "forest"]


def change(store: Store, round_: int) -> None:
    """Let every memory say and show something else."""
    for i in range(6):
        told = WORDS[(i + round_) % 6]
        store.update(
            note(f"m{i}", f"{told} {round_}"),
            derived(f"m{i}", [told], [axis((i + round_) % 6)]),
        )


def look(store: Store) -> list[list[str]]:
    nearest = [found(store, axis(i), limit=1) for i in range(6)]
    return [*nearest, *(found_words(store, word) for word in WORDS)]


def expected(round_: int) -> list[list[str]]:
    shown = [[f"m{(i - round_) % 6}"] for i in range(6)]
    return [*shown, *shown]


@pytest.fixture
def few_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(derived_module, "_MOST_NOTED", 4)


@pytest.mark.usefixtures("few_are_noted")
def test_few_are_noted_and_everybody_sees_what_is_there(make_store: Archives) -> None:
    store = make_store()
    store.add(entry(f"m{i}", WORDS[i], [axis(i)]) for i in range(6))
    with make_store(mode="read") as near, make_store(mode="read") as far:
        assert look(store) == look(near) == look(far) == expected(0)
        for round_ in range(1, 4):
            change(store, round_)
            assert look(store) == look(near) == expected(round_)
        assert look(far) == expected(3)  # had not looked since before the first was forgotten
    [(noted,)] = make_store.run("SELECT COUNT(*) FROM removed_views WHERE archive = :archive")
    assert noted <= 5


@pytest.mark.usefixtures("few_are_noted")
def test_caches_from_before_are_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with open_store(folder) as store:
        store.add(entry(f"m{i}", WORDS[i], [axis(i)]) for i in range(6))
        assert look(store) == expected(0)
    shutil.copytree(folder / "cache", tmp_path / "old")
    with open_store(folder) as store:
        change(store, 1)
        look(store)
    shutil.rmtree(folder / "cache")
    shutil.copytree(tmp_path / "old", folder / "cache")
    for mode in ("read", "write"):
        with open_store(folder, mode=mode) as store:
            assert look(store) == expected(1)


def test_a_reader_hears_of_a_rebuild(make_store: Archives) -> None:
    """Views keep their numbers when their words are counted anew."""
    with make_store() as store:
        store.add([entry("a", "apple", [axis(0)]), entry("b", "pear", [axis(1)])])
    make_store.run(
        "UPDATE views SET terms = (SELECT w.terms FROM views w WHERE w.archive = :archive "
        "AND w.text = 'pear') WHERE archive = :archive AND text = 'apple'"
    )
    store = make_store()
    with make_store(mode="read") as reader:
        assert found_words(reader, "pear") == ["a", "b"]
        store.rebuild()
        assert found_words(reader, "pear") == found_words(store, "pear") == ["b"]
        assert found_words(reader, "apple") == ["a"]
        assert found(reader, axis(0), limit=1) == ["a"]
