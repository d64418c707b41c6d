"""Intervals miss no more often than they say: those of a fixed size once, the others after every value. With
`benchmarks/coverage.py` for more of them."""

from __future__ import annotations

import random
import statistics

import pytest

from polikarp.lab.interval import BEGIN, DOUBT, STAKES, Mean, around, quantile, share


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
            if mean.excludes(chance):
                missed += 1
                break
    assert missed / 300 <= DOUBT


def test_an_interval_is_of_use() -> None:
    """It is far from twice as wide as one that is looked at once, and narrower where values differ less."""
    low, high = mean_of([float(number % 2) for number in range(400)]).interval()
    once = 2 * 1.96 * 0.5 / 400**0.5
    assert once < high - low < 1.8 * once
    less = mean_of([0.4 + 0.2 * (number % 2) for number in range(400)]).interval()
    assert less[1] - less[0] < (high - low) / 2


def test_what_is_clear_is_decided_soon() -> None:
    """0.483 against 0.000 after 40 deals, also where the doubt is divided among the pairs of six bots."""
    wins = [0.0, 1.0, 0.5, 0.5, 0.25, 0.65] * 6 + [0.5, 0.42, 0.0, 1.0]
    mean = Mean(-1.0, 1.0, DOUBT / 15)
    for value in wins:
        mean.add(value)
    assert mean.value == pytest.approx(0.483, abs=0.005)
    assert mean.excludes(0.0)
    assert mean.interval()[0] > 0


def test_the_order_of_values_does_not_matter() -> None:
    values = [0.0, 1.0, 0.25, 0.25, 1.0, 0.5]
    assert mean_of(values).interval() == mean_of(values[::-1]).interval()


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.0, 1.0])
def test_a_number_is_given_up_when_the_bets_against_it_have_paid(chance: float) -> None:
    """Played out value by value, by every player: at the ends of an interval they have 2 / doubt together."""
    draw = random.Random(3)
    values = [float(draw.random() < chance) for _ in range(120)]
    low, high = mean_of(values).interval()
    for end, sign in ((low, 1), (high, -1)):
        if end in (0.0, 1.0):
            continue
        bound = end if sign == 1 else 1 - end
        capitals = list(BEGIN)
        for value in values:
            bets = [stake / bound for stake in STAKES]
            capitals = [each * (1 + sign * bet * (value - end)) for each, bet in zip(capitals, bets, strict=True)]
        assert sum(capitals) == pytest.approx(2 / DOUBT, rel=0.01)
    assert sum(BEGIN) == pytest.approx(1)
    assert low <= statistics.fmean(values) <= high
    assert mean_of(values).excludes(low - 0.001) == (low > 0)


# Looked at once


@pytest.mark.parametrize(("chance", "size"), [(0.5, 30), (0.25, 200), (0.04, 100)])
def test_a_share_of_a_fixed_size_misses_as_often_as_it_says(chance: float, size: int) -> None:
    draw = random.Random(4)
    missed, width = 0, 0.0
    for _ in range(1500):
        mean, low, high = share([float(draw.random() < chance) for _ in range(size)])
        assert 0 <= low <= mean <= high <= 1
        missed += not low <= chance <= high
        width += (high - low) / 1500
    assert 0.02 < missed / 1500 < 0.075
    assert width < 1.2 * 2 * 1.96 * (chance * (1 - chance) / size) ** 0.5


def test_a_share_of_nothing_and_of_everything_is_not_sure() -> None:
    assert share([0.0] * 50)[1:] == pytest.approx((0.0, 0.0747), abs=1e-3)
    assert share([1.0] * 50)[1:] == pytest.approx((0.9253, 1.0), abs=1e-3)


def test_shared_wins_vary_less_and_are_surer() -> None:
    shared, alone = share([0.5, 0.5, 0.0, 1.0] * 25), share([0.0, 1.0] * 50)
    assert shared[0] == alone[0] == 0.5
    assert shared[2] - shared[1] < 0.75 * (alone[2] - alone[1])


def test_around_is_students_interval() -> None:
    """Against its table: 2.571, 2.045 and 1.984 for 5, 29 and 100 degrees of freedom."""
    assert [quantile(0.05, freedom) for freedom in (5, 29, 100)] == pytest.approx([2.571, 2.045, 1.984], abs=4e-3)
    mean, half = around([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    assert mean == 3.5
    assert half == pytest.approx(1.963, abs=3e-3)
