from __future__ import annotations

import asyncio
import time

from graphmemix.models import Backoff, Pace, run_sync


def starts(pace: Pace, tokens: list[int]) -> list[float]:
    """When requests may start, in seconds, if all are there at once."""
    now = time.monotonic()

    async def all_of_them() -> list[float]:
        return [place.at - now for place in await asyncio.gather(*map(pace.turn, tokens))]

    return run_sync(all_of_them())


def test_every_window_has_at_most_so_many_requests() -> None:
    found = sorted(starts(Pace(requests=3, window=0.2), [1] * 8))
    assert all(later - earlier >= 0.2 for earlier, later in zip(found, found[3:], strict=False))
    assert found[2] < 0.2
    assert found[7] < 0.5


def test_every_window_has_at_most_so_many_tokens() -> None:
    found = starts(Pace(tokens=100, window=0.2), [60, 30, 60, 500, 1])
    assert found[1] < 0.2 <= found[2]
    assert found[3] >= found[2] + 0.2  # above the limit: alone
    assert found[4] >= found[3] + 0.2


def test_pauses_double_up_to_the_longest_and_up_to_half_is_random() -> None:
    backoff = Backoff(first=1.0, longest=5.0)
    for tries, longest in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (50, 5.0)):
        pauses = [backoff.pause(tries) for _ in range(50)]
        assert all(longest / 2 <= pause <= longest for pause in pauses)
        assert len(set(pauses)) > 1
