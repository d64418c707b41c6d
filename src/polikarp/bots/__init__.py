"""Bots by name. Those of this folder play any game; a game's own folder may add to them."""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.bots.random import RandomBot
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.phrase import Refused
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, seats_of


def bot_types(game: Game) -> dict[str, type[Bot]]:
    """Every bot that can play the game."""
    return {"random": RandomBot, **game.bots()}


def make_bot(game: Game, name: str) -> Bot:
    """A bot from its name, written as on the command line."""
    base, colon, settings = name.partition(":")
    types = bot_types(game)
    if base not in types:
        raise UsageError(f"there is no bot {base[:40]!r} for {game.id}; the bots are: {', '.join(types)}")
    if colon:
        raise UsageError(f"bot {base} has no settings, but {settings[:40]!r} was given")
    return types[base]()


def next_move(state: State, bots: Mapping[int, Bot], chance: Mapping[int, Rng]) -> tuple[int, int] | None:
    """The seat and move of the bot that acts next; None if the game waits for somebody else.

    Each bot gets its own seat's sight. Rights come first, from the lowest seat on; a move that is not legal is the
    bot's mistake, and raises `Refused`.
    """
    for seat, bot in bots.items():
        if bot.volunteers and not state.waiting >> seat & 1 and state.moves(seat):
            move = bot.volunteer(state.sight(seat), seat, chance[seat])
            if move >= 0:
                return checked(state, seat, move)
    for seat in seats_of(state.waiting):
        if seat in bots:
            return checked(state, seat, bots[seat].choose(state.sight(seat), seat, chance[seat]))
    return None


def checked(state: State, seat: int, move: int) -> tuple[int, int]:
    refusal = state.why_not(seat, move)
    if refusal is not None:
        raise Refused(refusal)
    return seat, move
