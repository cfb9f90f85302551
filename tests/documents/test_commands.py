"""What pages tell readers to type: every command exists with its options, and many are run."""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from graphmemix.cli.root import full_tree
from graphmemix.sample import build
from graphmemix.settings import Settings, describe_settings
from tests.cli.commands import quiet_home, run
from tests.documents.pages import DOCS, PAGES, ROOT, Command, blocks, commands, mentioned, name_of

ALL = [command for page in PAGES for command in commands(page)]
OURS = [command for command in ALL if command.words[:1] == ("graphmemix",)]

SETTINGS = {key for key, _ in describe_settings()}

# Pages whose commands need nothing but the files of the sample.
RUN = ["mail", "photos", "chats", "documents", "backup-and-erase"]
# Commands on them that need more: models, the network, an end by hand.
NEED_MORE = re.compile(r"serve |describe |reencode |.*(clip:|model\.base_url)")


program = cache(full_tree)


def parsed(words: list[str]) -> dict[str, Any]:
    """Return what the command line makes of words; raise what it says of wrong ones."""
    command: Any = program()
    while hasattr(command, "commands") and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    if hasattr(command, "commands"):  # options of the program itself
        assert set(words) <= {each for option in command.params for each in option.opts}
        return {}
    with command.make_context("graphmemix", list(words)) as context:
        values: dict[str, Any] = context.params
        return values


@pytest.mark.parametrize("command", OURS, ids=str)
def test_a_command_has_the_options_and_settings_that_it_is_shown_with(command: Command) -> None:
    values = parsed(list(command.words[1:]))
    pairs = dict(pair.split("=", 1) for pair in values.get("override") or ())
    Settings.load(environment={}, file=os.devnull, overrides=pairs)


def test_there_are_commands_to_look_at() -> None:
    assert len(OURS) > 60
    assert len({command.words[1] for command in OURS}) > 15


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_named_in_a_text_exist(page: Path) -> None:
    root: Any = program()
    for text in mentioned(page):
        command: Any = root
        for word in text.split():
            if word in getattr(command, "commands", {}):
                command = command.commands[word]
            elif word.startswith("--"):
                options = {each for option in command.params for each in option.opts}
                assert word in options | {"--help"}, text
        first = text.split()[0]
        assert command is not root or first in {"COMMAND", "..."} or first.startswith("--"), text


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_settings_that_a_page_shows_exist(page: Path, tmp_path: Path) -> None:
    for command in commands(page):
        known = {key: value for key, value in command.variables if "__" in key}
        Settings.load(file=os.devnull, environment=known)
    for number, block in enumerate(blocks(page, "toml")):
        if "project" not in tomllib.loads(block):  # those belong to packages
            file = tmp_path / f"{number}.toml"
            file.write_text(block)
            Settings.load(file=file, environment={})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_settings_named_in_a_text_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    variables = re.findall(r"GRAPHMEMIX_([A-Z_]+?)__([A-Z_]+)", text)
    named = {f"{section}.{key}".lower() for section, key in variables} - {"section.key"}
    sections = "|".join(sorted({key.partition(".")[0] for key in SETTINGS} - {"profile"}))
    named |= set(re.findall(rf"`((?:{sections})\.(?!py`)[a-z_.]+)(?:`| = )", text))
    assert named - SETTINGS == set()


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_json_that_a_page_shows_is_json(page: Path) -> None:
    for block in blocks(page, "json"):
        try:
            json.loads(block)
        except ValueError:
            for line in block.splitlines():
                json.loads(line)


def test_scripts_that_pages_name_exist() -> None:
    scripts = [word for command in ALL for word in command.words if word.endswith(".py")]
    assert scripts
    for script in scripts:
        assert (ROOT / script).is_file(), script


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("sample")).files


def at_home(folder: Path, files: Path) -> None:
    """Put the sample where pages say that a reader's files are."""
    for place in files.iterdir():
        (folder / place.name).symlink_to(place)
    (folder / "Documents").symlink_to(files)
    (folder / "backups").mkdir()


def executed(page: Path, home: Path) -> Iterator[tuple[str, str]]:
    """Run what a page says, in order; yield each command with what it printed."""
    for command in commands(page):
        shown = shlex.join(command.words[1:])
        if command.words[:1] != ("graphmemix",) or NEED_MORE.match(shown):
            continue
        words = [word.replace("~", str(home), 1) for word in command.words[1:]]
        ran = run(*words)
        assert ran.code == 0, f"{command}\n{ran.err}"
        yield shown, ran.out


@pytest.mark.parametrize("name", RUN)
def test_the_commands_of_a_guide_work(
    name: str, tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    with quiet_home(tmp_path):
        if name == "backup-and-erase":  # it begins with an archive
            assert run("ingest", "home", files).code == 0
        done = dict(executed(DOCS / "how-to" / f"{name}.md", tmp_path))
    listed = [out for shown, out in done.items() if shown.startswith("list ")]
    assert listed
    assert all(len(out.splitlines()) > 1 for out in listed), "a list shows nothing"


def test_the_tutorial_works_and_answers_as_it_says(
    tmp_path: Path, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_home(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    page = DOCS / "tutorial.md"
    with quiet_home(tmp_path, encoder="minilm"):
        done = dict(executed(page, tmp_path))
    answer = next(out for shown, out in done.items() if shown.startswith("ask "))
    [promised] = [block for block in blocks(page, "text") if block.startswith("“")]
    quotes = re.findall(r"^“.*?”", promised, re.MULTILINE)
    assert re.findall(r"^“.*?”", answer, re.MULTILINE) == quotes
