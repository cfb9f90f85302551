"""What several commands have in common."""

from __future__ import annotations

from pathlib import Path

from graphmemix.errors import SettingsError
from graphmemix.settings import Settings


def settings_from(
    profile: str | None, overrides: list[str] | None, file: Path | None = None
) -> Settings:
    """Return the settings of all layers, with a command's own on top."""
    values: dict[str, object] = dict(_parsed(pair) for pair in overrides or [])
    if profile is not None:
        values["profile"] = profile
    return Settings.load(file=file, overrides=values)


def _parsed(pair: str) -> tuple[str, str]:
    key, equals, value = pair.partition("=")
    if not equals:
        raise SettingsError(pair, "write --set KEY=VALUE")
    return key.strip(), value.strip()
