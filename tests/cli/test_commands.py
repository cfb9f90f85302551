"""What holds for every command."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from graphmemix import Archive, Memory
from graphmemix.cli.root import full_tree
from tests.cli.commands import run

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(full_tree().commands)
GROUPS = {"bench", "keys"}
# Those that take an archive as it is; others make one, or need none.
NEED_AN_ARCHIVE = sorted(
    set(COMMANDS) - GROUPS - {"calibrate", "config", "demo", "import", "ingest", "init", "serve"}
)
MORE = {
    "ask": ("What?",),
    "encode": ("--into", "out"),
    "recall": ("What?",),
    "candidates": ("What?",),
    "show": ("x",),
    "history": ("x",),
    "update": ("x", "--text", "y"),
    "erase": ("x", "--yes"),
    "export": ("out",),
    "backup": ("out",),
}


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "GRAPHMEMIX_ENCODER__MODEL": "hashing"}


@pytest.mark.parametrize("command", sorted(set(COMMANDS) - GROUPS))
def test_the_help_has_an_example(command: str, home: Path) -> None:
    told = " ".join(run(command, "--help").out.split())
    assert re.search(rf"Examples?: graphmemix {command} ", told)


@pytest.mark.parametrize("command", NEED_AN_ARCHIVE)
def test_a_missing_archive_is_one_clear_line_and_is_not_made(command: str, home: Path) -> None:
    result = run(command, home / "nowhere", *MORE.get(command, ()))
    assert result.code == 2
    assert result.err == (
        f"graphmemix: there is no archive at {home / 'nowhere'}; make one with: graphmemix ingest "
        "ARCHIVE FILES\n"
    )
    assert not (home / "nowhere").exists()
    assert not Path("out").exists()


def test_wrong_options_have_exit_code_2(home: Path) -> None:
    assert run("stats").code == 2
    assert run("stats", home, "--nonsense").code == 2
    assert run("nonsense").code == 2


def test_exit_codes_are_told_in_the_docs_and_in_the_code() -> None:
    import graphmemix.cli

    page = (ROOT / "docs" / "reference" / "commands.md").read_text("utf-8")
    for code in ("0", "1", "2", "130"):
        assert re.search(rf"^\| {code} \|", page, re.MULTILINE)
        assert re.search(rf"\b{code} \w", graphmemix.cli.__doc__ or "")


def test_a_terminal_gets_a_table_and_a_pipe_does_not(family: Path) -> None:
    """The same command, once with a terminal as its output."""
    main, side = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "graphmemix", "list", str(family)],
        env={**environment(family.parent), "TERM": "xterm-256color", "COLUMNS": "200"},
        stdout=side,
        stderr=subprocess.DEVNULL,
    ) as process:
        os.close(side)
        told = b""
        while chunk := _read(main):
            told += chunk
    os.close(main)
    assert process.returncode == 0
    assert b"\x1b[" in told  # bold heads
    assert b"\x1b[31m" not in told  # which stands in a memory
    assert "\x1b" not in run("list", family).out


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # the other side is closed
        return b""


def test_completion_is_offered_for_the_shell(home: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-c", "from graphmemix.cli.root import app; app(prog_name='graphmemix')"],
        env={
            **environment(home),
            "_GRAPHMEMIX_COMPLETE": "complete_bash",
            "COMP_WORDS": "graphmemix re",
            "COMP_CWORD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert set(result.stdout.split()) == {"rebuild", "recall", "reencode"}


def test_ctrl_c_in_long_work_ends_it_in_order_and_the_same_command_goes_on(home: Path) -> None:
    with Archive.open(home / "long", encoder="hashing") as archive:
        archive.add(Memory(f"m{i}", "note", f"Note {i} about thing {i % 7}.") for i in range(400))
    slow = (
        "import time, graphmemix.cli\n"
        "from graphmemix.encode.hashing import HashingEncoder\n"
        "texts, calls = HashingEncoder.texts, []\n"
        "def slowly(self, words, **more):\n"
        "    calls.append(1)\n"
        "    if len(calls) == 2:\n"
        "        print('encoding', flush=True)\n"
        "        time.sleep(60)\n"
        "    return texts(self, words, **more)\n"
        "HashingEncoder.texts = slowly\n"
        "graphmemix.cli.main()\n"
    )
    command = ["reencode", str(home / "long"), "--encoder", "hashing:32"]
    with subprocess.Popen(
        [sys.executable, "-c", slow, *command],
        env=environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=30)
    assert process.returncode == 130
    assert told == "Stopped. The old vectors are still used; run the command again to continue.\n"
    assert run("stats", home / "long").out.count("hashing/256") == 2
    assert run(*command, "--json").json["encoder"] == "hashing/32"
