"""The bot that knows nothing: any legal move, all equally likely."""

from __future__ import annotations

from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State


class RandomBot(Bot):
    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        return sight.pick(seat, rng)
