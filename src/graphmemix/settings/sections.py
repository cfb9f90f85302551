"""What a section of the settings is made of: constants with default, limits, unit and source.

``METHOD n`` is a section of the specification, "(reading)" our reading where the publication is
silent, "(ours)" our addition.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A frozen group of settings that refuses what it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def constant(default: object, says: str, *, unit: str, source: str, **limits: float) -> Any:
    """Declare a setting with what it says, its unit and its source."""
    extra = {"unit": unit, "source": source}
    return Field(default=default, description=says, json_schema_extra=extra, **limits)  # type: ignore[call-overload]


def switch(says: str, *, on: bool, source: str) -> Any:
    """Declare a setting that is on or off."""
    return constant(on, says, unit="yes/no", source=source)
