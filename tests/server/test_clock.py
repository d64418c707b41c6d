"""Both clocks, the machine's and the one that tests move, do the same: calls in their order, sleeping, being late."""

from __future__ import annotations

import asyncio
import time

import pytest

from polikarp.server.clock import Clock
from tests.server.hand_clock import START, HandClock, MachineClock


@pytest.fixture(params=[MachineClock, HandClock])
def clock(request: pytest.FixtureRequest) -> MachineClock | HandClock:
    made: MachineClock | HandClock = request.param()
    return made


def test_calls_come_in_the_order_of_their_time_and_not_if_they_are_cancelled(clock: MachineClock | HandClock) -> None:
    called: list[str] = []

    async def live() -> None:
        clock.call_later(0.03, called.append, "third")
        clock.call_later(0.01, called.append, "first")
        clock.call_later(0.02, called.append, "never").cancel()
        clock.call_later(0.02, called.append, "second")
        clock.call_later(-5.0, called.append, "at once")
        assert called == [], "not before anybody has looked"
        await clock.until(clock.sleep(0.05))
        assert called == ["at once", "first", "second", "third"]

    asyncio.run(live())


def test_work_that_ends_in_time_gives_what_it_gives(clock: MachineClock | HandClock) -> None:
    async def answer() -> int:
        await clock.sleep(0.01)
        return 42

    async def fail() -> None:
        raise ValueError("no")

    async def live() -> None:
        assert await clock.until(clock.within(60.0, answer())) == 42
        with pytest.raises(ValueError, match="no"):
            await clock.until(clock.within(60.0, fail()))

    asyncio.run(live())


def test_work_that_takes_too_long_is_ended(clock: MachineClock | HandClock) -> None:
    ended: list[str] = []

    async def endless() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("so")

    async def live() -> None:
        with pytest.raises(TimeoutError):
            await clock.until(clock.within(0.01, endless()))
        await asyncio.sleep(0)
        assert ended == ["so"]

    asyncio.run(live())


def test_the_machines_clock_tells_its_time() -> None:
    before = time.time(), time.monotonic()
    told = Clock().now(), Clock().monotonic()
    after = time.time(), time.monotonic()
    assert all(first <= said <= last for first, said, last in zip(before, told, after, strict=True))


def test_a_clock_moved_by_hand_stands_and_is_exact() -> None:
    clock = HandClock()
    moments: list[float] = []

    async def again() -> None:
        while True:
            await clock.sleep(1.0)
            moments.append(clock.now() - START)

    async def live() -> None:
        task = asyncio.create_task(again())
        await clock.settle()
        assert (clock.now(), moments) == (START, [])
        await clock.move(3.5)
        assert moments == [1.0, 2.0, 3.0]
        assert clock.monotonic() == START + 3.5
        await clock.reach(lambda: len(moments) == 4)
        assert clock.now() == START + 4
        task.cancel()

    asyncio.run(live())
