"""All data sets that ``graphmemix bench`` knows by name."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from graphmemix.errors import InvalidInputError
from graphmemix_bench.datasets import (
    atm_bench,
    bundle,
    h2hmem,
    locomo,
    longmemeval,
    mem_gallery,
    memeye,
    sample,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from graphmemix_bench.datasets.base import Context

NativeMetric: TypeAlias = Literal[
    "exact_match",
    "mcq_exact_match",
    "lexical_recall",
    "qs",
    "release_exact_match",
    "release_choice_match",
    "release_recall",
    "release_list_overlap",
    "release_atm_match",
]


@dataclass(frozen=True)
class Dataset:
    """A data set by its name.

    Attributes:
        name: As the command calls it.
        title: As people call it.
        load: Yields its contexts from its folder; raises `InvalidInputError` if files are missing.
        layout: What the folder must hold, in words.
        folder: The data set's folder below ``GRAPHMEMIX_BENCH_DATA``.
        published: Its key in ``published.json``; empty if nothing was published.
        native: The data set's own answer metrics, the first one being reported.
    """

    name: str
    title: str
    load: Callable[[Path], Iterator[Context]]
    layout: str
    folder: str
    published: str = ""
    native: tuple[NativeMetric, ...] = ("exact_match",)


CATALOGUE: Final[Mapping[str, Dataset]] = {
    each.name: each
    for each in (
        Dataset(
            "atm-bench",
            "ATM-Bench",
            atm_bench.load,
            atm_bench.LAYOUT,
            "atm-bench",
            "atm",
            ("exact_match", "qs", "release_list_overlap", "release_atm_match"),
        ),
        Dataset(
            "atm-bench-hard",
            "ATM-Bench, hard questions",
            atm_bench.load_hard,
            atm_bench.LAYOUT,
            "atm-bench",
            native=("exact_match", "qs", "release_list_overlap", "release_atm_match"),
        ),
        Dataset(
            "atm-bench-niah",
            "ATM-Bench, NIAH pools",
            atm_bench.load_niah,
            atm_bench.LAYOUT,
            "atm-bench",
            native=("exact_match", "qs", "release_list_overlap", "release_atm_match"),
        ),
        Dataset("bundle", "a canonical bundle", bundle.load, bundle.LAYOUT, "bundle"),
        Dataset(
            "h2hmem",
            "H2HMem",
            h2hmem.load,
            h2hmem.LAYOUT,
            "h2hmem",
            "h2hmem",
            ("lexical_recall", "release_recall"),
        ),
        Dataset(
            "h2hmem-all",
            "H2HMem, with questions that do not resolve",
            h2hmem.load_all,
            h2hmem.LAYOUT,
            "h2hmem",
            native=("lexical_recall", "release_recall"),
        ),
        Dataset(
            "households",
            "seven invented households",
            bundle.load,
            bundle.LAYOUT,
            "households",
        ),
        Dataset("locomo", "LoCoMo", locomo.load, locomo.LAYOUT, "locomo", "locomo"),
        *(
            Dataset(
                f"longmemeval-{part}",
                f"LongMemEval, {part}",
                partial(longmemeval.load, part=part),
                longmemeval.LAYOUT,
                "longmemeval",
            )
            for part in longmemeval.PARTS
        ),
        Dataset(
            "mem-gallery",
            "Mem-Gallery",
            mem_gallery.load,
            mem_gallery.LAYOUT,
            "mem-gallery",
            "mem_gallery",
            ("exact_match", "release_exact_match"),
        ),
        Dataset(
            "memeye",
            "MemEye",
            memeye.load,
            memeye.LAYOUT,
            "memeye",
            "memeye",
            ("mcq_exact_match", "exact_match", "release_choice_match", "release_exact_match"),
        ),
        Dataset(
            "memeye-mcq",
            "MemEye, multiple choice",
            memeye.load_mcq,
            memeye.LAYOUT,
            "memeye",
            native=("mcq_exact_match", "release_choice_match"),
        ),
        Dataset(
            "memeye-open",
            "MemEye, open answers",
            memeye.load_open,
            memeye.LAYOUT,
            "memeye",
            native=("exact_match", "release_exact_match"),
        ),
        Dataset("sample", "the sample archive", sample.load, sample.LAYOUT, "sample"),
    )
}


def dataset_of(name: str) -> Dataset:
    """Return the data set of a name, or raise `InvalidInputError`."""
    if name not in CATALOGUE:
        raise InvalidInputError(f"dataset must be one of {', '.join(CATALOGUE)}, not {name!r}")
    return CATALOGUE[name]
