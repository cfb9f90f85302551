"""Ctrl-C in real processes: at any moment quiet, and nothing is lost."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.commands import run


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "GRAPHMEMIX_ENCODER__MODEL": "hashing"}


def interrupted_in(where: str, *arguments: str, home: Path) -> tuple[int, str]:
    """Run a command that gets Ctrl-C when it first calls something, in whatever thread."""
    module, _, name = where.partition(":")
    holder, _, attribute = name.rpartition(".")
    code = f"""
import importlib, os, signal, sys
from graphmemix.cli import main
module = importlib.import_module({module!r})
holder = getattr(module, {holder!r}) if {holder!r} else module
before = getattr(holder, {attribute!r})
def first(*given, **named):
    setattr(holder, {attribute!r}, before)
    os.kill(os.getpid(), signal.SIGINT)
    return before(*given, **named)
setattr(holder, {attribute!r}, first)
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=environment(home),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "where",
    [
        "graphmemix.settings:Settings.load",
        "graphmemix.encode.hashing:HashingEncoder.texts",
        "graphmemix.optimize.select:select",
        "graphmemix.store.sql.logs:SqlLogs.put_log",
        "graphmemix.cli.evidence:short_ids",
    ],
)
@pytest.mark.parametrize("command", ["ask", "recall"])
def test_a_question_ends_quietly(command: str, where: str, family: Path) -> None:
    code, said = interrupted_in(where, command, str(family), "spare key", home=family.parent)
    assert (code, said) == (130, "")
    assert run("check", family).code == 0


@pytest.mark.parametrize(
    "where",
    [
        "graphmemix.ingest.run:Ingestion.run",
        "graphmemix.ingest.writer:Writer.flush",
        "graphmemix.encode.hashing:HashingEncoder.texts",
    ],
)
def test_an_ingestion_ends_in_order_and_goes_on(where: str, family: Path) -> None:
    files = family.parent / "files"
    files.mkdir()
    for number in range(12):
        (files / f"{number}.txt").write_text(f"The boiler was repaired for the {number}th time.")
    code, said = interrupted_in(where, "ingest", str(family), str(files), home=family.parent)
    assert code == 130
    assert "Traceback" not in said
    assert run("check", family).code == 0
    assert run("ingest", family, files).code == 0
    assert run("stats", family, "--json").json["memories"] == 4 + 12


def test_watching_reads_what_appears_until_ctrl_c(family: Path) -> None:
    files = family.parent / "files"
    files.mkdir()
    (files / "a.txt").write_text("The dentist moved to the market square.")
    with subprocess.Popen(
        [sys.executable, "-m", "graphmemix", "ingest", str(family), str(files), "--watch"],
        env=environment(family.parent),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().endswith("1 memory added\n")
        (files / "b.txt").write_text("The new boiler has a warranty of five years.")
        assert process.stdout.readline().endswith("1 memory added\n")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate()
    assert process.returncode == 130
    assert said.splitlines()[0] == f"Watching {files}; stop with Ctrl-C."
    assert said.endswith("Stopped. What was read is kept.\n")
    assert run("stats", family, "--json").json["memories"] == 4 + 2
