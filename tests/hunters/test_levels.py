"""Bots with human limits: how long they take and what they overlook. `benchmarks/levels.py` plays them against each
other."""

from __future__ import annotations

import itertools
import statistics

import msgspec
import pytest
from benchmarks.levels import Hunt

from polikarp.bots import make_bot
from polikarp.engine.race import Intent
from polikarp.engine.rng import FastRng
from polikarp.games.hunters import game
from polikarp.games.hunters.levels import LEAST_MEDIAN, Level, intend, levels, missing
from polikarp.lab.match import play_match

from .positions import board, deal, flip, position

NAMES = ["child", "casual", "quick", "champion"]
OLU = ["fire", "ice", "bow"]  # monster 1


def intents(level: Level, turned: list[str], monsters: list[int], times: int = 2000) -> list[Intent | None]:
    seen = board(position(3, monsters=monsters, turned=turned))
    rng = FastRng("intents")
    return [intend(level, seen, rng) for _ in range(times)]


def test_levels_are_data_from_the_weakest_to_the_strongest() -> None:
    assert list(levels()) == ["still", *NAMES]
    for weaker, stronger in itertools.pairwise(NAMES):
        assert levels()[weaker].median > levels()[stronger].median >= LEAST_MEDIAN == 250
        assert levels()[weaker].sees < levels()[stronger].sees
        assert levels()[weaker].mistakes > levels()[stronger].mistakes
    with pytest.raises(ValueError, match="not human"):
        msgspec.structs.replace(levels()["champion"], median=249)


@pytest.mark.parametrize("name", NAMES)
def test_reactions_are_as_stated(name: str) -> None:
    """The median is the stated one, and a bot that does not see a monster does nothing about it."""
    level = levels()[name]
    drawn = intents(level, OLU, [1, 29, 30])
    made = [intent for intent in drawn if intent is not None and intent.target == 0]
    assert statistics.median(intent.after for intent in made) == pytest.approx(level.median, rel=0.06)
    assert len(made) / len(drawn) == pytest.approx(level.sees, abs=0.04)


def test_many_open_cards_take_longer_to_read() -> None:
    level = levels()["casual"]
    crowded = intents(level, [*OLU, *["fire"] * 9], [1, 29, 30])
    after = statistics.median(intent.after for intent in crowded if intent is not None and intent.target == 0)
    assert after == pytest.approx(level.median + 6 * level.each_card, rel=0.06)


def test_mistakes_are_about_monsters_that_lack_one_symbol() -> None:
    level = levels()["child"]
    drawn = intents(level, ["fire", "ice"], [1, 28, 30], times=5000)
    made = [intent for intent in drawn if intent is not None]
    assert {intent.target for intent in made} == {0}
    assert len(made) / len(drawn) == pytest.approx(level.mistakes, abs=0.01)


def test_still_turns_its_cards_and_slaps_nothing() -> None:
    drawn = intents(levels()["still"], OLU, [1, 28, 30])
    assert set(drawn) == {None}


def test_of_what_it_sees_a_bot_takes_the_most_valuable() -> None:
    level = msgspec.structs.replace(levels()["champion"], sees=1.0)
    made = intents(level, [*OLU, "axe"], [1, 13, 29], times=50)
    assert {intent.target for intent in made if intent is not None} == {1}


def test_bots_count_symbols_as_the_rules_do() -> None:
    """hunters.11, hunters.12: from what lies open on the table."""
    state = deal(4, "counting")
    for _ in range(60):
        flip(state)
        seen = board(state)
        for place in range(3):
            assert missing(seen, seen.monsters[place]) == state.missing(place, 0)


def test_slaps_of_bots_have_human_times() -> None:
    hunt = Hunt([levels()["champion"]] * 4, "four")
    hunt.play()
    assert statistics.median(hunt.catches) >= LEAST_MEDIAN
    assert not hunt.state.waiting


@pytest.mark.parametrize("seats", [2, 5])
def test_greedy_catches_what_can_be_caught_and_makes_no_mistakes(seats: int) -> None:
    match = play_match(game, seats, {}, [make_bot(game, "greedy") for _ in range(seats)], seats)
    assert sum(match.result.scores) > 3 * 7
    assert min(match.result.scores) >= 0


def test_greedy_answers_a_calm_race() -> None:
    """hunters.35: it slaps the most valuable monster that can be caught, or passes."""
    bot = make_bot(game, "greedy")
    state = position(3, monsters=[1, 13, 29], turned=[*OLU, "axe"], calm=5)
    state.apply(0, game.parse("slap 3"), FastRng(0))
    assert game.text(bot.choose(state.sight(1), 1, FastRng(0))) == "slap 2"
    state = position(3, monsters=[28, 13, 29], turned=OLU, calm=5)
    state.apply(0, game.parse("slap 3"), FastRng(0))
    assert game.text(bot.choose(state.sight(1), 1, FastRng(0))) == "pass"
