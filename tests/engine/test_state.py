"""A position: moves that do not exist, and bytes that are damaged. What the positions of every game must hold is in
tests/games/test_contract.py."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng
from polikarp.games import all_games

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
