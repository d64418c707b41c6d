"""The cheater of the lab: the same search, in the position itself."""

from __future__ import annotations

import pytest

from polikarp.bots import make_bot
from polikarp.engine.conformance import Setting, walk
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games import all_games
from polikarp.games.melee.rules import NAMING, Melee
from polikarp.lab.cheater import CheatingBot
from polikarp.lab.match import play_match


@pytest.mark.parametrize("name", ["crypt", "gold"])
def test_the_cheater_sees_what_is_hidden_and_no_name_makes_one(name: str) -> None:
    """What it plays follows from the position, and so differs where all that the seat knows is the same."""
    game = all_games()[name]
    with pytest.raises(UsageError, match="there is no bot 'cheater'"):
        make_bot(game, "cheater")
    bot = CheatingBot()
    bot.style = game.style() or bot.style
    bot.simulations = 60
    differs = 0
    for number, state in enumerate(walk(Setting(game, game.seats[-1], {}, "cheater"))):
        if number % 5 or not state.waiting or differs:
            continue
        seat = first_seat(state.waiting)
        chosen = set()
        for other in range(6):
            bot.truth = state.imagine(seat, FastRng(other))
            chosen.add(bot.choose(state.sight(seat), seat, FastRng(number)))
        assert chosen <= set(state.moves(seat))
        differs += len(chosen) > 1
    assert differs


def test_a_match_shows_the_cheater_its_position() -> None:
    gold = all_games()["gold"]
    bot = CheatingBot()
    bot.simulations = 2
    play_match(gold, 3, {}, [bot, make_bot(gold, "random"), make_bot(gold, "random")], 1)
    assert bot.truth is not None
    assert not bot.truth.waiting


def test_the_cheater_names_the_stake_that_it_sees() -> None:
    """What others draw as in an equilibrium, since nobody can know, is known to it."""
    melee = all_games()["melee"]
    bot = CheatingBot()
    bot.style = melee.style() or bot.style
    bot.simulations = 400
    state = next(
        state
        for seed in range(100)
        for state in walk(Setting(melee, 2, {}, seed))
        if isinstance(state, Melee) and state.phase == NAMING and state.gold[state.player] > 3
    )
    seat = first_seat(state.waiting)
    for stake in (1, 2, 3):
        state.stake = stake
        bot.truth = state
        assert melee.text(bot.choose(state.sight(seat), seat, FastRng(stake))).startswith(f"name {stake}")
