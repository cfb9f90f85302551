"""Options, output and the run itself, as the commands of ``graphmemix bench`` share them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmemix.cli import output
from graphmemix.cli.options import pairs_of
from graphmemix.cli.output import interruptible, reporter
from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets import CATALOGUE
from graphmemix_bench.paths import default_cache
from graphmemix_bench.runs.execute import execute

if TYPE_CHECKING:
    from rich.console import Console

    from graphmemix.llm import Chat
    from graphmemix.settings import Settings
    from graphmemix_bench.baselines.protocol import Mode
    from graphmemix_bench.runs.plan import Plan

_WIDE = 240  # characters

DatasetOption = Annotated[str, typer.Option(help=f"One of {', '.join(CATALOGUE)}.")]
OutOption = Annotated[Path, typer.Option(help="Folder of the run; an existing run is resumed.")]
DataOption = Annotated[
    Path | None, typer.Option(help="Folder of the data set; default: below GRAPHMEMIX_BENCH_DATA.")
]
ContextsOption = Annotated[
    list[str] | None, typer.Option(help="Only this context; may be repeated.")
]
QuestionsOption = Annotated[
    int | None, typer.Option(help="Use about this many questions, spread evenly over the data.")
]
VerifierOption = Annotated[
    list[str] | None,
    typer.Option(
        help="local, llm (two calls) or joint (one call); repeated, they are compared. "
        "By default llm if a model is set, else local."
    ),
]
ReaderOption = Annotated[
    str | None, typer.Option(help="none, extractive or llm. By default llm if a model is set.")
]
JudgeOption = Annotated[
    bool, typer.Option("--judge/--no-judge", help="Have answers judged by a model.")
]
JudgeSetOption = Annotated[
    list[str] | None,
    typer.Option("--judge-set", help="KEY=VALUE for the judge, such as model.name=gpt-5-mini."),
]
SelectorsOption = Annotated[
    bool, typer.Option("--selectors/--no-selectors", help="Compare selectors too.")
]
ErrorsOption = Annotated[
    bool,
    typer.Option(
        "--record-errors", help="Continue if a model fails on a question, which then counts as 0."
    ),
]
SeedOption = Annotated[
    int | None, typer.Option(help="Draw the --questions at random, with this seed, instead.")
]
BaselineModeOption = Annotated[
    str,
    typer.Option(
        help="What the reader gets of another system: native (its own words), ids (the memories "
        "themselves), or native,ids."
    ),
]
BaselineSetOption = Annotated[
    list[str] | None,
    typer.Option("--baseline-set", help="KEY=VALUE of a baseline, such as memguide_pool=48."),
]
PlotsOption = Annotated[bool, typer.Option("--plots/--no-plots", help="Draw plots.")]


def modes_of(text: str) -> tuple[Mode, ...]:
    """Return the modes that a list of names means.

    Raises:
        InvalidInputError: There is no such mode.
    """
    known: dict[str, Mode] = {"native": "native", "ids": "ids"}
    for name in text.split(","):
        if name not in known:
            raise InvalidInputError(f"--baseline-mode must be native, ids or both, not {name!r}")
    return tuple(dict.fromkeys(known[name] for name in text.split(",")))


def console() -> Console:
    """Return the output; into a file or a pipe, tables are as wide as they are."""
    found = output.out(soft_wrap=False)
    return found if found.is_terminal else output.out(width=_WIDE, soft_wrap=False)


def carry_out(plan: Plan, folder: Path, cache: Path | None, *, kept: bool = True) -> None:
    """Begin or resume a run and finish it, as the command line does."""
    again = "The same command again resumes the run." if kept else "With --out it can be resumed."
    with interruptible(again):
        execute(plan, folder, cache=cache or default_cache(), command=called(), report=reporter())


def called() -> str:
    """Return the command as it was called, without what may be a secret."""
    words = ["graphmemix", *sys.argv[1:]]
    return shlex.join("model.api_key=..." if "api_key=" in word else word for word in words)


def judge_of(settings: Settings, overrides: list[str]) -> Chat:
    """Return the judge: the model of the settings, with its own changes on top."""
    from graphmemix.llm import open_chat

    flat = {key: value for key, value in settings.flat().items() if key != "model.api_key"}
    if settings.model.api_key is not None:
        flat["model.api_key"] = settings.model.api_key.get_secret_value()
    changed = type(settings).load(environment={}, overrides={**flat, **pairs_of(overrides)})
    chat = open_chat(changed)
    if chat is None:
        raise InvalidInputError("--judge needs a model: --judge-set model.base_url=... or --set")
    return chat
