"""Benchmark data sets, read from their public file layouts."""

from graphmemix_bench.datasets.base import Choice, Context, GoldQuestion, MediaFile
from graphmemix_bench.datasets.catalogue import CATALOGUE, Dataset, dataset_of
from graphmemix_bench.datasets.counts import CountCheck, check, count

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
