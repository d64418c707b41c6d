"""What holds in every position of Melee. `scripts/fuzz` asks it of every position too."""

from __future__ import annotations

from polikarp.engine.state import State
from polikarp.games.melee import game
from polikarp.games.melee.boards import COUNT
from polikarp.games.melee.rules import Melee
from polikarp.games.melee.view import Board


def check_state(state: State) -> None:
    """melee.2, melee.31, melee.32, melee.34: ten units of each colour on board and in reserve, one colour and no two
    identical units in a province, no camp in a castle; nobody has less than no gold."""
    assert isinstance(state, Melee)
    assert state.totals() == [3, 2, 3, 2] * state.seats
    held = [int(state.held(seat)) for seat in range(state.seats)]
    for province in range(COUNT):
        assert sum(places >> province & 1 for places in held) <= 1
    assert all(0 <= gold <= 70 for gold in state.gold)
    for seat in range(state.seats):
        assert not state.on[seat * 4 + 2] & state.board.castles
        others = state.board.castles & ~(1 << state.board.castle[seat])
        assert not held[seat] & others, "nobody is in the castle of another"
    board = game.view(state, None).board
    assert isinstance(board, Board)
    check_view(board)


def check_view(board: Board) -> None:
    for seat, lord in enumerate(board.lords):
        units = [unit for province in board.provinces if province.owner == seat for unit in province.units]
        assert len(units) + sum(lord.reserve.values()) == 10
    for province in board.provinces:
        assert len(set(province.units)) == len(province.units)
