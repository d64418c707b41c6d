"""Tabletop games about a kingdom in trouble: play them, study them, build on them.

>>> from polikarp import crypt
>>> table = crypt.deal(seats=3, seed=1)
>>> table.moves()[:2]
['recover', 'send 1x1 at A']
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polikarp.engine.game import Game

    crypt: Game
    gold: Game
    hunters: Game
    melee: Game

__version__ = "0.1.0"


def __getattr__(name: str) -> Game:
    """A game by its id, loaded when it is first asked for."""
    from polikarp.games import all_games

    if not name.startswith("_") and name in all_games():
        return all_games()[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
