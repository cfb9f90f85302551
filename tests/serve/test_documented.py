from __future__ import annotations

import re
from pathlib import Path

from tests.serve.servers import Live

PAGE = Path(__file__).parents[2] / "docs" / "server.md"


def test_every_route_is_in_the_documents(live: Live) -> None:
    text = PAGE.read_text("utf-8")
    for route in live.app.routes:
        path = getattr(route, "path", "")
        if not path.startswith("/v1") or path == "/v1/openapi.json":
            continue
        short = re.sub(r"^/v1/archives/\{archive\}", "A", path)
        short = re.sub(r"\{(memory_id:path|trace_id)\}", "{id}", short)
        for method in route.methods - {"HEAD"}:
            assert f"`{method} {short}`" in text, f"{method} {path}"


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
