"""How the search plays Melee in its head: attacks are drawn, seasons are judged, and stakes are settled exactly."""

from __future__ import annotations

from collections import Counter

import pytest
from librt.vecs import vec

from polikarp.bots import make_bot, thoughts_of
from polikarp.bots.search import SearchBot, Searcher
from polikarp.engine.build import COMPILED
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games.melee import game
from polikarp.games.melee.bot import GreedyBot, equilibrium, stake_shares
from polikarp.games.melee.rules import BIDDING, NAME, STAKE, Melee
from polikarp.games.melee.style import MeleeStyle, QuickBot

from .positions import attacking, play, position


@pytest.mark.parametrize("gold", [3, 6, 12, 20])
def test_one_defender_is_weighed_as_exactly_as_by_greedy(gold: int) -> None:
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=gold)
    target = game.parse("attack Y1") - game.parse("attack R0")
    exact = GreedyBot().fight(state, 0, 0, target)
    assert QuickBot().fight(state, 0, 0, target) == pytest.approx(exact, abs=0.1)


def test_both_sides_draw_from_the_same_stakes() -> None:
    """melee.47: and what is named does not follow from what is staked."""
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=9)
    play(state, 0, "use soldier at R1", "attack Y1")
    style, rng = MeleeStyle(), FastRng("draws")
    staked = Counter(style.choose(state, 0, rng) - STAKE + 1 for _ in range(3000))
    play(state, 0, "stake 2")
    named = Counter(style.choose(state, 1, rng) - NAME + 1 for _ in range(3000))
    assert set(staked) == set(named)
    for stake in staked:
        assert staked[stake] == pytest.approx(3000 / len(staked), rel=0.2)
        assert named[stake] == pytest.approx(3000 / len(named), rel=0.2)


def storming() -> Melee:
    """The last turn of the game: three provinces against five, so that only an attack that succeeds wins."""
    units = {0: "soldier R1, camp R1, camp R2", 1: "soldier B1, camp B2, camp M, camp L"}
    return position(2, units, {0: 10, 1: 0}, {0: "attack tax", 1: "recruit tax"}, season="winter", first=1, turn=1)


def test_a_stake_is_not_known_to_who_names() -> None:
    """melee.80: an attack that is named once in nine times is worth it. Who saw the stake would name it always."""
    state = storming()
    play(state, 0, "first tax", "use soldier at R1")
    style = MeleeStyle()
    style.start(state)
    searcher = Searcher(state, style, 1.0)
    rng = FastRng("storm")
    for _ in range(1500):
        searcher.simulate(state, 0, rng)
    assert searcher.tree.mean(0, 0) > 0.5
    bot = make_bot(game, "strong:simulations=300")
    assert game.text(bot.choose(state.sight(0), 0, rng)) == "attack B1"


def test_what_was_learned_of_an_attack_is_settled_as_its_equilibrium() -> None:
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=6)
    play(state, 0, "use soldier at R1", "attack Y1")
    style = MeleeStyle()
    style.start(state)
    won = [0.8 - 0.04 * stake for stake in range(1, 7)]
    lost = [0.5 - 0.04 * stake for stake in range(1, 7)]
    for stake in range(1, 7):
        style.learn(2 * stake, 5 + stake, won[stake - 1])
        style.learn(2 * stake + 1, 9 - stake, lost[stake - 1])
    learned = style.learned(6, True)
    assert list(learned[0]) == pytest.approx(won, abs=1e-9)
    assert list(learned[1]) == pytest.approx(lost, abs=1e-9)
    value = equilibrium(vec[float](won), vec[float](lost), 1)
    played = [stake for stake in range(1, 7) if won[stake - 1] > value]
    rng = FastRng("settled")
    stakes = Counter(style.settle(state, 0, rng) - STAKE + 1 for _ in range(2000))
    assert sorted(stakes) == played
    for stake in played:  # winning and losing are as far apart with each, so each is as likely
        assert stakes[stake] == pytest.approx(2000 / len(played), rel=0.2)
        assert style.opinion(state, 0, STAKE + stake - 1) == pytest.approx((1 / len(played), value))
    for stake in set(range(1, 7)) - set(played):
        share, worth = style.opinion(state, 0, STAKE + stake - 1)
        assert share == 0
        assert worth == pytest.approx(won[stake - 1])
        assert worth < value


def test_who_defends_sees_the_same_attack_from_the_other_side() -> None:
    style = MeleeStyle()
    for stake in (1, 2, 3):
        style.learn(2 * stake, 10, 0.3 + 0.02 * stake)
        style.learn(2 * stake + 1, 10, 0.6 + 0.02 * stake)
    won, lost = style.learned(3, False)
    assert list(won) == pytest.approx([-0.32, -0.34, -0.36])
    assert list(lost) == pytest.approx([-0.62, -0.64, -0.66])


def test_what_a_name_is_worth_follows_from_how_often_that_is_staked() -> None:
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=9)
    play(state, 0, "use soldier at R1", "attack Y1", "stake 2")
    style = MeleeStyle()
    for stake in range(1, 10):  # worth to the defender: not named, and named
        style.learn(2 * stake, 10, 0.3 + 0.06 * stake)
        style.learn(2 * stake + 1, 10, 0.6 + 0.06 * stake)
    style.settle(state, 1, FastRng(0))
    won, lost = style.learned(9, False)
    value = equilibrium(won, lost, 1)
    shares = stake_shares(won, lost, value)
    for at in range(9):
        share, worth = style.opinion(state, 1, NAME + at)
        against = sum(shares[other] * (lost[at] if other == at else won[other]) for other in range(9))
        assert worth == pytest.approx(-against)
        assert (share > 0) == (won[at] > value)
    assert sum(style.opinion(state, 1, NAME + at)[0] for at in range(9)) == pytest.approx(1)


def test_a_few_simulations_that_err_leave_a_stake_to_play() -> None:
    """They may find that losing is better than winning, or have seen only one of them, or nothing."""
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=6)
    play(state, 0, "use soldier at R1", "attack Y1")
    for seed in range(300):
        rng = FastRng(("few", seed))
        style = MeleeStyle()
        for _ in range(rng.below(6)):
            style.learn(2 + rng.below(12), 1 + rng.below(3), rng.below(100) / 100)
        assert style.settle(state, 0, rng) in state.moves(0)


@pytest.mark.parametrize("phase", ["stake", "name"])
def test_stakes_and_names_of_the_search_are_mixed(phase: str) -> None:
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=9)
    play(state, 0, "use soldier at R1", "attack Y1")
    seat = 0
    if phase == "name":
        play(state, 0, "stake 2")
        seat = 1
    bot = make_bot(game, "strong:simulations=60")
    assert isinstance(bot, SearchBot)
    chosen: Counter[int] = Counter()
    for seed in range(60 if COMPILED else 20):
        move = bot.choose(state.sight(seat), seat, FastRng(seed))
        chosen[move] += 1
        assert [thought.move for thought in bot.thoughts] == state.moves(seat)
        assert sum(thought.visits for thought in bot.thoughts) == 60
        assert all(0 <= thought.value <= 1 for thought in bot.thoughts)
        thoughts = thoughts_of(game, bot, move)
        assert thoughts is not None
        assert game.text(move) in [one.move for one in thoughts.best]
    assert len(chosen) >= 3
    assert set(chosen) <= set(state.moves(seat))


def test_a_season_is_played_and_then_judged() -> None:
    """No further than the next bidding; the odds of all seats are one; who holds more is better off."""
    state = game.start(4, {}, FastRng("season"))
    assert isinstance(state, Melee)
    style, rng = MeleeStyle(), FastRng(1)
    style.start(state)
    while not style.stops(state):
        seat = first_seat(state.waiting)
        state.apply(seat, style.choose(state, seat, rng), rng)
    assert (state.phase, state.season) == (BIDDING, 2)
    worth = vec[float]([0.0] * 4)
    style.weigh(state, worth)
    before = list(worth)
    assert sum(before) == pytest.approx(1)
    state.gold[2] += 5
    style.weigh(state, worth)
    assert worth[2] > before[2]
    assert worth[1] < before[1]


def test_winter_is_played_to_its_end() -> None:
    state = storming()
    style, rng = MeleeStyle(), FastRng(1)
    style.start(state)
    while state.waiting:
        assert not style.stops(state)
        seat = first_seat(state.waiting)
        state.apply(seat, style.choose(state, seat, rng), rng)
