"""Games between bots. A match is repeatable: its deal, its table's chance and each bot's own come from its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from polikarp.bots import moves_of
from polikarp.bots.random import RandomBot
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game, Result
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import FastRng
from polikarp.engine.state import playout
from polikarp.lab.cheater import CheatingBot


class Match(msgspec.Struct, frozen=True):
    """One finished game."""

    result: Result
    moves: int


def play_match(game: Game, seats: int, options: Mapping[str, OptionValue], bots: Sequence[Bot], seed: object) -> Match:
    """Play one game. Bots get their seat's sight, and their own chance, so that the deal is the same for all bots."""
    chance = FastRng(("table", seed))
    state = game.start(seats, options, chance)
    moves = 0
    if all(isinstance(bot, RandomBot) for bot in bots):
        moves = playout(state, chance)
    else:
        seated = dict(enumerate(bots))
        for bot in bots:
            if isinstance(bot, CheatingBot):
                bot.truth = state
        private = {seat: FastRng(("seat", seat, seed)) for seat in seated}
        next_move = moves_of(game, options, seated, private)
        while chosen := next_move(state):
            state.apply(*chosen, chance)
            moves += 1
    result = game.result(state)
    assert result is not None
    return Match(result, moves)


def win_shares(result: Result) -> list[float]:
    """One win, shared by those who share it."""
    winners = result.winners
    return [1 / len(winners) if seat in winners else 0.0 for seat in range(len(result.places))]
