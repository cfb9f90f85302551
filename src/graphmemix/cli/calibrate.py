"""``graphmemix calibrate``: fit the local verifier to labelled questions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.table import Table

from graphmemix.bench.calibration import ask_all, calibrate, told
from graphmemix.bench.places import default_cache
from graphmemix.bench.score_calibration import fit_scores
from graphmemix.cli.options import settings_from
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError, SettingsError
from graphmemix.models.opening import open_chat
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.llm import LlmVerifier

if TYPE_CHECKING:
    from collections.abc import Callable

    from graphmemix.bench.lessons import AskedCase
    from graphmemix.settings import Settings


def command(
    *,
    data: Annotated[
        list[str],
        typer.Option(help="DATASET=FOLDER, such as locomo=~/locomo; may be repeated."),
    ],
    out: Annotated[Path, typer.Option(help="Where the coefficients are written.")] = Path(
        "local-verifier.json"
    ),
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the reliability into this PNG file.")
    ] = None,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Fit (a, b, c) to the scores of the model in the settings."),
    ] = False,
    questions: Annotated[
        int, typer.Option(help="With --scores: so many questions of each context.", min=1)
    ] = 20,
    encoder: Annotated[str, typer.Option(help="The encoder to fit them for.")] = "minilm",
    cache: Annotated[Path | None, typer.Option(help="Where vectors are kept between runs.")] = None,
    override: Annotated[
        list[str] | None, typer.Option("--set", help="KEY=VALUE, such as local.edge_share=0.5.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
) -> None:
    """Fit the local verifier to questions with gold evidence, and say how well it does.

    Figures are leave-contexts-out: each context is judged by coefficients that never saw it. Use
    the file with --set local.model_file=FILE. With --scores, the constants that turn the scores of
    a language model into utilities are fitted instead; use them with
    --set utility.calibration_file=FILE.
    """
    progress = Console(stderr=True)

    def report(text: str) -> None:
        progress.print(text, style="dim", markup=False)

    settings, chosen = settings_from(None, override), encoder_of(encoder)
    places = cache or default_cache()
    if scores:
        asked = ask_all(
            _folders(data), encoder=chosen, cache=places, settings=settings, report=report
        )
        _fit_scores(_first(asked, questions), chosen.identity, settings, out, plot, as_json, report)
        return
    result = calibrate(
        _folders(data), encoder=chosen, cache=places, settings=settings, report=report
    )
    result.model.save(out)
    if plot is not None:
        from graphmemix.bench.reports.plots import draw_reliability

        curves = {"evidence": result.nodes}
        if result.answerable is not None:
            curves["answerable"] = result.answerable
        plot.write_bytes(draw_reliability(curves))
    if as_json:
        typer.echo(json.dumps(told(result)))
        return
    table = Table("leave-contexts-out", "", box=None)
    for name, value in result.figures.items():
        table.add_row(name, f"{value:g}")
    console = Console(soft_wrap=True)
    console.print(table)
    console.print(f"Coefficients: {out}  (use them with --set local.model_file={out})")


def _first(asked: list[AskedCase], most: int) -> list[AskedCase]:
    """Return the first questions with gold of each context: every one of them costs calls."""
    seen: Counter[str] = Counter()
    chosen = []
    for each in asked:
        if each.question.gold and seen[each.lesson.group] < most:
            seen[each.lesson.group] += 1
            chosen.append(each)
    return chosen


def _fit_scores(
    asked: list[AskedCase],
    encoder: str,
    settings: Settings,
    out: Path,
    plot: Path | None,
    as_json: bool,  # noqa: FBT001  # an option of the command
    report: Callable[[str], None],
) -> None:
    chat = open_chat(settings)
    if chat is None:
        raise SettingsError("model.base_url", "--scores asks a model, and none is set")
    published = Calibration.published(settings.utility)
    fitted = fit_scores(asked, LlmVerifier(chat, settings), encoder, published, report)
    out.write_text(fitted.calibration.to_json() + "\n", encoding="utf-8")
    if plot is not None:
        from graphmemix.bench.reports.plots import draw_reliability

        plot.write_bytes(draw_reliability({"utility": fitted.reliability}))
    figures = {
        "a": fitted.calibration.a,
        "b": fitted.calibration.b,
        "c": fitted.calibration.c,
        "log_loss": fitted.log_loss,
        "published_log_loss": fitted.published_log_loss,
        "questions": len(asked),
        "contexts": fitted.contexts,
    }
    if as_json:
        typer.echo(json.dumps({"verifier": fitted.calibration.verifier, **figures}))
        return
    for name, value in figures.items():
        typer.echo(f"{name}\t{value:g}")
    typer.echo(f"Constants: {out}  (use them with --set utility.calibration_file={out})")


def _folders(data: list[str]) -> dict[str, Path]:
    folders: dict[str, Path] = {}
    for text in data:
        name, equals, folder = text.partition("=")
        if not equals or not folder:
            raise InvalidInputError(f"--data {text!r}: write DATASET=FOLDER")
        if name in folders:
            raise InvalidInputError(f"--data {name}: is given twice")
        folders[name] = Path(folder).expanduser()
    return folders
