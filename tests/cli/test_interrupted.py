"""Ctrl-C in real processes: at any moment quiet, and nothing is lost."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.commands import run


def environment(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "GRAPHMEMIX_ENCODER__MODEL": "hashing"}


# Imports once, and is then forked for each case: the child goes on as a command of its own.
DRIVER = """
import importlib, json, os, signal, sys
import graphmemix.asking.questions, graphmemix.encode.hashing, graphmemix.ingest.builtin
import graphmemix.cli.ask, graphmemix.cli.ingest, graphmemix.cli.recall
from graphmemix.cli import main
for line in sys.stdin:
    case = json.loads(line)
    child = os.fork()
    if not child:
        break
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
else:
    sys.exit()
for stream, name in ((0, os.devnull), (1, os.devnull), (2, case["said"])):
    os.dup2(os.open(name, os.O_RDWR | os.O_CREAT), stream)
os.environ.update(case["environment"])
sys.argv = ["graphmemix", *case["arguments"]]
module, _, name = case["where"].partition(":")
holder, _, attribute = name.rpartition(".")
module = importlib.import_module(module)
holder = getattr(module, holder) if holder else module
before = getattr(holder, attribute)
def first(*given, **named):
    setattr(holder, attribute, before)
    os.kill(os.getpid(), signal.SIGINT)
    return before(*given, **named)
setattr(holder, attribute, first)
main()
"""


@pytest.fixture(scope="module")
def driver() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER],
        env=environment(Path("/")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield process
        process.communicate()


def interrupted_in(
    driver: subprocess.Popen[str], where: str, *arguments: str, home: Path
) -> tuple[int, str]:
    """Run a command that gets Ctrl-C when it first calls something, in whatever thread."""
    assert driver.stdin is not None
    assert driver.stdout is not None
    case = {
        "where": where,
        "arguments": arguments,
        "environment": environment(home),
        "said": str(home / "said.txt"),
    }
    driver.stdin.write(json.dumps(case) + "\n")
    driver.stdin.flush()
    code = int(driver.stdout.readline())
    return code, (home / "said.txt").read_text("utf-8")


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
def test_a_question_ends_quietly(
    driver: subprocess.Popen[str], command: str, where: str, family: Path
) -> None:
    asked = (command, str(family), "spare key")
    code, said = interrupted_in(driver, where, *asked, home=family.parent)
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
def test_an_ingestion_ends_in_order_and_goes_on(
    driver: subprocess.Popen[str], where: str, family: Path
) -> None:
    files = family.parent / "files"
    files.mkdir()
    for number in range(12):
        (files / f"{number}.txt").write_text(f"The boiler was repaired for the {number}th time.")
    code, said = interrupted_in(
        driver, where, "ingest", str(family), str(files), home=family.parent
    )
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
