"""`greedy` for Leduc poker: raises when it is more likely ahead than behind, and folds a jack that met a raise."""

from __future__ import annotations

from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.games.leduc.rules import CALL, FOLD, RAISE, Leduc


class GreedyBot(Bot):
    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        assert isinstance(sight, Leduc)
        rank = sight.hand[seat]
        paired = rank == sight.open
        if (paired or rank == 2) and sight.raises < 2:
            return RAISE
        if rank == 0 and not paired and sight.paid[seat] < sight.paid[1 - seat]:
            return FOLD
        return CALL
