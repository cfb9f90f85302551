"""What a target of fuzzing is, and how inputs are made where no coverage guides them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from tests.ingest.blind.mutations import damaged

Group: TypeAlias = Literal["importers", "http", "replies", "readers"]


@dataclass(frozen=True)
class Prey:
    """A target that is ready.

    Attributes:
        seeds: Good inputs to begin with.
        run: Reads an input. Raises only if something is broken: what the code under test may
            raise is caught inside.
    """

    seeds: Sequence[bytes]
    run: Callable[[bytes], None]


@dataclass(frozen=True)
class Target:
    """Something that reads foreign bytes.

    Attributes:
        name: For ``--only``.
        group: What it belongs to, also for ``--only``.
        open: Gets it ready, in a folder of its own.
    """

    name: str
    group: Group
    open: Callable[[Path], AbstractContextManager[Prey]]


def inputs(seeds: Sequence[bytes], seed: int) -> Iterator[bytes]:
    """Yield the seeds, then damaged ones, for ever."""
    chance = random.Random(seed)
    yield from seeds
    while True:
        data = chance.choice(seeds)
        for _ in range(chance.choice((1, 1, 2))):
            data = damaged(data, chance)
        yield data
