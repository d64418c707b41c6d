"""Pig: the smallest worked example of `docs/adding-a-game.md`, without secrets. It is not offered to players."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.state import State
from polikarp.games.pig.rules import GOAL, TURNS, Pig


class Board(msgspec.Struct, frozen=True):
    turn: int
    turns: int
    points: list[int]


class PigGame(Game):
    id = "pig"
    version = 1
    seats = range(2, 7)
    longest = 6 * TURNS * (GOAL // 2 + 1)
    offered = False
    secrets = False
    move_texts = ("roll", "stop")
    folder = Path(__file__).parent

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Pig:
        return Pig(seats)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Pig)
        return Board(sight.turn, sight.turns, list(sight.points))


game = PigGame()
