"""``graphmemix bench``: claims as commands that anybody can run."""

from __future__ import annotations

import json
import tempfile
from functools import wraps
from inspect import signature
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from graphmemix.cli.options import (
    CacheOption,
    JsonOption,
    ProfileOption,
    SetOption,
    pairs_of,
    settings_from,
)
from graphmemix.cli.output import reporter
from graphmemix.cli.terminal import say
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError
from graphmemix_bench.baselines.catalogue import BASELINES, names_of
from graphmemix_bench.baselines.options import BaselineOptions
from graphmemix_bench.commands.audit import audit
from graphmemix_bench.commands.baselines import baselines, expected_calls
from graphmemix_bench.commands.compare import compare
from graphmemix_bench.commands.options import (
    BaselineModeOption,
    BaselineSetOption,
    ContextsOption,
    DataOption,
    DatasetOption,
    ErrorsOption,
    JudgeOption,
    JudgeSetOption,
    OutOption,
    PlotsOption,
    QuestionsOption,
    ReaderOption,
    SeedOption,
    SelectorsOption,
    VerifierOption,
    carry_out,
    console,
    judge_of,
    modes_of,
)
from graphmemix_bench.commands.score import score
from graphmemix_bench.paths import data_folder
from graphmemix_bench.runs.evidence import evidence_report
from graphmemix_bench.runs.ladder import EVIDENCE, LADDER, RUNGS
from graphmemix_bench.runs.plan import Others, Parts, make_plan
from graphmemix_bench.runs.report import build_report

if TYPE_CHECKING:
    from graphmemix.settings import Settings
    from graphmemix_bench.reports.record import BenchReport
    from graphmemix_bench.runs.plan import ReaderKind
    from graphmemix_bench.runs.stages import VerifierKind

app = typer.Typer(no_args_is_help=True, help="Measure on benchmark data.")


@app.callback()
def _group() -> None:
    """Measure on benchmark data."""


@app.command()
def run(
    *,
    dataset: DatasetOption,
    out: OutOption,
    data: DataOption = None,
    contexts: ContextsOption = None,
    questions: QuestionsOption = None,
    seed: SeedOption = None,
    rung: Annotated[
        list[str] | None,
        typer.Option(help=f"One of {', '.join(RUNGS)}; may be repeated."),
    ] = None,
    verifier: VerifierOption = None,
    reader: ReaderOption = None,
    judge: JudgeOption = False,
    judge_set: JudgeSetOption = None,
    selectors: SelectorsOption = True,
    record_errors: ErrorsOption = False,
    baseline: Annotated[
        list[str] | None,
        typer.Option(help=f"Another system: all, none, {', '.join(BASELINES)}; may be repeated."),
    ] = None,
    baseline_mode: BaselineModeOption = "native",
    baseline_set: BaselineSetOption = None,
    no_model: Annotated[
        bool, typer.Option("--no-model", help="Other systems use stand-ins, even with a model set.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the expected calls of other systems and stop.")
    ] = False,
    cache: CacheOption = None,
    profile: ProfileOption = None,
    override: SetOption = None,
    plots: PlotsOption = True,
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
        seed=seed,
        others=Others(
            names_of(baseline or (), model=parts.chat is not None and not no_model),
            BaselineOptions().changed(pairs_of(baseline_set).items()),
            modes_of(baseline_mode),
            not no_model,
        ),
    )
    reporter()(f"{plan.dataset.title}: {plan.counts.line}")
    if dry_run:
        expected_calls(plan)
        return
    carry_out(plan, out, cache)
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
    baseline=None,
    baseline_mode="native",
    baseline_set=None,
    no_model=False,
    dry_run=False,
)


app.command()(baselines)
app.command()(audit)
app.command()(score)
app.command()(compare)


@app.command()
def report(
    *,
    folder: Annotated[Path, typer.Argument(metavar="RUN", help="The folder of a run.")],
    plots: PlotsOption = True,
    as_json: JsonOption = False,
) -> None:
    """Make the report of a run again, from its artefacts alone; also of an unfinished run."""
    _report(folder, plots=plots, as_json=as_json)


@app.command()
def evidence(
    *,
    dataset: DatasetOption,
    data: DataOption = None,
    contexts: ContextsOption = None,
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
        carry_out(plan, folder, cache, kept=out is not None)
        found = evidence_report(folder)
    if as_json:
        say(json.dumps(found))
    else:
        _show_evidence(found)


def _show_evidence(found: dict[str, Any]) -> None:
    from graphmemix_bench.reports.tables import metric_name

    out = console()
    counts = f"{len(found['contexts'])} contexts, {found['questions']} questions"
    out.print(f"{found['dataset']}: {counts}")
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
            out.print(table)


def _means(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the mean of several rows, each counting the same, as one more row."""
    if len(rows) < 2:
        return []
    means: dict[str, Any] = {"name": "mean"}
    for key in list(rows[0])[1:]:
        values = [each[key] for each in rows if each[key] is not None]
        means[key] = round(fmean(values), 3 if key == "auroc" else 2) if values else None
    return [means]


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
        None if judge is None else judge_of(settings, judge),
    )


def _report(folder: Path, *, plots: bool, as_json: bool) -> None:
    from graphmemix_bench.reports import show, write_report

    found: BenchReport = build_report(folder)
    written = write_report(found, folder, plots=plots)
    if as_json:
        say(found.to_json())
        return
    out = console()
    show(found, out)
    pages = [path for path in written if path.parent == folder]
    out.print(f"\n{', '.join(str(path) for path in pages)}")
