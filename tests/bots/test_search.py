"""The search behind `strong`: it sees what its seat sees, finds what is best, and mixes where all choose at once."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import pytest
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.bots import make_bot
from polikarp.bots.search import RECORD, SearchBot, Searcher, Tree
from polikarp.engine.bot import Style
from polikarp.engine.build import COMPILED
from polikarp.engine.conformance import Setting, walk
from polikarp.engine.game import Game
from polikarp.engine.rng import FastRng, Rng
from polikarp.engine.state import State, copy_into, first_seat, numbers, seats_of
from polikarp.games import all_games, find_game
from tests.toys import Doors, Liking

GAMES = [game for game in all_games().values() if "strong" not in game.bots()]  # where it is the search
UNSEEN = -1
FOREVER = math.inf  # seconds: only the number of simulations counts


class Fingers(State):
    """Two seats show so many fingers at once; then each gets the points that `payoff` has for it."""

    shown: vec[i64]

    def __init__(self, payoff: list[list[int]]) -> None:
        super().__init__(2, len(payoff))
        self.payoff = payoff
        self.shown = numbers(2, UNSEEN)
        self.waiting = 3

    def blank(self) -> Fingers:
        return Fingers(self.payoff)

    def become(self, other: State) -> None:
        assert isinstance(other, Fingers)
        self.waiting = other.waiting
        copy_into(self.shown, other.shown)

    def list_moves(self, seat: int) -> int:
        for move in range(len(self.payoff)):
            self.legal[move] = move
        return len(self.payoff) if self.waiting >> seat & 1 else 0

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        self.shown[seat] = move
        self.waiting &= ~(1 << seat)

    def hide(self, seat: int) -> None:
        if self.waiting:
            self.shown[1 - seat] = UNSEEN

    def fill(self, seat: int, rng: Rng) -> None:
        if not self.waiting >> (1 - seat) & 1 and self.shown[1 - seat] == UNSEEN:
            self.shown[1 - seat] = rng.below(len(self.payoff))

    def score(self, seat: int) -> int:
        won = self.payoff[self.shown[0]][self.shown[1]]
        return won if seat == 0 else -won

    def place(self, seat: int) -> int:
        return 1 if self.score(seat) >= 0 else 2


PENNIES = [[9, -9], [-9, 9]]
ROCK = [[0, -9, 9], [9, 0, -9], [-9, 9, 0]]


@pytest.mark.parametrize("payoff", [PENNIES, ROCK], ids=["pennies", "rock, paper, scissors"])
def test_choices_made_at_once_are_mixed_and_tell_each_other_nothing(payoff: list[list[int]]) -> None:
    chosen = Counter[int]()
    bot = SearchBot(600, FOREVER)
    for seed in range(60):
        chosen[bot.choose(Fingers(payoff), 0, FastRng(seed))] += 1
    assert len(chosen) == len(payoff)
    assert max(chosen.values()) < 60 * 1.9 / len(payoff)
    searcher = Searcher(Fingers(payoff), Style(), 1.0)
    for _ in range(3000):
        searcher.simulate(Fingers(payoff), 0, FastRng(searcher.ended))
    for seat in (0, 1):
        assert searcher.tree.mean(0, seat) == pytest.approx(0.5, abs=0.12), "who chooses second must not see the first"


def test_what_is_always_better_is_chosen_at_once_too() -> None:
    bot = SearchBot(400, FOREVER)
    chosen = [bot.choose(Fingers([[5, 5], [-5, -5]]), 0, FastRng(seed)) for seed in range(20)]
    assert chosen.count(0) >= 18


class Ambush(Fingers):
    """One stakes and one names at once, then somebody has to say that it is over."""

    def blank(self) -> Ambush:
        return Ambush(self.payoff)

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        super().apply(seat, move, rng)
        if not self.waiting:
            self.waiting = 1


class AmbushStyle(Style):
    """Knows in percent what it is worth to the first seat once both have chosen."""

    def stops(self, state: State) -> bool:
        assert isinstance(state, Ambush)
        return state.shown[0] != UNSEEN and state.shown[1] != UNSEEN

    def weigh(self, state: State, worth: vec[float]) -> None:
        assert isinstance(state, Ambush)
        worth[0] = state.payoff[state.shown[0]][state.shown[1]] / 100
        worth[1] = 1 - worth[0]


def test_choices_made_at_once_come_to_their_equilibrium() -> None:
    """The first stakes with odds 1 / (won - lost), the second names what leaves every stake at the same value."""
    won, lost = [90, 80, 70], [10, 30, 40]
    apart = [one - other for one, other in zip(won, lost, strict=True)]
    payoff = [[lost[stake] if stake == named else won[stake] for named in range(3)] for stake in range(3)]
    value = (sum(one / gap for one, gap in zip(won, apart, strict=True)) - 1) / sum(1 / gap for gap in apart)
    expected = [
        [1 / gap / sum(1 / other for other in apart) for gap in apart],
        [(one - value) / gap for one, gap in zip(won, apart, strict=True)],
    ]
    game = Ambush(payoff)
    searcher = Searcher(game, AmbushStyle(), 1.0)
    rng = FastRng("ambush")
    for _ in range(12_000):
        searcher.simulate(game, 0, rng)
    tree = searcher.tree
    for seat in (0, 1):
        mixed = [tree.mixed[tree.child(0, seat + RECORD, move)] for move in range(3)]
        assert [part / sum(mixed) for part in mixed] == pytest.approx(expected[seat], abs=0.06)
    assert tree.mean(0, 0) == pytest.approx(value / 100, abs=0.03)


def test_the_part_of_a_tree_below_a_node_is_a_tree() -> None:
    tree = Tree(2)
    one, other = tree.add(0, 0, 5), tree.add(0, 0, 6)
    below = [tree.add(one, 1, 7), tree.add(one, 1, 8)]
    deep = tree.add(below[1], 0, 9)
    for number, node in enumerate((0, one, other, *below, deep)):
        tree.visits[node], tree.chances[node] = 10 + number, 20 + number
        tree.regret[node], tree.mixed[node], tree.value[2 * node + 1] = 30.0 + number, 40.0 + number, 50.0 + number
    part = tree.below(one)
    assert len(part.first) == 4
    assert (part.visits[0], part.above[0]) == (tree.visits[one], -1)
    first, second = part.child(0, 1, 7), part.child(0, 1, 8)
    for mine, theirs in ((first, below[0]), (second, below[1]), (part.child(second, 0, 9), deep)):
        assert (part.visits[mine], part.chances[mine]) == (tree.visits[theirs], tree.chances[theirs])
        assert (part.regret[mine], part.mixed[mine]) == (tree.regret[theirs], tree.mixed[theirs])
        assert part.value[2 * mine + 1] == tree.value[2 * theirs + 1]
    assert len(part.first) == 4, "all of these were there"


@pytest.mark.parametrize("name", ["crypt", "melee"])
def test_the_next_decision_of_a_turn_goes_on_with_what_is_known(name: str) -> None:
    """Only if the seat sees just what was foreseen: after its own move, with nothing in between."""
    game, tries = find_game(name), 30
    state, rng = game.start(2, {}, FastRng("reuse")), FastRng("moves")
    bots = [make_bot(game, f"strong:simulations={tries}") for _ in range(2)]
    gone_on = 0
    last = -1  # who made the last move
    for number in range(80):
        if not state.waiting:
            break
        seat = first_seat(state.waiting)
        bot, sight = bots[seat], state.sight(seat)
        assert isinstance(bot, SearchBot)
        known = 0
        if bot.kept is not None and bot.kept_for == sight.to_bytes():
            assert last == seat
            known = bot.kept.tree.visits[0]
            gone_on += 1
        if number % 3 == 2 and known:
            stranger = make_bot(game, f"strong:simulations={tries}")
            assert isinstance(stranger, SearchBot)
            stranger.kept, stranger.kept_for, known = bot.kept, b"something else", 0
            bot = bots[seat] = stranger
        move = bot.choose(sight, seat, FastRng(number))
        if bot.thoughts and sight.waiting == 1 << seat:
            fresh = 0 if known == 0 else known - 1  # the visit that made a node went no further
            assert sum(thought.visits for thought in bot.thoughts) == fresh + tries
        state.apply(seat, move, rng)
        last = seat
    assert gone_on > 8


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_it_plays_legal_moves_from_its_sight(game: Game) -> None:
    """What it may not know changes nothing; what it considered is all legal."""
    every = 3 if COMPILED else 25
    for seats in game.seats:
        for number, state in enumerate(walk(Setting(game, seats, {}, "search"))):
            if number % every or not state.waiting:
                continue
            seat = first_seat(state.waiting)
            bot = make_bot(game, "strong:simulations=12")
            assert isinstance(bot, SearchBot)
            move = bot.choose(state.sight(seat), seat, FastRng(number))
            legal = state.moves(seat)
            assert move in legal
            assert {thought.move for thought in bot.thoughts} <= set(legal)
            imagined = state.imagine(seat, FastRng(("imagine", number)))
            assert bot.choose(imagined.sight(seat), seat, FastRng(number)) == move


def test_its_thoughts_say_how_often_and_how_good() -> None:
    crypt = all_games()["crypt"]
    state = crypt.start(2, {}, FastRng(5))
    seat = seats_of(state.waiting)[0]
    bot = SearchBot(500, FOREVER)
    move = bot.choose(state.sight(seat), seat, FastRng(1))
    best = max(bot.thoughts, key=lambda thought: thought.visits)
    assert best.move == move
    assert sum(thought.visits for thought in bot.thoughts) == 500
    assert all(0 <= thought.value <= 1 for thought in bot.thoughts)
    assert bot.simulated == 500


@pytest.mark.parametrize("seat", [0, 1])
def test_its_thoughts_of_a_choice_made_at_once_are_the_mixture(seat: int) -> None:
    """Each move once, whoever of those who decide at once comes first, and in shares by which it is drawn."""
    bot = SearchBot(3000, FOREVER)
    bot.choose(Fingers([[5, 5], [-5, -5]] if seat == 0 else [[-5, 5], [-5, 5]]), seat, FastRng(1))
    assert sorted(thought.move for thought in bot.thoughts) == [0, 1]
    better, worse = sorted(bot.thoughts, key=lambda thought: thought.move)
    assert better.visits + worse.visits == 3000
    assert better.visits > 2700
    assert better.value > worse.value + 0.3


def test_it_stops_when_its_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock finds it a second later, and after each simulation it looks."""
    crypt = all_games()["crypt"]
    state = crypt.start(4, {}, FastRng(5))
    seat = seats_of(state.waiting)[0]
    bot = make_bot(crypt, "strong:seconds=4.5")
    assert isinstance(bot, SearchBot)
    with monkeypatch.context() as clock:
        clock.setattr("time.perf_counter", map(float, itertools.count()).__next__)
        bot.choose(state.sight(seat), seat, FastRng(1))
    assert bot.simulated == 5


def test_what_the_style_likes_is_tried_first_and_left_if_it_is_worse() -> None:
    doors = Doors([0] * 25 + [30] + [0] * 14)
    for liked in (3, 25, 39):
        searcher = Searcher(doors, Liking(40, liked), 0.35)
        searcher.simulate(doors, 0, FastRng(1))
        assert searcher.tree.move[searcher.tree.first[0]] == liked
        assert SearchBot(400, FOREVER, Liking(40, liked)).choose(doors, 0, FastRng(1)) == 25


def test_a_level_that_slips_plays_any_move_now_and_then() -> None:
    bot = SearchBot(50, FOREVER)
    bot.slips = 25
    doors = Doors([0] * 5 + [30])
    chosen = [bot.choose(doors, 0, FastRng(seed)) for seed in range(200)]
    assert 130 < chosen.count(5) < 185
    assert set(chosen) == set(range(6))
