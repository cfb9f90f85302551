"""The command tree: names, summaries and how help shows them. Each command has its own file.

A command's file is imported only when the command is called, so that ``--version`` and ``--help``
do not wait for the encoder, the stores and the server.

typer shows flags as ``<bool>``, arguments as ``{archive}`` and examples as running text. `_adopt`
turns its commands into ones with names in capitals, flags without a type, and examples at the end.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final, NamedTuple, get_args, get_origin

import typer
from typer.core import TyperCommand, TyperGroup

__all__ = ["COMMANDS", "app", "full_tree"]

_HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}
_EXAMPLE: Final = re.compile(r"^Example: (graphmemix (?:.|\n(?!\n))*)$", re.MULTILINE)
_WORDS: Final = {int: "N", float: "NUMBER", Path: "PATH"}


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
        group = _adopt(typer.main.get_command(module.app))
        group.name = entry.name
        return group
    single = typer.Typer(add_completion=False)
    single.command(entry.name)(module.command)
    return _adopt(typer.main.get_command(single))


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
        _adopt(self)

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


def _adopt(command: Any) -> Any:
    """Give a command of typer, or a group and all that is in it, this help; return it."""
    _name_parameters(command)
    for each in getattr(command, "commands", {}).values():
        _adopt(each)
    if not hasattr(command, "commands"):
        _move_examples(command)
        _show_usage(command)
        _help_after_errors(command)
    return command


def _name_parameters(command: Any) -> None:
    found = command.get_params

    def get_params(ctx: Any) -> list[Any]:
        params: list[Any] = found(ctx)
        for each in params:
            _name(each)
        return params

    command.get_params = get_params


def _move_examples(command: Any) -> None:
    """Move examples from the text of a command to the end of its help."""
    text = command.help or ""
    command.examples = tuple(" ".join(each.split()) for each in _EXAMPLE.findall(text))
    command.help = re.sub(r"\n{3,}", "\n\n", _EXAMPLE.sub("", text)).strip()
    if command.examples:
        title = "Example:" if len(command.examples) == 1 else "Examples:"
        command.epilog = "\n\n".join([title, *command.examples])


def _show_usage(command: Any) -> None:
    """Let the line of usage be such as ``[OPTIONS] ARCHIVE ID...``."""

    def collect_usage_pieces(ctx: Any) -> list[str]:
        params = command.get_params(ctx)
        return ["[OPTIONS]", *(_usage(p) for p in params if p.param_type_name == "argument")]

    command.collect_usage_pieces = collect_usage_pieces


def _help_after_errors(command: Any) -> None:
    """Let what is wrong be followed by an example of how it is done."""
    parse = command.parse_args

    def parse_args(ctx: Any, args: list[str]) -> Any:
        try:
            return parse(ctx, args)
        except Exception as error:
            if command.examples and hasattr(error, "format_message"):
                _extend(error, f"\nExample: {command.examples[0]}")
            raise

    command.parse_args = parse_args


def _extend(error: Any, more: str) -> None:
    """Let a usage error say more; its message may be made when it is shown."""
    message = error.format_message()
    error.format_message = lambda: f"{message}{more}"


def _name(parameter: Any) -> None:
    if parameter.param_type_name == "argument":
        parameter.metavar = parameter.metavar or parameter.name.upper()
        parameter.display_type_rich = lambda **_: None  # the name says it
    elif getattr(parameter, "is_flag", False) or getattr(parameter, "is_bool_flag", False):
        parameter.metavar = ""
    elif parameter.metavar is None:
        parameter.metavar = _word(parameter)


def _word(parameter: Any) -> str:
    """Return what stands behind an option, such as PATH or N."""
    described = getattr(parameter, "type_descriptor", None)
    kind = getattr(described, "annotation", None)
    if get_origin(kind) is not None:
        kind = next((each for each in get_args(kind) if each is not type(None)), kind)
    if kind is None:  # typer before 0.27
        kind = {"integer": int, "float": float, "path": Path}.get(parameter.type.name, str)
    return _WORDS.get(kind, "TEXT")


def _usage(argument: Any) -> str:
    name = f"{argument.metavar}{'...' if argument.nargs != 1 else ''}"
    return name if argument.required else f"[{name}]"
