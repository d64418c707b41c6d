"""Learns Leduc poker through PettingZoo: `python examples/learn_pettingzoo.py [GAMES]`.

Keeps what each move brought in each situation on average, tries things now and then, and plays against random moves.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np

from polikarp.games import find_game
from polikarp.lab.pettingzoo_env import TableEnv

LEARNER = "seat_0"
Memory = dict[tuple[bytes, int], tuple[int, float]]  # by situation and move: how often, and the mean of the chips


def play(env: TableEnv, memory: Memory, seed: int, curiosity: float, learning: bool) -> float:
    """One game; says how many chips the learner won."""
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    made = []
    won = 0.0
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        if over:
            won = reward if agent == LEARNER else won
            env.step(None)
            continue
        moves = np.flatnonzero(seen["action_mask"])
        move = int(rng.choice(moves))
        if agent == LEARNER:
            situation = seen["observation"].tobytes()
            if rng.random() >= curiosity:
                move = int(max(moves, key=lambda move: memory[situation, int(move)][1]))
            made.append((situation, move))
        env.step(move)
    for key in made if learning else ():
        count, mean = memory[key]
        memory[key] = (count + 1, mean + (won - mean) / (count + 1))
    return won


def main(games: int = 20_000, tests: int = 2_000) -> tuple[float, float]:
    env = TableEnv(find_game("leduc"), 2, reward="score")
    memory: Memory = defaultdict(lambda: (0, 0.0))
    before = np.mean([play(env, memory, -seed % 2**32, 1.0, False) for seed in range(1, tests)])
    for seed in range(games):
        play(env, memory, seed, 0.3, True)
    after = np.mean([play(env, memory, -seed % 2**32, 0.0, False) for seed in range(1, tests)])
    print(f"chips a game against random: {before:+.2f} before, {after:+.2f} after {games} games")
    return float(before), float(after)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
