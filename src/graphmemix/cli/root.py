"""The command tree: names and summaries. Each command has its own file.

A command's file is imported only when the command is called, so that ``--version`` and ``--help``
do not wait for the encoder, the stores and the server.
"""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup

from graphmemix.cli.help import adopt

__all__ = ["COMMANDS", "app", "full_tree"]

_HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}


class CommandEntry(NamedTuple):
    """A command before its module is loaded.

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
    CommandEntry(
        "ask", "graphmemix.cli.ask", "Ask", "Answer a question from the archive, with its sources."
    ),
    CommandEntry(
        "recall",
        "graphmemix.cli.recall",
        "Ask",
        "Show the memories that answer a question together, without answering it.",
    ),
    CommandEntry(
        "candidates",
        "graphmemix.cli.candidates",
        "Ask",
        "Show a question's candidates: scores, seeds, and how the others were reached.",
    ),
    CommandEntry(
        "trace",
        "graphmemix.cli.trace",
        "Ask",
        "List earlier questions, or show one with its evidence forest.",
    ),
    CommandEntry(
        "demo",
        "graphmemix.cli.demo",
        "Ask",
        "See it work: make a sample archive of an invented family, and ask it four questions.",
    ),
    CommandEntry(
        "init",
        "graphmemix.cli.init",
        "Bring in",
        "Create an empty archive. An existing archive is not changed.",
    ),
    CommandEntry(
        "ingest",
        "graphmemix.cli.ingest",
        "Bring in",
        "Read files, folders and exports into an archive. Run it again to add only what is new.",
    ),
    CommandEntry(
        "index",
        "graphmemix.cli.index",
        "Bring in",
        "Encode memories that were stored and not encoded yet, newest first.",
    ),
    CommandEntry(
        "describe",
        "graphmemix.cli.describe",
        "Bring in",
        "Describe media that have no description yet, by default with every installed describer.",
    ),
    CommandEntry(
        "import",
        "graphmemix.cli.import_",
        "Bring in",
        "Import an export into an archive, which is created if it does not exist.",
    ),
    CommandEntry(
        "list",
        "graphmemix.cli.list",
        "Look",
        "List memories by time; those without a time come last.",
    ),
    CommandEntry(
        "show",
        "graphmemix.cli.show",
        "Look",
        "Show memories with all their fields, files and links.",
    ),
    CommandEntry(
        "history",
        "graphmemix.cli.history",
        "Look",
        "Show all versions of a memory, oldest first, and what each one changed.",
    ),
    CommandEntry(
        "stats",
        "graphmemix.cli.stats",
        "Look",
        "Count memories, versions, views, vectors, links and files.",
    ),
    CommandEntry(
        "update",
        "graphmemix.cli.update",
        "Change",
        "Change a memory. `history` keeps the old version; search finds the new one immediately.",
    ),
    CommandEntry(
        "erase",
        "graphmemix.cli.erase",
        "Change",
        "Erase memories with their files, vectors, links, earlier versions and traces.",
    ),
    CommandEntry(
        "check",
        "graphmemix.cli.check",
        "Keep",
        "Check the archive for damage. Exit code 1 if a problem is left.",
    ),
    CommandEntry(
        "backup",
        "graphmemix.cli.backup",
        "Keep",
        "Copy the archive while others keep reading and writing.",
    ),
    CommandEntry(
        "export",
        "graphmemix.cli.export",
        "Keep",
        "Export the archive, with its history, files and vectors, into a new folder.",
    ),
    CommandEntry(
        "rebuild",
        "graphmemix.cli.rebuild",
        "Keep",
        "Rebuild views, vectors, word lists and links, for example after changing view settings.",
    ),
    CommandEntry(
        "encode",
        "graphmemix.cli.encode",
        "Keep",
        "Encode the contents of archives into a folder of vectors; the archives are not changed.",
    ),
    CommandEntry(
        "reencode",
        "graphmemix.cli.reencode",
        "Keep",
        "Switch the archive to another encoder; the old vectors are used until the switch.",
    ),
    CommandEntry(
        "serve",
        "graphmemix.cli.serve",
        "Serve",
        "Serve archives over HTTP: a JSON API, a web page and MCP. Stop it with Ctrl-C.",
    ),
    CommandEntry(
        "mcp",
        "graphmemix.cli.mcp",
        "Serve",
        "Serve an archive to agents over MCP: search, ask, get, timeline.",
    ),
    CommandEntry(
        "keys", "graphmemix.cli.keys", "Serve", "Create, list and revoke API keys of the server."
    ),
    CommandEntry(
        "config",
        "graphmemix.cli.config",
        "Set up and measure",
        "Show every setting with its value, meaning, unit and source, as a settings file.",
    ),
    CommandEntry(
        "bench",
        "graphmemix_bench.commands.bench",
        "Set up and measure",
        "Measure on benchmark data.",
    ),
    CommandEntry(
        "calibrate",
        "graphmemix_bench.commands.calibrate",
        "Set up and measure",
        "Fit the local verifier to questions with gold evidence, and say how well it does.",
    ),
)


def _load(entry: CommandEntry) -> Any:  # typer does not export the class of its commands
    module: Any = import_module(entry.module)
    if hasattr(module, "app"):
        group = adopt(typer.main.get_command(module.app))
        group.name = entry.name
        return group
    single = typer.Typer(add_completion=False)
    single.command(entry.name)(module.command)
    return adopt(typer.main.get_command(single))


class _LazyGroup(TyperGroup):
    """Lists commands by their summaries, and imports a command when it is called."""

    def __init__(self, **options: Any) -> None:
        listed = {
            entry.name: TyperCommand(
                entry.name, help=entry.summary, rich_help_panel=entry.panel, callback=None
            )
            for entry in COMMANDS
        }
        super().__init__(**{**options, "commands": listed})
        adopt(self)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[Any, Any, list[str]]:
        name, _, rest = super().resolve_command(ctx, args)
        entry = next((each for each in COMMANDS if each.name == name), None)
        return name, _load(entry) if entry else None, rest


app: Final = typer.Typer(
    name="graphmemix",
    cls=_LazyGroup,
    help="Ask your own mail, photos, chats and documents, and get the few memories that answer "
    "together.",
    epilog="`graphmemix COMMAND --help` has the options and examples of a command.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings=_HELP_OPTIONS,
)


def full_tree() -> Any:
    """Return the program with every command loaded, for documentation and tests."""
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
    context: typer.Context,
    *,
    version: Annotated[  # noqa: ARG001  # its callback prints it
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        from graphmemix.cli.welcome import welcome

        welcome()
