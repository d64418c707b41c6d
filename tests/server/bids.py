"""A tiny game of secret bids, chosen by all at once, for testing what a server does with such choices.

In each of three rounds everybody bids 0 to 9 in secret and may change their mind until the last bid is in. Then all
are shown, a die is rolled, and whoever bid highest scores it. Nobody can see who has bid.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.bot import Bot
from polikarp.engine.game import Game, MoveTextError
from polikarp.engine.option import OptionValue
from polikarp.engine.phrase import Phrase, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import State, Tape, bit, copy_into, numbers
from polikarp.engine.words import Words

ROUNDS = 3
BIDS = 10
NONE = -1


class Bids(State):
    bid: vec[i64]
    coins: vec[i64]

    def __init__(self, seats: int) -> None:
        super().__init__(seats, BIDS)
        self.bid = numbers(seats, NONE)
        self.coins = numbers(seats, 0)
        self.round = 0

    def blank(self) -> Bids:
        return Bids(self.seats)

    def become(self, other: State) -> None:
        assert isinstance(other, Bids)
        self.waiting = other.waiting
        copy_into(self.bid, other.bid)
        copy_into(self.coins, other.coins)
        self.round = other.round

    def carry(self, tape: Tape) -> None:
        self.bid = tape.many(self.bid)
        self.coins = tape.many(self.coins)
        self.round = tape.one(self.round)

    def deal(self, rng: Rng) -> None:
        self.round = 0
        self.begin_round()

    def begin_round(self) -> None:
        for seat in range(self.seats):
            self.bid[seat] = NONE
        self.waiting = (1 << self.seats) - 1 if self.round < ROUNDS else 0

    def list_moves(self, seat: int) -> int:
        if self.waiting == 0:
            return 0
        for bid in range(BIDS):
            self.legal[bid] = bid
        return BIDS

    def refusal(self, seat: int, move: int) -> Refusal | None:
        return None

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        self.bid[seat] = move
        self.waiting &= ~bit(seat)
        if self.log is not None:
            self.log.tell("bid", {"bid": move}, bit(seat))
        if self.waiting == 0:
            self.show(rng)

    def show(self, rng: Rng) -> None:
        rolled = rng.below(6) + 1
        highest = max(self.bid)
        for seat in range(self.seats):
            if self.bid[seat] == highest:
                self.coins[seat] += rolled
        if self.log is not None:
            self.log.sealed = True
            self.log.tell("shown", {"bids": tuple(self.bid), "rolled": rolled})
        self.round += 1
        self.begin_round()

    def hide(self, seat: int) -> None:
        everybody = (1 << self.seats) - 1
        for other in range(self.seats):
            if other != seat:
                self.bid[other] = NONE
        if self.waiting:
            mine = bit(seat) if seat >= 0 else 0
            self.waiting = everybody & ~mine | self.waiting & mine

    def fill(self, seat: int, rng: Rng) -> None:
        self.waiting |= 0

    def score(self, seat: int) -> int:
        return self.coins[seat]

    def place(self, seat: int) -> int:
        return 1 + sum(self.coins[other] > self.coins[seat] for other in range(self.seats))


class BidsBoard(msgspec.Struct):
    mine: int | None
    coins: list[int]
    round: int


class Nine(Bot):
    """Always bids nine."""

    def choose(self, sight: State, seat: int, rng: Rng) -> int:
        return 9


class BidsGame(Game):
    id = "bids"
    version = 1
    seats = range(2, 5)
    longest = 10_000
    folder = Path(__file__).parent / "bids"

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Bids:
        return Bids(seats)

    def text(self, move: int) -> str:
        return f"bid {move}"

    def parse(self, text: str) -> int:
        if not text.startswith("bid ") or not text[4:].isdigit() or int(text[4:]) >= BIDS:
            raise MoveTextError(text, "bid 3")
        return int(text[4:])

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Bids)
        return BidsBoard(sight.bid[seat] if seat >= 0 else None, list(sight.coins), sight.round)

    def prompt(self, sight: State, seat: int) -> Phrase:
        return Phrase("bid")

    def bots(self) -> dict[str, type[Bot]]:
        return {"nine": Nine}

    def words(self, language: str) -> Words:
        return Words({"game": {"title": "Bids", "tagline": "Bid!"}, "refusal": {"game_over": "Over."}}, language)
