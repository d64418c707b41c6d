"""`greedy`: its odds are exact. `benchmarks/greedy.py` measures how much it wins."""

from __future__ import annotations

import itertools
import statistics

import pytest
from librt.vecs import vec

from polikarp.bots import make_bot
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games.gold import game
from polikarp.games.gold.bot import GreedyBot, Odds
from polikarp.games.gold.rules import Gold
from polikarp.games.gold.style import QuickStyle
from tests.gold.positions import before_fight, position


def outcomes(state: Gold, order_of_play: str, few: dict[int, list[int]]) -> list[list[int]]:
    """Every way in which unseen guards can lie on the fields, fought out: the coins that each seat gains."""
    found = []
    levels = [state.cards.stars[state.guard[field]] for field in range(state.seats)]
    for guards in itertools.product(*(few[stars] for stars in levels)):
        if len(set(guards)) < state.seats:
            continue
        twin = state.copy()
        assert isinstance(twin, Gold)
        rest = [guard for guard in range(36) if guard not in guards]
        for place in range(36):
            twin.guard[place] = guards[place] if place < state.seats else rest[place - state.seats]
        before = list(twin.gold)
        twin.play(int(order_of_play[0]), game.parse(order_of_play[2:]), FastRng(0))
        found.append([new - old for new, old in zip(twin.gold, before, strict=True)])
    return found


@pytest.mark.parametrize("order", [0, 4, 7, 10, 11, 12])
def test_the_odds_are_exact(order: int) -> None:
    """The mean over all ways in which the guards can lie is what `Odds` says, also with two guards of one level."""
    state = before_fight(("0:3 1:3", "1:2 2:4", "2:1 0:5"), ("* 6/6", "*** 8/14", "* 5/4"), order=order)
    ways = outcomes(state, "0 place 5 at 3b", {1: list(range(12)), 3: list(range(24, 36))})
    sight = state.sight(0)
    assert isinstance(sight, Gold)
    odds = Odds(sight)
    sight.put(0, 5, 5)
    coins = odds.expected(sight, 3)
    assert list(coins) == pytest.approx([statistics.fmean(way[seat] for way in ways) for seat in range(3)])


def test_it_does_not_waste_a_strong_monster_or_gold() -> None:
    """With a slot left at a guard that anything beats, and one where only a five helps, it takes the second."""
    castle = {"1a": "1:4", "1b": "2:4", "2a": "0:5", "2b": "1:5", "3a": "2:5"}
    state = position(3, ["* 3/3", "* 3/4", "*** 9/14"], {0: (1, 2, 5)}, castle)
    for bot in (make_bot(game, "greedy"), QuickStyle()):
        assert game.text(bot.choose(state.sight(0), 0, FastRng(0))) == "place 2 at 3b"


@pytest.mark.parametrize("order", [0, 9, 11, 12])
@pytest.mark.parametrize("guards", [("* 3/3", "** 6/8", "*** 9/14"), ("*** 9/14", "* 3/3", "** 6/8")])
def test_the_quick_style_thinks_as_greedy_does(order: int, guards: tuple[str, ...]) -> None:
    """Its estimate of every move is near what greedy works out exactly, with strong guards at the end or the gate."""
    castle = {"1a": "1:3", "2a": "0:5", "3a": "2:3"}
    state = position(3, guards, {0: (1, 4, 5)}, castle, {0: 9}, order=order)
    style, greedy, sight = QuickStyle(), GreedyBot(), state.sight(0)
    assert isinstance(sight, Gold)
    odds = Odds(sight)
    gap = greedy.value(sight, 0, sight.moves(0)[0], odds)
    count = style.rate(sight, 0)
    assert count > 6
    gap -= style.ratings[0]
    for at in range(count):
        exact = greedy.value(sight, 0, sight.legal[at], odds)
        assert style.ratings[at] + gap == pytest.approx(exact, abs=0.4), game.text(sight.legal[at])


def test_a_round_is_played_and_then_judged() -> None:
    """To the end of the fight and no further; the odds of all seats are one; coins, a hand for a round more often,
    and an early turn are good."""
    state = position(4, number=3)
    style, rng, worth = QuickStyle(), FastRng(1), vec[float]([0.0] * 4)
    style.start(state)
    while not style.stops(state):
        seat = first_seat(state.waiting)
        state.apply(seat, style.play_on(state, seat, rng), rng)
    assert state.round == 4
    assert all(int(hand).bit_count() == 3 for hand in state.hand)

    def odds() -> list[float]:
        style.weigh(state, worth)
        assert sum(worth) == pytest.approx(1)
        return list(worth)

    for seat in range(4):
        state.gold[seat] = 10
        state.hand[seat] = 0b001110
    level = odds()
    assert sorted(range(4), key=lambda seat: -level[seat]) == [(state.first + turn) % 4 for turn in range(4)]
    state.gold[2] += 4
    ahead = odds()
    assert ahead[2] > level[2] + 0.1
    assert all(ahead[seat] < level[seat] for seat in (0, 1, 3))
    state.round = 6
    assert odds()[2] > ahead[2] + 0.1, "fewer rounds are left to catch up"
    state.gold[2] -= 4
    level = odds()
    state.hand[1] = 0b111000
    assert odds()[1] > level[1] + 0.1
    state.round = 5
    level = odds()
    state.hand[1] = 0b001110
    assert odds() == level, "who has the strong hand now has the weak one next"
    state.gold[0] = 10**6
    assert odds()[0] == 1


def test_the_last_round_is_played_to_the_end() -> None:
    state = position(4, number=6)
    style, rng = QuickStyle(), FastRng(1)
    style.start(state)
    while state.waiting:
        assert not style.stops(state)
        seat = first_seat(state.waiting)
        state.apply(seat, style.play_on(state, seat, rng), rng)
    assert state.round == state.rounds
