"""Positions as rows of numbers, for programs that learn: what a seat sees, which moves it has, what it got.

The rows stay where they are while games go on in them, so that arrays can be laid over them and nothing is copied.
Compiled with the rules. Who learns is asked where the game waits for a seat; of seats that decide at once, the lowest
comes first, and none of them sees what another has chosen.
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64, u8

from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng
from polikarp.engine.state import State, Tape, first_seat, numbers


class Row(Tape):
    """Writes over a part of a row that is there already."""

    def one(self, value: i64) -> i64:
        self.row[self.at] = value
        self.at += 1
        return value

    def many(self, values: vec[i64]) -> vec[i64]:
        row = self.row
        at = self.at
        for value in values:
            row[at] = value
            at += 1
        self.at = at
        return values


def width_of(state: State) -> i64:
    """How many numbers a sight has."""
    tape = Tape(vec[i64](), False)
    state.carry(tape)
    return len(tape.row) + 2


def write_sight(state: State, seat: i64, scratch: State, tape: Row) -> None:
    """All that the seat knows, in numbers: the seat, the set of those who are waited for, and the game's own."""
    scratch.become(state)
    scratch.hide(seat)
    tape.one(seat)
    tape.one(scratch.waiting)
    scratch.carry(tape)


def sight_row(state: State, seat: i64) -> vec[i64]:
    """What `write_sight` writes, in a row of its own."""
    row = numbers(width_of(state), 0)
    write_sight(state, seat, state.blank(), Row(row, False))
    return row


def worth(state: State, seat: i64, by_score: bool) -> float:
    """What the end is to a seat: its score, or its share of the win beyond a fair one (alone: whether it won)."""
    if by_score:
        return float(state.score(seat))
    winners: i64 = 0
    for other in range(state.seats):
        winners += 1 if state.place(other) == 1 else 0
    share = 1.0 / float(winners) if state.place(seat) == 1 else 0.0
    return share if state.seats == 1 else share - 1.0 / float(state.seats)


class Rows:
    """Many games side by side. One that is over is dealt anew at once; `over` and `reward` tell of the one before."""

    def __init__(self, start: State, count: i64, seed: object, by_score: bool) -> None:
        self.count = count
        self.by_score = by_score
        self.width = width_of(start)
        self.moves: i64 = start.move_count()
        self.seats = start.seats
        self.scratch = start.blank()
        self.states: list[State] = [start.blank() for number in range(count)]
        self.chance: list[FastRng] = [FastRng((seed, number)) for number in range(count)]
        self.observation = numbers(count * self.width, 0)
        self.tape = Row(self.observation, False)
        self.mask: vec[u8] = vec[u8]([0] * int(count * self.moves))
        self.listed = numbers(count, 0)  # how many moves the actor has
        self.actor = numbers(count, 0)
        self.reward: vec[float] = vec[float]([0.0] * int(count * self.seats))
        self.over: vec[u8] = vec[u8]([0] * int(count))
        for number in range(count):
            self.states[number].deal(self.chance[number])
            self.show(number)

    def show(self, number: i64) -> None:
        """Write the next decision of a game into its rows."""
        state = self.states[number]
        seat = first_seat(state.waiting)
        self.actor[number] = seat
        self.tape.at = number * self.width
        write_sight(state, seat, self.scratch, self.tape)
        self.listed[number] = state.list_moves(seat)
        self.mark_moves(number, u8(1))

    def mark_moves(self, number: i64, legal: u8) -> None:
        """Write the moves that were listed last into the mask."""
        mask = self.mask
        moves = self.states[number].legal
        first = number * self.moves
        for at in range(self.listed[number]):
            mask[first + moves[at]] = legal

    def step(self, chosen: list[int]) -> None:
        """One move in every game."""
        if len(chosen) != self.count:
            raise UsageError(f"{len(chosen)} moves are given for {self.count} games")
        for number in range(self.count):
            move: i64 = chosen[number]
            if not 0 <= move < self.moves or not self.mask[number * self.moves + move]:
                raise UsageError(f"game {number}: move {move} is not legal")
        for number in range(self.count):
            state = self.states[number]
            self.mark_moves(number, u8(0))
            state.apply(self.actor[number], chosen[number], self.chance[number])
            over = state.waiting == 0
            self.over[number] = u8(1) if over else u8(0)
            for seat in range(self.seats):
                got = worth(state, seat, self.by_score) if over else 0.0
                self.reward[number * self.seats + seat] = got
            if over:
                state.deal(self.chance[number])
            self.show(number)
