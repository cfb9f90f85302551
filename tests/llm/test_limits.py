from __future__ import annotations

import asyncio
import pickle
import threading
import time

import pytest

from graphmemix.errors import InvalidInputError, LimitReachedError
from graphmemix.llm import Budget, Message, Meter, Reply, ScriptedChat, Usage, run_sync
from graphmemix.llm.limits import admit, keep_limits
from graphmemix.settings import LimitSettings

HELLO = [Message.user("x" * 40)]  # ten tokens


def limit_of(budget: Budget, chat: ScriptedChat) -> str:
    with budget, pytest.raises(LimitReachedError) as caught:
        run_sync(chat.complete(HELLO))
    assert str(caught.value).startswith(caught.value.limit)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    return caught.value.limit


def test_each_limit_refuses_a_call_by_its_name_and_nothing_is_asked() -> None:
    chat = ScriptedChat(["never"])
    cancelled = Budget()
    cancelled.cancel()
    assert limit_of(Budget(seconds=0), chat) == "deadline"
    assert limit_of(Budget(tokens=9), chat) == "tokens"
    assert limit_of(Budget(money=0), chat) == "money"
    assert limit_of(cancelled, chat) == "cancelled"
    assert not chat.calls


def test_what_is_paid_for_is_returned_and_the_next_call_refused() -> None:
    chat = ScriptedChat([Reply("dear", usage=Usage(1, 10, 90, 2.5)), "never"])
    with Budget(tokens=50, money=1) as budget:
        assert run_sync(chat.complete(HELLO)).text == "dear"
        assert budget.usage == Usage(1, 10, 90, 2.5)
        with pytest.raises(LimitReachedError):
            run_sync(chat.complete(HELLO))


def test_outside_of_a_budget_nothing_is_limited_and_inner_ones_do_not_hide_outer_ones() -> None:
    chat = ScriptedChat(lambda messages, options: "ok")
    with Budget(tokens=15) as outer, Budget(tokens=1000) as inner:
        run_sync(chat.complete(HELLO))
        with pytest.raises(LimitReachedError, match="of 15 are used"):
            run_sync(chat.complete(HELLO))
    run_sync(chat.complete(HELLO))
    assert outer.usage == inner.usage == Usage(1, 10, 1)


def test_calls_at_the_same_time_keep_the_cap_together() -> None:
    met = asyncio.Event()

    async def call() -> None:
        with admit(60):
            await met.wait()

    async def both() -> list[BaseException | None]:
        tasks = [asyncio.create_task(call()) for _ in range(2)]
        await asyncio.sleep(0)
        met.set()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        with admit(60):  # what was set aside is given back
            return results

    with Budget(tokens=100):
        first, second = run_sync(both())
    assert first is None
    assert isinstance(second, LimitReachedError)


def test_a_deadline_ends_what_is_awaited() -> None:
    async def wait() -> None:
        async with keep_limits():
            await asyncio.sleep(30)

    with Budget(seconds=0.05), pytest.raises(LimitReachedError, match="deadline"):
        run_sync(wait())


def test_another_thread_may_cancel_what_is_awaited() -> None:
    started = threading.Event()
    budget = Budget(seconds=30)

    async def wait() -> None:
        async with keep_limits():
            started.set()
            await asyncio.sleep(30)

    def cancel() -> None:
        started.wait()
        budget.cancel()

    thread = threading.Thread(target=cancel)
    thread.start()
    with budget, pytest.raises(LimitReachedError) as caught:
        run_sync(wait())
    thread.join()
    assert caught.value.limit == "cancelled"
    assert budget.cancelled
    budget.cancel()  # again, when nothing is under way


def test_a_timeout_of_someone_else_stays_what_it_is() -> None:
    async def wait() -> None:
        async with keep_limits():
            raise TimeoutError("not ours")

    with Budget(seconds=30), pytest.raises(TimeoutError, match="not ours"):
        run_sync(wait())


def test_time_runs_from_the_beginning() -> None:
    budget = Budget(seconds=30)
    time.sleep(0.01)
    assert budget.remaining_seconds is not None
    assert budget.remaining_seconds < 30
    assert Budget().remaining_seconds is None


def test_a_meter_counts_what_tasks_inside_it_take() -> None:
    chat = ScriptedChat(lambda messages, options: "okay")

    async def both() -> tuple[Usage, Usage]:
        with Meter() as whole:
            await asyncio.gather(one(), chat.complete(HELLO))
        return whole.usage, Usage()

    async def one() -> None:
        with Meter() as own:
            await chat.complete(HELLO)
        assert own.usage == Usage(1, 10, 1)

    assert run_sync(both())[0] == Usage(2, 20, 2)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="tokens"):
        Budget(tokens=-1)


def test_settings_name_the_limits() -> None:
    budget = Budget.from_settings(LimitSettings(seconds=5, tokens=7))
    assert repr(budget).startswith("Budget(seconds=5.0, tokens=7, money=None")
