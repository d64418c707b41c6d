"""The games, found by their folders: each folder here is one game and offers it as `game`."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from polikarp.engine.game import Game
from polikarp.engine.option import UsageError


@cache
def all_games() -> dict[str, Game]:
    """Every game by its id, the worked example included."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    games: list[Game] = [importlib.import_module(f"{__name__}.{name}").game for name in names]
    return {game.id: game for game in games}


def offered_games() -> list[Game]:
    """The games that people can play."""
    return [game for game in all_games().values() if game.offered]


def find_game(name: str) -> Game:
    """The game of that id."""
    try:
        return all_games()[name]
    except KeyError:
        known = ", ".join(game.id for game in offered_games())
        raise UsageError(f"there is no game {name[:40]!r}; the games are: {known}") from None
