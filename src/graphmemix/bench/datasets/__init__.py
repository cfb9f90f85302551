"""Benchmark data sets, read from their public file layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.bench.datasets import locomo, mem_gallery
from graphmemix.bench.datasets.base import Context, GoldQuestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = ["Context", "DATASETS", "GoldQuestion"]

DATASETS: Final[Mapping[str, Callable[[Path], Iterator[Context]]]] = {
    "locomo": locomo.load,
    "mem-gallery": mem_gallery.load,
}
