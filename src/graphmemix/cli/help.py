"""How help looks: names in capitals, flags without a type, examples at the end.

typer shows flags as ``<bool>``, arguments as ``{archive}`` and examples as running text. `adopt`
turns its commands into these.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final, get_args, get_origin

__all__ = ["adopt"]

_EXAMPLE: Final = re.compile(r"^Example: (graphmemix (?:.|\n(?!\n))*)$", re.MULTILINE)
_WORDS: Final = {int: "N", float: "NUMBER", Path: "PATH"}


def adopt(command: Any) -> Any:
    """Give a command of typer, or a group and all that is in it, this help; return it."""
    _name_parameters(command)
    for each in getattr(command, "commands", {}).values():
        adopt(each)
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
