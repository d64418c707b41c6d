"""Pig, the worked example without secrets: its rules."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.games.pig import game
from polikarp.games.pig.rules import GOAL, ROLL, STOP, TURNS, Pig


def dealt(seats: int = 2) -> Pig:
    state = game.start(seats, {}, FastRng(0))
    assert isinstance(state, Pig)
    return state


def roll(state: Pig, seat: int, *rolled: int) -> Pig:
    for shows in rolled:
        state.play(seat, ROLL, ScriptRng([shows - 1]))
    return state


def test_seats_take_turns_from_the_first_on() -> None:
    """pig.1"""
    state = dealt(3)
    for seat in (0, 1, 2, 0):
        assert state.waiting == 1 << seat
        refusal = state.why_not((seat + 1) % 3, ROLL)
        assert refusal is not None
        assert (refusal.rule, refusal.args) == ("pig.1", {"waits_for": seat})
        roll(state, seat, 1)


def test_rolls_add_up_and_a_one_takes_them_all() -> None:
    """pig.2"""
    state = roll(dealt(), 0, 2, 6, 4)
    assert (state.turn, state.waiting) == (12, 1)
    roll(state, 0, 1)
    assert (state.turn, list(state.points), state.waiting) == (0, [0, 0], 2)


def test_who_stops_keeps_the_points_of_the_turn() -> None:
    """pig.3"""
    state = dealt()
    refusal = state.why_not(0, STOP)
    assert refusal is not None
    assert refusal.rule == "pig.3"
    assert state.moves(0) == [ROLL]
    roll(state, 0, 5).play(0, STOP, FastRng(0))
    assert (list(state.points), state.waiting) == ([5, 0], 2)


@pytest.mark.parametrize(("points", "rolled", "over"), [(GOAL - 4, 3, False), (GOAL - 4, 4, True), (GOAL - 4, 6, True)])
def test_fifty_points_end_the_game_at_once(points: int, rolled: int, over: bool) -> None:
    """pig.4: those of the turn are among them."""
    state = dealt()
    state.points[0] = points
    roll(state, 0, rolled)
    assert (state.waiting == 0) == over
    assert state.points[0] == (points + rolled if over else points)


def test_the_game_ends_after_ten_turns_each() -> None:
    """pig.5: whoever has most wins, and a win can be shared."""
    state = dealt(3)
    for turn in range(3 * TURNS):
        assert state.waiting == 1 << turn % 3
        state.points[0], state.points[1], state.points[2] = 7, 3, 7
        roll(state, turn % 3, 1)
    assert state.waiting == 0
    assert [state.place(seat) for seat in range(3)] == [1, 3, 1]


def test_its_table_is_told_without_a_text_of_its_own() -> None:
    table = game.deal(seats=2, seed=1)
    lines = game.table_text(table.view(), game.words("en"), ["Ala", "Bo"])
    assert lines == ["This turn: 0", "Turns to come: 20", "  Ala: Points 0", "  Bo: Points 0"]
