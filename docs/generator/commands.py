"""Every command with its arguments, options and example, as ``--help`` has them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, get_args, get_type_hints

from generator.markdown import cell, code, table
from graphmemix.cli.root import full_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

_HELP: Final = {"--help", "--install-completion", "--show-completion"}


def told() -> str:
    """Return a table of all commands, then a section for each."""
    commands = list(_commands(full_tree()))
    overview = table(
        ("command", "what it does"),
        ((f"[`{name}`](#{_anchor(name)})", cell(_summary(command))) for name, command in commands),
    )
    return overview + "\n" + "\n".join(_section(name, command) for name, command in commands)


def _commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    """Yield commands with their names, those of a group in its place."""
    for name, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _commands(command, f"{before}{name} ")
        else:
            yield before + name, command


def _anchor(name: str) -> str:
    return name.replace(" ", "-")


def _summary(command: Any) -> str:
    return str(command.help or "").partition("\n")[0]


def _section(name: str, command: Any) -> str:
    kinds = get_type_hints(command.callback)
    parameters = [each for each in command.params if not _HELP & set(each.opts)]
    arguments = [each for each in parameters if each.param_type_name == "argument"]
    usage = " ".join(["graphmemix", name, *map(_usage, arguments), "[OPTIONS]"])
    rows = [
        (
            code(_names(each, kinds[each.name])),
            cell(getattr(each, "help", None) or ""),
            code(_default(each)),
        )
        for each in parameters
    ]
    examples = "\n".join(command.examples)
    about = f"{command.help or ''}\n\n```sh\n{examples}\n```\n" if examples else command.help or ""
    return "\n".join(
        [
            f"### `{name}` {{#{_anchor(name)}}}\n",
            f"```text\n{usage}\n```\n",
            about + "\n",
            table(("", "what", "default"), rows),
        ]
    )


def _usage(argument: Any) -> str:
    name = _argument(argument) + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _names(parameter: Any, kind: Any) -> str:
    if parameter.param_type_name == "argument":
        return _argument(parameter)
    names = ", ".join([*parameter.opts, *parameter.secondary_opts])
    return names if parameter.is_flag else f"{names} {parameter.metavar or _word(kind)}"


def _argument(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _word(kind: Any) -> str:
    """Return what stands behind an option, such as PATH or N."""
    if inner := [each for each in get_args(kind) if each is not type(None)]:
        return _word(inner[0])
    words = {int: "N", float: "NUMBER", Path: "PATH"}
    return words.get(kind, "TEXT")


def _default(parameter: Any) -> str:
    if parameter.required:
        return "required"
    value = parameter.default
    if value in (None, False, "", ()) or callable(value):
        return ""
    return "on" if value is True else str(value)
