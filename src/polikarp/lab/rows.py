"""Positions as rows of numbers, for programs that learn: what a seat sees, which moves it has, what it got.

The rows stay where they are while games go on in them, so that arrays can be laid over them and nothing is copied.
Compiled with the rules. Who learns is asked where the game waits for a seat; of seats that decide at once, the lowest
comes first, and none of them sees what another has chosen. Where the first counts, whoever may act is asked too.
"""

from __future__ import annotations

from typing import Any

from librt.vecs import vec
from mypy_extensions import i64, u8

from polikarp.engine.option import UsageError
from polikarp.engine.rng import FastRng, Rng
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


class Round:
    """Who is asked in a game where the first counts: all who may act, one after another, and none sees what another has
    chosen. They are all equally fast: of those who want to be first, each is equally often.
    """

    def __init__(self, seats: i64) -> None:
        self.seats = seats
        self.left: i64 = 0  # the seats that are still to be asked
        self.chosen = numbers(seats, -1)

    def begin(self, state: State) -> None:
        self.left = state.acting()
        for seat in range(self.seats):
            self.chosen[seat] = -1

    def copy(self) -> Round:
        return round_of(self.left, list(self.chosen))

    def __deepcopy__(self, memo: dict[int, Any]) -> Round:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return round_of, (int(self.left), list(self.chosen))

    def list_moves(self, state: State, seat: i64) -> i64:
        """Fill `legal` with what the seat may do: who is not waited for may also let it go."""
        count = state.list_moves(seat)
        if state.waiting >> seat & 1 == 0:
            state.legal[count] = state.let_go()
            count += 1
        return count

    def imagine(self, state: State, seat: i64, rng: Rng) -> None:
        """What the others have chosen is any move to this seat."""
        for other in range(self.seats):
            if other != seat and self.chosen[other] >= 0:
                count = self.list_moves(state, other)
                self.chosen[other] = state.legal[rng.below(count)]

    def choose(self, seat: i64, move: i64) -> bool:
        """Note what a seat does; whether that was the last one."""
        self.chosen[seat] = move
        self.left &= ~(1 << seat)
        return self.left == 0

    def finish(self, state: State, rng: Rng) -> None:
        """Carry out what was chosen: the first to act, or else what the game waits for."""
        order = numbers(self.seats, 0)
        asked: i64 = 0
        for seat in range(self.seats):
            if self.chosen[seat] >= 0:
                order[asked] = seat
                asked += 1
        rng.shuffle(order, asked)
        for at in range(asked):
            if state.first_counts(self.chosen[order[at]]):
                state.apply(order[at], self.chosen[order[at]], rng)
                return
        for at in range(asked):
            if state.waiting >> order[at] & 1:
                state.apply(order[at], self.chosen[order[at]], rng)


def round_of(left: i64, chosen: list[i64]) -> Round:
    """A round that others have begun."""
    begun = Round(i64(len(chosen)))
    begun.left = left
    begun.chosen = vec[i64](chosen)
    return begun


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
        racing = start.let_go() >= 0
        self.rounds: list[Round] = [Round(start.seats) for number in range(count)] if racing else []
        for number in range(count):
            self.deal(number)
            self.show(number)

    def deal(self, number: i64) -> None:
        self.states[number].deal(self.chance[number])
        if self.rounds:
            self.rounds[number].begin(self.states[number])

    def show(self, number: i64) -> None:
        """Write the next decision of a game into its rows."""
        state = self.states[number]
        seat = first_seat(self.rounds[number].left if self.rounds else state.waiting)
        self.actor[number] = seat
        self.tape.at = number * self.width
        write_sight(state, seat, self.scratch, self.tape)
        if self.rounds:
            self.listed[number] = self.rounds[number].list_moves(state, seat)
        else:
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
            if self.rounds:
                self.race(number, chosen[number])
            else:
                state.apply(self.actor[number], chosen[number], self.chance[number])
            over = state.waiting == 0
            self.over[number] = u8(1) if over else u8(0)
            for seat in range(self.seats):
                got = worth(state, seat, self.by_score) if over else 0.0
                self.reward[number * self.seats + seat] = got
            if over:
                self.deal(number)
            self.show(number)

    def save(self) -> tuple[Any, ...]:
        """All that goes on in the games, for `load` of rows of the same kind."""
        played = [(self.states[number].to_bytes(), self.chance[number]) for number in range(self.count)]
        return played, self.rounds, list(self.reward), list(self.over)

    def load(self, saved: tuple[Any, ...]) -> None:
        played, rounds, reward, over = saved
        self.rounds = rounds
        for number in range(self.count):
            self.mark_moves(number, u8(0))
            data, self.chance[number] = played[number]
            self.states[number].load_bytes(data)
            self.over[number] = u8(over[number])
            self.show(number)
        for at in range(self.count * self.seats):
            self.reward[at] = reward[at]

    def race(self, number: i64, move: i64) -> None:
        """What the actor does where the first counts; when all are asked, it is carried out."""
        state, asked = self.states[number], self.rounds[number]
        if asked.choose(self.actor[number], move):
            asked.finish(state, self.chance[number])
            asked.begin(state)
