"""Other memory systems, bounds and cheap baselines, measured beside ours on the same terms."""

from graphmemix_bench.baselines.protocol import (
    Baseline,
    BaselineHead,
    Built,
    Found,
    Journal,
    Made,
    MemoryJournal,
)

__all__ = [
    "Baseline",
    "BaselineHead",
    "Built",
    "Found",
    "Journal",
    "Made",
    "MemoryJournal",
]
