"""Random games of every game, seat count and option: `python benchmarks/fuzz.py [GAMES] [SEED]`.

In every position of every game: what must be conserved, copies, bytes, and moves that follow from what their seat
knows; and every game ends within its bound with a result. One game in a hundred goes through all checks of the
contract, the leak check too.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from polikarp.engine.conformance import CHECKS, Broken, Setting, all_settings, check_leaks, check_positions
from polikarp.games import all_games

CHUNK = 100


def fuzz(first: int, count: int, seed: str) -> tuple[int, int, list[str]]:
    """Games number `first` and on: how many moves, how many went through all checks, and what went wrong."""
    settings = [(game, *setting) for game in all_games().values() for setting in all_settings(game)]
    moves = full = 0
    mistakes = []
    for number in range(first, first + count):
        game, seats, options = settings[number % len(settings)]
        setting = Setting(game, seats, options, (seed, number))
        try:
            moves += check_positions(setting)
            if number // len(settings) % 100 == 0:
                full += 1
                for check in CHECKS:
                    check(setting)
                check_leaks(setting, 10)
        except Broken as broken:
            mistakes.append(f"{game.id}, {seats} seats, {options}, game {number}: {broken}")
        except Exception as mistake:
            mistakes.append(f"{game.id}, {seats} seats, {options}, game {number}: {type(mistake).__name__}: {mistake}")
    return moves, full, mistakes


def main() -> int:
    parser = argparse.ArgumentParser(description="Random games of every game, seat count and option.")
    parser.add_argument("games", type=int, nargs="?", default=100_000)
    parser.add_argument("seed", nargs="?", default="fuzz")
    args = parser.parse_args()
    games, seed = max(1, args.games), args.seed
    began = time.perf_counter()
    moves = full = done = 0
    mistakes: list[str] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        starts = range(0, games, CHUNK)
        tasks = [pool.submit(fuzz, first, min(CHUNK, games - first), seed) for first in starts]
        for task in as_completed(tasks):
            more_moves, more_full, more_mistakes = task.result()
            moves, full, done = moves + more_moves, full + more_full, done + 1
            mistakes += more_mistakes
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done * CHUNK} of {games} games, {len(mistakes)} errors ")
    for mistake in mistakes[:20]:
        print(mistake)
    took = time.perf_counter() - began
    print(f"{games} games, {moves} moves, {full} games through all checks, {len(mistakes)} errors, {took:.0f} s")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
