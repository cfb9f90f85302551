from __future__ import annotations

from pathlib import Path

from graphmemix import Archive
from tests.cli.commands import run


def ids(family: Path) -> set[str]:
    with Archive.open(family, mode="read") as archive:
        return {memory.id for memory in archive.find()}


def test_it_asks_and_a_no_erases_nothing(family: Path) -> None:
    result = run("erase", family, "key", answer="n\n")
    assert result.code == 1
    assert "The spare key is with Olga." in result.err
    assert "Nothing was erased." in result.err
    assert "key" in ids(family)


def test_a_yes_erases_and_prints_the_receipt(family: Path) -> None:
    result = run("erase", family, "key", "photo", answer="y\n")
    assert result.code == 0
    assert "Erased 2 memories" in result.out
    assert "1 file (18 bytes)" in result.out
    assert ids(family) == {"tooth", "pillow"}


def test_nobody_there_to_ask_is_no_yes(family: Path) -> None:
    result = run("erase", family, "key", answer="")
    assert result.code == 2
    assert "--yes" in result.err
    assert "key" in ids(family)


def test_a_source_goes_without_questions_and_with_a_receipt_for_machines(family: Path) -> None:
    result = run("erase", family, "--source", "chat", "--yes", "--json")
    assert result.json["memories"] == 2
    assert ids(family) == {"key", "photo"}


def test_one_id_that_is_not_there_stops_everything(family: Path) -> None:
    result = run("erase", family, "key", "nobody", "--yes")
    assert result.code == 2
    assert "nobody" in result.err
    assert "key" in ids(family)


def test_ids_and_a_source_together_are_refused(family: Path) -> None:
    assert run("erase", family, "key", "--source", "chat", "--yes").code == 2
    assert run("erase", family, "--yes").code == 2
    assert run("erase", family, "--source", "nowhere", "--yes").code == 2
    assert len(ids(family)) == 4


def test_the_same_command_again_says_when_it_was_done(family: Path) -> None:
    first = run("erase", family, "key", "photo", "--yes", "--json")
    again = run("erase", family, "key", "photo", "--json")  # nothing is left to ask about
    assert again.code == 0
    assert again.json == {**first.json, "repeated": True}
    shown = run("erase", family, "key", "--yes").out
    moment = first.json["erased_at"][:19].replace("T", " ")
    assert f"Already erased at {moment}" in shown


def test_a_source_that_was_erased_is_known_too(family: Path) -> None:
    first = run("erase", family, "--source", "chat", "--yes", "--json")
    again = run("erase", family, "--source", "chat", "--yes", "--json")
    assert again.json == {**first.json, "repeated": True}
    assert run("erase", family, "--session", "chat", "--yes").code == 2


def test_what_is_left_of_a_list_is_erased(family: Path) -> None:
    run("erase", family, "key", "--yes")
    assert run("erase", family, "key", "photo", "--yes", "--json").json["memories"] == 1
    assert ids(family) == {"tooth", "pillow"}
