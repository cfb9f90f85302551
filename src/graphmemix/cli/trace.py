"""``graphmemix trace``: earlier questions, and how their evidence was chosen."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from graphmemix.archive import Archive
from graphmemix.cli import completion
from graphmemix.cli.evidence import (
    show_chance,
    show_forest,
    show_reasons,
    shown_memories_of,
    wide_console,
)
from graphmemix.cli.ids import short_ids, short_trace, trace_named
from graphmemix.cli.options import ArchiveArgument, JsonOption, SetOption, settings_from
from graphmemix.cli.output import PROBLEMS, one_line, open_existing, out, print_words
from graphmemix.cli.tables import show_rows
from graphmemix.cli.terminal import say, visible
from graphmemix.evidence import Forest, Trace
from graphmemix.pipeline import replay
from graphmemix.settings import Settings

_COLUMNS = ("id", "when", "memories", "question", "answer")
_SHOWN = 70  # characters of a question or an answer


def command(
    archive: ArchiveArgument,
    trace_id: Annotated[
        str | None,
        typer.Argument(
            metavar="ID",
            help="Trace to show, by its id, a part of it, or `last`; without it, traces are "
            "listed.",
            autocompletion=completion.trace_ids,
        ),
    ] = None,
    *,
    limit: Annotated[int, typer.Option(min=1, help="Most traces to list.")] = 20,
    why: Annotated[
        bool, typer.Option("--why", help="Also say why each candidate was chosen or left out.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--replay",
            help="Choose the forest again from the saved verdicts, without a model, and compare; "
            "exit code 1 if it differs.",
        ),
    ] = False,
    profile: Annotated[
        str | None, typer.Option(help="Profile for --replay; default: the trace's own.")
    ] = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """List earlier questions, or show one with its evidence forest.

    Example: graphmemix trace ~/archives/family last --why

    Example: graphmemix trace ~/archives/family 9f3b2c1d --replay
    """
    with open_existing(archive) as opened:
        if trace_id is None:
            _list(opened, limit, as_json=as_json)
            return
        trace = opened.trace(trace_named(opened.store, trace_id))
        settings = settings_from(profile or trace.profile, override)
        if again:
            _replay(opened, trace, settings, as_json=as_json)
        elif as_json:
            say(trace.to_json())
        else:
            _show(wide_console(), opened, trace, settings, why=why)


def _list(archive: Archive, limit: int, *, as_json: bool) -> None:
    traces = archive.traces(limit=limit)
    if as_json:
        for trace in traces:
            say(trace.to_json())
        return
    if not traces:
        out().print("No traces yet: `ask` and `recall` save them.")
        return
    console = out()
    rows = [_row(trace, short=console.is_terminal) for trace in traces]
    show_rows(console, _COLUMNS, rows, texts=("question", "answer"))


def _row(trace: Trace, *, short: bool) -> tuple[str, ...]:
    when = f"{trace.created_at.astimezone():%Y-%m-%d %H:%M}" if trace.created_at else ""
    chosen = len(trace.forest.memory_ids) if trace.forest else 0
    answer = one_line(trace.answer.text, _SHOWN) if trace.answer else ""
    trace_id = short_trace(trace.id) if short else trace.id
    return trace_id, when, str(chosen), one_line(trace.question.text, _SHOWN), answer


def _show(
    console: Console, archive: Archive, trace: Trace, settings: Settings, *, why: bool
) -> None:
    print_words(console, f"Question  {trace.question.text}")
    if trace.answer is not None:
        print_words(console, f"Answer    {trace.answer.text}")
    for note in trace.notes:
        console.print(f"Note      {visible(note)}", markup=False)
    show_chance(console, trace, settings, with_number=why)
    memories = shown_memories_of(archive, trace)
    show_forest(console, archive, trace, memories)
    if why:
        show_reasons(console, trace, memories, settings)


def _replay(archive: Archive, trace: Trace, settings: Settings, *, as_json: bool) -> None:
    forest = replay(trace, settings)
    same = _choice(forest) == _choice(trace.forest)
    if as_json:
        result = {"same": same, "forest": json.loads(forest.to_json()) if forest else None}
        say(json.dumps(result))
    else:
        console = out()
        for name, each in (("was", trace.forest), ("is", forest)):
            objective = f"objective {each.objective:.6f}, {each.method}" if each else "nothing"
            chosen = each.memory_ids if each else ()
            names = short_ids(archive.store, chosen) if console.is_terminal else {}
            ids = " ".join(names.get(memory_id, memory_id) for memory_id in chosen)
            console.print(f"{name:<4} {objective}: {ids}", markup=False)
        console.print("Same forest." if same else "Different forest.")
    if not same:
        raise typer.Exit(PROBLEMS)


def _choice(forest: Forest | None) -> object:
    """Return what a forest chose, without link gains, which older traces do not record."""
    if forest is None:
        return None
    nodes = [replace(node, gain=None) for tree in forest.trees for node in tree.nodes]
    return nodes, forest.proposal
