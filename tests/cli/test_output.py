from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from rich.console import Console

from graphmemix import pipeline
from graphmemix.cli import output as module
from graphmemix.cli.output import Working, err, working
from tests.answering import KEY, serving
from tests.cli.asking import made_archive
from tests.cli.commands import quiet_home, run
from tests.llm.servers import HostileServer

HIDE, SHOW = "\x1b[?25l", "\x1b[?25h"  # the cursor


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def terminal() -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=60)


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def words(console: Console) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", written(console))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    with quiet_home(tmp_path, encoder="packaged"):
        yield tmp_path


def test_the_line_shows_the_stage_and_its_seconds_and_goes() -> None:
    console, clock = terminal(), Clock()
    line = Working(console, clock=clock)
    line.start()
    line.begin("verify")
    clock.now += 12.7
    line.refresh()
    assert words(console).endswith("judging … 12 s")
    line.begin("optimize")  # takes no time: the line stays
    line.refresh()
    assert words(console).endswith("judging … 12 s")
    line.begin("read")
    line.refresh()
    assert words(console).endswith("answering … 0 s")
    line.stop()
    assert written(console).rstrip().endswith(("\x1b[2K", SHOW))
    after = len(written(console))
    line.stop()
    assert len(written(console)) == after


def test_outside_a_terminal_nothing_is_written() -> None:
    console = Console(file=io.StringIO(), force_terminal=False)
    line = Working(console)
    line.start()
    line.begin("verify")
    line.refresh()
    line.stop()
    assert written(console) == ""


def test_ctrl_c_leaves_a_clean_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    console = terminal()
    monkeypatch.setattr(module, "err", lambda: console)

    def interrupted() -> None:
        with working(shown=True):
            pipeline._begin("verify")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert HIDE in written(console)
    assert written(console).rindex(SHOW) > written(console).rindex(HIDE)
    assert "\x1b[2K" in written(console)
    pipeline._begin("read")  # nobody listens any more
    assert "answering" not in words(console)


def test_without_being_shown_failures_are_still_heard() -> None:
    with working(shown=False) as line:
        pipeline._announce("the model failed")
    assert line.failures == ["the model failed"]


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("command", ["ask", "recall"])
def test_a_question_shows_its_stages_on_a_terminal_only_and_not_if_unwanted(
    tmp_path: Path, hostile: HostileServer, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    hostile.script = [serving()]
    archive = made_archive(tmp_path / "archive")
    model = [f"--set=model.base_url={hostile.url}", "--set=model.name=m", "--set=model.cache=false"]
    console = terminal()
    monkeypatch.setattr(module, "err", lambda: console)
    begin = Working.begin

    def shown_at_once(line: Working, stage: str) -> None:
        begin(line, stage)
        line.refresh()

    monkeypatch.setattr(Working, "begin", shown_at_once)
    result = run(command, archive, KEY, *model)
    assert result.code == 0, result.err
    assert "searching … 0 s" in words(console)
    assert "judging … 0 s" in words(console)
    assert ("answering … 0 s" in words(console)) == (command == "ask")
    assert "…  0 s" not in result.out
    for unwanted in ("--json", "--quiet"):
        console.file = io.StringIO()
        assert run(command, archive, KEY, *model, unwanted).code == 0
        assert written(console) == ""
    monkeypatch.setattr(module, "err", err)  # standard error is no terminal here
    assert run(command, archive, KEY, *model).err == ""
