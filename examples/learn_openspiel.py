"""Solves Leduc poker with OpenSpiel: `python examples/learn_openspiel.py [ITERATIONS]`.

Counterfactual regret minimisation, by sampling; NashConv says how much both players could still gain.
"""

from __future__ import annotations

import sys

import numpy as np
from open_spiel.python.algorithms import exploitability, external_sampling_mccfr
from open_spiel.python.policy import UniformRandomPolicy

from polikarp.games import find_game
from polikarp.lab.openspiel_game import TableGame


def main(iterations: int = 2_000) -> tuple[float, float]:
    np.random.seed(0)  # OpenSpiel draws from here
    game = TableGame(find_game("leduc"), 2, reward="score")
    before = exploitability.nash_conv(game, UniformRandomPolicy(game))
    solver = external_sampling_mccfr.ExternalSamplingSolver(game)
    for _ in range(iterations):
        solver.iteration()
    after = exploitability.nash_conv(game, solver.average_policy())
    print(f"NashConv: {before:.3f} before, {after:.3f} after {iterations} iterations")
    return before, after


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
