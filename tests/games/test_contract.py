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


def settings_of(game: Game) -> list[tuple[int, dict[str, OptionValue]]]:
    """All settings; on the pure build, which is slow, one for each number of seats: in turn with the first and with
    the last choice of options. The parity test plays the rest of them there."""
    settings = all_settings(game)
    if COMPILED:
        return settings
    by_seats = [[setting for setting in settings if setting[0] == seats] for seats in game.seats]
    return [these[-(number % 2)] for number, these in enumerate(by_seats)]


@pytest.fixture
def seeds(request: pytest.FixtureRequest, game: Game) -> int:
    """How many random games each setting is checked with: fewer where there are many settings, one on the pure build,
    and many when there is time."""
    asked: int = request.config.getoption("--seeds") or (12 if request.config.getoption("--long") else 3)
    if not COMPILED:
        return 1
    return asked if len(all_settings(game)) <= 16 else (asked + 3) // 4


GAMES = list(all_games().values())
SETTINGS = [(game, seats, options) for game in GAMES for seats, options in settings_of(game)]
NAMES = [f"{game.id}-{seats}-{'-'.join(map(str, options.values()))}" for game, seats, options in SETTINGS]


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS, ids=NAMES)
def test_the_contract_holds(game: Game, seats: int, options: dict[str, OptionValue], seeds: int) -> None:
    for seed in range(seeds):
        for check in CHECKS:
            check(Setting(game, seats, options, seed))


@pytest.mark.parametrize(("game", "seats", "options"), SETTINGS, ids=NAMES)
def test_nothing_leaks(game: Game, seats: int, options: dict[str, OptionValue], seeds: int) -> None:
    compared = 0
    for seed in range(30 * seeds):  # games with few secrets need more of them
        compared += check_leaks(Setting(game, seats, options, ("leak", seed)), 40)
        if seed + 1 >= 3 * seeds and compared >= 30 * seeds:
            return
    raise AssertionError(
        "too few pairs of positions differed to tell anything; a game that hides nothing says secrets = False"
    )


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_move_has_its_own_text(game: Game) -> None:
    for seats in game.seats:
        check_notation(game, seats)
