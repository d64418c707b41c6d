"""Pig: roll a die as often as you dare; a one takes what the turn has brought. Nothing is hidden."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.phrase import Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, Tape, first_seat, numbers

ROLL: Final = 0
STOP: Final = 1
GOAL: Final = 50  # points that end the game
TURNS: Final = 10  # of each seat, at most


class Pig(State):
    points: vec[i64]  # by seat: what is safe
    turn: i64  # what this turn has brought so far
    turns: i64  # still to come, this one among them

    def __init__(self, seats: i64) -> None:
        super().__init__(seats, 2)
        self.points = numbers(seats, 0)
        self.turn = 0
        self.turns = 0

    def blank(self) -> Pig:
        return Pig(self.seats)

    def carry(self, tape: Tape) -> None:
        self.points = tape.many(self.points)
        self.turn = tape.one(self.turn)
        self.turns = tape.one(self.turns)

    def deal(self, rng: Rng) -> None:
        for seat in range(self.seats):
            self.points[seat] = 0
        self.turn = 0
        self.turns = TURNS * self.seats
        self.waiting = 1

    def list_moves(self, seat: i64) -> i64:
        if not self.waiting >> seat & 1:
            return 0
        self.legal[0] = ROLL
        self.legal[1] = STOP
        return 2 if self.turn else 1

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        if not self.waiting >> seat & 1:
            return Refusal("pig.1", "not_your_turn", {"waits_for": int(first_seat(self.waiting))})
        if move == STOP and self.turn == 0:
            return Refusal("pig.3", "nothing_to_keep")
        return None

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        log = self.log
        if move == ROLL:
            rolled = rng.below(6) + 1
            self.turn = i64(0) if rolled == 1 else self.turn + rolled  # pig.2
            if log is not None:
                log.tell("lose" if rolled == 1 else "roll", {"seat": int(seat), "rolled": int(rolled)})
            if rolled > 1 and self.points[seat] + self.turn < GOAL:
                return
        self.points[seat] += self.turn  # pig.3, pig.4
        if log is not None and self.turn:
            log.tell("keep", {"seat": int(seat), "points": int(self.turn), "total": int(self.points[seat])})
        self.turn = 0
        self.turns -= 1
        over = self.turns == 0 or self.points[seat] >= GOAL  # pig.4, pig.5
        self.waiting = i64(0) if over else 1 << (seat + 1) % self.seats

    def score(self, seat: i64) -> i64:
        return self.points[seat]
