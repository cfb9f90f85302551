from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.commands import run


@pytest.mark.parametrize(
    ("options", "on_terminal", "for_people"),
    [
        ((), "1", True),
        ((), "0", False),
        (("--log", "json"), "1", False),
        (("--log", "people"), "0", True),
    ],
)
def test_the_log_is_for_people_on_a_terminal_and_json_elsewhere(
    options: tuple[str, ...],
    on_terminal: str,
    *,
    for_people: bool,
    family: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    served: dict[str, Any] = {}
    monkeypatch.setattr("graphmemix.serve.run.serve", lambda *_, **named: served.update(named))
    monkeypatch.setenv("TTY_COMPATIBLE", on_terminal)
    assert run("serve", family, *options).code == 0
    assert served["log_for_people"] is for_people
