"""Benchmark data sets, read from their public file layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from graphmemix.bench.datasets.base import Choice, Context, GoldQuestion, MediaFile
from graphmemix.bench.datasets.catalogue import CATALOGUE, Dataset
from graphmemix.bench.datasets.counts import CountCheck, check, count

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

__all__ = [
    "CATALOGUE",
    "Choice",
    "Context",
    "CountCheck",
    "DATASETS",
    "Dataset",
    "GoldQuestion",
    "MediaFile",
    "check",
    "count",
]

DATASETS: Final[Mapping[str, Callable[[Path], Iterator[Context]]]] = {
    name: dataset.load for name, dataset in CATALOGUE.items()
}
