"""Time, handed to whatever needs it: the calendar, a steady count, and calls that come later.

A server runs on the machine's clock. Tests run most of it on one that they move themselves, so that none of them waits.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, TypeVar

Answer = TypeVar("Answer")


class Timer(Protocol):
    """A call to come."""

    def cancel(self) -> None: ...


class Clock:
    """The machine's own time, in seconds."""

    def now(self) -> float:
        """Since 1970, as the calendar has it: for what is stored, and for what other machines see."""
        return time.time()

    def monotonic(self) -> float:
        """A count that never goes back: for how long something takes here."""
        return time.monotonic()

    def call_later(self, seconds: float, call: Callable[..., object], *args: object) -> Timer:
        return asyncio.get_running_loop().call_later(max(0.0, seconds), call, *args)

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        timer = self.call_later(seconds, wake, woken)
        try:
            await woken
        finally:
            timer.cancel()

    async def within(self, seconds: float, work: Coroutine[Any, Any, Answer]) -> Answer:
        """What the work gives, if it ends in time. Raises `TimeoutError`."""
        task = asyncio.create_task(work)
        late: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        timer = self.call_later(seconds, wake, late)
        try:
            waited: list[asyncio.Future[Any]] = [task, late]
            await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            if not task.done():
                raise TimeoutError
            return task.result()
        finally:
            timer.cancel()
            task.cancel()


def wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
