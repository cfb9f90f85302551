"""What search by vectors and search by words are each worth: candidates without one of them.

    python benchmarks/searches.py --data bundle=FOLDER --data locomo=FOLDER [--encoder SPEC]

For each data set and each of its contexts, the share of the gold evidence among all candidates (the
pool) and among the ten with the highest retrieval score: with both searches, without BM25, and
without vectors. What a question names, days, numbers and edges stay. No verifier takes part, so
nothing here is fitted. Vectors of texts are kept in the cache. Two runs, with
``multilingual`` and ``multilingual:float32`` as encoders, say what 8 bits cost.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from graphmemix import Archive
from graphmemix.encode import encoder_of
from graphmemix_bench.datasets.catalogue import CATALOGUE
from graphmemix_bench.paths import default_cache
from graphmemix_bench.vector_cache import RememberingEncoder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graphmemix.encode.protocol import Encoder
    from graphmemix_bench.datasets.base import Context, GoldQuestion

WITHOUT = {
    "both": (),
    "without BM25": ("search_text", "score_text"),
    "without vectors": ("search_vectors", "score_vectors"),
}
TOP = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", action="append", required=True, help="NAME=FOLDER")
    parser.add_argument("--encoder", default="multilingual", help="default: %(default)s")
    parser.add_argument("--cache", type=Path, default=default_cache())
    options = parser.parse_args()
    encoder = RememberingEncoder(encoder_of(options.encoder), options.cache)
    for named in options.data:
        name, _, folder = named.partition("=")
        found: dict[str, list[tuple[float, float]]] = defaultdict(list)
        for context in CATALOGUE[name].load(Path(folder)):
            of_context = dict(_shares(context, encoder))
            _print(f"  {context.name}", of_context)
            for way, shares in of_context.items():
                found[way] += shares
        _print(name, found)


def _print(name: str, found: Mapping[str, Sequence[tuple[float, float]]]) -> None:
    """Print means over questions: the pool and the first ten, for each way."""
    cells = []
    for way, shares in found.items():
        if shares:
            pool, top = (100 * fmean(share) for share in zip(*shares, strict=True))
            cells.append(f"{way} {pool:5.1f} / {top:4.1f}")
    print(f"{name[:24]:24} {'   '.join(cells)}", flush=True)


def _shares(context: Context, encoder: Encoder) -> Iterator[tuple[str, list[tuple[float, float]]]]:
    with tempfile.TemporaryDirectory(prefix="graphmemix-searches-") as folder:
        with Archive.open(Path(folder) / "archive", encoder=encoder) as archive:
            archive.add(context.memories)
        for way, methods in WITHOUT.items():
            with Archive.open(Path(folder) / "archive", encoder=encoder) as archive:
                for method in methods:
                    nothing: object = [] if method.startswith("search") else {}
                    setattr(archive.store, method, lambda *_, found=nothing, **__: found)
                yield way, [_share(archive, q) for q in context.questions if q.gold]


def _share(archive: Archive, asked: GoldQuestion) -> tuple[float, float]:
    candidates = archive.candidates(asked.question).candidates
    gold = asked.gold
    best = sorted(candidates, key=lambda each: -each.score)[:TOP]
    every, first = ({each.memory_id for each in some} for some in (candidates, best))
    return len(gold & every) / len(gold), len(gold & first) / len(gold)


if __name__ == "__main__":
    main()
