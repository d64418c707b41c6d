"""Learns Leduc poker by policy gradients, from many games at once: `python examples/learn_batch.py [STEPS]`.

Both seats play the same policy, which learns from the chips that its moves brought; then it plays against random moves,
on deals that it never saw. It learned if the interval of what it wins there lies above 0.
"""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from polikarp.games import find_game
from polikarp.lab.batch import Batch
from polikarp.lab.interval import Mean

GAMES = 256
VALUES = 16  # a number of the observation, from -1 on, is one of so many
RATE = 0.2
MOST_CHIPS = 13.0  # that can be won in a game

Numbers = NDArray[np.float64]


def features(observation: NDArray[np.int64]) -> Numbers:
    """Each number as a row of zeros with a single one."""
    clipped = np.clip(observation + 1, 0, VALUES - 1)
    return np.eye(VALUES)[clipped].reshape(len(observation), -1)


def chances(weights: Numbers, seen: Numbers, mask: NDArray[np.uint8]) -> Numbers:
    """How likely the policy makes each move; never one that is not legal."""
    wishes = np.exp(np.clip(seen @ weights, -30, 30)) * mask
    shares: Numbers = wishes / wishes.sum(axis=1, keepdims=True)
    return shares


def draw(shares: Numbers, rng: np.random.Generator) -> NDArray[np.int64]:
    """A move for each game, as likely as its share."""
    with np.errstate(divide="ignore"):
        moves: NDArray[np.int64] = (np.log(shares) + rng.gumbel(size=shares.shape)).argmax(axis=1)
    return moves


def learn(steps: int, seed: int = 0) -> Numbers:
    batch = Batch(find_game("leduc"), 2, GAMES, seed, reward="score")
    rng = np.random.default_rng(seed)
    weights = np.zeros((batch.observation.shape[1] * VALUES, batch.mask.shape[1]))
    waiting: list[list[tuple[int, Numbers, Numbers]]] = [[] for _ in range(GAMES)]  # moves that await their reward
    for _ in range(steps):
        seen = features(batch.observation)
        shares = chances(weights, seen, batch.mask)
        moves = draw(shares, rng)
        for game in range(GAMES):
            slope = -shares[game]
            slope[moves[game]] += 1
            waiting[game].append((int(batch.actor[game]), seen[game], slope))
        batch.step(moves)
        for game in np.flatnonzero(batch.over).tolist():
            for seat, was_seen, slope in waiting[game]:
                weights += RATE / GAMES * batch.reward[game, seat] * np.outer(was_seen, slope)
            waiting[game].clear()
    return weights


def chips_against_random(weights: Numbers, steps: int = 400) -> Mean:
    """What the policy wins in a game, on seat 0 in half of the games and on seat 1 in the others."""
    batch = Batch(find_game("leduc"), 2, GAMES, "test", reward="score")
    rng = np.random.default_rng(1)
    seats = np.arange(GAMES) % 2
    won = Mean(-MOST_CHIPS, MOST_CHIPS)
    for _ in range(steps):
        even = batch.mask / batch.mask.sum(axis=1, keepdims=True)
        mine = chances(weights, features(batch.observation), batch.mask)
        batch.step(draw(np.where((batch.actor == seats)[:, None], mine, even), rng))
        for game in np.flatnonzero(batch.over).tolist():
            won.add(batch.reward[game, seats[game]])
    return won


def main(steps: int = 1000) -> tuple[Mean, Mean]:
    weights = learn(steps)
    before, after = chips_against_random(weights * 0), chips_against_random(weights)
    print(f"chips a game against random, with 95 % intervals, before and after {steps} steps of {GAMES} games:")
    for won in (before, after):
        print(f"{won.value:+.2f} ({won.interval()[0]:+.2f} to {won.interval()[1]:+.2f})")
    return before, after


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
