"""How fast an attack is solved, against a linear program: `python benchmarks/attack.py [ROUNDS]`.

The attacks are those of games that `greedy` plays with itself, as it weighs them. In every round both solve the same
ones, right after one another; the values are compared first. What either is given is made before its clock starts.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np
from librt.vecs import vec
from scipy.optimize import linprog

from polikarp.engine.build import COMPILED
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games.melee import game
from polikarp.games.melee.bot import GreedyBot, equilibrium
from polikarp.games.melee.rules import STAKING, Melee

Attack = tuple[vec[float], vec[float], int]  # by stake: won and lost; how many values are named
REPEATS = 200  # of ours for one of the program's, or the clock would be too coarse


def attacks_of_games(count: int) -> list[Attack]:
    """So many attacks in which the defender can not simply name everything."""
    found: list[Attack] = []
    bot = GreedyBot()
    deal = 0
    while len(found) < count:
        rng = FastRng(("attacks", deal))
        state = game.start(2 + deal % 3, {}, rng)
        deal += 1
        while state.waiting:
            seat = first_seat(state.waiting)
            if isinstance(state, Melee) and state.phase == STAKING:
                won, lost, names = bot.duel(state)
                if len(won) > names:
                    found.append((won, lost, names))
            state.apply(seat, bot.choose(state.sight(seat), seat, rng), rng)
    return found[:count]


class Program:
    """An attack as a linear program: the odds of each stake being named, and the value above all that they leave."""

    def __init__(self, won: vec[float], lost: vec[float], names: int) -> None:
        stakes = len(won)
        self.cost = np.array([0.0] * stakes + [1.0])
        rows = np.zeros((stakes + 1, stakes + 1))
        for at in range(stakes):
            rows[at, at] = lost[at] - won[at]
            rows[at, stakes] = -1.0
        rows[stakes, :stakes] = 1.0
        self.rows = rows
        self.limits = np.array([*(-value for value in won), float(names)])
        self.bounds = [(0.0, 1.0)] * stakes + [(None, None)]

    def solve(self) -> float:
        done = linprog(self.cost, A_ub=self.rows, b_ub=self.limits, bounds=self.bounds, method="highs")
        return float(done.fun)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rounds", type=int, nargs="?", default=15)
    rounds = max(3, parser.parse_args().rounds)
    attacks = attacks_of_games(60)
    programs = [Program(*attack) for attack in attacks]
    apart = max(abs(program.solve() - equilibrium(*attack)) for program, attack in zip(programs, attacks, strict=True))
    ratios, ours, theirs = [], [], []
    for _ in range(rounds):
        start = time.process_time()
        for program in programs:
            program.solve()
        middle = time.process_time()
        for _ in range(REPEATS):
            for won, lost, names in attacks:
                equilibrium(won, lost, names)
        end = time.process_time()
        theirs.append((middle - start) / len(attacks))
        ours.append((end - middle) / len(attacks) / REPEATS)
        ratios.append(theirs[-1] / ours[-1])
    low, middle_ratio, high = statistics.quantiles(ratios, n=4)
    print(
        f"{'compiled' if COMPILED else 'pure'} build, {rounds} interleaved rounds of {len(attacks)} attacks:"
        f" equilibrium {statistics.median(ours) * 1e6:.2f} µs, linprog {statistics.median(theirs) * 1e6:.0f} µs,"
        f" ratio {middle_ratio:.0f} ({low:.0f}–{high:.0f}); the values differ by at most {apart:.1e}"
    )


if __name__ == "__main__":
    main()
