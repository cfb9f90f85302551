"""Which candidates are close to each other: exchanges, sessions, links."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from graphmemix.verify.protocol import Case

    Mask = NDArray[np.bool_]

_NEAR = 3  # positions in a session: the exchange before and the one after
_NOWHERE = -(10**9)
_FARTHEST = 10**15  # larger sequence numbers are ignored: their difference may overflow 64 bits


class Neighbourhood:
    """Square matrices over the candidates of a case, in retrieval order.

    Attributes:
        same_exchange: The same round of the same session; the diagonal too.
        in_exchange: Whether a candidate is part of a round.
        same_session: The same session; the diagonal too if there is one.
        near: Other exchanges within three positions in the session, or linked by the schema.
        likeness_links: Cosines of semantic links to other exchanges; 0 where there is none.
        after: Whether the row's candidate comes after the column's in the session of both.
    """

    def __init__(self, case: Case) -> None:
        memories = [case.memories[c.memory_id] for c in case.candidates]
        n = len(memories)
        sessions = _codes([m.session for m in memories])
        rounds = _codes(
            [
                None if m.session is None or m.round is None else (m.session, m.round)
                for m in memories
            ]
        )
        sequence = np.array(
            [
                _NOWHERE if m.sequence is None or abs(m.sequence) > _FARTHEST else m.sequence
                for m in memories
            ],
            dtype=np.int64,
        )
        self.same_exchange: Mask = _equal(rounds) | np.eye(n, dtype=bool)
        self.in_exchange: Mask = rounds >= 0
        self.same_session: Mask = _equal(sessions)
        distance = sequence[:, None] - sequence[None, :]
        known = sequence > _NOWHERE
        placed = self.same_session & known[:, None] & known[None, :]
        self.after: Mask = placed & (distance > 0)
        elsewhere = placed & ~self.same_exchange
        links, self.likeness_links = self._links(case, n)
        self.near: Mask = (elsewhere & (np.abs(distance) <= _NEAR)) | (links & ~self.same_exchange)

    def _links(self, case: Case, n: int) -> tuple[Mask, NDArray[np.float64]]:
        index = {c.memory_id: i for i, c in enumerate(case.candidates)}
        schema, semantic = np.zeros((n, n), dtype=bool), np.zeros((n, n))
        for edge in case.graph.edges:
            i, j = index[edge.source], index[edge.target]
            if edge.relation == "semantic":
                if not self.same_exchange[i, j]:
                    semantic[i, j] = semantic[j, i] = edge.confidence
            else:
                schema[i, j] = schema[j, i] = True
        return schema, semantic


def _codes(keys: list[object]) -> NDArray[np.int64]:
    """Return a number for each distinct key; -1 for None."""
    numbers: dict[object, int] = {}
    return np.array(
        [-1 if key is None else numbers.setdefault(key, len(numbers)) for key in keys],
        dtype=np.int64,
    )


def _equal(codes: NDArray[np.int64]) -> Mask:
    return np.asarray((codes[:, None] == codes[None, :]) & (codes >= 0)[:, None])
