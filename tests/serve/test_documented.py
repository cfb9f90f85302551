from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "server.md"


def test_every_code_of_an_error_is_in_the_documents() -> None:
    text = PAGE.read_text("utf-8")
    source = Path(__file__).parents[2] / "src" / "graphmemix" / "serve"
    found = set()
    for file in source.rglob("*.py"):
        code = file.read_text("utf-8")
        found |= set(re.findall(r'Problem(?:Error)?\(\s*\d{3}, "(\w+)"', code))
    found |= set(re.findall(r'Error, \d{3}, "(\w+)"', (source / "problems.py").read_text("utf-8")))
    assert len(found) > 25
    assert {code for code in found if f"`{code}`" not in text} == set()
