"""The bots: from their seat's sight only, and always legal. `benchmarks/greedy.py` and `benchmarks/strong.py` measure
how much they win."""

from __future__ import annotations

import pytest

from polikarp.bots import LEVELS, bot_levels, bot_types, make_bot, thoughts_of
from polikarp.bots.random import RandomBot
from polikarp.bots.search import SearchBot, StrongBot
from polikarp.engine.bot import Bot
from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import State, seats_of
from polikarp.games import all_games
from polikarp.lab.match import play_match
from polikarp.lab.simulate import simulate

GAMES = list(all_games().values())
GOLD = all_games()["gold"]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_every_bot_plays_legal_moves_from_its_sight(game: Game) -> None:
    """A bot chooses the same for positions that its seat can not tell apart. The search has tests of its own."""
    for name in [name for name, bot in bot_types(game).items() if bot is not StrongBot]:
        for seats, options in all_settings(game):
            for number, state in enumerate(walk(Setting(game, seats, options, "bots"))):
                for seat in seats_of(state.waiting):
                    bot = make_bot(game, name)
                    move = bot.choose(state.sight(seat), seat, FastRng(number))
                    assert move in state.moves(seat)
                    imagined = state.imagine(seat, FastRng(("imagine", number)))
                    assert bot.choose(imagined.sight(seat), seat, FastRng(number)) == move


def test_a_deal_is_the_same_whoever_plays_it() -> None:
    crypt = all_games()["crypt"]
    first = simulate(crypt, 2, 20, ["greedy", "random"], "same")
    again = simulate(crypt, 2, 20, ["greedy", "random"], "same")
    other = simulate(crypt, 2, 20, ["greedy", "random"], "other")
    assert (first.moves, first.wins, first.scores) == (again.moves, again.wins, again.scores)
    assert first.scores != other.scores


def test_unknown_bots_and_settings_are_named() -> None:
    crypt = all_games()["crypt"]
    with pytest.raises(UsageError, match=r"no bot 'clever' for crypt; the bots are: random, greedy"):
        make_bot(crypt, "clever")
    with pytest.raises(UsageError, match="bot greedy has no settings"):
        make_bot(crypt, "greedy:ms=5")


class Cheat(Bot):
    """Sends three sixes wherever it likes."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return all_games()["crypt"].parse("send 3x6 at A")


class Eager(Bot):
    """Plays at random, and uses every right at once."""

    volunteers = True

    def __init__(self) -> None:
        self.used = 0

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return sight.pick(seat, rng)

    def volunteer(self, sight: State, seat: int, rng: Rng) -> int:
        self.used += 1
        return sight.moves(seat)[0]


def test_a_bot_can_not_make_a_move_that_was_not_offered() -> None:
    crypt = all_games()["crypt"]
    match = play_match(crypt, 3, {}, [RandomBot(), Cheat(), RandomBot()], 1)
    assert match.fault is not None
    assert match.fault.seat == 1
    assert "is not legal (crypt." in match.fault.reason
    assert match.result.places == [1, 3, 1]


def test_a_bot_that_volunteers_uses_its_rights() -> None:
    """crypt.47: also while the game waits for somebody else."""
    crypt = all_games()["crypt"]
    bots = [Eager(), Eager(), Eager()]
    for seed in range(10):
        play_match(crypt, 3, {"collectors": "random"}, bots, seed)
    assert sum(bot.used for bot in bots) > 0


def test_levels_and_settings() -> None:
    crypt = all_games()["crypt"]
    assert bot_levels(crypt)[0] == "random"
    assert bot_levels(crypt)[-1] == "strong"
    assert bot_levels(crypt)[1:4] == ["strong:level=easy", "greedy", "strong:level=medium"]
    thinking = []
    for level in LEVELS:
        bot = make_bot(crypt, f"strong:level={level}")
        assert isinstance(bot, SearchBot)
        assert bot.seconds < 1
        thinking.append((bot.simulations, -bot.slips))
    assert thinking == sorted(thinking)
    for setting in (
        "level=hopeless",
        "simulations=0",
        "simulations=x",
        "seconds=0",
        "seconds=nan",
        "seconds=1e9",
        "",
        "x=1",
    ):
        with pytest.raises(UsageError, match="right is: level=LEVEL"):
            make_bot(crypt, f"strong:{setting}")


def test_only_bots_that_search_have_thoughts() -> None:
    state = GOLD.start(3, {}, FastRng(1))
    seat = next(seat for seat in range(3) if state.moves(seat))
    for name, there in (("strong:simulations=60", True), ("greedy", False), ("random", False)):
        bot = make_bot(GOLD, name)
        move = bot.choose(state.sight(seat), seat, FastRng(2))
        thoughts = thoughts_of(GOLD, bot, move)
        assert (thoughts is not None) == there
        if thoughts is not None:
            assert thoughts.visits == 60
            assert thoughts.best[0].move == GOLD.text(move)
