"""Games between bots. A match is repeatable: its deal, its table's chance and each bot's own come from its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from polikarp.bots.fault import BotFault
from polikarp.bots.random import RandomBot
from polikarp.bots.seated import Seated
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game, Result
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, playout
from polikarp.lab.cheater import CheatingBot


class Match(msgspec.Struct, frozen=True):
    """One finished game. With a fault, it ended because the bot on its seat could not go on, and has lost."""

    result: Result
    moves: int
    fault: BotFault | None = None


def play_match(game: Game, seats: int, options: Mapping[str, OptionValue], bots: Sequence[Bot], seed: object) -> Match:
    """Play one game. Bots get their seat's sight, and their own chance, so that the deal is the same for all bots."""
    chance = FastRng(("table", seed))
    state = game.start(seats, options, chance)
    moves, fault = 0, None
    if all(isinstance(bot, RandomBot) for bot in bots):
        moves = playout(state, chance)
    else:
        for bot in bots:
            if isinstance(bot, CheatingBot):
                bot.truth = state
        private = {seat: FastRng(("seat", seat, seed)) for seat in range(seats)}
        seated = Seated(game, options, dict(enumerate(bots)), private)
        try:
            while chosen := seated.next_move(state):
                state.apply(*chosen, chance)
                moves += 1
        except BotFault as reason:
            fault = reason
        finally:
            seated.end(state)
    result = game.result(state) if fault is None else forfeited(state, fault.seat)
    assert result is not None
    return Match(result, moves, fault)


def forfeited(state: State, loser: int) -> Result:
    """How a game ends that one seat can not go on with: it comes last, and the others share the win."""
    seats = range(int(state.seats))
    last = max(2, len(seats))
    return Result([int(state.score(seat)) for seat in seats], [last if seat == loser else 1 for seat in seats])


def win_shares(result: Result) -> list[float]:
    """One win, shared by those who share it."""
    winners = result.winners
    return [1 / len(winners) if seat in winners else 0.0 for seat in range(len(result.places))]
