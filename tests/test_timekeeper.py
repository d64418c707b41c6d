"""Races between bots: the earlier one counts, whatever seats they have, and all else is as between people."""

from __future__ import annotations

import pytest

from polikarp.bots import make_bot
from polikarp.bots.fault import BotFault
from polikarp.bots.random import RandomBot
from polikarp.bots.seated import Seated
from polikarp.engine.bot import Bot
from polikarp.engine.option import OptionValue, UsageError
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import State
from polikarp.games.hunters import HuntersGame
from polikarp.lab.match import play_match, win_shares
from polikarp.lab.simulate import simulate

from .hunters.positions import flip, position

OLU, OLUT = ["fire", "ice", "bow"], ["fire", "ice", "bow", "axe"]  # for monsters 1 and 13


class TimedGame(HuntersGame):
    """Hunters in which a bot's reflexes are its very milliseconds."""

    def reaction(self, reflexes: str, sight: State, rng: Rng) -> float:
        return float(reflexes)


GAME = TimedGame()


class Hand(Bot):
    """Means to slap one place after every card."""

    volunteers = True

    def __init__(self, text: str, after: float) -> None:
        self.text = text
        self.reflexes = str(after)

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        slap = self.volunteer(sight, seat, rng)
        return slap if slap >= 0 else sight.moves(seat)[0]

    def volunteer(self, sight: State, seat: int, rng: Rng) -> int:
        return GAME.parse(self.text) if self.text else -1


def next_moves(state: State, bots: list[Bot], count: int = 1, **options: OptionValue) -> list[tuple[int, str]]:
    """The next moves of a game, each made before the next is asked for."""
    seated = dict(enumerate(bots))
    table = Seated(GAME, options, seated, {seat: FastRng(seat) for seat in seated})
    made = []
    for _ in range(count):
        chosen = table.next_move(state)
        assert chosen is not None
        state.play(*chosen, FastRng(0))
        made.append((chosen[0], GAME.text(chosen[1])))
    return made


def test_the_earlier_slap_counts_whatever_the_seat() -> None:
    for fast in range(3):
        state = position(3, monsters=[1, 13, 29], turned=OLUT)
        bots: list[Bot] = [Hand("slap 1", 300 if seat == fast else 302) for seat in range(3)]
        assert next_moves(state, bots) == [(fast, "slap 1")]


def test_of_slaps_that_can_not_be_told_apart_the_higher_priority_counts() -> None:
    """hunters.24, hunters.17"""
    state = position(3, monsters=[1, 13, 29], turned=OLUT)
    assert next_moves(state, [Hand("slap 1", 300), Hand("slap 2", 300.9), Hand("slap 3", 301)]) == [(1, "slap 2")]


def test_on_one_monster_the_nearer_in_turn_order_counts() -> None:
    """hunters.18: the next to turn up is seat 1 here."""
    state = position(3, monsters=[1, 13, 29], turned=OLUT)
    assert state.turn == 1
    assert next_moves(state, [Hand("slap 1", 300), Hand("slap 1", 300.5), Hand("slap 1", 300)]) == [(1, "slap 1")]


def test_who_is_slower_than_the_pace_sees_the_next_card_first() -> None:
    """hunters.33: a slap less than 100 ms after a card is judged without it."""
    for after, text in ((2050, "slap 1 before"), (2100, "slap 1"), (1999, None)):
        state = position(3, monsters=[1, 13, 29], turned=OLU)
        made = next_moves(state, [Hand("slap 1", after), Hand("", 0), Hand("", 0)], 2)
        assert made == ([(0, "slap 1"), (0, "flip")] if text is None else [(0, "flip"), (0, text)])


def test_a_longer_pace_leaves_more_time() -> None:
    state = position(3, monsters=[1, 13, 29], turned=OLU)
    assert next_moves(state, [Hand("slap 1", 3000), Hand("", 0), Hand("", 0)], pace=4) == [(0, "slap 1")]


def test_a_calm_race_compares_all_answers_and_the_late_let_go() -> None:
    """hunters.35"""
    state = position(4, monsters=[1, 13, 29], turned=OLUT, calm=5)
    bots: list[Bot] = [Hand("slap 1", 900), Hand("slap 2", 1200), Hand("slap 2", 1100), Hand("slap 2", 6000)]
    made = next_moves(state, bots, 4, calm=5)
    assert made == [(0, "slap 1"), (2, "slap 2"), (1, "slap 2"), (3, "pass")]
    assert state.score(2) == 4


def test_who_does_not_volunteer_acts_in_turn_only() -> None:
    state = position(2, monsters=[1, 13, 29], turned=OLUT)
    assert next_moves(state, [RandomBot(), Hand("slap 2", 1999)]) == [(1, "slap 2")]


def test_when_all_cards_lie_open_everybody_looks_again() -> None:
    """hunters.20: also who does not volunteer; and where nobody ever slaps, it is said."""
    state = position(2, monsters=[1, 13, 29])
    flip(state, 108)
    assert state.waiting == 3
    still = next_moves(state.copy(), [Hand("", 0), Lazy(400)])
    assert still == [(1, "slap 1")]
    with pytest.raises(BotFault, match="seat 0: every card lies open"):
        next_moves(state, [Hand("", 0), Hand("", 0)])


class Lazy(Bot):
    """Slaps only when asked."""

    def __init__(self, after: float) -> None:
        self.reflexes = str(after)

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return sight.moves(seat)[0]


def test_a_person_is_waited_for() -> None:
    state = position(3, monsters=[1, 13, 29], turned=OLU)
    bots = {1: Hand("", 0), 2: Hand("", 0)}
    table = Seated(GAME, {}, bots, {seat: FastRng(seat) for seat in bots})
    assert table.next_move(state) is None
    flip(state)
    assert table.next_move(state) == (1, GAME.parse("flip"))


def test_a_slap_that_is_not_offered_is_the_bots_mistake() -> None:
    state = position(3, monsters=[1, 13, 29], turned=["fire"])
    with pytest.raises(BotFault, match=r"seat 0: its move 8 is not legal \(hunters\.25 none_seen\)"):
        next_moves(state, [Hand("slap 1 before 2", 300), Hand("", 0), Hand("", 0)])


def test_no_seat_is_better_than_another() -> None:
    """Four equal bots: a fair quarter of the wins to each seat, as far as the games can tell (four sigmas)."""
    games, game = 150, HuntersGame()
    sums = simulate(game, 4, games, ["quick"], "flat")
    assert sum(sums.wins) == pytest.approx(games)
    assert max(abs(wins / games - 0.25) for wins in sums.wins) < 4 * (0.1875 / games) ** 0.5


def test_levels_are_bots_and_rank_as_at_tables() -> None:
    """`strong` is the strongest of them; settings of a search it has none."""
    game = HuntersGame()
    wins = [0.0] * 4
    for seed in range(20):
        bots = [make_bot(game, name) for name in ("child", "casual", "quick", "strong")]
        order = [(seat + seed) % 4 for seat in range(4)]
        match = play_match(game, 4, {}, [bots[at] for at in order], seed)
        for seat, share in enumerate(win_shares(match.result)):
            wins[order[seat]] += share
    assert wins[3] > 14
    assert wins[0] < 2
    assert make_bot(game, "strong").reflexes == "champion"
    with pytest.raises(UsageError, match="bot strong has no settings"):
        make_bot(game, "strong:simulations=5")
    with pytest.raises(UsageError, match="no bot 'still' for hunters"):
        make_bot(game, "still")


def test_reflexes_are_those_of_a_level() -> None:
    game = HuntersGame()
    sight = position(3, monsters=[1, 13, 29], turned=OLU)
    assert game.reaction("", sight, FastRng(1)) == game.reaction("casual", sight, FastRng(1))
    with pytest.raises(UsageError, match="no reflexes 'lightning'; right is: still, child"):
        game.reaction("lightning", sight, FastRng(1))
