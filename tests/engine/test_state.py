"""A position: sets of seats, moves that do not exist, and bytes. What the positions of every game must hold is in
tests/games/test_contract.py."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng
from polikarp.engine.state import WATCHER, bit, first_seat, playouts, seats_of
from polikarp.games import all_games
from tests.toys import Toy

crypt = all_games()["crypt"]


@pytest.mark.parametrize("move", [-1, 124, 2**64])
def test_a_move_that_does_not_exist_is_refused(move: int) -> None:
    refusal = crypt.deal(seats=2, seed=1).state.why_not(0, move)
    assert refusal is not None
    assert refusal.key == "no_such_move"


def test_damaged_bytes_are_refused() -> None:
    data = crypt.start(3, {}, FastRng(1)).to_bytes()
    for damaged in (data[:-1], data + b"\x00", b"", b"\xff" * 20, data[:1] + b"\x80" * 12 + data[1:]):
        with pytest.raises(ValueError, match="a saved state"):
            crypt.load(3, damaged)
    with pytest.raises(ValueError, match="another number of seats"):
        crypt.load(2, data)


def test_sets_of_seats() -> None:
    """Watchers are in a set of their own."""
    together = bit(2) | bit(5)
    assert (seats_of(together), first_seat(together)) == ([2, 5], 2)
    assert bit(WATCHER) not in [bit(seat) for seat in range(16)]
    assert seats_of(bit(WATCHER)) == []


def test_every_number_comes_back_from_bytes() -> None:
    toy = Toy(3)
    values = [0, -1, 63, -64, 64, -65, 2**31, -(2**31)]
    for value in values:
        toy.hand[1] = value
        again = Toy(3)
        again.load_bytes(toy.to_bytes())
        assert again.hand[1] == value


def test_random_games_all_begin_where_they_are_told_to() -> None:
    """And leave that position as it was."""
    start = Toy(2)
    start.deal(FastRng(1))
    before = start.to_bytes()
    assert playouts(start, 50, FastRng(2)) >= 50 * 2
    assert start.to_bytes() == before
