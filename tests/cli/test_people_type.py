"""Things that people type: each row is one, with what they should see."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.cells import cell_len

from graphmemix import Archive, Memory, Place
from graphmemix.cli.root import COMMANDS
from tests.cli.commands import Ran, quiet_home, run

KEY = "a1b2c3d4e5f60718293a4b5c6d7e8f90"
TOOTH = "a1b2c3d4ffff0718293a4b5c6d7e8f90"  # shares eight characters with the key
BOILER = "b7000000000000000000000000000001"
QUESTION = "Who has our spare key?"
MEMORIES = (
    Memory(
        KEY,
        "message",
        "I gave the spare key to Olga, because she lives next door and is always at home.",
        source="chat",
        session="family",
        speaker="Ruth Brandt",
        timestamp=datetime(2023, 8, 12, 9, tzinfo=UTC),
    ),
    Memory(
        TOOTH,
        "photo",
        "The first tooth of Mia, in a napkin",
        source="photos",
        place=Place("Malcesine", 45.76, 10.81),
        timestamp=datetime(2023, 7, 14, tzinfo=UTC),
    ),
    Memory(BOILER, "email", "The new boiler cost 2,890 euros.", source="mail", speaker="Kessler"),
)


class Row(NamedTuple):
    """What somebody types, and what comes of it.

    Attributes:
        words: What is typed after ``graphmemix``.
        code: The exit code.
        out: What is in the results, as a regular expression.
        err: What is in what else is said, likewise; empty if that is not looked at.
        typed: What comes through a pipe.
    """

    words: str
    code: int = 0
    out: str = ""
    err: str = ""
    typed: str = ""


ROWS = {
    # Finding one's way
    "nothing at all, where an archive is": Row("", out="Archives in this folder: empty, home"),
    "a misspelled command": Row("aks home x", 2, err="Did you mean 'ask'"),
    "help of a command": Row("ask --help", out=r"Examples:\s+graphmemix ask family"),
    "help by its short name": Row("list -h", out=r"--since\s+DATE"),
    "the version": Row("--version", out=r"^\d+\.\d+"),
    "a question without an archive": Row("ask 'Who has the key?'", 2, err="Example: graphmemix"),
    "a command without anything": Row("show", 2, err="Missing argument 'ARCHIVE'"),
    # Archives
    "a misspelled archive": Row("ask hom x", 2, err="did you mean 'home'"),
    "an archive that is nowhere": Row("stats no/such", 2, err="make one with: graphmemix ingest"),
    "an archive with other names beside it": Row("stats other", 2, err="beside it: empty, home"),
    "an empty archive is asked": Row("ask empty who?", out="The archive is empty; fill it with"),
    "an empty archive is listed": Row("list empty", err="The archive is empty"),
    "an empty archive is counted": Row("stats empty", out="0 in 0 versions"),
    "an archive that exists is made": Row("init home", out="home already exists, with 3 memories"),
    "an archive is made": Row("init new", out="Fill it with: graphmemix ingest new FILES"),
    # Bringing in
    "a path that does not exist": Row("ingest new nowhere", 2, err="no file or folder 'nowhere'"),
    "one of two paths does not exist": Row("ingest new note.txt nowhere", 2, err="'nowhere'"),
    "one file": Row("ingest new note.txt", out="(?m)^1 memory added, 0 updated"),
    "one file, only to see": Row("ingest new note.txt --dry-run", out="1 memory would be added"),
    "an unknown importer": Row("ingest new note.txt --as gmail", 2, err="gmail.*mail"),
    "watching and a dry run": Row("ingest new note.txt --watch --dry-run", 2, err="leave out"),
    # Asking
    "a question in quotation marks": Row(f"ask home '{QUESTION}'", out="(?s)Olga.*1 of 3|Olga"),
    "a question without quotation marks": Row("ask home who has the spare key", out="Olga"),
    "a question through a pipe": Row("ask home -", out="Olga", typed=f"{QUESTION}\n"),
    "an empty question": Row("ask home ''", 2, err="needs a text or an image"),
    "a question in another language": Row("ask home 'Wer hat den Schlüssel?'"),
    "since words": Row("recall home key --since 'July 2023'", out="Olga"),
    "since a time after all": Row("recall home key --since 2024", out="No memory matches"),
    "until a day": Row("recall home tooth --until 2023-08-01", out="napkin"),
    "a date that is none": Row("ask home key --since someday", 2, err="--since: 'someday' is no"),
    "as of yesterday": Row("recall home key --as-of yesterday", out="Olga"),
    "as of a day before": Row("recall home key --as-of 2023-08-11", out="(?s)^(?!.*Olga)"),
    "as of the day itself": Row("recall home key --as-of 2023-08-12", out="Olga"),
    "asked at in words": Row("recall home key --asked-at 'last May'", out="Olga"),
    "a kind": Row("recall home tooth --kind photo", out="napkin"),
    "a kind in the plural": Row("list home --kind Photos", err="1 of 1 memory$"),
    "mail instead of email": Row("list home --kind mails", err="1 of 1 memory$"),
    "an unknown kind": Row("ask home key --kind letter", 2, err="--kind: 'letter' is not one of"),
    "a person by the first name": Row("recall home key --person ruth", out="Olga"),
    "a person who is unknown": Row("ask home key --person Zoe", 2, err="--person: .*'Zoe'"),
    "near a place": Row("recall home tooth --near Malcesine", out="napkin"),
    "near a place that is unknown": Row("ask home x --near Oz", 2, err="--near: .*'Oz'"),
    "an unknown setting": Row("ask home x --set forest.size=3", 2, err="forest.size"),
    "a setting without a value": Row("ask home x --set forest.budget", 2, err="use KEY=VALUE"),
    # Ids
    "an id by its beginning": Row("show home b7", out=BOILER),
    "an id in capitals": Row("show home B7", out=BOILER),
    "an id with dots after it": Row("show home b7…", out=BOILER),
    "a whole id": Row(f"show home {KEY}", out="spare key"),
    "a beginning that two share": Row("show home a1b2", 2, err="a1b2c3d4e, a1b2c3d4f; type more"),
    "an id that is unknown": Row("show home c0ffee", 2, err="there is no memory 'c0ffee'"),
    "history by a beginning": Row("history home b7", out="version 1, current"),
    "a change by a beginning": Row("update home b7 --text x", out=f"{BOILER} is now version 2"),
    "erasing by one character": Row("erase home b", 2, err="at least 4 characters of the id"),
    "erasing by a beginning": Row("erase home b700 --yes", out="Erased 1 memory, 0 earlier"),
    "erasing, and no": Row("erase home b700", 1, err="Nothing was erased", typed="n\n"),
    "the list goes on after an id": Row("list home --after b70", err="0 of 3 memories"),
    # Traces
    "a trace that is unknown": Row("trace home nope", 2, err="there is no trace 'nope'"),
    "traces before any question": Row("trace home", out="No traces yet"),
    "the last trace before any question": Row("trace home last", 2, err="no trace 'last'"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    with quiet_home(folder):
        with Archive.open(folder / "home", encoder="hashing") as archive:
            archive.add(MEMORIES)
        Archive.open(folder / "empty", encoder="hashing").close()
    (folder / "note.txt").write_text("The dentist moved to the market square.")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of one's own with an archive, an empty one and a file."""
    folder = Path(shutil.copytree(made, tmp_path / "here"))
    monkeypatch.chdir(folder)
    with quiet_home(tmp_path):
        yield folder


def typed(words: str, answer: str = "") -> Ran:
    import shlex

    return run(*shlex.split(words), answer=answer)


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_people_type(row: Row, here: Path) -> None:
    before = {each.name for each in here.iterdir()}
    result = typed(row.words, row.typed)
    said = " ".join(result.err.replace("│", " ").split())
    assert result.code == row.code, result.err
    assert re.search(row.out, result.out)
    assert re.search(row.err, said)
    assert "Traceback" not in result.err
    if row.code:
        assert {each.name for each in here.iterdir()} == before  # no archive by accident


@pytest.mark.usefixtures("here")
def test_a_question_is_found_again_by_the_end_of_its_trace() -> None:
    trace_id = typed("ask home 'Who has our spare key?' --json").json["trace_id"]
    for name in (trace_id, trace_id[:20], trace_id.rpartition("-")[2], "last"):
        assert "Question  Who has our spare key?" in run("trace", "home", name).out
    typed("ask home 'And the boiler?'")
    assert "matches several traces" in run("trace", "home", trace_id[:2]).err


@pytest.mark.usefixtures("here")
def test_jq_finds_the_words_of_the_evidence() -> None:
    found = typed("recall home 'the spare key' --json").json
    words = {row["id"]: (row["text"], row["kind"], row["speaker"]) for row in found["evidence"]}
    text = f"Ruth Brandt: {MEMORIES[0].text}"
    assert words[KEY] == (text, "message", "Ruth Brandt")
    assert found["answer"] is None
    assert found["seconds"] > 0


@pytest.mark.usefixtures("here")
def test_the_footer_counts_what_is_drawn() -> None:
    shown = typed("recall home 'the spare key'").out
    counts = re.search(r"(\d+) of \d+ candidates?, (\d+) links?", shown)
    assert counts
    drawn = re.findall(r"^(.*)\[\d+\]", shown, re.MULTILINE)
    assert int(counts[1]) == len(drawn)
    assert int(counts[2]) == sum("──" in before for before in drawn)


@pytest.fixture
def terminal(here: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Let commands print as on a terminal of 80 columns, without colours."""
    del here
    for name, value in {"TTY_COMPATIBLE": "1", "NO_COLOR": "1", "TERM": "dumb"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("COLUMNS", "80")
    return monkeypatch


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize(
    "words",
    ["list home", "candidates home key", "recall home key --trace", "stats home", "show home b7"],
)
def test_everything_fits_eighty_columns(words: str) -> None:
    shown = re.sub(r"\x1b\[[0-9;]*m", "", typed(words).out)
    assert shown
    assert max(map(cell_len, shown.splitlines())) <= 80
    for memory_id in (KEY, TOOTH, BOILER):
        if memory_id[:8] in shown:  # as much of an id as names one memory
            start = re.search(rf"{memory_id[:8]}[0-9a-f]*", shown)
            assert start
            assert run("show", "home", start[0]).code == 0


def test_a_narrow_terminal_keeps_ids(terminal: pytest.MonkeyPatch) -> None:
    terminal.setenv("COLUMNS", "40")
    shown = re.sub(r"\x1b\[[0-9;]*m", "", typed("list home").out)
    assert {"a1b2c3d4e", "a1b2c3d4f", "b7000000"} <= set(shown.split())
    assert "The first tooth of Mia" in shown


@pytest.mark.usefixtures("terminal")
def test_flags_have_no_type_in_help() -> None:
    for entry in COMMANDS:
        shown = run(entry.name, "--help").out
        assert "<bool>" not in shown
        assert "{" not in shown.partition("Usage:")[2].partition("\n")[0]


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("graphmemix in", {"index", "ingest", "init"}),
        ("graphmemix ask ", {"empty", "home"}),
        ("graphmemix show home a1", {KEY, TOOTH}),
        ("graphmemix list home --kind p", {"photo", "profile"}),
        ("graphmemix ask home x --set forest.bud", {"forest.budget="}),
        ("graphmemix ingest home note.txt --as tele", {"telegram"}),
        ("graphmemix recall home x --person R", {"Ruth Brandt"}),
        ("graphmemix ask home x --profile ", {"default", "paper"}),
        ("graphmemix show nowhere a", set()),
    ],
)
def test_the_shell_completes(
    line: str, offered: set[str], here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(here)
    for name, value in completing(line).items():
        monkeypatch.setenv(name, value)
    result = run()
    assert set(filter(None, result.out.splitlines())) == offered
    assert result.err == ""


def test_a_process_of_the_shell_completes(here: Path) -> None:
    result = subprocess.run(
        [Path(sys.executable).with_name("graphmemix")],
        env={**os.environ, **completing("graphmemix show home a1")},
        cwd=here,
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(filter(None, result.stdout.splitlines())) == {KEY, TOOTH}
    assert result.stderr == ""


def completing(line: str) -> dict[str, str]:
    """What bash sets to ask for completions of a line."""
    at = str(line.count(" "))
    return {"_GRAPHMEMIX_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": at}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("ask home key", "graphmemix.cli.ask.settings_from"),
        ("ask home key", "graphmemix.cli.ask.open_to_ask"),
        ("ask home key", "graphmemix.cli.ask.show_evidence"),
        ("recall home key", "graphmemix.archive.Archive.recall"),
        ("recall home key", "graphmemix.cli.recall.answer_json"),
        ("list home", "graphmemix.archive.Archive.find"),
        ("show home b7", "graphmemix.cli.show.memory_named"),
        ("candidates home key", "graphmemix.archive.Archive.candidates"),
        ("stats home", "graphmemix.cli.stats.open_existing"),
        ("trace home", "graphmemix.archive.Archive.traces"),
        ("ingest home note.txt", "graphmemix.cli.ingest.require_existing"),
        ("ingest home note.txt", "graphmemix.cli.ingest.open_in_turn"),
    ],
)
def test_ctrl_c_is_quiet(command: str, where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_given: Any, **_named: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupted)
    more = " --json" if where.endswith("answer_json") else ""
    result = typed(command + more)
    assert (result.code, result.err) == (130, "")
    assert run("check", "home").code == 0


def test_nothing_is_said_in_an_empty_folder_but_the_three_next_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = run().out
    assert [line.split()[0] for line in said.splitlines() if line.startswith("  ")] == [
        "1.",
        "2.",
        "3.",
    ]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("here")
def test_json_is_one_line_that_any_reader_takes() -> None:
    for words in ("ask home key", "recall home key", "stats home", "ingest home note.txt"):
        [line] = typed(f"{words} --json").out.splitlines()
        assert isinstance(json.loads(line), dict)
