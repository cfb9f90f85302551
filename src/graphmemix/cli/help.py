"""How help looks: names in capitals, flags without a type, examples at the end.

typer shows flags as ``<bool>``, arguments as ``{archive}`` and examples as running text. `adopt`
turns its commands into these.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, get_args, get_origin

from typer.core import TyperCommand, TyperGroup

__all__ = ["Command", "Group", "adopt"]

_EXAMPLE: Final = re.compile(r"^Example: (graphmemix (?:.|\n(?!\n))*)$", re.MULTILINE)
_WORDS: Final = {int: "N", float: "NUMBER", Path: "PATH"}


class _PlainHelp:
    """Shared by commands and groups."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, named as people name them."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for each in params:
            _name(each)
        return params

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the line of usage, such as ``[OPTIONS] ARCHIVE ID...``."""
        if isinstance(self, TyperGroup):
            return [*map(str, super().collect_usage_pieces(ctx))]  # type: ignore[misc]
        arguments = [each for each in self.get_params(ctx) if each.param_type_name == "argument"]
        return ["[OPTIONS]", *map(_usage, arguments)]


class Command(_PlainHelp, TyperCommand):
    """A command whose examples stand at the end of its help, and below a wrong use of it."""

    examples: tuple[str, ...] = ()

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; what is wrong is followed by an example of how it is done."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if self.examples and hasattr(error, "format_message"):
                _extend(error, f"\nExample: {self.examples[0]}")
            raise


class Group(_PlainHelp, TyperGroup):
    """A group of commands."""


def adopt(command: Any) -> Any:
    """Give a command of typer, and those below it, this help; return it."""
    if isinstance(command, TyperGroup):
        command.__class__ = Group
        for each in command.commands.values():
            adopt(each)
        return command
    command.__class__ = Command
    text = command.help or ""
    command.examples = tuple(" ".join(each.split()) for each in _EXAMPLE.findall(text))
    command.help = re.sub(r"\n{3,}", "\n\n", _EXAMPLE.sub("", text)).strip()
    if command.examples:
        title = "Example:" if len(command.examples) == 1 else "Examples:"
        command.epilog = "\n\n".join([title, *command.examples])
    return command


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
