"""Bots sit on seats as people do: a bot is given the seat's sight of the position, never the position itself."""

from __future__ import annotations

from mypy_extensions import i64, mypyc_attr

from polikarp.engine.rng import Rng
from polikarp.engine.state import State


@mypyc_attr(allow_interpreted_subclasses=True)
class Bot:
    """Chooses moves for a seat. `rng` is the bot's own chance, apart from the table's.

    A bot that sets `volunteers` is also asked when it has a right and the game waits for others.
    """

    volunteers = False

    def choose(self, sight: State, seat: i64, rng: Rng) -> i64:
        """One of the seat's legal moves. `sight` is this bot's to keep and change."""
        raise NotImplementedError

    def volunteer(self, sight: State, seat: i64, rng: Rng) -> i64:
        """A move that the game does not wait for, or -1 for none."""
        return -1
