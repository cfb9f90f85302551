"""Benchmark data sets, read from their public file layouts."""

from graphmemix.bench.datasets.base import Choice, Context, GoldQuestion, MediaFile
from graphmemix.bench.datasets.catalogue import CATALOGUE, Dataset, dataset_of
from graphmemix.bench.datasets.counts import CountCheck, check, count

__all__ = [
    "CATALOGUE",
    "Choice",
    "Context",
    "CountCheck",
    "Dataset",
    "GoldQuestion",
    "MediaFile",
    "check",
    "count",
    "dataset_of",
]
