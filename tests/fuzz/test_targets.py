"""Every target with what once broke it, and with a few damaged inputs."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from tests.fuzz import http, importers, readers, replies
from tests.fuzz.__main__ import NAMES
from tests.fuzz.target import Target, inputs

FOUND = Path(__file__).parent / "found"
TARGETS = {
    target.name: target
    for module in (importers, replies, readers, http)
    for target in module.TARGETS
}
FEW = {"importers": 4, "http": 10, "replies": 10, "readers": 4}  # beside the good inputs


def test_the_driver_knows_every_target() -> None:
    by_group = {group: set(names) for group, names in NAMES.items()}
    for target in TARGETS.values():
        assert target.name in by_group[target.group]
    assert sum(map(len, NAMES.values())) == len(TARGETS)
    assert {folder.name for folder in FOUND.iterdir()} <= set(TARGETS)


@pytest.mark.filterwarnings("ignore")  # formats may warn; what matters raises
@pytest.mark.parametrize("target", TARGETS.values(), ids=lambda target: target.name)
def test_no_input_breaks_it(target: Target, tmp_path: Path) -> None:
    with target.open(tmp_path) as prey:
        for path in sorted((FOUND / target.name).glob("*")):
            prey.run(path.read_bytes())
        for data in islice(inputs(prey.seeds, seed=1), len(prey.seeds) + FEW[target.group]):
            prey.run(data)
