"""How sure a mean is, whenever it is looked at.

A run that may stop early, or be looked at and then prolonged, needs intervals that hold at every moment at once. These
do, for any values within known bounds and however few: the empirical Bernstein confidence sequences of Waudby-Smith and
Ramdas. At any one moment they are almost twice as wide as an interval that is looked at once.
"""

from __future__ import annotations

import math

DOUBT = 0.05  # how often an interval may miss what it is about


class Mean:
    """The mean of values from `low` to `high` that come one after another, and its interval."""

    def __init__(self, low: float, high: float, doubt: float = DOUBT) -> None:
        self.low = low
        self.span = high - low
        self.cost = math.log(2 / doubt)
        self.count = 0
        self.sum = 0.0  # of the values, moved and scaled to 0 to 1, as all that follows
        self.squares = 0.25  # of their distances from the mean so far, with one of the widest
        self.weights = 0.0
        self.weighted = 0.0
        self.spread = 0.0

    def add(self, value: float) -> None:
        value = (value - self.low) / self.span
        number = self.count + 1
        variance = self.squares / number
        # Chosen before the value is looked at: that is what makes the interval hold.
        weight = min(0.5, math.sqrt(2 * self.cost / (variance * number * math.log(1 + number))))
        self.weights += weight
        self.weighted += weight * value
        self.spread += (value - self.guess()) ** 2 * (-math.log(1 - weight) - weight)
        self.count = number
        self.sum += value
        self.squares += (value - self.guess()) ** 2

    def guess(self) -> float:
        """The mean, pulled a little to the middle."""
        return (0.5 + self.sum) / (self.count + 1)

    @property
    def value(self) -> float:
        return self.low + self.span * self.sum / max(1, self.count)

    def interval(self) -> tuple[float, float]:
        if not self.count:
            return self.low, self.low + self.span
        middle = self.weighted / self.weights
        half = (self.cost + self.spread) / self.weights
        return self.low + self.span * max(0.0, middle - half), self.low + self.span * min(1.0, middle + half)
