"""The one vector by which a memory is compared with other memories (METHOD section 1, reading)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graphmemix.memory import ViewKind
    from graphmemix.store.protocol import Vector


def graph_vector(views: Sequence[tuple[ViewKind, Vector]]) -> Vector | None:
    """Return the vector of the first view; for a video, the normalised mean of its frames.

    Args:
        views: Kind and vector of each view that has one, in order.
    """
    if not views:
        return None
    if views[0][0] != "frame":
        return views[0][1]
    frames = [vector for kind, vector in views if kind == "frame"]
    mean = np.mean(frames, axis=0, dtype=np.float64)
    length = float(np.sqrt(np.square(mean).sum()))
    if length == 0.0:  # opposite frames cancel each other out
        return frames[0]
    return np.asarray(mean / length, dtype=np.float32)
