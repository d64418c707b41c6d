"""How much anybody may ask of the server (rate limit): a bucket of permits that refills with time."""

from __future__ import annotations

import time
from collections import OrderedDict


class Bucket:
    """`burst` permits at most, and `rate` new ones a second."""

    __slots__ = ("burst", "filled", "permits", "rate")

    def __init__(self, rate: float, burst: float) -> None:
        self.rate = rate
        self.burst = burst
        self.permits = burst
        self.filled = time.monotonic()

    def take(self) -> bool:
        """Take a permit if there is one."""
        now = time.monotonic()
        self.permits = min(self.burst, self.permits + (now - self.filled) * self.rate)
        self.filled = now
        if self.permits < 1:
            return False
        self.permits -= 1
        return True


class Buckets:
    """A bucket for each name (an address, a person); those that were not asked for longest are forgotten."""

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self.rate = rate
        self.burst = burst
        self.most = most
        self.buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, name: str) -> bool:
        bucket = self.buckets.get(name)
        if bucket is None:
            bucket = self.buckets[name] = Bucket(self.rate, self.burst)
            if len(self.buckets) > self.most:
                self.buckets.popitem(last=False)
        self.buckets.move_to_end(name)
        return bucket.take()
