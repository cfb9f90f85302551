"""What is in an archive, scanned plainly: what every search has to find."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from graphmemix.memory import ViewKind
from graphmemix.store import Hit, unit_vectors
from tests.store.contents import Floats


@dataclass
class Truth:
    """What is in an archive, for a plain float32 scan."""

    owners: list[str] = field(default_factory=list)
    kinds: list[ViewKind] = field(default_factory=list)
    ordinals: list[int] = field(default_factory=list)
    rows: list[Floats] = field(default_factory=list)

    def search(
        self,
        query: Floats,
        limit: int,
        *,
        kinds: tuple[ViewKind, ...] | None = None,
        allowed: set[str] | None = None,
    ) -> list[Hit]:
        if not self.rows:
            return []
        scores = unit_vectors.scores(np.stack(self.rows), query).tolist()
        best: dict[str, Hit] = {}
        for score, owner, kind, ordinal in zip(
            scores, self.owners, self.kinds, self.ordinals, strict=True
        ):
            if (kinds is not None and kind not in kinds) or owner not in (allowed or {owner}):
                continue
            held = best.get(owner)
            if held is None or (score, -ordinal) > (held.score, -held.view_ordinal):
                best[owner] = Hit(owner, score, kind, ordinal)
        return sorted(best.values(), key=lambda hit: (-hit.score, hit.memory_id))[:limit]
