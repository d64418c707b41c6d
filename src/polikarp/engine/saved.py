"""What is saved by Python itself: states and games that go through `pickle` and `copy`.

A game is its name and its rules: where it is loaded there must be the same rules, whatever the version of polikarp. A
state is its game, its seats and options, and its bytes (`State.to_bytes`). Nothing here costs anything in play.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.state import Origin, State

if TYPE_CHECKING:
    from polikarp.engine.game import Game


class Dealt(Origin):
    """The game and the options that a state was dealt from."""

    def __init__(self, game: Game, options: dict[str, OptionValue]) -> None:
        self.game = game
        self.options = options

    def reduced(self, state: State) -> tuple[Any, ...]:
        return load_state, (self.game, int(state.seats), self.options, state.to_bytes())


def load_state(game: Game, seats: int, options: dict[str, OptionValue], data: bytes) -> State:
    return game.load(seats, data, options)


def reduced_game(game: Game) -> tuple[Any, ...]:
    """How a game is saved: by where it is found, which is where its class is written."""
    module = type(game).__module__
    if getattr(importlib.import_module(module), "game", None) is not game:
        raise UsageError(f"{game.id} with other data can not be pickled; save the path of its data file instead")
    return load_game, (module, game.id, game.rules)


def load_game(module: str, name: str, rules: str) -> Game:
    try:
        game: Game = importlib.import_module(module).game
    except ImportError:
        raise UsageError(f"a pickle is of the game {name}, but there is no {module} here; install it") from None
    if game.rules != rules:
        raise UsageError(
            f"a pickle of {name} is of the rules {rules}, but here are the rules {game.rules}; "
            "load it with the polikarp that saved it"
        )
    return game
