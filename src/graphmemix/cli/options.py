"""The arguments and options that several commands have, and the settings that they make."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from graphmemix.errors import SettingsError
from graphmemix.settings import Settings

ArchiveArgument: TypeAlias = Annotated[
    str, typer.Argument(help="A folder, or postgresql://…/database#NAME.", show_default=False)
]
EncoderOption: TypeAlias = Annotated[
    str | None, typer.Option(help="Such as clip:FOLDER; by default that of the settings.")
]
ProfileOption: TypeAlias = Annotated[
    str | None, typer.Option(help="default, or paper for the published method.")
]
SetOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", help="KEY=VALUE, such as forest.budget=8; `config` lists all."),
]
JsonOption: TypeAlias = Annotated[bool, typer.Option("--json", help="For machines.")]
CacheOption: TypeAlias = Annotated[
    Path | None, typer.Option(help="Where vectors are kept between runs.")
]


def settings_from(
    profile: str | None, overrides: list[str] | None, file: Path | None = None
) -> Settings:
    """Return the settings of all layers, with a command's own on top.

    Raises:
        SettingsError: Names the key, or the pair that is none.
    """
    values: dict[str, object] = pairs_of(overrides)
    if profile is not None:
        values["profile"] = profile
    return Settings.load(file=file, overrides=values)


def pairs_of(overrides: list[str] | None) -> dict[str, object]:
    """Return what ``--set KEY=VALUE`` says, by key.

    Raises:
        SettingsError: There is no ``=``.
    """
    pairs: dict[str, object] = {}
    for text in overrides or []:
        key, equals, value = text.partition("=")
        if not equals:
            raise SettingsError(text, "write KEY=VALUE")
        pairs[key.strip()] = value.strip()
    return pairs
