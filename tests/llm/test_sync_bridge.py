from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator

import pytest

from graphmemix.errors import InvalidInputError
from graphmemix.llm import Budget, iterate_sync, run_sync
from graphmemix.llm.limits import admit


async def double(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


async def count(upto: int, closed: list[bool]) -> AsyncIterator[int]:
    try:
        for number in range(upto):
            await asyncio.sleep(0)
            yield number
    finally:
        closed.append(True)


def test_a_coroutine_runs_to_its_end_from_any_thread() -> None:
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(run_sync(double(n)))) for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 2, 4, 6, 8, 10, 12, 14]


def test_it_works_inside_a_running_loop_too() -> None:
    async def notebook() -> int:
        return run_sync(double(4))

    assert asyncio.run(notebook()) == 8


def test_all_calls_share_one_loop() -> None:
    async def loop() -> int:
        return id(asyncio.get_running_loop())

    assert run_sync(loop()) == run_sync(loop())


def test_errors_come_back_as_they_are() -> None:
    async def fail() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError, match="x"):
        run_sync(fail())


def test_a_call_that_would_wait_for_itself_is_refused() -> None:
    async def nested() -> int:
        return run_sync(double(1))

    with pytest.raises(InvalidInputError, match="await"):
        run_sync(nested())


def test_an_async_iterator_is_iterated_and_closed_also_when_left_early() -> None:
    closed: list[bool] = []
    assert list(iterate_sync(count(3, closed))) == [0, 1, 2]
    for number in iterate_sync(count(10, closed)):
        if number == 1:
            break
    run_sync(double(1))
    assert closed == [True, True]


def test_ctrl_c_while_an_iterator_works_closes_it() -> None:
    closed: list[bool] = []

    async def working() -> AsyncIterator[int]:
        try:
            os.kill(os.getpid(), signal.SIGINT)  # arrives in the thread that waits
            await asyncio.Event().wait()
            yield 1
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        list(iterate_sync(working()))
    assert closed == [True]


def test_limits_in_force_here_hold_there() -> None:
    async def call() -> None:
        with admit(100):
            pass

    with Budget(tokens=10), pytest.raises(Exception, match="tokens"):
        run_sync(call())


def test_a_forked_child_has_a_portal_of_its_own() -> None:
    run_sync(double(1))
    read, write = os.pipe()
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of any fork
        child = os.fork()
    if not child:
        os.write(write, str(run_sync(double(21))).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 10) == b"42"
    os.close(read)
    os.close(write)
