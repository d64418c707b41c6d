"""Learns Leduc poker through PettingZoo: `python examples/learn_pettingzoo.py [GAMES]`.

Keeps what each move brought in each situation on average, tries things now and then, and plays against random moves.
It learned if the interval of what it wins lies above 0, on deals that it never saw.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import numpy as np

from polikarp.games import find_game
from polikarp.lab.interval import Mean
from polikarp.lab.pettingzoo_env import TableEnv

LEARNER = "seat_0"
MOST_CHIPS = 13.0  # that can be won in a game
FRESH = 2**31  # seeds from here on are for tests
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


def test(env: TableEnv, memory: Memory, games: int, curiosity: float) -> Mean:
    """What is won in a game, on other deals than those of the lessons."""
    won = Mean(-MOST_CHIPS, MOST_CHIPS)
    for number in range(games):
        won.add(play(env, memory, FRESH + number, curiosity, False))
    return won


def main(games: int = 20_000, tests: int = 2_000) -> tuple[Mean, Mean]:
    env = TableEnv(find_game("leduc"), 2, reward="score")
    memory: Memory = defaultdict(lambda: (0, 0.0))
    before = test(env, memory, tests, 1.0)
    for seed in range(games):
        play(env, memory, seed, 0.3, True)
    after = test(env, memory, tests, 0.0)
    print(f"chips a game against random, with 95 % intervals, before and after {games} games:")
    for won in (before, after):
        print(f"{won.value:+.2f} ({won.interval()[0]:+.2f} to {won.interval()[1]:+.2f})")
    return before, after


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
