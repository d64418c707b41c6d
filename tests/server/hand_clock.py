"""A clock that stands until the test moves it (virtual time). What is due is called in order, and after each call time
stands again until the event loop has settled: the store has answered, and what went over sockets has arrived.
"""

from __future__ import annotations

import asyncio
import heapq
import inspect
import itertools
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar, cast

from polikarp.server.clock import Clock, Timer
from polikarp.store import Store

Answer = TypeVar("Answer")

START = 1_000_000.0  # of the calendar; small, so that sums of times stay exact to the microsecond
TURNS = 40  # of the loop in which nothing was left to wait for; the longest way of a message takes a dozen
MOST = 120.0  # seconds after which something is said to never happen


class LateCall:
    """A call to come."""

    def __init__(self, call: Callable[..., object], args: tuple[object, ...]) -> None:
        self.call = call
        self.args = args
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


class HandClock(Clock):
    """Moved by hand."""

    def __init__(self) -> None:
        self.passed = 0.0
        self.calls: list[tuple[float, int, LateCall]] = []  # a heap: when, and in which order they were asked for
        self.numbers = itertools.count()
        self.moving = asyncio.Lock()
        self.under_way = 0  # questions to stores
        self.answered = asyncio.Event()

    def now(self) -> float:
        return START + self.passed

    def monotonic(self) -> float:
        return START + self.passed

    def call_later(self, seconds: float, call: Callable[..., object], *args: object) -> Timer:
        late = LateCall(call, args)
        heapq.heappush(self.calls, (self.passed + max(0.0, seconds), next(self.numbers), late))
        return late

    async def move(self, seconds: float) -> None:
        """So much time passes."""
        end = self.passed + seconds
        async with self.moving:
            await self.settle()
            while self.step(end):
                await self.settle()
            self.passed = max(self.passed, end)

    async def until(self, work: Awaitable[Answer]) -> Answer:
        """What the work gives: time passes, from call to call, until it is done."""
        task = asyncio.ensure_future(work)
        end = self.passed + MOST
        try:
            while True:
                async with self.moving:
                    await self.settle()
                    if task.done():
                        return task.result()
                    assert self.step(end), "it never comes to be"
        finally:
            task.cancel()

    async def reach(self, condition: Callable[[], object]) -> None:
        """Time passes, from call to call, until something is so."""
        end = self.passed + MOST
        async with self.moving:
            await self.settle()
            while not condition():
                assert self.step(end), "it never comes to be"
                await self.settle()

    def step(self, end: float) -> bool:
        """Make the next call that is due by then, at its time; says whether there was one."""
        while self.calls and (self.calls[0][2].cancelled or self.calls[0][0] <= end):
            due, _, late = heapq.heappop(self.calls)
            if not late.cancelled:
                self.passed = max(self.passed, due)
                late.call(*late.args)
                return True
        return False

    async def settle(self) -> None:
        """Wait until all that can happen at this moment has happened."""
        quiet = 0
        while quiet < TURNS:
            await asyncio.sleep(0)
            quiet += 1
            if self.under_way:
                quiet = 0
                self.answered.clear()
                await self.answered.wait()

    def watching(self, store: Store) -> Store:
        """The same store, whose answers time waits for."""
        return cast(Store, WatchedStore(store, self))


class WatchedStore:
    def __init__(self, store: Store, clock: HandClock) -> None:
        self.store = store
        self.clock = clock

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self.store, name)
        return self.counted(asked) if inspect.iscoroutinefunction(asked) else asked

    def counted(self, asked: Callable[..., Coroutine[Any, Any, Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
        async def ask(*args: Any, **fields: Any) -> Any:
            self.clock.under_way += 1
            try:
                return await asked(*args, **fields)
            finally:
                self.clock.under_way -= 1
                self.clock.answered.set()

        return ask


async def turns(count: int) -> None:
    """Others have their turn, so many times."""
    for _ in range(count):
        await asyncio.sleep(0)


class MachineClock(Clock):
    """The machine's own time, for what is tried in real seconds; it can only be waited for."""

    async def move(self, seconds: float) -> None:
        await self.sleep(seconds)

    async def until(self, work: Awaitable[Answer]) -> Answer:
        return await work
