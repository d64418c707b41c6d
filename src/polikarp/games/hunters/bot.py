"""`greedy` for Monster Hunters: overlooks nothing that lies open, and slaps what can be caught. How fast it is, whoever
keeps the time says.
"""

from __future__ import annotations

from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.rng import Rng
from polikarp.engine.state import State
from polikarp.games.hunters.rules import FLIP, NOBODY, PASS, PLACES, SLAP, Hunters


class GreedyBot(Bot):
    """Slaps the monster worth most that can be caught, at any moment; else turns up, or passes."""

    volunteers = True

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        assert isinstance(sight, Hunters)
        slap = best_slap(sight)
        if slap >= 0:
            return slap
        return FLIP if sight.racing == NOBODY else PASS

    def volunteer(self, sight: State, seat: i64, rng: Rng) -> i64:
        assert isinstance(sight, Hunters)
        return best_slap(sight)


def best_slap(sight: Hunters) -> i64:
    """The slap on the monster of the highest value, then priority, that the open cards catch; -1 for none."""
    best: i64 = -1
    best_worth: i64 = 0
    if sight.open_count() == 0:
        return best
    for place in range(i64(PLACES)):
        monster = sight.monster[sight.at_place(place)]
        worth = sight.cards.value[monster] * 100 + sight.cards.priority[monster]
        if worth > best_worth and sight.missing(place, 0) == 0:
            best = SLAP + place
            best_worth = worth
    return best
