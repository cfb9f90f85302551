"""``graphmemix bench run``, ``ladder``, ``selectors`` and ``report``: runs that can be resumed."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from functools import wraps
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from graphmemix.cli.options import (
    CacheOption,
    JsonOption,
    ProfileOption,
    SetOption,
    pairs_of,
    settings_from,
)
from graphmemix.cli.output import interruptible, out, reporter
from graphmemix.cli.terminal import say
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets import CATALOGUE
from graphmemix_bench.paths import data_folder, default_cache
from graphmemix_bench.runs.execute import execute
from graphmemix_bench.runs.ladder import RUNGS
from graphmemix_bench.runs.plan import Parts, make_plan
from graphmemix_bench.runs.report import build_report

if TYPE_CHECKING:
    from graphmemix.llm import Chat
    from graphmemix.settings import Settings
    from graphmemix_bench.reports.record import BenchReport
    from graphmemix_bench.runs.plan import ReaderKind
    from graphmemix_bench.runs.stages import VerifierKind

_WIDE = 240  # characters

DatasetOption: TypeAlias = Annotated[str, typer.Option(help=f"One of {', '.join(CATALOGUE)}.")]
_Out = Annotated[Path, typer.Option(help="The run's folder: begun, or gone on with.")]
DataOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="The data set's folder; else below GRAPHMEMIX_BENCH_DATA.")
]
ContextsOption: TypeAlias = Annotated[
    list[str] | None, typer.Option(help="Only this context; may be repeated.")
]
_Questions = Annotated[
    int | None, typer.Option(help="About so many questions, spread evenly over all.")
]
_Verifier = Annotated[
    list[str] | None,
    typer.Option(
        help="local, llm (two calls) or joint (one call); repeated, they are compared. "
        "By default llm if a model is set, else local."
    ),
]
_Reader = Annotated[
    str | None, typer.Option(help="none, extractive or llm. By default llm if a model is set.")
]
_Judge = Annotated[bool, typer.Option("--judge/--no-judge", help="Have answers judged by a model.")]
_JudgeSet = Annotated[
    list[str] | None,
    typer.Option("--judge-set", help="KEY=VALUE for the judge, such as model.name=gpt-5-mini."),
]
_Selectors = Annotated[
    bool, typer.Option("--selectors/--no-selectors", help="Compare selectors too.")
]
_Errors = Annotated[
    bool,
    typer.Option(
        "--record-errors", help="Go on when a model fails on a question, which then counts as 0."
    ),
]
_Plots = Annotated[bool, typer.Option("--plots/--no-plots", help="Draw plots.")]


def run(
    *,
    dataset: DatasetOption,
    out: _Out,
    data: DataOption = None,
    contexts: ContextsOption = None,
    questions: _Questions = None,
    rung: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(RUNGS)}; may be repeated."),
    ] = None,
    verifier: _Verifier = None,
    reader: _Reader = None,
    judge: _Judge = False,
    judge_set: _JudgeSet = None,
    selectors: _Selectors = True,
    record_errors: _Errors = False,
    cache: CacheOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    plots: _Plots = True,
    as_json: JsonOption = False,
) -> None:
    """Run the method on a data set, stage by stage; the same command again goes on.

    Writes RUN/report.{json,csv,md,html} and RUN/plots. Without --rung only the forest is run.
    """
    settings = settings_from(profile, override)
    judged = judge_set or [] if judge or judge_set else None
    parts = _parts(settings, verifier, reader, judged)
    plan = make_plan(
        dataset,
        data_folder(dataset, data),
        parts,
        contexts=contexts or (),
        questions=questions,
        rungs=rung or ("forest",),
        selectors=selectors,
        record_errors=record_errors,
    )
    told = reporter()
    told(f"{plan.dataset.title}: {plan.counts.line}")
    with interruptible("The same command again goes on."):
        execute(plan, out, cache=cache or default_cache(), command=_command(), report=told)
    _tell(out, plots=plots, as_json=as_json)


def _settled(says: str, **chosen: object) -> Callable[..., None]:
    """Return `run` as a command that has no options for what is settled already."""

    @wraps(run)
    def command(**options: Any) -> None:
        run(**{**options, **chosen})

    whole = signature(run, eval_str=True)
    left = [each for name, each in whole.parameters.items() if name not in chosen]
    command.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
    command.__doc__ = says
    return command


ladder = _settled(
    "Run every rung: (a) embedding, (b) + views, (c) + node verifier, (d) + ECV, (e) + forest.",
    rung=list(RUNGS),
)
selectors = _settled(
    "Compare selectors on the same frozen candidates, scores and links; nobody answers.",
    rung=["node", "forest"],
    reader="none",
    judge=False,
    judge_set=None,
    selectors=True,
    record_errors=False,
)


def report(
    *,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    plots: _Plots = True,
    as_json: JsonOption = False,
) -> None:
    """Make the report of a run again, from its artefacts alone; also of one that is not done."""
    _tell(folder, plots=plots, as_json=as_json)


def _parts(
    settings: Settings,
    verifiers: list[str] | None,
    reader: str | None,
    judge: list[str] | None,
) -> Parts:
    from graphmemix.llm import open_chat

    chat = open_chat(settings)
    kinds: list[str] = verifiers or ["local" if chat is None else "llm"]
    known: dict[str, VerifierKind] = {"local": "local", "llm": "llm", "joint": "joint"}
    for kind in kinds:
        if kind not in known:
            raise InvalidInputError(f"--verifier must be {', '.join(known)}, not {kind!r}")
    readers: dict[str, ReaderKind] = {"none": "none", "extractive": "extractive", "llm": "llm"}
    named = reader or ("none" if chat is None else "llm")
    if named not in readers:
        raise InvalidInputError(f"--reader must be {', '.join(readers)}, not {named!r}")
    return Parts(
        encoder_of(settings.encoder.model),
        settings,
        tuple(dict.fromkeys(known[kind] for kind in kinds)),
        readers[named],
        chat,
        None if judge is None else _judge(settings, judge),
    )


def _judge(settings: Settings, overrides: list[str]) -> Chat:
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


def _tell(folder: Path, *, plots: bool, as_json: bool) -> None:
    from graphmemix_bench.reports import show, write_report

    found: BenchReport = build_report(folder)
    written = write_report(found, folder, plots=plots)
    if as_json:
        say(found.to_json())
        return
    # Into a file or a pipe, tables are as wide as they are; a terminal folds them.
    console = out(soft_wrap=False)
    if not console.is_terminal:
        console = out(width=_WIDE, soft_wrap=False)
    show(found, console)
    pages = [path for path in written if path.parent == folder]
    console.print(f"\n{', '.join(str(path) for path in pages)}")


def _command() -> str:
    """Return the command as it was called, without what may be a secret."""
    told = ["graphmemix", *sys.argv[1:]]
    return shlex.join("model.api_key=..." if "api_key=" in word else word for word in told)
