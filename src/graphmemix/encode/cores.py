"""How many cores an encoder may use."""

from __future__ import annotations

import os


def cores() -> int:
    """Return ``OMP_NUM_THREADS`` if it is set, else how many cores this process may run on.

    Batch systems and Ray set that variable for each of several workers on one machine.
    """
    told = os.environ.get("OMP_NUM_THREADS", "")
    if told.isascii() and told.isdigit() and int(told):
        return int(told)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
