"""A deliberately poor game: no page, one language, few words, a bot that nobody named, options without words, no
secrets, no rulebook.

Sticks: in turn everybody takes one to three of them, and whoever has most wins. `tests/web/test_poor_game.py` puts
the folder among the games and plays it in a browser.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.game import Game
from polikarp.engine.option import Option, OptionValue
from polikarp.engine.phrase import Phrase, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, Tape, bit, first_seat, numbers

MOST = 3  # sticks taken at once


class Sticks(State):
    taken: vec[i64]
    left: i64

    def __init__(self, seats: int, sticks: int, generous: int) -> None:
        super().__init__(seats, MOST)
        self.sticks, self.generous = sticks, generous
        self.taken = numbers(seats, 0)
        self.left = 0

    def blank(self) -> Sticks:
        return Sticks(self.seats, self.sticks, self.generous)

    def carry(self, tape: Tape) -> None:
        self.left = tape.one(self.left)
        self.taken = tape.many(self.taken)

    def deal(self, rng: Rng) -> None:
        self.left, self.waiting = self.sticks, 1
        self.taken = numbers(self.seats, self.generous)

    def list_moves(self, seat: int) -> int:
        count = min(MOST, self.left) if self.waiting == 1 << seat else 0
        for move in range(count):
            self.legal[move] = move
        return count

    def refusal(self, seat: int, move: int) -> Refusal | None:
        if self.waiting != 1 << seat:
            return Refusal("poor.1", "not_your_turn", {"waits_for": first_seat(self.waiting)})
        return Refusal("poor.2", "too_few_sticks", {"left": self.left}) if move >= self.left else None

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        self.left -= move + 1
        self.taken[seat] += move + 1
        self.waiting = 1 << (seat + 1) % self.seats if self.left else 0
        if self.log is not None:
            self.log.tell("takes", {"seat": seat, "sticks": move + 1})

    def score(self, seat: int) -> int:
        return self.taken[seat]


class Board(msgspec.Struct, frozen=True):
    sticks_left: int
    taken: list[int]


class Most(Bot):
    """Takes as many as it can."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return sight.moves(seat)[-1]


class One(Bot):
    """Takes one."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return 0


class SticksGame(Game):
    id = "poor"
    version = 1
    seats = range(2, 5)
    longest = 30
    options = (
        Option("sticks", 12, low=5, high=30),
        Option("generous", False),
        Option("wood", "oak", choices=("oak", "pine")),
    )
    secrets = False
    move_texts = ("take 1", "take 2", "take 3")
    folder = Path(__file__).parent

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Sticks:
        return Sticks(seats, int(options["sticks"]), int(options["generous"]))

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Sticks)
        return Board(sight.left, list(sight.taken))

    def prompt(self, sight: State, seat: int) -> Phrase:
        return Phrase("over" if not sight.waiting else "take_some" if sight.waiting == bit(seat) else "wait")

    def bots(self) -> dict[str, type[Bot]]:
        return {"greedy": Most, "one_by_one": One}


game = SticksGame()
