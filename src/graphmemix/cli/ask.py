"""``graphmemix ask`` and ``graphmemix recall``: the answer, and the evidence alone."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape

from graphmemix.archive import Archive
from graphmemix.cli.forest import memory_line, show_forest, wide_console
from graphmemix.cli.options import settings_from
from graphmemix.cli.output import open_existing, plain
from graphmemix.cli.question import question_of
from graphmemix.errors import ArchiveBusyError, ArchiveReadOnlyError
from graphmemix.evidence import Trace
from graphmemix.explain import explain
from graphmemix.settings import Settings

_CONSTRAINTS = {"time", "place", "person", "media"}  # see retrieve.question.described

_ARCHIVE = typer.Argument(help="A folder, or postgresql://…/database#NAME.")
_QUESTION = typer.Argument(help="What to ask.")
_IMAGE = typer.Option(help="A picture to ask with; may be repeated.")
_ASKED_AT = typer.Option(help="When the question is asked (ISO); dates relate to it.")
_AS_OF = typer.Option(help="Hide what came later (ISO).")
_HISTORY = typer.Option(help="JSON file with earlier turns: a list of {role, text}.")
_ENCODER = typer.Option(help="Such as clip:FOLDER.")
_PROFILE = typer.Option(help="default or paper.")
_SET = typer.Option("--set", help="KEY=VALUE, such as model.base_url=http://localhost:8000/v1.")
_JSON = typer.Option("--json", help="The whole trace, for machines.")
_TRACE = typer.Option("--trace", help="Also say why each candidate was chosen or left out.")


def ask(
    archive: Annotated[str, _ARCHIVE],
    question: Annotated[str, _QUESTION],
    *,
    image: Annotated[list[Path] | None, _IMAGE] = None,
    asked_at: Annotated[str | None, _ASKED_AT] = None,
    as_of: Annotated[str | None, _AS_OF] = None,
    history: Annotated[Path | None, _HISTORY] = None,
    encoder: Annotated[str | None, _ENCODER] = None,
    profile: Annotated[str | None, _PROFILE] = None,
    override: Annotated[list[str] | None, _SET] = None,
    trace: Annotated[bool, _TRACE] = False,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Answer a question from the archive, with its sources.

    Without a model the answer is quoted from the evidence.

    Example: graphmemix ask family "Which hotel did we stay in when Mia lost her tooth?"
    """
    asked = question_of(question, image, asked_at, as_of, history)
    settings = settings_from(profile, override)
    with _opened(archive, encoder, settings) as opened:
        console = wide_console()
        found: Trace | None = None
        live = not as_json and sys.stdout.isatty() and opened.settings.model.base_url
        for piece in opened.stream(asked):
            if isinstance(piece, Trace):
                found = piece
            elif live:
                console.print(plain(piece), end="", markup=False, highlight=False)
        assert found is not None  # noqa: S101  # the trace is always the last piece
        if as_json:
            typer.echo(found.to_json())
            return
        if live:
            console.print()
        _show_answer(console, found, printed=bool(live))
        _show_evidence(console, opened, found, explained=trace)


def recall(
    archive: Annotated[str, _ARCHIVE],
    question: Annotated[str, _QUESTION],
    *,
    image: Annotated[list[Path] | None, _IMAGE] = None,
    asked_at: Annotated[str | None, _ASKED_AT] = None,
    as_of: Annotated[str | None, _AS_OF] = None,
    history: Annotated[Path | None, _HISTORY] = None,
    encoder: Annotated[str | None, _ENCODER] = None,
    profile: Annotated[str | None, _PROFILE] = None,
    override: Annotated[list[str] | None, _SET] = None,
    trace: Annotated[bool, _TRACE] = False,
    as_json: Annotated[bool, _JSON] = False,
) -> None:
    """Show the memories that answer a question together, without answering it.

    Example: graphmemix recall family "What do we know about the boiler?" --trace
    """
    asked = question_of(question, image, asked_at, as_of, history)
    settings = settings_from(profile, override)
    with _opened(archive, encoder, settings) as opened:
        found = opened.recall(asked)
        if as_json:
            typer.echo(found.to_json())
            return
        _show_evidence(wide_console(), opened, found, explained=trace)


def _opened(location: str, encoder: str | None, settings: Settings) -> Archive:
    """Open for writing, so that the trace is kept; for reading if another process writes."""
    try:
        return open_existing(location, mode="write", encoder=encoder, settings=settings)
    except (ArchiveBusyError, ArchiveReadOnlyError):
        return open_existing(location, encoder=encoder, settings=settings)


def _show_answer(console: Console, trace: Trace, *, printed: bool) -> None:
    answer = trace.answer
    if answer is None:
        return
    if not printed:
        console.print(plain(answer.text), markup=False, highlight=False)
    why = "the model failed" if trace.repairs.get("read.degraded") else "no model is set"
    notes = [f"quoted, {why}"] if answer.extractive else []
    if answer.answerable is not None:
        notes.append(f"chance that the archive holds the answer: {answer.answerable:.0%}")
    if notes:
        console.print(f"[dim]({escape('; '.join(notes))})[/dim]")
    console.print()


def _show_evidence(console: Console, archive: Archive, trace: Trace, *, explained: bool) -> None:
    ids = [candidate.memory_id for candidate in trace.candidates]
    memories = archive.store.get_many([*ids, *(passed for passed, _ in trace.duplicates)])
    for note in trace.notes:
        what = "understood: " if note.partition(":")[0] in _CONSTRAINTS else ""
        console.print(f"[dim]{what}{escape(plain(note))}[/dim]")
    show_forest(console, trace, memories)
    if not explained:
        return
    console.print()
    for each in explain(trace, archive.settings):
        line = memory_line(memories.get(each.memory_id))
        console.print(f"[bold]{each.fate.replace('_', ' ')}[/bold]  {escape(line)}")
        for reason in each.reasons:
            console.print(f"    [dim]{escape(plain(reason))}[/dim]")
    console.print()
    for cost in trace.costs:
        tokens = cost.input_tokens + cost.output_tokens
        told = f"{cost.stage}: {cost.seconds * 1000:.1f} ms"
        if cost.calls:
            told += f", {cost.calls} calls, {tokens} tokens"
        console.print(f"[dim]{told}[/dim]")
    console.print(f"[dim]trace {trace.id or 'not saved'}[/dim]")
