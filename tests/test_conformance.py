"""Every registered game, with every number of seats and its options' samples, holds the contract.

`scripts/fuzz` does the same for a hundred thousand games.
"""

from __future__ import annotations

import pytest

from polikarp.engine.build import COMPILED
from polikarp.engine.conformance import CHECKS, Setting, all_settings, check_leaks, check_notation
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.games import all_games

GAMES = list(all_games().values())
SETTINGS = [(game, seats, options) for game in GAMES for seats, options in all_settings(game)]
NAMES = [f"{game.id}-{seats}-{'-'.join(map(str, options.values()))}" for game, seats, options in SETTINGS]
EACH = 12 if COMPILED else 1


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS, ids=NAMES)
def test_the_contract_holds(game: Game, seats: int, options: dict[str, OptionValue]) -> None:
    for seed in range(EACH):
        for check in CHECKS:
            check(Setting(game, seats, options, seed))


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS, ids=NAMES)
def test_nothing_leaks(game: Game, seats: int, options: dict[str, OptionValue]) -> None:
    compared = 0
    for seed in range(30 * EACH):  # games with few secrets need more of them
        compared += check_leaks(Setting(game, seats, options, ("leak", seed)), 40)
        if seed + 1 >= 3 * EACH and compared >= 30 * EACH:
            return
    raise AssertionError("too few pairs of positions differed to tell anything")


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_move_has_its_own_text(game: Game) -> None:
    for seats in game.seats:
        check_notation(game, seats)
