"""``graphmemix bench run``, ``ladder``, ``selectors`` and ``report``: runs that can be resumed."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from graphmemix.bench.places import data_folder, default_cache
from graphmemix.bench.run import execute
from graphmemix.bench.run_plan import Parts, dataset_of, make_plan
from graphmemix.bench.run_report import build_report
from graphmemix.cli.options import settings_from
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.bench.reports.record import BenchReport
    from graphmemix.bench.run_plan import ReaderKind
    from graphmemix.bench.stages import VerifierKind
    from graphmemix.models import Chat
    from graphmemix.settings import Settings

INTERRUPTED = 130

_WIDE = 240  # characters

_Dataset = Annotated[str, typer.Option(help="A name of docs/datasets.md, such as locomo.")]
_Out = Annotated[Path, typer.Option(help="The run's folder: begun, or gone on with.")]
_Data = Annotated[
    Path | None, typer.Option(help="The data set's folder; else below GRAPHMEMIX_BENCH_DATA.")
]
_Contexts = Annotated[list[str] | None, typer.Option(help="Only this context; may be repeated.")]
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
_Cache = Annotated[Path | None, typer.Option(help="Where vectors are kept between runs.")]
_Profile = Annotated[str | None, typer.Option(help="default, or paper for the published method.")]
_Set = Annotated[
    list[str] | None, typer.Option("--set", help="KEY=VALUE, such as model.base_url=http://...")
]
_Plots = Annotated[bool, typer.Option("--plots/--no-plots", help="Draw plots.")]
_Json = Annotated[bool, typer.Option("--json", help="For machines.")]


def run(
    *,
    dataset: _Dataset,
    out: _Out,
    data: _Data = None,
    contexts: _Contexts = None,
    questions: _Questions = None,
    rung: Annotated[
        list[str] | None,
        typer.Option(help="embedding, multi_view, hybrid, node, ecv or forest; may be repeated."),
    ] = None,
    verifier: _Verifier = None,
    reader: _Reader = None,
    judge: _Judge = False,
    judge_set: _JudgeSet = None,
    selectors: _Selectors = True,
    record_errors: _Errors = False,
    cache: _Cache = None,
    profile: _Profile = None,
    override: _Set = None,
    plots: _Plots = True,
    as_json: _Json = False,
) -> None:
    """Run the method on a data set, stage by stage; the same command again goes on.

    Writes RUN/report.{json,csv,md,html} and RUN/plots. Without --rung only the forest is run.
    """
    settings = settings_from(profile, override)
    judged = judge_set or [] if judge or judge_set else None
    parts = _parts(settings, verifier, reader, judged)
    plan = make_plan(
        dataset,
        data_folder(dataset_of(dataset).folder, data),
        parts,
        contexts=contexts or (),
        questions=questions,
        rungs=rung or ("forest",),
        selectors=selectors,
        record_errors=record_errors,
    )
    progress = Console(stderr=True)

    def told(text: str) -> None:
        progress.print(text, style="dim", markup=False, highlight=False)

    told(f"{plan.dataset.title}: {plan.counts.line}")
    try:
        execute(plan, out, cache=cache or default_cache(), command=_command(), report=told)
    except KeyboardInterrupt:
        told("interrupted; the same command goes on where it stopped")
        raise typer.Exit(INTERRUPTED) from None
    _tell(out, plots=plots, as_json=as_json)


def ladder(
    *,
    dataset: _Dataset,
    out: _Out,
    data: _Data = None,
    contexts: _Contexts = None,
    questions: _Questions = None,
    verifier: _Verifier = None,
    reader: _Reader = None,
    judge: _Judge = False,
    judge_set: _JudgeSet = None,
    selectors: _Selectors = True,
    record_errors: _Errors = False,
    cache: _Cache = None,
    profile: _Profile = None,
    override: _Set = None,
    plots: _Plots = True,
    as_json: _Json = False,
) -> None:
    """Run every rung: (a) embedding, (b) + views, (c) + node verifier, (d) + ECV, (e) + forest."""
    run(
        dataset=dataset,
        out=out,
        data=data,
        contexts=contexts,
        questions=questions,
        rung=["embedding", "multi_view", "hybrid", "node", "ecv", "forest"],
        verifier=verifier,
        reader=reader,
        judge=judge,
        judge_set=judge_set,
        selectors=selectors,
        record_errors=record_errors,
        cache=cache,
        profile=profile,
        override=override,
        plots=plots,
        as_json=as_json,
    )


def selectors(
    *,
    dataset: _Dataset,
    out: _Out,
    data: _Data = None,
    contexts: _Contexts = None,
    questions: _Questions = None,
    verifier: _Verifier = None,
    cache: _Cache = None,
    profile: _Profile = None,
    override: _Set = None,
    plots: _Plots = True,
    as_json: _Json = False,
) -> None:
    """Compare selectors on the same frozen candidates, scores and links; nobody answers."""
    run(
        dataset=dataset,
        out=out,
        data=data,
        contexts=contexts,
        questions=questions,
        rung=["node", "forest"],
        verifier=verifier,
        reader="none",
        cache=cache,
        profile=profile,
        override=override,
        plots=plots,
        as_json=as_json,
    )


def report(
    *,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    plots: _Plots = True,
    as_json: _Json = False,
) -> None:
    """Make the report of a run again, from its artefacts alone; also of one that is not done."""
    _tell(folder, plots=plots, as_json=as_json)


def _parts(
    settings: Settings,
    verifiers: list[str] | None,
    reader: str | None,
    judge: list[str] | None,
) -> Parts:
    from graphmemix.models import open_chat

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


def _judge(settings: Settings, overrides: Sequence[str]) -> Chat:
    """Return the judge: the model of the settings, with its own changes on top."""
    from graphmemix.models import open_chat

    pairs = [each.partition("=") for each in overrides]
    flat = {key: value for key, value in settings.flat().items() if key != "model.api_key"}
    if settings.model.api_key is not None:
        flat["model.api_key"] = settings.model.api_key.get_secret_value()
    changed = type(settings).load(
        environment={}, overrides={**flat, **{key.strip(): value for key, _, value in pairs}}
    )
    chat = open_chat(changed)
    if chat is None:
        raise InvalidInputError("--judge needs a model: --judge-set model.base_url=... or --set")
    return chat


def _tell(folder: Path, *, plots: bool, as_json: bool) -> None:
    from graphmemix.bench.reports import show, write_report

    found: BenchReport = build_report(folder)
    written = write_report(found, folder, plots=plots)
    if as_json:
        typer.echo(found.to_json())
        return
    # Into a file or a pipe, tables are as wide as they are; a terminal folds them.
    console = Console() if sys.stdout.isatty() else Console(width=_WIDE)
    show(found, console)
    pages = [path for path in written if path.parent == folder]
    console.print(f"\n{', '.join(str(path) for path in pages)}", markup=False, highlight=False)


def _command() -> str:
    """Return the command as it was called, without what may be a secret."""
    told = ["graphmemix", *sys.argv[1:]]
    return shlex.join("model.api_key=..." if "api_key=" in word else word for word in told)
