"""What holds in every position of every game."""

from __future__ import annotations

import pytest

from polikarp.engine.build import COMPILED
from polikarp.engine.conformance import Setting, all_settings, walk
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import FastRng
from polikarp.games.melee import game
from polikarp.games.melee.rules import Melee
from polikarp.games.melee.view import Board

GAMES = 60 if COMPILED else 4


@pytest.mark.parametrize(("seats", "options"), all_settings(game))
def test_units_provinces_and_gold(seats: int, options: dict[str, OptionValue]) -> None:
    """melee.2, melee.31, melee.32, melee.34: ten units of each colour on board and in reserve, one colour and no two
    identical units in a province, no camp in a castle; nobody has less than no gold."""
    for seed in range(GAMES):
        for state in walk(Setting(game, seats, options, ("any", seed))):
            assert isinstance(state, Melee)
            assert state.totals() == [3, 2, 3, 2] * seats
            held = [int(state.held(seat)) for seat in range(seats)]
            assert sum(mask.bit_count() for mask in held) == sum(held).bit_count() == (or_all(held)).bit_count()
            assert all(0 <= gold <= 70 for gold in state.gold)
            for seat in range(seats):
                assert not state.on[seat * 4 + 2] & state.board.castles
                others = state.board.castles & ~(1 << state.board.castle[seat])
                assert not held[seat] & others, "nobody is in the castle of another"
            check_view(game.view(state, None).board)


def or_all(masks: list[int]) -> int:
    made = 0
    for mask in masks:
        made |= mask
    return made


def check_view(board: Board) -> None:
    for seat, lord in enumerate(board.lords):
        units = [unit for province in board.provinces if province.owner == seat for unit in province.units]
        assert len(units) + sum(lord.reserve.values()) == 10
    for province in board.provinces:
        assert len(set(province.units)) == len(province.units)


def test_whoever_can_attack_a_province_is_named_as_its_danger() -> None:
    """melee.46, melee.55: what a unit may attack now was in danger before it was chosen."""
    attacks = 0
    for seed in range(12):
        table = game.deal(2 + seed % 3, seed=f"danger {seed}")
        chance = FastRng(seed)
        while not table.over:
            seat = table.waiting[0]
            moves = table.moves(seat)
            view = table.view(seat).board
            danger = {province.name: province.danger for province in view.provinces}
            for target in [move.split()[1] for move in moves if move.startswith("attack ")]:
                assert seat in danger[target]
                attacks += 1
            for province in view.provinces:
                assert province.owner not in province.danger or province.castle is not None
            table.play(moves[chance.below(len(moves))], seat)
    assert attacks > 20
