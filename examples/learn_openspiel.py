"""Solves Leduc poker with OpenSpiel: `python examples/learn_openspiel.py [ITERATIONS]`.

Counterfactual regret minimisation, by sampling. NashConv says how much both players could still gain; it is exact, and
so is what the solution wins against random moves.
"""

from __future__ import annotations

import sys

import numpy as np
from open_spiel.python.algorithms.expected_game_score import policy_value
from open_spiel.python.algorithms.exploitability import nash_conv
from open_spiel.python.algorithms.external_sampling_mccfr import ExternalSamplingSolver
from open_spiel.python.policy import Policy, UniformRandomPolicy

from polikarp.games import find_game
from polikarp.lab.openspiel_game import TableGame


def chips_against_random(game: TableGame, policy: Policy) -> float:
    """What a policy wins in a game, half of them on each seat."""
    start, random = game.new_initial_state(), UniformRandomPolicy(game)
    first, second = policy_value(start, [policy, random]), policy_value(start, [random, policy])
    return float(first[0] + second[1]) / 2


def main(iterations: int = 2_000) -> tuple[float, float, float]:
    np.random.seed(0)  # OpenSpiel draws from here
    game = TableGame(find_game("leduc"), 2, reward="score")
    before = nash_conv(game, UniformRandomPolicy(game))
    solver = ExternalSamplingSolver(game)
    for _ in range(iterations):
        solver.iteration()
    solution = solver.average_policy()
    after = nash_conv(game, solution)
    won = chips_against_random(game, solution)
    print(f"NashConv: {before:.3f} before, {after:.3f} after {iterations} iterations")
    print(f"chips a game against random: {won:+.3f}")
    return before, after, won


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
