"""`greedy` for Crypt: looks one move ahead with exact odds of exhaustion, from what the seat knows.

It is also the style in which the search behind `strong` plays on.
A treasure is worth what it would add to the seat's own score, averaged over the values it may have. A send is
worth that, times the chance that nobody pushes it off, less what exhausted dice cost.
"""

from __future__ import annotations

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.bot import RatingStyle
from polikarp.engine.state import State, bit, numbers
from polikarp.games.crypt.cards import MOST_SLOTS, TOP_VALUE
from polikarp.games.crypt.rules import (
    CRYPT,
    DONE,
    LOOK,
    MOVES,
    OWNED,
    RECOVER,
    REROLL,
    REVIVE,
    SEND,
    TAKE,
    Crypt,
    send_parts,
)


class GreedyBot(RatingStyle):
    """The weights were tuned by play against `random` and against other weights."""

    def __init__(self) -> None:
        self.tired_cost = 0.08  # coins that an exhausted die costs while rounds are left
        self.die_cost = 1.7  # coins that a die could bring elsewhere in this turn
        self.envy = 0.012  # how likely one die of a later heir pushes, for each coin that the treasure is worth
        self.recover_share = 0.25  # of the cost of its exhausted dice that a recovery is worth
        self.promise = 0.22  # coins that a card of an unfinished set is worth beyond its value
        self.doubt = 1.0  # coins
        self.ratings = vec[float]([0.0] * MOVES)
        self.printed = numbers(5 * 6, 0)  # by heir and kind: the sum of the values that the seat knows

    def rate(self, state: State, seat: i64) -> i64:
        """What each move is worth, in coins."""
        assert isinstance(state, Crypt)
        worth = self.worths(state, seat)
        count = state.list_moves(seat)
        for at in range(count):
            self.ratings[at] = self.value(state, seat, state.legal[at], worth)
        return count

    def value(self, sight: Crypt, seat: i64, move: i64, worth: vec[float]) -> float:
        """What a move is worth, in coins."""
        if move >= SEND:
            slot, dice, shows = send_parts(move)
            return self.send_value(sight, seat, slot, dice, shows, worth[slot])
        if move == DONE:
            return 0.0
        if move == RECOVER:
            return self.recover_value(sight, seat)
        if move == LOOK or move == REVIVE:
            return 50.0  # both cost nothing that counts at the end
        if move >= TAKE:
            return worth[move - TAKE]
        return 10.0 - float(move - REROLL)  # the die that is likeliest to succeed

    def send_value(self, sight: Crypt, seat: i64, slot: i64, dice: i64, shows: i64, worth: float) -> float:
        tiring = float(dice * (shows - 1)) / 6.0  # crypt.22: each die fails with (shows - 1) / 6
        hold = self.hold_chance(sight, seat, dice * shows, worth)
        return hold * (worth - tiring * self.die_price(sight)) - self.die_cost * float(dice)

    def die_price(self, sight: Crypt) -> float:
        """What an exhausted die costs: in the last round its coin, before that the turns without it."""
        return float(sight.cards.die_coins) if sight.drawn == sight.size else self.tired_cost

    def recover_value(self, sight: Crypt, seat: i64) -> float:
        return float(sight.tired[seat]) * self.die_price(sight) * self.recover_share

    def hold_chance(self, sight: Crypt, seat: i64, total: i64, worth: float) -> float:
        """The chance that no heir who acts later in this round pushes a total off a treasure."""
        chance = 1.0
        for turn in range(sight.turn + 1, sight.turns):
            heir = (sight.leader + turn) % sight.heirs
            most = 6 * sight.ready[heir]
            if heir != seat and most > total:
                room = float(most - total) / float(most)
                chance *= 1.0 - min(0.9, self.envy * max(worth, 0.0) * room * float(sight.ready[heir]))
        return chance

    def worths(self, sight: Crypt, seat: i64) -> vec[float]:
        """By slot: what the treasure would add to the seat's score."""
        self.count_values(sight, seat)
        worth = vec[float]([0.0] * MOST_SLOTS)
        for slot in range(sight.slots):
            card = sight.slot[slot]
            if card >= 0 and sight.where[card] == CRYPT:
                worth[slot] = self.card_worth(sight, seat, card)
        return worth

    def count_values(self, sight: Crypt, seat: i64) -> None:
        for at in range(sight.heirs * 6):
            self.printed[at] = 0
        for card in range(sight.drawn):
            if sight.where[card] >= OWNED and sight.known[card] & bit(seat):
                self.printed[(sight.where[card] - OWNED) * 6 + sight.kind[card]] += sight.value[card]

    def card_worth(self, sight: Crypt, seat: i64, card: i64) -> float:
        """The mean gain over the values that the card may have: each value, and what it changes at its collector."""
        kind = sight.kind[card]
        value = sight.value[card]
        seen = sight.known[card] & bit(seat) != 0
        place = sight.where[card]
        at = seat * 6 + kind
        now = sight.collector_coins(seat, kind, self.printed)
        gains: i64 = 0
        ways: i64 = 0
        sight.where[card] = OWNED + seat
        sight.owned[at] += 1
        for possible in range(i64(1), i64(TOP_VALUE + 1)):
            copies: i64 = 1 if value == possible else 0
            if not seen:
                copies = self.unseen_copies(sight, seat, kind, possible)
            if copies > 0:
                sight.value[card] = possible
                self.printed[at] += possible
                gains += copies * (possible + sight.collector_coins(seat, kind, self.printed) - now)
                ways += copies
                self.printed[at] -= possible
        sight.value[card] = value
        sight.owned[at] -= 1
        sight.where[card] = place
        return float(gains) / float(ways) + (self.promise if sight.owned[at] < 3 else 0.0)

    def unseen_copies(self, sight: Crypt, seat: i64, kind: i64, value: i64) -> i64:
        """How many cards of a kind and value the seat has not seen."""
        copies = sight.cards.copies_of(sight.seats, kind, value)
        for card in range(sight.drawn):
            if sight.kind[card] == kind and sight.value[card] == value and sight.known[card] & bit(seat):
                copies -= 1
        return copies
