"""The bot that knows nothing."""

from __future__ import annotations

from polikarp.bots.random import RandomBot
from polikarp.engine.rng import ScriptRng
from tests.toys import Doors


def test_each_draw_is_another_move() -> None:
    """One draw among as many as there are moves, and all of them can come."""
    doors = Doors([0] * 6)
    assert {RandomBot().choose(doors, 0, ScriptRng([draw])) for draw in range(6)} == set(range(6))
