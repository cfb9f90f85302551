"""Every setting: default, unit, meaning, source, what profile `paper` has instead."""

from __future__ import annotations

import json
import re
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final

from generator.markdown import cell, code, table
from graphmemix.settings import Settings, describe_settings

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

_HEAD: Final = ("setting", "default", "meaning (unit; source)")
_METHOD: Final = re.compile(r"METHOD (\d)")  # the page of the method has that section
_PAGE: Final = Path(__file__).parents[1] / "method.md"


def told() -> str:
    """Return one table a section, in the order of a settings file."""
    parts = []
    for section, fields in groupby(
        describe_settings(), key=lambda pair: pair[0].rpartition(".")[0]
    ):
        parts.append(f"## {section or 'profile'}\n\n" + table(_HEAD, map(_row, fields)))
    return "\n".join(parts)


def _row(pair: tuple[str, FieldInfo]) -> tuple[str, ...]:
    key, field = pair
    ours, published = (Settings.for_profile(name).flat()[key] for name in ("default", "paper"))
    default = code(_value(ours))
    if ours != published and key != "profile":
        default += f"; in `paper` {code(_value(published))}"
    notes = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    source = _METHOD.sub(_link, str(notes.get("source", "")))
    facts = "; ".join(filter(None, [cell(str(notes.get("unit", ""))), source]))
    shown = code(key).replace(".", ".<wbr>")  # where a narrow screen may break it
    meaning = cell(field.description or "")
    return (
        f'<span id="{key}"></span>{shown}',
        default,
        f"{meaning} *({facts})*" if facts else meaning,
    )


def _link(source: re.Match[str]) -> str:
    return f"[{source[0]}](../method.md#{_sections()[source[1]]})"


@cache
def _sections() -> dict[str, str]:
    """Return the anchors of the method's sections by number."""
    heads = re.findall(r"^## ((\d)\. .*)$", _PAGE.read_text("utf-8"), re.MULTILINE)
    return {number: re.sub(r"\W+", "-", head.lower()) for head, number in heads}


def _value(value: object) -> str:
    """Return a value as a settings file has it."""
    if value is None:
        return "none"
    return json.dumps(value, default=str, ensure_ascii=False)
