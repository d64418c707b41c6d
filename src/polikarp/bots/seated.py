"""Bots on their seats in one game: who acts next, and what. People or nobody may sit on the other seats."""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.bots.fault import begun, chosen, volunteered
from polikarp.bots.timekeeper import Timekeeper
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue, read_options
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, seats_of


class Seated:
    """The bots of one game by seat, each with its own chance. Where the first counts, the earlier one acts."""

    def __init__(
        self, game: Game, options: Mapping[str, OptionValue], bots: Mapping[int, Bot], chance: Mapping[int, Rng]
    ) -> None:
        timing = game.timing(read_options(game.options, options))
        self.clock = None if timing is None else Timekeeper(game, timing, bots, chance)
        self.bots = bots
        self.chance = chance
        self.has_begun = False

    def next_move(self, state: State) -> tuple[int, int] | None:
        """The seat and move of the bot that acts next; None if the game is over or waits for somebody else. Raises
        `BotFault` where a bot can not go on."""
        if not self.has_begun:
            self.has_begun = True
            for seat, bot in self.bots.items():
                begun(state, seat, bot, self.chance[seat])
        if self.clock is not None:
            return self.clock.next_move(state)
        return next_move(state, self.bots, self.chance)

    def end(self, state: State) -> None:
        """The game is over, or goes on no more: every bot sees where it ended."""
        for seat, bot in self.bots.items():
            bot.end(state.sight(seat), seat)


def next_move(state: State, bots: Mapping[int, Bot], chance: Mapping[int, Rng]) -> tuple[int, int] | None:
    """The seat and move of the bot that acts next where nobody keeps the time; None if the game waits for somebody
    else. Each bot gets its own seat's sight. Rights come first, from the lowest seat on.
    """
    for seat, bot in bots.items():
        if bot.volunteers and not state.waiting >> seat & 1 and state.moves(seat):
            move = volunteered(state, seat, bot, chance[seat])
            if move >= 0:
                return seat, move
    for seat in seats_of(state.waiting):
        if seat in bots:
            return seat, chosen(state, seat, bots[seat], chance[seat])
    return None
