"""A tiny game that holds the contract, and copies of it that each break it in one way.

Every seat has a hidden card and two coins; in turn a seat keeps (and rolls a die), gives a coin on, or shows its
card. The broken copies prove that each check of the contract can fail. `Doors` is smaller still, for bots.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.bot import RatingStyle
from polikarp.engine.game import Game, MoveTextError
from polikarp.engine.option import OptionValue
from polikarp.engine.phrase import Phrase, Refusal
from polikarp.engine.rng import Rng
from polikarp.engine.state import EVERYONE, Log, State, Tape, bit, copy_into, numbers

KEEP, GIVE, SHOW = range(3)
TEXTS = ["keep", "give", "show"]
UNSEEN = -1
CARDS = 4


class Toy(State):
    """The sound one."""

    hand: vec[i64]
    coins: vec[i64]
    shown: vec[i64]

    def __init__(self, seats: int) -> None:
        super().__init__(seats, len(TEXTS))
        self.hand = numbers(seats, UNSEEN)
        self.coins = numbers(seats, 0)
        self.shown = numbers(seats, 0)
        self.left = 0
        self.rolled = 0

    def blank(self) -> Toy:
        return type(self)(self.seats)

    def become(self, other: State) -> None:
        assert isinstance(other, Toy)
        self.waiting = other.waiting
        copy_into(self.hand, other.hand)
        copy_into(self.coins, other.coins)
        copy_into(self.shown, other.shown)
        self.left, self.rolled = other.left, other.rolled

    def carry(self, tape: Tape) -> None:
        self.hand = tape.many(self.hand)
        self.coins = tape.many(self.coins)
        self.shown = tape.many(self.shown)
        self.left = tape.one(self.left)
        self.rolled = tape.one(self.rolled)

    def deal(self, rng: Rng) -> None:
        for seat in range(self.seats):
            self.hand[seat] = rng.below(CARDS)
            self.coins[seat] = 2
            self.shown[seat] = 0
        self.left = 6 * self.seats
        self.rolled = 0
        self.waiting = 1
        if self.log is not None:
            for seat in range(self.seats):
                self.log.tell("hand", {"card": self.hand[seat]}, bit(seat))

    def list_moves(self, seat: int) -> int:
        if self.waiting != 1 << seat:
            return 0
        moves = [KEEP]
        if self.coins[seat]:
            moves.append(GIVE)
        if not self.shown[seat]:
            moves.append(SHOW)
        for at, move in enumerate(moves):
            self.legal[at] = move
        return len(moves)

    def refusal(self, seat: int, move: int) -> Refusal | None:
        if self.waiting != 1 << seat:
            return Refusal("toy.1", "not_your_turn")
        if move == GIVE and not self.coins[seat]:
            return Refusal("toy.2", "no_coin")
        if move == SHOW and self.shown[seat]:
            return Refusal("toy.3", "already_shown")
        return None

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        if move == KEEP:
            self.rolled = rng.below(6)
            if self.log is not None:
                self.log.tell("keep", {"seat": seat, "rolled": self.rolled})
        elif move == GIVE:
            self.give(seat)
        else:
            self.show(seat)
        self.left -= 1
        self.waiting = 1 << (seat + 1) % self.seats if self.left else 0

    def give(self, seat: int) -> None:
        self.coins[seat] -= 1
        self.coins[(seat + 1) % self.seats] += 1
        if self.log is not None:
            self.log.tell("give", {"seat": seat})

    def show(self, seat: int) -> None:
        self.shown[seat] = 1
        if self.log is not None:
            self.log.sealed = True
            self.log.tell("show", {"seat": seat, "card": self.hand[seat]})

    def hide(self, seat: int) -> None:
        for other in range(self.seats):
            if other != seat and not self.shown[other]:
                self.hand[other] = UNSEEN

    def fill(self, seat: int, rng: Rng) -> None:
        for other in range(self.seats):
            if self.hand[other] == UNSEEN:
                self.hand[other] = rng.below(CARDS)

    def score(self, seat: int) -> int:
        return self.coins[seat]

    def place(self, seat: int) -> int:
        return 1 + sum(self.coins[other] > self.coins[seat] for other in range(self.seats))

    def totals(self) -> list[int]:
        return [sum(self.coins)]


class ToyBoard(msgspec.Struct):
    hands: list[int]
    coins: list[int]
    rolled: int


class ToyGame(Game):
    id = "toy"
    version = 1
    seats = range(2, 4)
    longest = 20
    state: ClassVar[type[Toy]] = Toy

    def blank(self, seats: int, options: Mapping[str, OptionValue]) -> Toy:
        return self.state(seats)

    def text(self, move: int) -> str:
        return TEXTS[move]

    def parse(self, text: str) -> int:
        if text not in TEXTS:
            raise MoveTextError(text, ", ".join(TEXTS))
        return TEXTS.index(text)

    def board(self, sight: State, seat: int) -> msgspec.Struct:
        assert isinstance(sight, Toy)
        return ToyBoard(list(sight.hand), list(sight.coins), sight.rolled)

    def prompt(self, sight: State, seat: int) -> Phrase:
        return Phrase("turn" if sight.waiting == bit(seat) else "wait")


def game_of(state_type: type[Toy], **attributes: Any) -> ToyGame:
    """A game whose states are of another type."""
    made: ToyGame = type("BrokenGame", (ToyGame,), {"state": state_type, **attributes})()
    return made


class Open(Toy):
    """Nothing is hidden, and everybody is told of the deal."""

    def deal(self, rng: Rng) -> None:
        log, self.log = self.log, None
        super().deal(rng)
        self.log = log

    def hide(self, seat: int) -> None:
        pass


class TellsNobody(Open):
    """Cards are dealt in silence, and hidden."""

    def hide(self, seat: int) -> None:
        Toy.hide(self, seat)


class OpenButForOne(Open):
    """One seat does not see the die."""

    def hide(self, seat: int) -> None:
        if seat == 1:
            self.rolled = -1


class OpenButForCuts(Open):
    """For a moment in the middle of a move only those who watch see the die."""

    def give(self, seat: int) -> None:
        held, self.rolled = self.rolled, -1
        if self.log is not None:
            self.log.cut(self)
        self.rolled = held
        super().give(seat)

    def hide(self, seat: int) -> None:
        if seat >= 0 and self.rolled == -1:
            self.rolled = -2


class Cuts(Toy):
    """Giving a coin on has two parts, with a cut between them."""

    def give(self, seat: int) -> None:
        super().give(seat)
        if self.log is not None:
            self.log.cut(self)
            self.log.tell("given", {"seat": seat})


class CutsInBetween(Toy):
    """At the cut the coin is nowhere."""

    def give(self, seat: int) -> None:
        self.coins[seat] -= 1
        if self.log is not None:
            self.log.cut(self)
        self.coins[seat] += 1
        super().give(seat)


class CutsForItself(Toy):
    """What is there to be looked at changes the game."""

    def give(self, seat: int) -> None:
        self.rolled = 7
        if self.log is not None:
            self.rolled = 6
            self.log.cut(self)
        super().give(seat)


class CutsTooEarly(Toy):
    """The card can be seen before it is told."""

    def show(self, seat: int) -> None:
        self.shown[seat] = 1
        if self.log is not None:
            self.log.cut(self)
        super().show(seat)


class CutsBySecret(Toy):
    """A hidden card says whether there is a cut."""

    def give(self, seat: int) -> None:
        if self.log is not None and self.hand[seat] > 1:
            self.log.cut(self)
        super().give(seat)


class LeaksCard(Toy):
    """The card of seat 0 is hidden from nobody."""

    def hide(self, seat: int) -> None:
        card = self.hand[0]
        super().hide(seat)
        self.hand[0] = card


class LeaksByMoves(Toy):
    """Who holds a coin may give it only while the next seat holds a low card."""

    def list_moves(self, seat: int) -> int:
        count = super().list_moves(seat)
        if count and self.hand[(seat + 1) % self.seats] > 1:
            moves = [self.legal[at] for at in range(count) if self.legal[at] != GIVE]
            for at, move in enumerate(moves):
                self.legal[at] = move
            return len(moves)
        return count

    def refusal(self, seat: int, move: int) -> Refusal | None:
        if move == GIVE and self.waiting == 1 << seat and self.hand[(seat + 1) % self.seats] > 1:
            return Refusal("toy.9", "high_card")
        return super().refusal(seat, move)


class LeaksByEvent(Toy):
    """Giving a coin tells everybody the giver's card."""

    def give(self, seat: int) -> None:
        super().give(seat)
        if self.log is not None:
            self.log.tell("nudge", {"card": self.hand[seat]}, EVERYONE)


class LeaksByRefusal(Toy):
    """The reason why a card can not be shown twice tells the neighbour's card."""

    def refusal(self, seat: int, move: int) -> Refusal | None:
        refusal = super().refusal(seat, move)
        if refusal is not None and refusal.rule == "toy.3":
            return Refusal("toy.3", "already_shown", {"card": self.hand[(seat + 1) % self.seats]})
        return refusal


class LeaksBySeal(Toy):
    """Giving can be taken back unless the neighbour holds the highest card."""

    def give(self, seat: int) -> None:
        super().give(seat)
        if self.log is not None:
            self.log.sealed = self.hand[(seat + 1) % self.seats] == CARDS - 1


class TakesIllegal(Toy):
    """A coin can be given that one does not have."""

    def refusal(self, seat: int, move: int) -> Refusal | None:
        return super().refusal(seat, move) if move != GIVE or self.waiting != 1 << seat else None


class PlaysRefused(Toy):
    """Refuses what is illegal, but plays it all the same."""

    def play(self, seat: int, move: int, rng: Rng) -> Log:
        self.apply(seat, move, rng)
        return Log()


class RefusesLegal(Toy):
    """Showing is offered, but refused."""

    def refusal(self, seat: int, move: int) -> Refusal | None:
        return Refusal("toy.3", "no") if move == SHOW else super().refusal(seat, move)


class NamesNoRule(Toy):
    """A refusal does not say which rule it is."""

    def refusal(self, seat: int, move: int) -> Refusal | None:
        refusal = super().refusal(seat, move)
        return Refusal("", refusal.key) if refusal else None


class LosesCoin(Toy):
    """A coin that is given to the last seat falls off the table."""

    def give(self, seat: int) -> None:
        super().give(seat)
        if (seat + 1) % self.seats == self.seats - 1:
            self.coins[self.seats - 1] -= 1


class SharesMemory(Toy):
    """A copy has the very coins of the original."""

    def become(self, other: State) -> None:
        super().become(other)
        assert isinstance(other, Toy)
        self.coins = other.coins


class ForgetsInBytes(Toy):
    """What was shown is not saved."""

    def carry(self, tape: Tape) -> None:
        shown = self.shown
        super().carry(tape)
        self.shown = shown if not tape.reading else numbers(self.seats, 0)


class NeverEnds(Toy):
    """Keeping costs no time."""

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        self.left += 1
        super().apply(seat, move, rng)


OWN = itertools.count()


class OwnChance(Toy):
    """Chance that does not come from outside."""

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        super().apply(seat, move, rng)
        self.rolled = next(OWN)


class ImaginesTooMuch(Toy):
    """A seat imagines the lowest card for itself."""

    def fill(self, seat: int, rng: Rng) -> None:
        super().fill(seat, rng)
        if seat >= 0:
            self.hand[seat] = 0


class ShowsUnsealed(Toy):
    """A card that was shown could be taken back."""

    def show(self, seat: int) -> None:
        super().show(seat)
        if self.log is not None:
            self.log.sealed = False


class PicksUnfairly(Toy):
    """A random move is nearly always the first."""

    def pick(self, seat: int, rng: Rng) -> int:
        return self.moves(seat)[0] if rng.below(3) else super().pick(seat, rng)


class WinsNothing(Toy):
    """Nobody has the first place."""

    def place(self, seat: int) -> int:
        return super().place(seat) + 1


class Generous(Toy):
    """Holds the contract, and has a right: who is not asked may give a coin on too."""

    def list_moves(self, seat: int) -> int:
        if not self.waiting or self.waiting == 1 << seat:
            return super().list_moves(seat)
        self.legal[0] = GIVE
        return 1 if self.coins[seat] else 0

    def refusal(self, seat: int, move: int) -> Refusal | None:
        refused = super().refusal(seat, move)
        if refused is None or refused.key != "not_your_turn" or move != GIVE:
            return refused
        return None if self.coins[seat] else Refusal("toy.2", "no_coin")

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        if self.waiting == 1 << seat:
            super().apply(seat, move, rng)
        else:
            self.give(seat)


class Doors(State):
    """One seat opens one of many doors, and gets what is behind it."""

    def __init__(self, behind: list[int]) -> None:
        super().__init__(1, len(behind))
        self.behind = behind
        self.opened = UNSEEN
        self.waiting = 1

    def blank(self) -> Doors:
        return Doors(self.behind)

    def become(self, other: State) -> None:
        assert isinstance(other, Doors)
        self.waiting = other.waiting
        self.opened = other.opened

    def list_moves(self, seat: int) -> int:
        for move in range(len(self.behind)):
            self.legal[move] = move
        return len(self.behind)

    def apply(self, seat: int, move: int, rng: Rng) -> None:
        self.opened = move
        self.waiting = 0

    def fill(self, seat: int, rng: Rng) -> None:
        pass

    def score(self, seat: int) -> int:
        return self.behind[self.opened]

    def place(self, seat: int) -> int:
        return 1


class Liking(RatingStyle):
    """Likes one door more than all others."""

    def __init__(self, doors: int, liked: int) -> None:
        self.liked = liked
        self.doubt = 1.0
        self.ratings = vec[float]([0.0] * doors)

    def rate(self, state: State, seat: int) -> int:
        self.ratings[self.liked] = 1.0
        return state.list_moves(seat)
