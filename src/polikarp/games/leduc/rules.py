"""Leduc poker: six cards (two each of jack, queen, king), two seats, two rounds of betting. After the first
round one card is laid open; a pair with it wins, else the higher card."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.phrase import Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import EVERYONE, Log, State, Tape, bit, copy_into, numbers

FOLD: Final = 0
CALL: Final = 1  # also a check, when there is nothing to call
RAISE: Final = 2
MOVES: Final = 3

UNSEEN: Final = -1
RANKS: Final = ("jack", "queen", "king")


class Leduc(State):
    hand: vec[i64]  # each seat's card, by its rank; UNSEEN where hidden
    paid: vec[i64]  # each seat's chips in the pot
    open: i64  # the rank of the open card
    round: i64  # 1 or 2
    raises: i64  # in this round, at most two
    answered: i64  # whether both seats have acted in this round
    folded: i64  # the seat that gave up, or -1

    def __init__(self) -> None:
        super().__init__(2, MOVES)
        self.hand = numbers(2, UNSEEN)
        self.paid = numbers(2, 0)
        self.open = UNSEEN
        self.round = 1
        self.raises = 0
        self.answered = 0
        self.folded = -1

    def blank(self) -> Leduc:
        return Leduc()

    def become(self, other: State) -> None:
        assert isinstance(other, Leduc)
        self.waiting = other.waiting
        copy_into(self.hand, other.hand)
        copy_into(self.paid, other.paid)
        self.open = other.open
        self.round = other.round
        self.raises = other.raises
        self.answered = other.answered
        self.folded = other.folded

    def carry(self, tape: Tape) -> None:
        self.hand = tape.many(self.hand)
        self.paid = tape.many(self.paid)
        self.open = tape.one(self.open)
        self.round = tape.one(self.round)
        self.raises = tape.one(self.raises)
        self.answered = tape.one(self.answered)
        self.folded = tape.one(self.folded)

    def deal(self, rng: Rng) -> None:
        self.hand[0] = UNSEEN
        self.hand[1] = UNSEEN
        self.open = UNSEEN
        for seat in range(i64(2)):
            self.hand[seat] = self.draw(rng)
            self.paid[seat] = 1  # leduc.1
        self.folded = -1
        self.begin_round(1)
        log = self.log
        if log is not None:
            for seat in range(i64(2)):
                log.tell("hand", {"rank": RANKS[self.hand[seat]]}, bit(seat))

    def draw(self, rng: Rng) -> i64:
        """The rank of one of the cards that lie nowhere yet."""
        nth = rng.below(self.left(0) + self.left(1) + self.left(2))
        rank: i64 = 0
        while nth >= self.left(rank):
            nth -= self.left(rank)
            rank += 1
        return rank

    def left(self, rank: i64) -> i64:
        """How many cards of a rank lie nowhere yet."""
        return 2 - i64(self.hand[0] == rank) - i64(self.hand[1] == rank) - i64(self.open == rank)

    def begin_round(self, number: i64) -> None:
        self.round = number
        self.raises = 0
        self.answered = 0
        self.waiting = 1

    def list_moves(self, seat: i64) -> i64:
        if not self.waiting >> seat & 1:
            return 0
        legal = self.legal
        count: i64 = 0
        if self.paid[seat] < self.paid[1 - seat]:
            legal[0] = FOLD
            count = 1
        legal[count] = CALL
        count += 1
        if self.raises < 2:
            legal[count] = RAISE
            count += 1
        return count

    def refusal(self, seat: i64, move: i64) -> Refusal | None:
        if not self.waiting >> seat & 1:
            return Refusal("leduc.2", "not_your_turn", {"waits_for": int(1 - seat)})
        if move == FOLD and self.paid[seat] == self.paid[1 - seat]:
            return Refusal("leduc.3", "nothing_to_fold")
        if move == RAISE and self.raises == 2:
            return Refusal("leduc.4", "raised_twice", {"round": int(self.round)})
        return None

    def apply(self, seat: i64, move: i64, rng: Rng) -> None:
        log = self.log
        other = 1 - seat
        if move == FOLD:
            self.folded = seat
            self.waiting = 0
            if log is not None:
                log.tell("fold", {"seat": int(seat)})
        elif move == RAISE:
            self.paid[seat] = self.paid[other] + self.round * 2  # leduc.4
            self.raises += 1
            self.answered = 1
            self.waiting = 1 << other
            if log is not None:
                log.tell("raise", {"seat": int(seat), "chips": int(self.paid[seat])})
        else:
            self.paid[seat] = self.paid[other]
            if log is not None:
                log.tell("call", {"seat": int(seat), "chips": int(self.paid[seat])})
            if not self.answered:
                self.answered = 1
                self.waiting = 1 << other
            elif self.round == 1:
                self.open = self.draw(rng)  # leduc.5
                self.begin_round(2)
                if log is not None:
                    log.tell("open", {"rank": RANKS[self.open]})
            else:
                self.waiting = 0
                if log is not None:
                    self.show_hands(log)

    def show_hands(self, log: Log) -> None:
        log.sealed = True
        for seat in range(i64(2)):
            log.tell("show", {"seat": int(seat), "rank": RANKS[self.hand[seat]]}, EVERYONE)

    def strength(self, seat: i64) -> i64:
        """What a hand is worth at the end: a pair beats every single card."""  # leduc.6
        rank = self.hand[seat]
        return rank + 3 if rank == self.open else rank

    def hide(self, seat: i64) -> None:
        shown = self.waiting == 0 and self.folded < 0  # leduc.7
        for other in range(i64(2)):
            if other != seat and not shown:
                self.hand[other] = UNSEEN

    def fill(self, seat: i64, rng: Rng) -> None:
        for other in range(i64(2)):
            if self.hand[other] == UNSEEN:
                self.hand[other] = self.draw(rng)

    def score(self, seat: i64) -> i64:
        """Chips won or lost."""
        other = 1 - seat
        if self.folded == seat:
            return -self.paid[seat]
        if self.folded == other:
            return self.paid[other]
        if self.waiting or self.strength(seat) == self.strength(other):
            return 0
        return self.paid[other] if self.strength(seat) > self.strength(other) else -self.paid[seat]

    def place(self, seat: i64) -> i64:
        return 1 if self.score(seat) >= 0 else 2

    def totals(self) -> list[int]:
        """What one wins the other loses."""
        return [int(self.score(0) + self.score(1))]
