"""Where benchmark data and caches lie."""

from __future__ import annotations

import os
from pathlib import Path

from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets.catalogue import dataset_of


def data_folder(dataset: str, given: Path | None) -> Path:
    """Return the folder of a data set: the one given, or below ``GRAPHMEMIX_BENCH_DATA``.

    Raises:
        InvalidInputError: Neither is there, or there is no such data set.
    """
    known = dataset_of(dataset)
    if given is not None:
        return given
    named = os.environ.get("GRAPHMEMIX_BENCH_DATA")
    if not named:
        raise InvalidInputError("say where the data lie: --data DIR, or GRAPHMEMIX_BENCH_DATA")
    return Path(named) / known.folder


def default_cache() -> Path:
    """Return where vectors are kept between runs, in the user's cache."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "graphmemix" / "bench"
