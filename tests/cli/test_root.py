from __future__ import annotations

import subprocess
import sys

import pytest

from graphmemix import cli
from graphmemix.cli.root import COMMANDS, full_tree
from tests.cli.commands import run

HEAVY = {"numpy", "onnxruntime", "pydantic", "graphmemix.archive", "graphmemix_bench"}
STAGES = {"graphmemix.pipeline", "graphmemix.read", "graphmemix.verify", "graphmemix.optimize"}


def test_the_summaries_of_the_list_are_those_of_the_commands() -> None:
    loaded = full_tree().commands
    assert {entry.name: entry.summary for entry in COMMANDS} == {
        name: " ".join((command.help or "").partition("\n\n")[0].split())
        for name, command in loaded.items()
    }


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_what_needs_no_command_loads_none(option: str) -> None:
    code = (
        "import sys\nfrom graphmemix.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code, option], capture_output=True, text=True, check=True
    )
    assert ran.stderr == "[]\n"


def test_commands_that_ask_nothing_load_no_stage_of_a_question() -> None:
    code = (
        "import sys\nfrom importlib import import_module\n"
        "from graphmemix.archive import Archive\nfrom graphmemix.cli.root import COMMANDS\n"
        "for entry in COMMANDS:\n"
        "    if entry.name in {'list', 'show', 'stats', 'ingest', 'index', 'erase', 'update'}:\n"
        "        import_module(entry.module)\n"
        f"print(sorted({STAGES!r} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_the_help_names_commands_in_groups() -> None:
    lines = run("--help").out.splitlines()
    titles = [line.split()[1] for line in lines if line.startswith("╭─")]
    assert titles == ["Options", "Ask", "Bring", "Look", "Change", "Keep", "Serve", "Set"]


def test_a_mistyped_command_gets_a_suggestion() -> None:
    assert "Did you mean 'recall'" in " ".join(run("recal").err.replace("│", " ").split())


def test_ctrl_c_while_a_command_is_loaded_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", interrupted)
    result = run("ask", "a", "b?")
    assert (result.code, result.out, result.err) == (130, "", "")
