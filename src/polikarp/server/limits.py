"""How much anybody may ask of the server: how often (rate limit), how many at once, how large, how long.

All bounds of a process stand in `Limits`, which is handed to whatever keeps them. How often is kept by a bucket of
permits that refills with time.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import NamedTuple

import msgspec

from polikarp.server.clock import Clock


class Rate(NamedTuple):
    """So many a second in the long run, and so many at once."""

    rate: float
    burst: float


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """What one process allows."""

    # By address.
    asking: Rate = Rate(50.0, 200.0)  # everything
    making: Rate = Rate(1.0, 30.0)  # tables and guests
    guessing: Rate = Rate(0.5, 20.0)  # codes
    address_sockets: int = 1024
    # By person.
    chatting: Rate = Rate(0.5, 5.0)
    person_sockets: int = 64  # at one table
    # By socket.
    messages: Rate = Rate(20.0, 60.0)
    pongs: Rate = Rate(5.0, 40.0)
    slaps: Rate = Rate(10.0, 30.0)
    strikes: int = 100  # bad or hasty messages before it is closed
    answers: int = 200  # that may wait for a client that does not read
    hello_seconds: float = 10.0
    send_seconds: float = 20.0  # a client that takes nothing for so long is gone
    # By process.
    sockets: int = 20_000
    idle_seconds: float = 30.0  # that a table stays in memory which nobody needs
    grace_seconds: float = 4.0  # for a connection that was lost, before others are told
    # By message.
    body_bytes: int = 64 * 1024
    record_bytes: int = 256 * 1024  # the longest games have a tenth of it; reading more would keep everybody waiting
    # By table.
    chat_lines: int = 2000


class Bucket:
    """Permits: so many at most, and new ones with time."""

    __slots__ = ("clock", "filled", "permits", "rate")

    def __init__(self, rate: Rate, clock: Clock) -> None:
        self.rate = rate
        self.clock = clock
        self.permits = rate.burst
        self.filled = clock.monotonic()

    def spend(self) -> bool:
        """Use up a permit, if there is one."""
        now = self.clock.monotonic()
        self.permits = min(self.rate.burst, self.permits + (now - self.filled) * self.rate.rate)
        self.filled = now
        if self.permits < 1:
            return False
        self.permits -= 1
        return True


class Buckets:
    """A bucket for each name (an address, a person); those that were not asked for longest are forgotten."""

    def __init__(self, rate: Rate, clock: Clock, most: int = 10_000) -> None:
        self.rate = rate
        self.clock = clock
        self.most = most
        self.buckets: OrderedDict[str, Bucket] = OrderedDict()

    def spend(self, name: str) -> bool:
        bucket = self.buckets.get(name)
        if bucket is None:
            bucket = self.buckets[name] = Bucket(self.rate, self.clock)
            if len(self.buckets) > self.most:
                self.buckets.popitem(last=False)
        self.buckets.move_to_end(name)
        return bucket.spend()
