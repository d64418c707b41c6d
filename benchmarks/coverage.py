"""How often the intervals of the lab miss, and how wide they are: `python benchmarks/coverage.py [RUNS]`.

Values are drawn whose true mean is known. A study's interval is looked at once, in the end, and should miss in 5 of 100
runs. A tournament's is looked at after every value, and may miss at any moment in 5 of 100 runs at most. Widths are
compared with the plain one that knows the true variance, 2 x 1.96 x sigma / sqrt(n). A line that misses too often
says so.
"""

from __future__ import annotations

import argparse
import math
import random
from collections.abc import Callable

from polikarp.lab.interval import DOUBT, Mean, around, share

Draw = Callable[[random.Random], float]

SHARES: dict[str, tuple[Draw, float, float]] = {  # of wins: how one is drawn, the true mean, the variance
    "one in two": (lambda chance: float(chance.random() < 0.5), 0.5, 0.25),
    "one in eight": (lambda chance: float(chance.random() < 0.125), 0.125, 0.109375),
    "one in fifty": (lambda chance: float(chance.random() < 0.02), 0.02, 0.0196),
    "often shared by two": (lambda chance: chance.choice((0.0, 0.0, 0.5, 0.5, 1.0)), 0.4, 0.14),
    "mean of four games": (lambda chance: sum(chance.random() < 0.25 for _ in range(4)) / 4, 0.25, 0.046875),
}
DIFFERENCES: dict[str, tuple[Draw, float, float]] = {
    "no difference": (lambda chance: chance.choice((-1.0, 0.0, 0.0, 1.0)), 0.0, 0.5),
    "a clear one": (lambda chance: chance.choice((-0.25, 0.25, 0.5, 0.75)), 0.3125, 0.13671875),
}


def once(draw: Draw, truth: float, variance: float, size: int, runs: int, shares: bool) -> str:
    chance, missed, width = random.Random(f"once {size}"), 0, 0.0
    for _ in range(runs):
        values = [draw(chance) for _ in range(size)]
        if shares:
            _, low, high = share(values)
        else:
            mean, half = around(values)
            low, high = mean - half, mean + half
        missed += not low <= truth <= high
        width += high - low
    return told(missed, runs, width / runs, variance, size, DOUBT)


def always(draw: Draw, truth: float, variance: float, size: int, runs: int, low: float) -> str:
    chance, missed, width = random.Random(f"always {size}"), 0, 0.0
    for _ in range(runs):
        mean, misled = Mean(low, 1.0), False
        for _ in range(size):
            mean.add(draw(chance))
            misled = misled or mean.excludes(truth)
        missed += misled
        ends = mean.interval()
        width += ends[1] - ends[0]
    return told(missed, runs, width / runs, variance, size, DOUBT)


def told(missed: int, runs: int, width: float, variance: float, size: int, allowed: float) -> str:
    plain = 2 * 1.96 * math.sqrt(variance / size)
    too_often = missed / runs > allowed + 3 * math.sqrt(allowed * (1 - allowed) / runs) + 0.01
    return f"misses {missed / runs:.3f}, {width / plain:.2f} x as wide{', TOO OFTEN' if too_often else ''}"


def main() -> None:
    parser = argparse.ArgumentParser(description="How often the intervals of the lab miss.")
    parser.add_argument("runs", type=int, nargs="?", default=400)
    runs = max(10, parser.parse_args().runs)
    for name, case in SHARES.items():
        for size in (100, 1000):
            print(f"study, {size} games, {name}: {once(*case, size, 2 * runs, True)}", flush=True)
    for name, case in DIFFERENCES.items():
        print(f"study, 100 games, {name}: {once(*case, 100, 2 * runs, False)}", flush=True)
    for cases, low in ((SHARES, 0.0), (DIFFERENCES, -1.0)):
        for name, case in cases.items():
            for size in (40, 400):
                print(f"tournament, {size} deals, {name}: {always(*case, size, runs // 4, low)}", flush=True)


if __name__ == "__main__":
    main()
