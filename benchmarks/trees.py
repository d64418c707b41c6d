"""How large a game is for exact algorithms, as OpenSpiel sees it: `python benchmarks/trees.py [GAME …]`.

Random walks through the game with the fewest seats that compete; each says, by the choices on its way, how many ways
there would be if all went like it. The middle of many is printed, as a power of ten: sizes, not counts.
"""

from __future__ import annotations

import math
import random
import statistics
import sys

from polikarp.engine.game import Game
from polikarp.games import all_games, find_game
from polikarp.lab.openspiel_game import TableGame

WALKS = 20


def walk(game: TableGame, rng: random.Random) -> tuple[float, int]:
    """The size that one random game suggests, as a power of ten, and its length with all draws."""
    state = game.new_initial_state()
    size, length = 0.0, 0
    while not state.is_terminal():
        ways = state.legal_actions()
        size += math.log10(len(ways))
        length += 1
        state.apply_action(rng.choice(ways))
    return size, length


def size_of(game: Game) -> str:
    seats = max(2, game.seats[0])
    table = TableGame(game, seats)
    rng = random.Random(1)
    walks = [walk(table, rng) for _ in range(WALKS)]
    size, length = statistics.median(size for size, _ in walks), statistics.fmean(length for _, length in walks)
    return f"{game.id}, {seats} seats: 10^{size:.0f} ways to play, {length:.0f} decisions and draws"


def main() -> None:
    for game in [find_game(name) for name in sys.argv[1:]] or all_games().values():
        print(size_of(game), flush=True)


if __name__ == "__main__":
    main()
