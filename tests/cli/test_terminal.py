"""Nothing of what others wrote reaches the terminal as a command: every way out is tried."""

from __future__ import annotations

import ast
import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import graphmemix.cli
import graphmemix_bench.commands
from graphmemix import Archive, Media, Memory, Place
from graphmemix.cli.root import full_tree
from graphmemix.cli.terminal import SafeConsole, visible, visible_in_line
from graphmemix.memory import Description

CLIPBOARD = "\x1b]52;c;ZXZpbA==\x07"
CONCEALED = "\x1b[8m"  # a colour that is never ours
NAME = f"e{CLIPBOARD}v{CONCEALED}i\x1b[2Jl\x9b31m\u202e\u2066\u200b\x7f\x08"
EVIL = f"{NAME}\r[link=http://evil]x[/link] [/] :bomb: \u2028tooth"
SHOWN = r"\u001b]52;c;ZXZpbA==\u0007"

# What rich writes itself: colours; and for progress the cursor, hidden, moved, its line erased.
OURS = re.compile(r"\r(?=\x1b\[[0-9]*[AK])|\x1b\[[0-9;]*m|\x1b\[\?25[lh]|\x1b\[[0-9]*[ABCDGK]")
UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)

DRIVER = """
import io, json, os, sys
from graphmemix.cli import main
for number, arguments in enumerate(json.loads(open(sys.argv[1], encoding="utf-8").read())):
    os.write(1, f"@@{number}@@".encode())
    sys.argv = ["graphmemix", *(os.fsdecode(bytes.fromhex(each)) for each in arguments)]
    sys.stdin = io.StringIO("n\\n")
    try:
        main()
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive of which every field is hostile, with its traces, and files to be ingested."""
    folder = tmp_path_factory.mktemp("terminal")
    with Archive.open(folder / "archive", encoder="hashing") as archive:
        kept = archive.media.put(b"no picture")
        about = Description(EVIL, EVIL, EVIL, EVIL)
        media = (
            Media("image", kept.sha256, EVIL, EVIL, kept.size, description=about),
            Media("image", None, EVIL, EVIL),
        )
        for number in range(3):
            memory = Memory(
                f"{EVIL}{number}",
                "message",
                f"{EVIL} {number}",
                source=EVIL,
                source_id=f"{EVIL}{number}",
                session=EVIL,
                round=EVIL,
                sequence=number,
                timestamp=datetime(2024, 7, 14, tzinfo=UTC),
                speaker=EVIL,
                place=Place(EVIL),
                media=media,
                metadata={EVIL: EVIL},
            )
            archive.add([memory])
        archive.update(Memory(f"{EVIL}2", "message", f"{EVIL} changed", session=EVIL))
        archive.ask(EVIL)
    files = folder / NAME
    files.mkdir()
    (files / f"{NAME}.txt").write_text(EVIL, "utf-8")
    (files / f"{NAME}.eml").write_text(f"Subject: {NAME}\nFrom: {NAME}\n\n{EVIL}", "utf-8")
    (files / f"{NAME}.pdf").write_bytes(b"%PDF-1.4 broken")
    (Path(os.fsdecode(os.fsencode(files) + b"/bad\xff.txt"))).write_text("tooth", "utf-8")
    (folder / f"{NAME}.toml").write_text(f'[forest]\n"{NAME[-1]}" = 1\n', "utf-8")
    return folder


def cases(place: Path) -> dict[str, list[list[Any]]]:
    """What each command is called with: something that it shows, and something that it refuses."""
    home, nowhere, files = place / "archive", place / f"{NAME}-none", place / NAME
    first, last = f"{EVIL}0", f"{EVIL}2"
    with Archive.open(home, mode="read", encoder="hashing") as archive:
        trace = archive.traces(limit=1)[0].id
    state = ["--state", place / "state"]
    bench = ["--dataset", EVIL, "--data", nowhere]
    return {
        "ask": [[home, EVIL], [home, EVIL, "--trace"], [home, EVIL, "--json"], [nowhere, "x"]],
        "backup": [[home, place / f"{NAME}-backup"], [home, files]],
        "bench audit": [[nowhere]],
        "bench baselines": [bench],
        "bench compare": [[nowhere]],
        "bench evidence": [bench],
        "bench ladder": [[*bench, "--out", nowhere]],
        "bench report": [[nowhere]],
        "bench run": [[*bench, "--out", nowhere]],
        "bench score": [[*bench, "--predictions", nowhere]],
        "bench selectors": [[*bench, "--out", nowhere]],
        "calibrate": [["--data", f"{EVIL}={nowhere}"]],
        "candidates": [[home, EVIL], [home, EVIL, "--json"]],
        "check": [[home], [home, "--json"], [nowhere]],
        "config": [
            ["--set", f"model.name={EVIL}"],
            ["--set", f"{EVIL}=1"],
            ["--file", place / f"{NAME}.toml"],
            [f"--{EVIL}"],
        ],
        "demo": [[place / f"{NAME}.toml"]],
        "describe": [[home, "--captions"], [nowhere]],
        "encode": [[home, "--into", place / f"{NAME}-vectors"], [nowhere, "--into", place / "x"]],
        "erase": [[home, first], [home, "--session", EVIL], [home, f"{EVIL}-none"]],
        "export": [[home, place / f"{NAME}-export"], [home, files]],
        "history": [[home, last], [home, last, "--json"], [home, f"{EVIL}-none"]],
        "import": [[place / f"{NAME}-other", place / f"{NAME}-export"], [nowhere, files]],
        "ingest": [
            [home, files, "--verbose"],
            [home, files, "--verbose", "--again", "--json"],
            [home, nowhere],
        ],
        "index": [[home], [home, "--json"], [nowhere]],
        "init": [[place / f"{NAME}-new"], [place / f"{NAME}-new"]],
        "keys create": [[EVIL, "--grant", f"{EVIL}:read", *state], ["x", "--grant", EVIL, *state]],
        "keys list": [state, [*state, "--json"]],
        "keys off": [state],
        "keys revoke": [[EVIL, *state]],
        "list": [[home], [home, "--json"], [home, "--limit", 1], [home, "--kind", EVIL]],
        "mcp": [[nowhere]],
        "rebuild": [[home], [nowhere]],
        "recall": [[home, EVIL, "--trace"], [home, EVIL, "--json"], [nowhere, EVIL]],
        "reencode": [[home, "--encoder", EVIL]],
        "serve": [[nowhere], [home, "--port", 0, "--host", EVIL, *state]],
        "show": [[home, first, last], [home, first, "--json"], [home, f"{EVIL}-none"]],
        "stats": [[home], [home, "--json"]],
        "trace": [[home], [home, trace, "--why"], [home, trace, "--replay"], [home, EVIL]],
        "update": [[home, first, "--text", EVIL], [home, first, "--when", EVIL]],
    }


def commands() -> Iterator[str]:
    for name, command in full_tree().commands.items():
        below = getattr(command, "commands", None)
        yield from [name] if below is None else (f"{name} {each}" for each in below)


def under_terminal(place: Path, calls: list[list[str]]) -> list[str]:
    """Run commands one after the other on a real terminal; return what each sent to it."""
    sheet = place / "calls.json"
    sheet.write_text(
        json.dumps([[os.fsencode(word).hex() for word in call] for call in calls]), "utf-8"
    )
    ours, theirs = pty.openpty()
    environment = {
        "HOME": str(place),
        "PATH": "/usr/bin:/bin",
        "TERM": "xterm-256color",
        "COLUMNS": "400",
        "GRAPHMEMIX_ENCODER__MODEL": "hashing",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }
    received = bytearray()

    def receive() -> None:
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other side is closed
                return
            received.extend(piece)

    process = subprocess.Popen(
        [sys.executable, "-c", DRIVER, str(sheet)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        close_fds=True,
    )
    os.close(theirs)
    reader = threading.Thread(target=receive)
    reader.start()
    assert process.wait(600) == 0
    reader.join()
    os.close(ours)
    parts = re.split(r"@@\d+@@", received.decode("utf-8"))[1:]
    assert len(parts) == len(calls)
    return parts


def fault_of(text: str) -> str:
    """Return what a terminal would obey in this, with its surroundings; empty if nothing."""
    if not text.strip() or "Traceback" in text:
        return f"not what was meant: {text}"
    left = OURS.sub("", text.replace(CONCEALED, "\0")).replace("\r\n", "\n")
    found = re.search(rf"\r|{UNSEEN.pattern}", left)
    return "" if found is None else left[max(0, found.start() - 60) : found.end() + 20]


def test_no_command_lets_foreign_text_command_the_terminal(place: Path) -> None:
    known = cases(place)
    assert sorted(known) == sorted(commands()), "say here what a new command is called with"
    calls = [
        [*name.split(), *map(str, arguments)]
        for name, given in sorted(known.items(), key=lambda item: (item[0] == "import", item[0]))
        for arguments in given
    ]
    sent = dict(zip(map(tuple, calls), under_terminal(place, calls), strict=True))
    wrong = [(call, fault) for call, text in sent.items() if (fault := fault_of(text))]
    assert not wrong
    showing = {call[0] for call, text in sent.items() if SHOWN in text}
    assert {"list", "show", "ask", "candidates", "ingest", "trace", "stats", "keys"} <= showing
    assert any("\x1b[" in text for text in sent.values())  # colours are still there


def test_escapes_are_visible_and_json_says_the_same() -> None:
    assert visible(EVIL) == visible(visible(EVIL))
    assert SHOWN in visible(EVIL)
    assert visible("a\r\nb\tc\n") == "a\nb\tc\n"
    assert visible_in_line("a\nb\tc") == "a\\nb\\tc"
    assert visible("grüß 東京\u3000駅 \U0001f469\u200d\U0001f373 می\u200cخواهم") == (
        "grüß 東京\u3000駅 \U0001f469\u200d\U0001f373 می\u200cخواهم"
    )
    assert visible("pay\u200dpal") == r"pay\u200dpal"
    assert visible("bad\udcff \U000e0041") == r"bad\udcff \udb40\udc41"
    said = {"text": EVIL, "tag": "\U000e0041", "name": "\udcff"}
    for ascii_only in (True, False):
        assert json.loads(visible(json.dumps(said, ensure_ascii=ascii_only))) == said


def test_whatever_is_printed_besides_is_visible_too(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "import logging, sys, warnings\n"
        "from rich.console import Console\n"
        "from graphmemix.cli.terminal import make_streams_safe\n"
        "make_streams_safe()\n"
        "make_streams_safe()\n"
        f"evil = {EVIL!r}\n"
        "print(evil)\n"
        "sys.stderr.writelines([evil])\n"
        "logging.getLogger('x').error(evil)\n"
        "warnings.warn(evil)\n"
        "Console().print(evil, style='red', markup=False)\n"
        "raise ValueError(evil)\n",
        "utf-8",
    )
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, str(script)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={"PATH": "/usr/bin:/bin", "TERM": "xterm", "PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 65536)
            except OSError:
                break
        os.close(ours)
        process.wait(120)
    shown = text.decode().replace("\r\n", "\n")
    assert "\x1b" not in shown
    assert UNSEEN.search(shown) is None
    assert shown.count("ValueError: e" + SHOWN[:10]) == 1
    assert shown.count(SHOWN) >= 5


def test_a_console_colours_and_keeps_columns_in_line(capsys: pytest.CaptureFixture[str]) -> None:
    from rich.table import Table
    from rich.text import Text

    console = SafeConsole(force_terminal=True, color_system="standard", markup=False, width=200)
    table = Table("id", "text", box=None)
    table.add_row("\x1b[2J", "one")
    table.add_row("plain", "two")
    console.print(table)
    console.print(Text.assemble(("\x9b31m", "bold"), CLIPBOARD))
    first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert "\x1b[1m" in first
    assert second.index("one") == third.index("two")
    assert fourth == rf"{CONCEALED[:2]}1m\u009b31m{CONCEALED[:2]}0m{SHOWN[:-6]}"


PRINTERS = {"print", "pprint", "echo", "secho", "Console", "write", "writelines"}
COMMANDS = (graphmemix.cli, graphmemix_bench.commands)
FILES = sorted(file for package in COMMANDS for file in Path(package.__path__[0]).glob("*.py"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_no_command_prints_by_another_way(file: Path) -> None:
    """Consoles come from `output.out` and `output.err`, lines go through `terminal.say`."""
    if file.stem == "terminal":
        return
    allowed = {("output", "print"), ("output", "SafeConsole")}
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            stream = node.value.id == "sys" and node.attr in {"stdout", "stderr", "__stdout__"}
            assert not stream or file.stem == "output", f"{file.name}:{node.lineno}"
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        name = called.id if isinstance(called, ast.Name) else ""
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            of_typer = called.value.id in {"typer", "click", "rich", "pprint"}
            name = called.attr if of_typer or called.attr == "Console" else name
        wrong = name in PRINTERS or (name == "SafeConsole")
        assert not wrong or (file.stem, name) in allowed, f"{file.name}:{node.lineno} {name}"
