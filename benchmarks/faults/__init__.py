"""The whole product under faults: ``python -m benchmarks.faults --help``."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from benchmarks.faults.access import read_only, vanishing
from benchmarks.faults.clock import jumping_clock
from benchmarks.faults.damage import damaged_caches, damaged_state
from benchmarks.faults.disk import full_disk, full_erase, full_server
from benchmarks.faults.endpoint import failing_encoder, failing_model
from benchmarks.faults.kill import kill_bench, kill_commands, kill_server
from benchmarks.faults.points import kill_points
from benchmarks.faults.postgres import restarting_postgres
from benchmarks.faults.report import Report
from benchmarks.faults.world import World, new_world
from benchmarks.faults.writers import two_writers

__all__ = ["FAULTS", "Report", "World", "new_world"]

Fault: TypeAlias = Callable[[World, int, random.Random], Report]

FAULTS: Final[Mapping[str, Fault]] = {
    "kill": kill_commands,
    "points": kill_points,
    "kill-bench": kill_bench,
    "kill-server": kill_server,
    "full": full_disk,
    "full-erase": full_erase,
    "full-server": full_server,
    "read-only": read_only,
    "vanishing": vanishing,
    "clock": jumping_clock,
    "model": failing_model,
    "encoder": failing_encoder,
    "postgres": restarting_postgres,
    "caches": damaged_caches,
    "state": damaged_state,
    "writers": two_writers,
}
"""By the name for ``--only``: each takes the world, the number of rounds and what is random."""
