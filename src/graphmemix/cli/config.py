"""``graphmemix config``: all settings with their values, units and sources."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import typer
from pydantic import SecretStr

from graphmemix.cli.options import JsonOption, ProfileOption, SetOption, settings_from
from graphmemix.cli.terminal import say
from graphmemix.settings import describe_settings


def command(
    *,
    profile: ProfileOption = None,
    file: Annotated[Path | None, typer.Option(help="TOML file with settings.")] = None,
    override: SetOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show every setting with its value, meaning, unit and source, as a settings file.

    Later layers win: profile, TOML file, GRAPHMEMIX_SECTION__KEY variables, --set.

    Example: graphmemix config --profile paper
    """
    values = settings_from(profile, override, file).flat()
    if as_json:
        say(json.dumps(values, indent=2, default=str))  # a secret shows as asterisks
        return
    say("\n".join(_as_toml(values)))


def _as_toml(values: Mapping[str, object]) -> Iterator[str]:
    """Yield the lines of a file for `--file`, with a comment above each setting."""
    section = ""
    for key, field in describe_settings():
        head, _, name = key.rpartition(".")
        if head != section:
            section = head
            yield f"\n[{section}]"
        notes = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        facts = ", ".join(str(note) for note in notes.values())
        yield f"# {field.description}" + (f" ({facts})" if facts else "")
        if values[key] is None or isinstance(values[key], SecretStr):
            yield f"# {name} = "  # TOML has no null, and a secret is not shown
        else:
            yield f"{name} = {json.dumps(values[key])}"
