"""Systems as their authors publish them: the packages themselves, on our encoder and model.

Each is an extra of its own, and lives in an environment of its own: what these packages require
does not belong beside everything else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix_bench.baselines.packages.lightrag import open_lightrag
from graphmemix_bench.baselines.packages.mem0 import open_mem0
from graphmemix_bench.baselines.packages.mempalace import open_mempalace

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from graphmemix_bench.baselines.catalogue import BaselineParts
    from graphmemix_bench.baselines.protocol import Baseline

__all__ = ["PACKAGES"]

PACKAGES: Final[Mapping[str, Callable[[BaselineParts], Baseline]]] = {
    "mempalace": open_mempalace,
    "mem0": open_mem0,
    "lightrag": open_lightrag,
}
"""Name to what opens it; raises `MissingExtraError` where the package is not installed."""
