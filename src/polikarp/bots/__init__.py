"""Bots by name. Those of this folder play any game; a game's own folder may add to them."""

from __future__ import annotations

from polikarp.bots.random import RandomBot
from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError


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
