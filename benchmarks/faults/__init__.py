"""The whole product under faults: ``python -m benchmarks.faults --help``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from benchmarks.faults.access import read_only, vanishing
from benchmarks.faults.disk import full_disk, full_server
from benchmarks.faults.kill import kill_bench, kill_commands, kill_server
from benchmarks.faults.report import Report
from benchmarks.faults.world import World, new_world

__all__ = ["FAULTS", "Report", "World", "new_world"]

Fault: TypeAlias = Callable[[World, int, random.Random], Report]

FAULTS: Final[Mapping[str, Fault]] = {
    "kill": kill_commands,
    "kill-bench": kill_bench,
    "kill-server": kill_server,
    "full": full_disk,
    "full-server": full_server,
    "read-only": read_only,
    "vanishing": vanishing,
}
"""By the name for ``--only``: each takes the world, the number of rounds and what is random."""
