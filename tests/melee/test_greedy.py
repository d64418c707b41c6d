"""`greedy` is well ahead of `random`. `benchmarks/greedy.py` measures by how much."""

from __future__ import annotations

import pytest

from polikarp.bots import make_bot
from polikarp.engine.build import COMPILED
from polikarp.games.melee import game
from polikarp.lab.match import play_match, win_shares


@pytest.mark.parametrize("rules", ["basic", "advanced"])
def test_greedy_beats_two_random_bots(rules: str) -> None:
    """Duplicate deals, seats rotated; a fair share would be a third."""
    deals = 30 if COMPILED else 4
    share = 0.0
    for deal in range(deals):
        for seat in range(3):
            names = ["greedy" if other == seat else "random" for other in range(3)]
            match = play_match(game, 3, {"rules": rules}, [make_bot(game, name) for name in names], deal)
            share += win_shares(match.result)[seat]
    assert share / deals / 3 > 0.6
