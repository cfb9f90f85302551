from __future__ import annotations

import asyncio

from graphmemix.llm import Backoff, Pace, run_sync
from graphmemix.llm.pace import Place


def starts(pace: Pace, *asked: tuple[float, int]) -> list[float]:
    """When requests may start that ask at these moments, for so many tokens, in seconds."""
    found = []
    for now, tokens in asked:
        place = Place(pace._earliest(now, tokens), tokens)
        pace._places.append(place)
        found.append(place.at)
    return found


def test_every_minute_has_at_most_so_many_requests() -> None:
    asked = [(100.0, 1)] * 7
    assert starts(Pace(requests=3), *asked) == [100, 100, 100, 160, 160, 160, 220]
    assert starts(Pace(requests=2), (100, 1), (130, 1), (140, 1), (150, 1)) == [100, 130, 160, 190]
    assert starts(Pace(requests=1), (100, 1), (170, 1)) == [100, 170]


def test_every_minute_has_at_most_so_many_tokens() -> None:
    pace = Pace(tokens=100)
    assert starts(pace, (100, 60), (110, 30), (110, 60), (120, 10)) == [100, 110, 160, 160]
    # Above the limit: alone, since it would wait for ever otherwise; and all others behind it.
    assert starts(Pace(tokens=100), (100, 5), (100, 500), (100, 5)) == [100, 160, 220]


def test_tokens_that_were_not_used_make_room() -> None:
    pace = Pace(tokens=100)
    starts(pace, (100, 90))
    pace._places[0].tokens = 20
    assert starts(pace, (101, 80)) == [101]


def test_requests_really_wait() -> None:
    pace = Pace(requests=2, window=0.1)

    async def all_of_them() -> list[float]:
        async def one() -> float:
            await pace.turn(1)
            return asyncio.get_running_loop().time()

        return sorted(await asyncio.gather(*(one() for _ in range(5))))

    found = run_sync(all_of_them())
    assert found[2] - found[0] > 0.09
    assert found[4] - found[2] > 0.09


def test_pauses_double_up_to_the_longest_and_up_to_half_is_random() -> None:
    backoff = Backoff(first=1.0, longest=5.0)
    for tries, longest in ((1, 1.0), (2, 2.0), (3, 4.0), (4, 5.0), (50, 5.0)):
        pauses = [backoff.pause(tries) for _ in range(50)]
        assert all(longest / 2 <= pause <= longest for pause in pauses)
        assert len(set(pauses)) > 1
