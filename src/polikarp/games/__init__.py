"""The games, found by their folders: each folder here is one game and offers it as `game`.

A folder with a mistake in it is left out, and says what the mistake is to who asks for the game: the others are
played as before.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from polikarp.engine.data import told
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.words import files_in


@cache
def folders() -> dict[str, Game | Exception]:
    """The game of every folder, or why there is none."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if module.ispkg)
    return {name: load(name) for name in names}


def load(name: str) -> Game | Exception:
    try:
        game: Game = importlib.import_module(f"{__name__}.{name}").game
        for language in files_in(game.folder / "words"):
            game.words(language)  # a file that can not be read is found before anybody plays
        return game
    except Exception as mistake:
        return mistake


@cache
def all_games() -> dict[str, Game]:
    """Every game by its id, the worked examples included."""
    return {game.id: game for game in folders().values() if isinstance(game, Game)}


def broken_games() -> dict[str, Exception]:
    """The folders that hold no game that can be played, and why."""
    return {name: mistake for name, mistake in folders().items() if isinstance(mistake, Exception)}


def offered_games() -> list[Game]:
    """The games that people can play."""
    return [game for game in all_games().values() if game.offered]


@cache
def spoken_languages() -> tuple[str, ...]:
    """Every language that can be chosen: those of the house, and those that only some games speak."""
    return tuple(dict.fromkeys(language for game in all_games().values() for language in game.spoken()))


def find_game(name: str) -> Game:
    """The game of that id."""
    if name in broken_games():
        raise UsageError(f"the game {name} can not be loaded: {told(broken_games()[name])}")
    try:
        return all_games()[name]
    except KeyError:
        known = ", ".join(game.id for game in offered_games())
        raise UsageError(f"there is no game {name[:40]!r}; the games are: {known}") from None
