from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from graphmemix.llm import Backoff, Pace
from graphmemix.llm.pace import PacedRequest


def starts(limits: Pace, *asked: tuple[float, int]) -> list[float]:
    """When requests may start that ask at these moments, for so many tokens, in seconds."""
    found = []
    for now, tokens in asked:
        request = PacedRequest(limits._earliest(now, tokens), tokens)
        limits._paced.append(request)
        found.append(request.at)
    return found


def test_every_minute_has_at_most_so_many_requests() -> None:
    asked = [(100.0, 1)] * 7
    assert starts(Pace(requests=3), *asked) == [100, 100, 100, 160, 160, 160, 220]
    assert starts(Pace(requests=2), (100, 1), (130, 1), (140, 1), (150, 1)) == [100, 130, 160, 190]
    assert starts(Pace(requests=1), (100, 1), (170, 1)) == [100, 170]


def test_every_minute_has_at_most_so_many_tokens() -> None:
    limits = Pace(tokens=100)
    assert starts(limits, (100, 60), (110, 30), (110, 60), (120, 10)) == [100, 110, 160, 160]
    # Above the limit: alone, since it would wait for ever otherwise; and all others behind it.
    assert starts(Pace(tokens=100), (100, 5), (100, 500), (100, 5)) == [100, 160, 220]


def test_tokens_that_were_not_used_make_room() -> None:
    limits = Pace(tokens=100)
    starts(limits, (100, 90))
    limits._paced[0].tokens = 20
    assert starts(limits, (101, 80)) == [101]


def test_requests_wait_for_their_place(monkeypatch: pytest.MonkeyPatch) -> None:
    now, waited = 100.0, []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("graphmemix.llm.pace.time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr("graphmemix.llm.pace.asyncio", SimpleNamespace(sleep=sleep))
    limited = Pace(requests=2, window=60.0)

    async def all_of_them() -> None:
        for _ in range(5):
            await limited.turn(1)

    asyncio.run(all_of_them())
    assert waited == [0.0, 0.0, 60.0, 60.0, 120.0]


def test_pauses_double_up_to_the_longest_and_up_to_half_is_random() -> None:
    backoff = Backoff(first=1.0, longest=5.0)
    for tries, longest in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (50, 5.0)):
        pauses = [backoff.pause(tries) for _ in range(50)]
        assert all(longest / 2 <= pause <= longest for pause in pauses)
        assert len(set(pauses)) > 1
