"""An interval may be looked at after every value, and still misses no more often than it says."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from polikarp.lab.interval import DOUBT, Mean


def mean_of(values: list[float], low: float = 0.0, high: float = 1.0) -> Mean:
    mean = Mean(low, high)
    for value in values:
        mean.add(value)
    return mean


def test_the_mean_is_that_of_the_values_and_lies_within_its_interval() -> None:
    draw = random.Random(1)
    values = [draw.uniform(-1, 1) for _ in range(50)]
    mean = mean_of(values, -1.0, 1.0)
    assert mean.value == pytest.approx(statistics.fmean(values))
    low, high = mean.interval()
    assert -1 < low < mean.value < high < 1


def test_nothing_is_known_before_the_first_value_nor_much_after_a_few_equal_ones() -> None:
    assert Mean(0.0, 1.0).interval() == (0.0, 1.0)
    low, high = mean_of([1.0] * 5).interval()
    assert low < 0.5
    assert high == 1.0


@pytest.mark.parametrize("chance", [0.5, 0.25, 0.03])
def test_whoever_looks_all_the_time_is_seldom_misled(chance: float) -> None:
    """Intervals that are made for one look would miss in about every third of these runs."""
    draw = random.Random(2)
    missed = 0
    for _ in range(300):
        mean = Mean(0.0, 1.0)
        for _ in range(400):
            mean.add(float(draw.random() < chance))
            low, high = mean.interval()
            if not low <= chance <= high:
                missed += 1
                break
    assert missed / 300 <= DOUBT


def test_an_interval_is_of_use() -> None:
    """It is not twice as wide as one that is looked at once, and narrower where values differ less."""
    low, high = mean_of([float(number % 2) for number in range(400)]).interval()
    once = 2 * 1.96 * 0.5 / 400**0.5
    assert once < high - low < 2 * once
    less = mean_of([0.4 + 0.2 * (number % 2) for number in range(400)]).interval()
    assert less[1] - less[0] < (high - low) / 2


def published(values: list[float]) -> tuple[float, float]:
    """The interval as Waudby-Smith and Ramdas write it (theorem 2, with bets of at most a half), term by term."""
    count = len(values)
    means = [(1 / 2 + sum(values[:t])) / (t + 1) for t in range(count + 1)]
    variances = [(1 / 4 + sum((values[i] - means[i + 1]) ** 2 for i in range(t))) / (t + 1) for t in range(count + 1)]
    bets = [
        min(1 / 2, math.sqrt(2 * math.log(2 / DOUBT) / (variances[t - 1] * t * math.log(1 + t))))
        for t in range(1, count + 1)
    ]
    spent = sum(4 * (values[i] - means[i]) ** 2 * (-math.log(1 - bets[i]) - bets[i]) / 4 for i in range(count))
    middle = sum(bet * value for bet, value in zip(bets, values, strict=True)) / sum(bets)
    half = (math.log(2 / DOUBT) + spent) / sum(bets)
    return max(0.0, middle - half), min(1.0, middle + half)


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.0])
def test_the_interval_is_the_published_one(chance: float) -> None:
    """With few values that differ, much hangs on the variance that is assumed before the first."""
    draw = random.Random(3)
    values = [float(draw.random() < chance) for _ in range(150)]
    for count in (1, 2, 40, 150):
        assert mean_of(values[:count]).interval() == pytest.approx(published(values[:count]), abs=1e-12)
