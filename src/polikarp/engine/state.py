"""The contract that every game speaks: `State`, one position of one game.

A game subclasses `State` and writes the methods of the first half; the second half follows from them. Seats are
numbered from 0; where a method takes a seat, `WATCHER` (-1) stands for somebody who only watches. Sets of seats
are bits. A position becomes bytes and comes back by way of a `Tape` (serialization). The module is compiled with the
rules and runs uncompiled as it is.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from polikarp.engine.option import UsageError
from polikarp.engine.phrase import Arg, Event, Refusal, Refused
from polikarp.engine.rng import Rng

WATCHER: Final = -1
WATCHER_BIT: Final = 65536  # 1 << 16: above any seat
EVERYONE: Final = 131071  # every seat's bit, and the watchers'


def bit(seat: i64) -> i64:
    """The set that holds one seat, or the watchers."""
    return WATCHER_BIT if seat < 0 else 1 << seat


def first_seat(seats: i64) -> i64:
    """The lowest seat of a set that is not empty."""
    seat: i64 = 0
    while not seats & 1:
        seats >>= 1
        seat += 1
    return seat


def seats_of(seats: int) -> list[int]:
    """A set of seats as a list."""
    return [seat for seat in range(16) if seats >> seat & 1]


def numbers(count: i64, value: i64) -> vec[i64]:
    """`count` copies of a value."""
    return vec[i64]([value] * int(count))


def copy_into(target: vec[i64], source: vec[i64]) -> None:
    """Copy all of `source` into `target`, which is as long."""
    at: i64 = 0
    for value in source:
        target[at] = value
        at += 1


class Cut(NamedTuple):
    """A moment inside a move, to be looked at before the rest: how many events were told so far, and the position then,
    from `to_bytes`. Nobody decides anything there, whatever `waiting` says.
    """

    told: int
    state: bytes


class Log:
    """Collects what happens in one move. `sealed`: something hidden was shown, so the move can not be taken back."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.cuts: list[Cut] = []
        self.sealed = False

    def tell(self, key: str, args: dict[str, Arg], audience: i64 = EVERYONE) -> None:
        self.events.append(Event(key, args, audience))

    def cut(self, state: State) -> None:
        """What was told so far is to be seen before what comes next. The state must hold together here: nothing is in
        two places, and `hide` knows what is secret.
        """
        self.cuts.append(Cut(len(self.events), state.to_bytes()))


class Tape:
    """All of a state as a row of whole numbers, written or read back in the same order."""

    def __init__(self, row: vec[i64], reading: bool) -> None:
        self.row = row
        self.reading = reading
        self.at: i64 = 0

    def one(self, value: i64) -> i64:
        if not self.reading:
            self.row = append(self.row, value)
            return value
        if self.at >= len(self.row):
            raise ValueError("a saved state is too short")
        value = self.row[self.at]
        self.at += 1
        return value

    def many(self, values: vec[i64]) -> vec[i64]:
        for at in range(i64(len(values))):
            values[at] = self.one(values[at])
        return values


class Ruler(Tape):
    """Writes nothing down but how many numbers each part of a state has."""

    def __init__(self) -> None:
        super().__init__(vec[i64](), False)
        self.lengths: list[int] = []

    def one(self, value: i64) -> i64:
        self.lengths.append(1)
        return value

    def many(self, values: vec[i64]) -> vec[i64]:
        self.lengths.append(len(values))
        return values


@mypyc_attr(allow_interpreted_subclasses=True)
class Origin:
    """What a state was dealt from: it knows how the state is saved by `pickle` (`engine/saved.py`)."""

    def reduced(self, state: State) -> tuple[Any, ...]:
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class State:
    """One position of a game."""

    seats: i64
    waiting: i64  # the seats whose decision the game waits for; none: the game is over
    legal: vec[i64]  # filled by `list_moves`
    log: Log | None
    origin: Origin | None  # where a game made it, and in copies of such a state

    def __init__(self, seats: i64, move_count: i64) -> None:
        self.seats = seats
        self.waiting = 0
        self.legal = vec[i64]([0] * int(move_count))
        self.log = None
        self.origin = None

    # What a game writes.

    def blank(self) -> State:
        """A new state of the same game, seats, options and data, not dealt yet."""
        raise NotImplementedError

    def deal(self, rng: Rng) -> None:
        """Set everything up for a new game, whatever was there before, up to the first decision."""
        raise NotImplementedError

    def become(self, other: State) -> None:
        """Take over all of another state of the same shape, sharing no memory with it. A game says the same faster."""
        written = Tape(vec[i64](), False)
        other._carry_all(written)
        self._carry_all(Tape(written.row, True))

    def carry(self, tape: Tape) -> None:
        """Pass every part of the state through the tape: `self.x = tape.one(self.x)`, for saving and loading."""
        raise NotImplementedError

    def list_moves(self, seat: i64) -> i64:
        """Fill `legal` with the seat's legal moves and say how many there are."""
        raise NotImplementedError

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        """Carry out a move that is known to be legal."""
        raise NotImplementedError

    def pick(self, seat: i64, rng: Rng) -> i64:
        """One of the seat's legal moves, all equally likely. A game may say the same faster."""
        count = self.list_moves(seat)
        return self.legal[rng.below(count)]

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        """Why this seat may not make this move now; None if it may."""
        raise NotImplementedError

    def hide(self, seat: i64) -> None:
        """Blank out all that this seat may not know. The one place where a game decides who knows what; one without
        secrets leaves it, and `fill`, as they are.
        """

    def fill(self, seat: i64, rng: Rng) -> None:
        """Fill in what `hide` blanked out: one draw of what it may be, each way as likely as this seat must think."""

    def score(self, seat: i64) -> i64:
        """The seat's score; final when the game is over."""
        raise NotImplementedError

    def place(self, seat: i64) -> i64:
        """When the game is over: the seat's place, 1 for who wins. Places can be shared. By the scores, unless a game
        says otherwise.
        """
        place: i64 = 1
        for other in range(self.seats):
            if self.score(other) > self.score(seat):
                place += 1
        return place

    def let_go(self) -> i64:
        """Where the first counts: the move that stands for letting a moment pass that others may take; else -1."""
        return -1

    def first_counts(self, move: i64) -> bool:
        """Whether of several who make such moves at once only the first does."""
        return False

    def totals(self) -> list[int]:
        """Sums that no move may change: cards, dice, coins. For checking."""
        return []

    # What follows.

    def acting(self) -> int:
        """The seats that have a move now: those the game waits for, and those with a right that nobody waits for."""
        seats = 0
        for seat in range(self.seats):
            if self.list_moves(seat) > 0:
                seats |= 1 << seat
        return seats

    def check_seat(self, seat: int, lowest: int = 0) -> None:
        """A seat that does not exist is an error, in every build, before anything is looked up for it."""
        if not lowest <= seat < int(self.seats):
            raise UsageError(f"there is no seat {seat}; right is: {lowest} to {self.seats - 1}")

    def moves(self, seat: int) -> list[int]:
        """The seat's legal moves."""
        self.check_seat(seat)
        count = self.list_moves(seat)
        return [self.legal[at] for at in range(count)]

    def move_count(self) -> int:
        """Moves are the whole numbers from 0 to one less than this."""
        return len(self.legal)

    def why_not(self, seat: int, move: int) -> Refusal | None:
        """Why this seat may not make this move now; None if it may."""
        if not 0 <= seat < int(self.seats):
            return Refusal("", "no_such_seat", {"number": seat, "seats": int(self.seats)})
        if not 0 <= move < self.move_count():
            return Refusal("", "no_such_move", {"move": move})
        if self.waiting == 0:
            return Refusal("", "game_over")
        return self.refusal(seat, move)

    def play(self, seat: int, move: int, rng: Rng) -> Log:
        """Make a move if it is legal, and report what happened; otherwise raise `Refused` and change nothing."""
        refusal = self.why_not(seat, move)
        if refusal is not None:
            raise Refused(refusal)
        log = Log()
        self.log = log
        try:
            self.apply(seat, move, rng)
        finally:
            self.log = None
        while log.cuts and log.cuts[-1].told == len(log.events):  # the end of a move is no cut
            log.cuts.pop()
        return log

    def copy(self) -> State:
        twin = self.blank()
        twin.origin = self.origin
        twin.become(self)
        return twin

    def __copy__(self) -> State:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> State:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.origin is None:
            raise UsageError("a state made by another one's `blank` does not know its game; pickle a copy of the other")
        return self.origin.reduced(self)

    def sight(self, seat: int) -> State:
        """The position as this seat may know it: a copy with the rest blanked out."""
        self.check_seat(seat, WATCHER)
        twin = self.copy()
        twin.hide(seat)
        return twin

    def imagine(self, seat: int, rng: Rng) -> State:
        """A full position drawn from all those that this seat can not tell apart."""
        twin = self.sight(seat)
        twin.fill(seat, rng)
        return twin

    def winners(self) -> list[int]:
        return [seat for seat in range(self.seats) if self.place(seat) == 1]

    def to_bytes(self) -> bytes:
        """All of the state. Each number takes one byte if it is small (zigzag, seven bits a byte)."""
        tape = Tape(vec[i64](), False)
        self._carry_all(tape)
        row = tape.row
        out = bytearray()
        for at in range(i64(len(row))):
            value = row[at]
            rest: i64 = value * 2 if value >= 0 else -value * 2 - 1
            while rest >= 128:
                out.append(int(rest & 127 | 128))
                rest >>= 7
            out.append(int(rest))
        return bytes(out)

    def load_bytes(self, data: bytes) -> None:
        """Become the state that `to_bytes` of a state of this shape gave."""
        row: vec[i64] = vec[i64]()
        value: i64 = 0
        shift: i64 = 0
        for byte in data:
            if shift > 56:
                raise ValueError("a saved state holds a number that is too large")
            value |= i64(byte & 127) << shift
            shift += 7
            if byte < 128:
                row = append(row, value >> 1 if not value & 1 else -(value >> 1) - 1)
                value = 0
                shift = 0
        tape = Tape(row, True)
        self._carry_all(tape)
        if shift or tape.at != len(tape.row):
            raise ValueError("a saved state is too long")

    def _carry_all(self, tape: Tape) -> None:
        if tape.one(self.seats) != self.seats:
            raise ValueError("a saved state is for another number of seats")
        self.waiting = tape.one(self.waiting)
        self.carry(tape)


def playout(state: State, rng: Rng) -> i64:
    """Play random moves to the end, by the seats that the game waits for; says how many."""
    played: i64 = 0
    while state.waiting:
        seat = first_seat(state.waiting)
        state.apply(seat, state.pick(seat, rng), rng)
        played += 1
    return played


def playouts(start: State, games: i64, rng: Rng) -> i64:
    """Many random games from one position, in memory that is used again; says how many moves they took."""
    state = start.blank()
    played: i64 = 0
    for game in range(games):
        state.become(start)
        played += playout(state, rng)
    return played
