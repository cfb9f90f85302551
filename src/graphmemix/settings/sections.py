"""Building blocks of a settings section: constants with default, limits, unit and source.

``METHOD n`` is a section of the specification, "(reading)" our reading where the publication is
silent, "(ours)" our addition.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Section(BaseModel):
    """A frozen group of settings; unknown keys are rejected."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


def constant(default: object, description: str, *, unit: str, source: str, **limits: float) -> Any:
    """Declare a setting with its description, unit and source."""
    extra = {"unit": unit, "source": source}
    return Field(default=default, description=description, json_schema_extra=extra, **limits)  # type: ignore[call-overload]


def switch(description: str, *, on: bool, source: str) -> Any:
    """Declare a setting that is on or off."""
    return constant(on, description, unit="yes/no", source=source)
