"""Random games of every game, seat count and option: `python -m benchmarks.fuzz [GAMES] [SEED] [--game NAME]`, from
the project's root.

In every position of every game: what must be conserved, what the game's own tests say of every position, copies,
bytes, and moves that follow from what their seat knows; and every game ends within its bound with a result. One game
in a hundred goes through all checks of the contract, the leak check too.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import NamedTuple

from polikarp.engine.conformance import CHECKS, Broken, Setting, all_settings, check_leaks, check_positions, walk
from polikarp.engine.state import State
from polikarp.games import all_games, find_game

CHUNK = 100


class Sums(NamedTuple):
    """What came of some games; `full` went through all checks."""

    moves: int = 0
    longest: int = 0
    full: int = 0
    mistakes: tuple[str, ...] = ()


def check_of(game: str) -> Callable[[State], None] | None:
    """What the tests of a game say of every position."""
    name = f"tests.{game}.invariants"
    try:
        check: Callable[[State], None] = importlib.import_module(name).check_state
    except ModuleNotFoundError:
        return None
    return check


def fuzz(first: int, count: int, seed: str, names: list[str]) -> Sums:
    """Games number `first` and on."""
    settings = [(find_game(name), *setting) for name in names for setting in all_settings(find_game(name))]
    checks = {name: check_of(name) for name in names}
    moves = longest = full = 0
    mistakes = []
    for number in range(first, first + count):
        game, seats, options = settings[number % len(settings)]
        setting = Setting(game, seats, options, (seed, number))
        try:
            played = check_positions(setting)
            moves, longest = moves + played, max(longest, played)
            check_state = checks[game.id]
            if check_state is not None:
                for state in walk(setting):
                    check_state(state)
            if number // len(settings) % 100 == 0:
                full += 1
                for check in CHECKS:
                    check(setting)
                check_leaks(setting, 10)
        except Broken as broken:
            mistakes.append(f"{game.id}, {seats} seats, {options}, game {number}: {broken}")
        except Exception as mistake:
            mistakes.append(f"{game.id}, {seats} seats, {options}, game {number}: {type(mistake).__name__}: {mistake}")
    return Sums(moves, longest, full, tuple(mistakes))


def main() -> int:
    parser = argparse.ArgumentParser(description="Random games of every game, seat count and option.")
    parser.add_argument("games", type=int, nargs="?", default=100_000)
    parser.add_argument("seed", nargs="?", default="fuzz")
    parser.add_argument("--game", choices=sorted(all_games()), help="only this one")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), metavar="N")
    args = parser.parse_args()
    games, names = max(1, args.games), [args.game] if args.game else sorted(all_games())
    began = time.perf_counter()
    sums, done = Sums(), 0
    with ProcessPoolExecutor(args.processes) as pool:
        starts = range(0, games, CHUNK)
        tasks = [pool.submit(fuzz, first, min(CHUNK, games - first), args.seed, names) for first in starts]
        for task in as_completed(tasks):
            more, done = task.result(), done + 1
            sums = Sums(
                sums.moves + more.moves,
                max(sums.longest, more.longest),
                sums.full + more.full,
                sums.mistakes + more.mistakes,
            )
            if sys.stderr.isatty():
                sys.stderr.write(f"\r{done * CHUNK} of {games} games, {len(sums.mistakes)} errors ")
    for mistake in sums.mistakes[:20]:
        print(mistake)
    took = time.perf_counter() - began
    errors = len(sums.mistakes)
    print(f"{games} games, {sums.moves} moves, {sums.full} games through all checks, {errors} errors, {took:.0f} s")
    print(f"the longest game had {sums.longest} moves")
    return 1 if sums.mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
