"""``graphmemix bench``: claims as commands that anybody can run."""

from __future__ import annotations

import json
import shlex
import sys
import tempfile
from functools import wraps
from inspect import signature
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from graphmemix.cli import output
from graphmemix.cli.options import (
    CacheOption,
    JsonOption,
    ProfileOption,
    SetOption,
    pairs_of,
    settings_from,
)
from graphmemix.cli.output import interruptible, reporter
from graphmemix.cli.terminal import say
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets import CATALOGUE
from graphmemix_bench.paths import data_folder, default_cache
from graphmemix_bench.runs.evidence import evidence_report
from graphmemix_bench.runs.execute import execute
from graphmemix_bench.runs.ladder import EVIDENCE, LADDER, RUNGS
from graphmemix_bench.runs.plan import Parts, make_plan
from graphmemix_bench.runs.report import build_report

if TYPE_CHECKING:
    from rich.console import Console

    from graphmemix.llm import Chat
    from graphmemix.settings import Settings
    from graphmemix_bench.reports.record import BenchReport
    from graphmemix_bench.runs.plan import Plan, ReaderKind
    from graphmemix_bench.runs.stages import VerifierKind

_WIDE = 240  # characters

app = typer.Typer(no_args_is_help=True, help="Measure on benchmark data.")

_Dataset = Annotated[str, typer.Option(help=f"One of {', '.join(CATALOGUE)}.")]
_Out = Annotated[Path, typer.Option(help="Folder of the run; an existing run is resumed.")]
_Data = Annotated[
    Path | None, typer.Option(help="Folder of the data set; default: below GRAPHMEMIX_BENCH_DATA.")
]
_Contexts = Annotated[list[str] | None, typer.Option(help="Only this context; may be repeated.")]
_Questions = Annotated[
    int | None, typer.Option(help="Use about this many questions, spread evenly over the data.")
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
        "--record-errors",
        help="Continue if a model fails on a question; the question then counts as 0.",
    ),
]
_Plots = Annotated[bool, typer.Option("--plots/--no-plots", help="Draw plots.")]


@app.callback()
def _group() -> None:
    """Measure on benchmark data."""


@app.command()
def run(
    *,
    dataset: _Dataset,
    out: _Out,
    data: _Data = None,
    contexts: _Contexts = None,
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
    """Run the method on a data set, stage by stage; the same command again resumes it.

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
    reporter()(f"{plan.dataset.title}: {plan.counts.line}")
    _execute(plan, out, cache)
    _report(out, plots=plots, as_json=as_json)


def _command(name: str, says: str, **chosen: object) -> None:
    """Add `run` as a command of another name, without options for what is chosen here."""

    @wraps(run)
    def command(**options: Any) -> None:
        run(**{**options, **chosen})

    whole = signature(run, eval_str=True)
    left = [each for name, each in whole.parameters.items() if name not in chosen]
    command.__signature__ = whole.replace(parameters=left)  # type: ignore[attr-defined]
    command.__doc__ = says
    app.command(name)(command)


_command(
    "ladder",
    "Run every rung: (a) embedding, (b) + views, (c) + node verifier, (d) + ECV, (e) + forest.",
    rung=[rung.key for rung in LADDER],
)
_command(
    "selectors",
    "Compare selectors on the same frozen candidates, scores and links; nobody answers.",
    rung=["node", "forest"],
    reader="none",
    judge=False,
    judge_set=None,
    selectors=True,
    record_errors=False,
)


@app.command()
def report(
    *,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    plots: _Plots = True,
    as_json: JsonOption = False,
) -> None:
    """Make the report of a run again, from its artefacts alone; also of an unfinished run."""
    _report(folder, plots=plots, as_json=as_json)


@app.command()
def evidence(
    *,
    dataset: _Dataset,
    data: _Data = None,
    contexts: _Contexts = None,
    out: Annotated[
        Path | None, typer.Option(help="Save the run in this folder, so that it can be resumed.")
    ] = None,
    cache: CacheOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """How much of the gold evidence each view and each signal finds, step by step.

    No language model takes part. Contexts that the local
    verifier was fitted on are judged by coefficients fitted without them.
    """
    settings = settings_from(None, override)
    plan = make_plan(
        dataset,
        data_folder(dataset, data),
        Parts(encoder_of(settings.encoder.model), settings),
        contexts=contexts or (),
        rungs=[rung.key for rung in EVIDENCE],
        selectors=False,
    )
    with tempfile.TemporaryDirectory(prefix="graphmemix-bench-") as temporary:
        folder = out or Path(temporary)
        _execute(plan, folder, cache, kept=out is not None)
        found = evidence_report(folder)
    if as_json:
        say(json.dumps(found))
    else:
        _show_evidence(found)


def _show_evidence(found: dict[str, Any]) -> None:
    from graphmemix_bench.reports.tables import metric_name

    console = _console()
    counts = f"{len(found['contexts'])} contexts, {found['questions']} questions"
    console.print(f"{found['dataset']}: {counts}")
    parts = found["by_context"]
    for title, rows in (
        ("", found["configurations"]),
        ("The forest by context", [*parts, *_means(parts)]),
        ("The forest by type of question", found["by_type"]),
    ):
        keys = [key for key in rows[0] if key not in {"refined", "intervals"}] if rows else []
        table = Table(*map(metric_name, keys), box=None, title=title or None, title_justify="left")
        for row in rows:
            table.add_row(*("–" if row[key] is None else f"{row[key]}" for key in keys))
        if rows:
            console.print(table)


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean of several rows, each counting the same, as one more row."""
    if len(rows) < 2:
        return []
    means: dict[str, Any] = {"name": "mean"}
    for key in list(rows[0])[1:]:
        values = [each[key] for each in rows if each[key] is not None]
        means[key] = round(fmean(values), 3 if key == "auroc" else 2) if values else None
    return [means]


def _console() -> Console:
    """Return the output; into a file or a pipe, tables are as wide as they are."""
    console = output.out(soft_wrap=False)
    return console if console.is_terminal else output.out(width=_WIDE, soft_wrap=False)


def _execute(plan: Plan, folder: Path, cache: Path | None, *, kept: bool = True) -> None:
    again = "The same command again resumes the run." if kept else "With --out it can be resumed."
    with interruptible(again):
        execute(plan, folder, cache=cache or default_cache(), command=_called(), report=reporter())


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


def _report(folder: Path, *, plots: bool, as_json: bool) -> None:
    from graphmemix_bench.reports import show, write_report

    found: BenchReport = build_report(folder)
    written = write_report(found, folder, plots=plots)
    if as_json:
        say(found.to_json())
        return
    console = _console()
    show(found, console)
    pages = [path for path in written if path.parent == folder]
    console.print(f"\n{', '.join(str(path) for path in pages)}")


def _called() -> str:
    """Return the command as it was called, without what may be a secret."""
    words = ["graphmemix", *sys.argv[1:]]
    return shlex.join("model.api_key=..." if "api_key=" in word else word for word in words)
