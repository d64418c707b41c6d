"""Bots of one's own for the lab: polikarp tournament crypt --seats 3 --bots "greedy,random,mybots:Careful(depth=3)"

Run it in this folder, where Python finds the module. A package can announce its bots instead, in its pyproject.toml:

    [project.entry-points."polikarp.bots"]
    careful = "mybots:Careful"
"""

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, first_seat


class Careful(Bot):
    """Plays any game: tries each move in `depth` positions that its seat can imagine, and plays on at random for a
    while. It takes the move after which it is furthest ahead of the best of the others.
    """

    def __init__(self, depth: int = 2, moves: int = 20) -> None:
        self.depth = depth
        self.moves = moves

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        worth = dict.fromkeys(sight.moves(seat), 0.0)
        if len(worth) > 1:
            for _ in range(self.depth):
                imagined = sight.imagine(seat, rng)
                for move in worth:
                    trial = imagined.copy()
                    trial.apply(seat, move, rng)
                    worth[move] += self.ahead(trial, seat, rng)
        return max(worth, key=lambda move: worth[move])

    def ahead(self, state: State, seat: int, rng: Rng) -> float:
        for _ in range(self.moves):
            if not state.waiting:
                break
            other = first_seat(state.waiting)
            state.apply(other, state.pick(other, rng), rng)
        others = [int(state.score(other)) for other in range(state.seats) if other != seat]
        return int(state.score(seat)) - max(others, default=0)
