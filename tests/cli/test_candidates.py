from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from graphmemix.archive import Archive
from graphmemix.evidence import CandidateGraph
from graphmemix.memory import Memory
from graphmemix.settings import Settings
from tests.cli.asking import Run
from tests.cli.commands import quiet_home, run
from tests.encode.tiny_clip import picture


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small archive with the packaged encoder."""
    path = tmp_path_factory.mktemp("family") / "archive"

    def told(memory_id: str, text: str, month: int, sequence: int, round_id: str) -> Memory:
        return Memory(
            memory_id,
            "message",
            text,
            session="s",
            round=round_id,
            sequence=sequence,
            timestamp=datetime(2023, month, 1, tzinfo=UTC),
        )

    with Archive.open(path, settings=Settings()) as opened:
        opened.add(
            [
                told("key", "The spare key is with Olga.", 1, 0, "1"),
                told("markup", "[red]Thank[/red] you [/] for the [bold]tent.", 2, 1, "1"),
                told("late", "Max has the spare key now.", 9, 2, "2"),
            ]
        )
    return path


@pytest.fixture
def ask(archive: Path, tmp_path: Path) -> Iterator[Run]:
    with quiet_home(tmp_path, encoder="packaged"):
        yield lambda *arguments, at=archive: run("candidates", at, *arguments)


def test_json_is_the_candidate_graph(ask: Run) -> None:
    result = ask("Who has the spare key?", "--json")
    assert result.code == 0, result.err
    graph = CandidateGraph.from_json(result.out)
    assert {candidate.memory_id for candidate in graph.candidates} == {"key", "late", "markup"}
    assert graph.candidates[-1].memory_id == "markup"
    assert any(edge.relation == "same_round" for edge in graph.edges)
    shown = result.json["candidates"][0]
    assert {"memory_id", "score", "seed_rank", "dense", "lexical", "via"} <= set(shown)


def test_the_table_shows_texts_as_they_are_and_how_each_was_reached(ask: Run) -> None:
    result = ask("Who has the spare key?", "--set", "retrieval.seeds_without_model=2")
    assert result.code == 0, result.err
    assert "The spare key is with Olga." in result.out
    assert "[red]Thank[/red] you [/] for the [bold]tent." in result.out
    assert "consecutive_turn of " in result.out
    assert "seed 1" in result.out
    assert "3 candidates" in result.out
    assert "\x1b" not in result.out


def test_a_pipe_gets_plain_lines_that_are_never_wrapped(
    ask: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    lines = ask("Who has the spare key?").out.splitlines()
    head, *rows = [line.split("\t") for line in lines if "\t" in line]
    assert head == ["", "score", "cosine", "words", "match", "memory", "text", "reached by"]
    assert [len(row) for row in rows] == [8, 8, 8]
    assert {row[6] for row in rows} >= {"The spare key is with Olga.", "Max has the spare key now."}


def test_a_terminal_gets_a_table_with_texts_as_they_are(
    ask: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    shown = ask("Who has the spare key?").out
    assert "\t" not in shown
    assert "[red]Thank[/red] you [/] for the [bold]tent." in re.sub("\x1b\\[[0-9;]*m", "", shown)


def test_what_came_later_can_be_hidden(ask: Run) -> None:
    result = ask("Who has the spare key?", "--as-of", "2023-06-01", "--json")
    graph = CandidateGraph.from_json(result.out)
    assert {candidate.memory_id for candidate in graph.candidates} == {"key", "markup"}


def test_dates_relate_to_when_the_question_is_asked(ask: Run) -> None:
    result = ask("Who had the key last month?", "--asked-at", "2023-10-05T10:00:00Z")
    assert "understood: time: last month (2023-09-01 to 2023-10-01)" in result.out


def test_the_published_profile_is_one_option_away(ask: Run) -> None:
    result = ask("Who has the spare key?", "--profile", "paper", "--json")
    graph = CandidateGraph.from_json(result.out)
    assert all(candidate.lexical == 0 for candidate in graph.candidates)
    assert graph.candidates[0].score == graph.candidates[0].dense


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("key", "--as-of", "someday"), "--as-of: 'someday' is not a date"),
        (("key", "--image", "/no/such/file"), "--image /no/such/file: No such file or directory"),
        (("",), "question: needs a text or an image"),
        (("key", "--profile", "mine"), "profile: must be one of default, paper, not 'mine'"),
        (("key", "--set", "graph.hops=-1"), "graph.hops: "),
    ],
)
def test_wrong_use_is_one_clear_line(ask: Run, arguments: tuple[str, ...], message: str) -> None:
    result = ask(*arguments)
    assert result.code == 2
    assert result.err.startswith(f"graphmemix: {message}")
    assert result.err.count("\n") == 1


def test_an_archive_that_is_not_there_is_told_and_not_made(ask: Run, tmp_path: Path) -> None:
    result = ask("key", at=tmp_path / "nowhere")
    assert result.code == 2
    assert result.err.startswith("graphmemix: ")
    assert not (tmp_path / "nowhere").exists()


def test_a_picture_alone_needs_an_encoder_that_sees(ask: Run, tmp_path: Path) -> None:
    (tmp_path / "red.png").write_bytes(picture("red"))
    result = ask("", "--image", str(tmp_path / "red.png"))
    assert result.code == 2
    assert "does not see images" in result.err
