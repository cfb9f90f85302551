"""``graphmemix calibrate``: fit the local verifier to labelled questions."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from graphmemix.cli import output
from graphmemix.cli.options import CacheOption, JsonOption, SetOption, settings_from
from graphmemix.cli.output import reporter
from graphmemix.cli.terminal import say
from graphmemix.encode.specs import encoder_of
from graphmemix.errors import InvalidInputError, SettingsError
from graphmemix.fsio import open_binary
from graphmemix.llm.openai_chat import open_chat
from graphmemix.verify.calibration import Calibration
from graphmemix.verify.llm import LlmVerifier
from graphmemix.verify.opening import local_verifier
from graphmemix_bench.fitting import calibration
from graphmemix_bench.fitting.calibration import Calibrated, ask_all, calibrate
from graphmemix_bench.fitting.score_calibration import (
    FittedCombination,
    FittedScores,
    fit_combination,
    fit_scores,
)
from graphmemix_bench.paths import default_cache

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graphmemix.verify.opinion import Combination
    from graphmemix_bench.fitting.training_cases import AskedCase
    from graphmemix_bench.measures.reliability import Reliability


def command(
    *,
    data: Annotated[
        list[str],
        typer.Option(help="DATASET=FOLDER, such as locomo=~/locomo; may be repeated."),
    ],
    out: Annotated[Path, typer.Option(help="File to write the coefficients to.")] = Path(
        "local-verifier.json"
    ),
    plot: Annotated[
        Path | None, typer.Option(help="Also draw the reliability into this PNG file.")
    ] = None,
    scores: Annotated[
        bool,
        typer.Option("--scores", help="Also fit the weight of the configured model's scores."),
    ] = False,
    questions: Annotated[
        int, typer.Option(help="With --scores: questions used per context.", min=1)
    ] = 20,
    encoder: Annotated[str, typer.Option(help="Encoder to fit the coefficients for.")] = "packaged",
    cache: CacheOption = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Fit the local verifier to questions with gold evidence, and say how well it does.

    Figures are leave-contexts-out: each context is judged by coefficients that never saw it. Use
    the file with --set local.model_file=FILE. With --scores, the weights of a language model's
    scores beside the local verifier's chances are fitted instead (with --set
    verifier.with_local=false: the published constants a, b, c); use them with
    --set utility.calibration_file=FILE.

    Example: graphmemix calibrate --data locomo=~/locomo --out mine.json
    """
    report = reporter()
    settings, chosen, folders = settings_from(None, override), encoder_of(encoder), _folders(data)
    places = cache or default_cache()
    if scores:
        chat = open_chat(settings)
        if chat is None:
            raise SettingsError("model.base_url", "--scores asks a model, and none is set")
        asked = ask_all(folders, encoder=chosen, cache=places, settings=settings, report=report)
        few = _first(asked, questions)
        verifier = LlmVerifier(chat, settings)
        if settings.verifier.with_local:
            local = local_verifier(settings, chosen.identity)
            both = fit_combination(few, verifier, local, chosen.identity, report)
            _write_combination(both, len(few), out, plot, as_json=as_json)
        else:
            published = Calibration.published(settings.utility)
            alone = fit_scores(few, verifier, chosen.identity, published, report)
            _write_scores(alone, len(few), out, plot, as_json=as_json)
    else:
        fitted = calibrate(folders, encoder=chosen, cache=places, settings=settings, report=report)
        _write_local(fitted, out, plot, as_json=as_json)


def _write_local(fitted: Calibrated, out: Path, plot: Path | None, *, as_json: bool) -> None:
    """Write coefficients and plot, and print what they are worth."""
    fitted.model.save(out)
    _draw({"is evidence": fitted.nodes, "has an answer": fitted.answerable}, plot)
    if as_json:
        say(json.dumps(calibration.as_json(fitted)))
        return
    table = Table("leave-contexts-out", "", box=None)
    for name, value in {**fitted.model.origin.validation, **fitted.details}.items():
        table.add_row(name, f"{value:g}")
    console = output.out()
    console.print(table)
    console.print(f"Coefficients: {out}  (use them with --set local.model_file={out})")


def _write_combination(
    fitted: FittedCombination, questions: int, out: Path, plot: Path | None, *, as_json: bool
) -> None:
    """Write weights and plot, and print what they are worth."""
    weights = fitted.combination
    figures = {
        "local": weights.local,
        "support": weights.support,
        "offset": weights.offset,
        "log_loss": fitted.log_loss,
        "local_log_loss": fitted.local_log_loss,
        "questions": questions,
        "contexts": fitted.contexts,
    }
    _write_constants(weights, figures, fitted.reliability, out, plot, as_json=as_json)
    if weights.support == 0 and not as_json:
        say("The scores of this model do not help: with this file the local verifier decides.")


def _write_scores(
    fitted: FittedScores, questions: int, out: Path, plot: Path | None, *, as_json: bool
) -> None:
    """Write constants and plot, and print what they are worth."""
    figures = {
        "a": fitted.calibration.a,
        "b": fitted.calibration.b,
        "c": fitted.calibration.c,
        "log_loss": fitted.log_loss,
        "published_log_loss": fitted.published_log_loss,
        "questions": questions,
        "contexts": fitted.contexts,
    }
    _write_constants(fitted.calibration, figures, fitted.reliability, out, plot, as_json=as_json)


def _write_constants(
    constants: Calibration | Combination,
    figures: dict[str, float],
    reliability: Reliability,
    out: Path,
    plot: Path | None,
    *,
    as_json: bool,
) -> None:
    _write(out, (constants.to_json() + "\n").encode())
    _draw({"utility": {"fitted": reliability}}, plot)
    if as_json:
        say(json.dumps({"verifier": constants.verifier, **figures}))
        return
    for name, value in figures.items():
        say(f"{name}\t{value:g}")
    say(f"Constants: {out}  (use them with --set utility.calibration_file={out})")


def _draw(panels: Mapping[str, Mapping[str, Reliability]], plot: Path | None) -> None:
    if plot is not None:
        from graphmemix_bench.reports.panels import draw_reliability

        _write(plot, draw_reliability(panels))


def _write(path: Path, data: bytes) -> None:
    try:
        with open_binary(path) as stream:
            stream.write(data)
    except OSError as error:
        raise InvalidInputError(f"{path}: {error.strerror}") from None


def _first(asked: list[AskedCase], most: int) -> list[AskedCase]:
    """Return the first questions with gold of each context: every one of them costs calls."""
    seen: Counter[str] = Counter()
    chosen = []
    for each in asked:
        if each.question.gold and seen[each.lesson.group] < most:
            seen[each.lesson.group] += 1
            chosen.append(each)
    return chosen


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
