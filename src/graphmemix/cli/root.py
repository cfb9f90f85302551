"""The command tree: names and summaries here, everything else in a file a command.

A command's file is imported when the command is called, so that ``--version`` and ``--help`` do not
wait for the encoder, the stores and the server.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["COMMANDS", "app", "full_tree"]

_HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}


class Entry(NamedTuple):
    """A command before it is loaded.

    Attributes:
        name: What a user types.
        module: Has ``command``, or ``app`` with several.
        panel: The group in ``--help``.
        summary: The first line of the command's own help.
    """

    name: str
    module: str
    panel: str
    summary: str


COMMANDS: Final = (
    Entry(
        "ask", "graphmemix.cli.ask", "Ask", "Answer a question from the archive, with its sources."
    ),
    Entry(
        "recall",
        "graphmemix.cli.recall",
        "Ask",
        "Show the memories that answer a question together, without answering it.",
    ),
    Entry(
        "candidates",
        "graphmemix.cli.candidates",
        "Ask",
        "Show the candidate graph of a question: scores, seeds, and how others were reached.",
    ),
    Entry(
        "trace",
        "graphmemix.cli.trace",
        "Ask",
        "List the questions that were asked, or show one with its forest drawn as trees.",
    ),
    Entry(
        "demo",
        "graphmemix.cli.demo",
        "Ask",
        "Make a sample archive of one invented household, ask it, and draw the evidence forests.",
    ),
    Entry(
        "init",
        "graphmemix.cli.init",
        "Bring in",
        "Make an empty archive. One that is there already is left as it is.",
    ),
    Entry(
        "ingest",
        "graphmemix.cli.ingest",
        "Bring in",
        "Read files, folders and exports into an archive; again, and only what is new is added.",
    ),
    Entry(
        "describe",
        "graphmemix.cli.describe",
        "Bring in",
        "Describe media that have no words yet; without options, by all that is installed and set.",
    ),
    Entry(
        "update",
        "graphmemix.cli.update",
        "Bring in",
        "Change a memory. What it was stays in `history`; search finds the new state at once.",
    ),
    Entry(
        "import",
        "graphmemix.cli.import_",
        "Bring in",
        "Read an export into an archive; it is made if it is not there.",
    ),
    Entry(
        "list",
        "graphmemix.cli.list",
        "Look after",
        "List memories by time; those without a time come last.",
    ),
    Entry(
        "show",
        "graphmemix.cli.show",
        "Look after",
        "Show memories: all that is known, their files, and what they are linked with.",
    ),
    Entry(
        "history",
        "graphmemix.cli.history",
        "Look after",
        "Show all versions of a memory, oldest first, and what each one changed.",
    ),
    Entry(
        "stats",
        "graphmemix.cli.stats",
        "Look after",
        "Count memories, versions, views, vectors, links and files.",
    ),
    Entry(
        "check",
        "graphmemix.cli.check",
        "Look after",
        "Read everything and look for damage. Exit code 1 if something is wrong and stays so.",
    ),
    Entry(
        "backup",
        "graphmemix.cli.backup",
        "Look after",
        "Copy the archive while others go on reading and writing.",
    ),
    Entry(
        "export",
        "graphmemix.cli.export",
        "Look after",
        "Write the archive, with its history, files and vectors, into a new folder.",
    ),
    Entry(
        "erase",
        "graphmemix.cli.erase",
        "Look after",
        "Erase memories with their files, vectors, links, earlier versions and traces.",
    ),
    Entry(
        "encode",
        "graphmemix.cli.encode",
        "Look after",
        "Encode all that archives hold into a folder of vectors; the archives stay as they are.",
    ),
    Entry(
        "reencode",
        "graphmemix.cli.reencode",
        "Look after",
        "Give the archive vectors of another encoder; the old ones serve until these are complete.",
    ),
    Entry(
        "rebuild",
        "graphmemix.cli.rebuild",
        "Look after",
        "Make views, vectors, word lists and links anew, such as after other settings of views.",
    ),
    Entry(
        "config",
        "graphmemix.cli.config",
        "Look after",
        "Show every setting in force, with its meaning, unit and source, as a settings file.",
    ),
    Entry(
        "serve",
        "graphmemix.cli.serve",
        "Serve",
        "Serve archives over HTTP: a JSON interface, a page, MCP. Ctrl-C ends it in order.",
    ),
    Entry(
        "mcp",
        "graphmemix.cli.mcp",
        "Serve",
        "Serve an archive to agents over MCP: recall, ask, get_memory, list_sources.",
    ),
    Entry("keys", "graphmemix.cli.keys", "Serve", "Make, list and revoke keys of the server."),
    Entry("bench", "graphmemix_bench.commands.bench", "Measure", "Measure on benchmark data."),
    Entry(
        "calibrate",
        "graphmemix_bench.commands.calibrate",
        "Measure",
        "Fit the local verifier to questions with gold evidence, and say how well it does.",
    ),
)


def _load(entry: Entry) -> Any:  # typer does not export the class of its commands
    module: Any = import_module(entry.module)
    if hasattr(module, "app"):
        group = typer.main.get_command(module.app)
        group.name = entry.name
        return group
    single = typer.Typer(add_completion=False)
    single.command(entry.name)(module.command)
    return typer.main.get_command(single)


class _LazyGroup(TyperGroup):
    """Lists commands by their summaries, and imports one when it is called."""

    def __init__(self, **options: Any) -> None:
        listed = {
            entry.name: TyperCommand(
                entry.name, help=entry.summary, rich_help_panel=entry.panel, callback=None
            )
            for entry in COMMANDS
        }
        super().__init__(**{**options, "commands": listed})

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        entry = next((each for each in COMMANDS if each.name == name), None)
        return name, _load(entry) if entry else None, rest


app: Final = typer.Typer(
    name="graphmemix",
    cls=_LazyGroup,
    help="Ask a personal archive, and get the few memories that answer together.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_HELP_OPTIONS,
)


def full_tree() -> Any:
    """Return the program with every command loaded, for whatever documents or checks them all."""
    tree: Any = typer.main.get_command(app)
    tree.commands = {entry.name: _load(entry) for entry in COMMANDS}
    return tree


def _show_version(wanted: bool) -> None:  # noqa: FBT001  # typer's signature
    if wanted:
        from graphmemix import __version__
        from graphmemix.cli.terminal import say

        say(__version__)
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    pass
