"""Packages import downwards only; imports in functions and for type checkers count."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))  # tools/ is no part of the package

from tools import layers


def test_no_package_imports_one_beside_or_above_it() -> None:
    assert layers.violations() == []


def test_the_rule_would_see_a_wrong_import(monkeypatch: pytest.MonkeyPatch) -> None:
    upside_down = tuple(reversed(layers.LAYERS))
    monkeypatch.setattr(layers, "LAYERS", upside_down)
    assert any("archive imports" in each for each in layers.violations())


def test_the_drawing_in_the_docs_is_the_one_of_the_code() -> None:
    assert layers.DRAWING.read_text("utf-8") == layers.draw(), "run python tools/layers.py"
