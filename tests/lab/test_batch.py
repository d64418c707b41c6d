"""Games as arrays: they show what the seat knows and may do, live in one piece of memory, and are the games that the
engine plays."""

from __future__ import annotations

import copy
import pickle
from itertools import islice
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.game import Game
from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, first_seat, seats_of
from polikarp.games import all_games, find_game
from polikarp.lab.batch import Batch
from polikarp.lab.rows import sight_row, width_of

GAMES = list(all_games().values())


def any_moves(mask: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.int64]:
    return np.array([rng.choice(np.flatnonzero(row)) for row in mask])


@pytest.mark.parametrize("game", [game for game in GAMES if not game.racers()], ids=lambda game: game.id)
def test_a_batch_plays_the_games_of_the_engine(game: Game) -> None:
    """Beside every game of the batch the same one is played by hand, several times over."""
    seats = game.seats[-1]
    batch = Batch(game, seats, 4, seed=3)
    chances = [FastRng((("batch", 3), number)) for number in range(4)]
    states: list[State] = [game.start(seats, {}, chance) for chance in chances]
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(150):
        for number, state in enumerate(states):
            seat = first_seat(state.waiting)
            assert batch.actor[number] == seat
            assert np.flatnonzero(batch.mask[number]).tolist() == sorted(state.moves(seat))
            assert batch.observation[number].tolist() == list(sight_row(state, seat))
        moves = any_moves(batch.mask, rng)
        batch.step(moves)
        for number, state in enumerate(states):
            state.apply(first_seat(state.waiting), int(moves[number]), chances[number])
            assert batch.over[number] == (state.waiting == 0)
            if state.waiting:
                assert not batch.reward[number].any()
                continue
            ended += 1
            winners = state.winners()
            fair = [(seat in winners) / len(winners) - 1 / seats for seat in range(seats)]
            assert batch.reward[number].tolist() == pytest.approx(fair)
            state.deal(chances[number])
    assert ended


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_an_observation_has_all_that_a_seat_knows_and_nothing_else(game: Game) -> None:
    for seats, options in all_settings(game):
        width = None
        for state in islice(walk(Setting(game, seats, options, 5)), None, None, 9):
            for seat in range(seats):
                row = list(sight_row(state, seat))
                width = width if width is not None else len(row)
                assert len(row) == width == width_of(state)
                assert row == list(sight_row(state.imagine(seat, FastRng(7)), seat))
                assert row[0] == seat


def test_arrays_are_made_once_and_share_the_memory_of_the_games() -> None:
    batch = Batch(find_game("leduc"), 2, 3, reward="score")
    arrays: tuple[NDArray[Any], ...] = (batch.observation, batch.mask, batch.actor, batch.reward, batch.over)
    rows: tuple[Any, ...] = (
        batch.rows.observation,
        batch.rows.mask,
        batch.rows.actor,
        batch.rows.reward,
        batch.rows.over,
    )
    for array, row in zip(arrays, rows, strict=True):
        assert np.shares_memory(array, np.frombuffer(row, array.dtype))
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(200):
        batch.step(any_moves(batch.mask, rng))
        seen |= {tuple(pair) for pair in batch.reward.tolist()}
    assert {(0.0, 0.0), (1.0, -1.0), (-1.0, 1.0)} < seen
    assert all(one + other == 0 for one, other in seen)


def test_a_move_that_is_not_legal_changes_nothing() -> None:
    batch = Batch(find_game("leduc"), 2, 2)
    before = batch.observation.copy()
    for moves in ([1, 0], [1, 3], [1, -1], [1]):
        with pytest.raises(UsageError, match=r"not legal|moves are given"):
            batch.step(np.array(moves))
    assert (batch.observation == before).all()


def test_wrong_batches_are_refused() -> None:
    leduc = find_game("leduc")
    with pytest.raises(UsageError, match="0 games"):
        Batch(leduc, 2, 0)
    with pytest.raises(UsageError, match="by 5"):
        Batch(leduc, 5, 1)
    with pytest.raises(UsageError, match="no reward 'fame'"):
        Batch(leduc, 2, 1, reward="fame")  # type: ignore[arg-type]


@pytest.mark.parametrize("calm", [0, 5])
def test_where_the_first_counts_everybody_who_may_is_asked(calm: int) -> None:
    """A slap is offered to every seat after every card, beside the turn-up or letting it go; none sees another's."""
    hunters = find_game("hunters")
    flip, let_go = hunters.parse("flip"), hunters.parse("pass")
    batch = Batch(hunters, 4, 8, seed=2, options={"calm": calm})
    rng = np.random.default_rng(3)
    asked: list[list[int]] = [[] for _ in range(8)]
    ended = 0
    for _ in range(3000):
        moves = any_moves(batch.mask, rng)
        for number in range(8):
            state, seat = batch.rows.states[number].copy(), int(batch.actor[number])
            offered = np.flatnonzero(batch.mask[number]).tolist()
            waited = bool(state.waiting >> seat & 1)
            assert offered == sorted([*state.moves(seat), *([] if waited else [let_go])])
            assert batch.observation[number].tolist() == list(sight_row(state, seat))
            asked[number].append(seat)
            if rng.random() < 0.9 and let_go in offered:
                moves[number] = let_go
            elif rng.random() < 0.9 and flip in offered:
                moves[number] = flip
        before = [state.to_bytes() for state in batch.rows.states]
        left = [seats_of(asking.left) for asking in batch.rows.rounds]
        batch.step(moves)
        for number, state in enumerate(batch.rows.states):
            assert not batch.rows.rounds[number].left & ~state.copy().acting()
            if len(left[number]) > 1:
                assert state.to_bytes() == before[number]  # the others of this round come first
                assert batch.actor[number] == left[number][1]
        ended += int(batch.over.sum())
    assert ended
    assert all(set(seats) == {0, 1, 2, 3} for seats in asked)


def test_no_seat_is_first_more_often() -> None:
    """All slap the same monster at once, after the first card of every game."""
    hunters = find_game("hunters")
    flip, slap = hunters.parse("flip"), hunters.parse("slap 1")
    batch = Batch(hunters, 4, 600, seed=5, options={"first": "1"}, reward="score")
    took = np.zeros(4)
    for _ in range(5):
        moves = np.where(batch.mask[:, slap] == 1, slap, flip)
        batch.step(moves)
    for state in batch.rows.states:
        took += [state.score(seat) != 0 for seat in range(4)]
    assert took.sum() == 600
    assert np.abs(took / 600 - 0.25).max() < 4 * (0.1875 / 600) ** 0.5


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.id)
def test_a_batch_comes_back_from_pickle_and_copies_and_goes_on_alike(game: Game) -> None:
    batch = Batch(game, game.seats[0], 5, seed=2, reward="score")
    rng = np.random.default_rng(4)
    for _ in range(23):
        batch.step(any_moves(batch.mask, rng))
    for twin in (pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch)):
        ahead = copy.deepcopy(batch)
        for _ in range(200):
            for name in ("observation", "mask", "actor", "reward", "over"):
                assert (getattr(twin, name) == getattr(ahead, name)).all()
            moves = any_moves(twin.mask, rng)
            twin.step(moves)
            ahead.step(moves)
    assert not np.shares_memory(ahead.observation, batch.observation)
