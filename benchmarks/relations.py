"""What the relations that are worked out for a question cost, beside the lists of neighbours.

    python -m benchmarks.relations [--size 100000] [--sample 2000]

`within`, `episode`, `same_identifier` and `same_picture` are not stored: they follow from keys, and
each question works out those of its best hits. So nothing is rebuilt; the command works out the
links of some memories of an archive, evenly taken, as many at a time as a question does, and scales
that to all of them. Beside it stands what a rebuild of the neighbours of all memories takes, in the
same process. The archive is that of `versions.py`. Seconds of processor time.

Goal: the links of all memories within the time of their neighbours.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import versions

if TYPE_CHECKING:
    from graphmemix import Archive


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--sample", type=int, default=2_000)
    parser.add_argument("--archive", type=Path, help="use this archive instead of a new one")
    options = parser.parse_args()
    from graphmemix import Archive

    with tempfile.TemporaryDirectory(prefix="graphmemix-relations-") as name:
        folder = options.archive or Path(name) / "archive"
        if not folder.exists():
            versions.make(folder, options.size, "hashing", with_neighbours=False)
        with Archive.open(folder, encoder="hashing") as archive:
            _links(archive, options.sample)
            _neighbours(archive)


def _links(archive: Archive, sample: int) -> None:
    from graphmemix.retrieve.reach import Reach

    settings = archive.settings.graph.reach
    ids = [memory.id for memory in archive.store.find()]
    chosen = ids[:: max(1, len(ids) // sample)]
    found: Counter[str] = Counter()
    start = time.process_time()
    for first in range(0, len(chosen), settings.stating_hits):
        hits = chosen[first : first + settings.stating_hits]
        found.update(link.relation for link in Reach(archive.store, settings, None).around(hits))
    seconds = time.process_time() - start
    each = seconds / len(chosen)
    print(f"links of {len(chosen):,} memories: {seconds:.1f} s, {1e3 * each:.2f} ms each; {found}")
    print(f"links of all {len(ids):,} memories, scaled: {each * len(ids):.0f} s")


def _neighbours(archive: Archive) -> None:
    from graphmemix.relate.neighbours import NeighbourLists

    vectors = dict(archive.store.graph_vectors())
    lists = NeighbourLists(archive.encoder.dimension, used=archive.settings.graph.neighbours)
    start = time.process_time()
    lists.rebuild(vectors)
    print(f"neighbours of {len(vectors):,} memories: {time.process_time() - start:.0f} s")


if __name__ == "__main__":
    main()
