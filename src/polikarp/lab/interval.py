"""How sure a mean is: looked at once, when all is played, or whenever one likes.

A run of a fixed size is looked at once, and has the usual intervals: `around` a mean, and of a `share` from 0 to 1.
A run that may stop early, or be looked at and then prolonged, needs intervals that hold at every moment at once: `Mean`
has them, for any values within known bounds and however few. They are betting confidence sequences (Waudby-Smith and
Ramdas): players bet on every value that the true mean is higher than some number, or lower, each a fixed part of what
they have, and a number is given up when all of them together would have become too rich on it. `benchmarks/coverage.py`
measures how often these intervals miss, and how wide they are.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist

DOUBT = 0.05  # how often an interval may miss what it is about
FINE = 1e-6  # how exactly the ends of an interval are found, in parts of the bounds

# The part of all that could be lost which a player bets. Large bets decide what is clear, small ones what is close; the
# smaller, the less the player has to begin with, so that few values are not judged worse for the sake of very many.
STAKES = [0.9 * 0.5**player for player in range(13)]
BEGIN = [stake**0.5 / sum(each**0.5 for each in STAKES) for stake in STAKES]


class Mean:
    """The mean of values from `low` to `high` that come one after another, and its interval."""

    def __init__(self, low: float, high: float, doubt: float = DOUBT) -> None:
        self.low = low
        self.span = high - low
        self.cost = math.log(2 / doubt)
        self.count = 0
        self.sum = 0.0  # of the values, moved and scaled to 0 to 1, as all that follows
        self.seen: Counter[float] = Counter()  # how often each value came: the order does not matter

    def add(self, value: float) -> None:
        value = (value - self.low) / self.span
        self.count += 1
        self.sum += value
        self.seen[round(value, 12)] += 1

    @property
    def value(self) -> float:
        return self.low + self.span * self.sum / max(1, self.count)

    def interval(self) -> tuple[float, float]:
        if not self.count:
            return self.low, self.low + self.span
        middle = self.sum / self.count
        low = self.end(0.0, middle, higher=True)
        high = self.end(1.0, middle, higher=False)
        return self.low + self.span * low, self.low + self.span * high

    def end(self, given_up: float, kept: float, higher: bool) -> float:
        """Where the numbers end that are given up, from the outermost one to the mean of what was seen."""
        if self.capital(given_up, higher) < self.cost:
            return given_up
        while abs(kept - given_up) > FINE:
            point = (given_up + kept) / 2
            if self.capital(point, higher) < self.cost:
                kept = point
            else:
                given_up = point
        return given_up

    def excludes(self, value: float) -> bool:
        """Whether the interval does not hold a value."""
        point = (value - self.low) / self.span
        return max(self.capital(point, higher=True), self.capital(point, higher=False)) >= self.cost

    def capital(self, point: float, higher: bool) -> float:
        """The logarithm of what they have by now who bet that the mean is higher, or lower, than the point; they had 1.
        With a stake of a half, who bets on higher than 0.2 has half of it left after a 0, and three times it after a 1.
        """
        seen = [(value if higher else 1 - value, count) for value, count in self.seen.items()]
        bound = point if higher else 1 - point
        if bound <= 0:
            return math.inf if any(value > 0 for value, _ in seen) else 0.0
        each = [
            math.log(begin) + sum(count * math.log(1 - stake + stake * value / bound) for value, count in seen)
            for stake, begin in zip(STAKES, BEGIN, strict=True)
        ]
        most = max(each)
        return most + math.log(sum(math.exp(one - most) for one in each))


def around(values: Sequence[float], doubt: float = DOUBT) -> tuple[float, float]:
    """The mean of independent values, all that there will be, and half the width of its interval (Student's)."""
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)
    return mean, quantile(doubt, len(values) - 1) * math.sqrt(variance / len(values))


def share(values: Sequence[float], doubt: float = DOUBT) -> tuple[float, float, float]:
    """The mean of independent values from 0 to 1, all that there will be, and its interval: Wilson's, which holds near
    the ends too, for as many wins and losses as would vary as much. Shared wins vary less."""
    count, mean = len(values), sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / count
    as_many = count * mean * (1 - mean) / variance if variance > 0 else float(count)
    pull = quantile(doubt, count - 1) ** 2 / as_many
    middle = (mean + pull / 2) / (1 + pull)
    half = math.sqrt(pull * mean * (1 - mean) + pull * pull / 4) / (1 + pull)
    return mean, max(0.0, middle - half), min(1.0, middle + half)


def quantile(doubt: float, freedom: int) -> float:
    """Student's quantile for an interval to both sides, to three digits from five degrees of freedom on."""
    z = NormalDist().inv_cdf(1 - doubt / 2)
    if freedom < 1:
        return math.inf
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3
