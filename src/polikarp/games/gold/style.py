"""How the search behind `strong` plays Heroes' Gold in its head: as `greedy` thinks, but much faster.

What `greedy` works out exactly is an estimate here. Guards of one level are taken as drawn apart from one another, and
the guards that a king's order means as those before the move. Then what the fight brings from a field on follows from
the field after it, and a move changes one field only.
"""

from __future__ import annotations

import math
from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.bot import RatingStyle
from polikarp.engine.state import State, copy_into, numbers
from polikarp.games.gold.cards import LEVELS, MOST, STRONGEST, Cards
from polikarp.games.gold.rules import EMPTY, MOST_SLOTS, MOVES, REPLACE, Gold

NOBODY: Final = -1
COIN: Final = 0.58  # what the odds of winning go with: a coin in the last round,
STRENGTH: Final = 0.14  # a point of strength in the hand,
TURN: Final = 0.15  # and every seat that comes before
SUMS: Final = 16  # more than any sum of two monsters, or strength of a guard


class QuickStyle(RatingStyle):
    """Rates in coins that the seat is ahead of the others, on average, after the fight that may follow."""

    def __init__(self) -> None:
        self.doubt = 1.0  # coins
        self.ratings = vec[float]([0.0] * MOVES)
        self.stand_in: i64 = 3  # how strong it thinks a monster will be that is not there yet
        self.count = numbers((LEVELS + 1) * SUMS, 0)  # by stars and sum: unseen guards that the sum beats
        self.loot = numbers((LEVELS + 1) * SUMS, 0)  # all that these guard
        self.cards: Cards | None = None  # those whose whole deck is counted in the next two
        self.deck_count = numbers((LEVELS + 1) * SUMS, 0)
        self.deck_loot = numbers((LEVELS + 1) * SUMS, 0)
        self.seat: i64 = 0
        self.other_share = 0.0
        self.monster = numbers(MOST_SLOTS, 0)  # by slot, with stand-ins
        self.owner = numbers(MOST_SLOTS, NOBODY)
        self.more_strength = numbers(MOST, 0)  # by field: what the king's order adds
        self.more_loot = numbers(MOST, 0)
        self.reached = vec[float]([0.0] * (MOST + 1))  # by field: the chance that the guards before it are beaten
        self.before = vec[float]([0.0] * (MOST + 1))  # what the fields before it bring
        self.beyond = vec[float]([0.0] * (MOST + 1))  # what it and those after it bring, once they are reached
        self.healing = vec[float]([0.0] * (MOST + 1))  # what is paid if its guard wins
        self.until: i64 = 0  # the round that is not played any more

    def start(self, sight: State) -> None:
        assert isinstance(sight, Gold)
        self.until = sight.round + 1

    def stops(self, state: State) -> bool:
        """At the end of a round, but for the last: the rounds to come blur more than they show."""
        assert isinstance(state, Gold)
        return state.round == self.until

    def standing(self, state: State, seat: i64) -> float:
        """How well a seat stands when a round begins, as seen in games of this style with itself. Strong and weak
        hands take turns, so a strong one is good where the rounds to come are odd in number.
        """
        assert isinstance(state, Gold)
        left = state.rounds - state.round + 1
        value = COIN * float(state.gold[seat]) / math.sqrt(float(left))
        if left & 1:
            hand: i64 = 0
            for monster in range(i64(1), i64(STRONGEST + 1)):
                if state.hand[seat] >> monster & 1:
                    hand += monster
            value += STRENGTH * float(hand)
        return value - TURN * float((seat - state.first) % state.seats)

    def rate(self, state: State, seat: i64) -> i64:
        assert isinstance(state, Gold)
        self.seat = seat
        self.other_share = -1.0 / float(state.seats - 1)
        self.count_guards(state)
        self.set_up(state)
        self.look_ahead(state)
        count = state.list_moves(seat)
        for at in range(count):
            self.ratings[at] = self.value(state, state.legal[at])
        return count

    def weight(self, owner: i64) -> float:
        """What a coin of an owner is worth to the seat."""
        if owner == self.seat:
            return 1.0
        return 0.0 if owner == NOBODY else self.other_share

    def count_guards(self, state: Gold) -> None:
        """How many of the guards not revealed yet each sum beats, and their loot."""
        if self.cards is not state.cards:
            self.count_deck(state.cards)
        copy_into(self.count, self.deck_count)
        copy_into(self.loot, self.deck_loot)
        for number in range(state.round - 1):
            first = number * state.seats
            for place in range(first, first + state.shown[number]):
                self.add_guard(state.cards, state.guard[place], -1)

    def count_deck(self, cards: Cards) -> None:
        """The same with no guard revealed, to begin from."""
        self.cards = cards
        for at in range(i64((LEVELS + 1) * SUMS)):
            self.count[at] = 0
            self.loot[at] = 0
        for place in range(cards.size):
            self.add_guard(cards, cards.deck[place], 1)
        copy_into(self.deck_count, self.count)
        copy_into(self.deck_loot, self.loot)

    def add_guard(self, cards: Cards, guard: i64, times: i64) -> None:
        first = cards.stars[guard] * SUMS
        for at in range(first + cards.strength[guard], first + SUMS):
            self.count[at] += times
            self.loot[at] += times * cards.loot[guard]

    def set_up(self, state: Gold) -> None:
        """The castle with stand-ins in the empty slots, and what the king's order makes of it."""
        cards = state.cards
        copy_into(self.monster, state.monster)
        copy_into(self.owner, state.owner)
        for slot in range(state.slots):
            if self.monster[slot] == EMPTY:
                self.monster[slot] = self.stand_in
                self.owner[slot] = NOBODY
        weakest = state.weakest_pair()
        for field in range(state.seats):
            changed = state.changed(field, weakest)
            self.more_strength[field] = cards.more_strength[state.order] if changed else 0
            self.more_loot[field] = cards.more_loot[state.order] if changed else 0

    def look_ahead(self, state: Gold) -> None:
        """What the fight brings as things stand, from both ends."""
        last = state.seats
        self.healing[last] = 0.0
        self.beyond[last] = 0.0
        for back in range(i64(1), last + 1):
            field = last - back
            healing = self.healing[field + 1]
            for slot in range(field * 2, field * 2 + 2):
                if self.owner[slot] >= 0:
                    healing += self.weight(self.owner[slot]) * float(state.healing_cost(self.monster[slot]))
            self.healing[field] = healing
            chance = self.chance(state, field)
            brought = self.brought(state, field) + self.beyond[field + 1]
            self.beyond[field] = chance * brought - (1.0 - chance) * healing
        self.reached[0] = 1.0
        self.before[0] = 0.0
        for field in range(last):
            chance = self.chance(state, field)
            reached = self.reached[field]
            here = chance * self.brought(state, field) - (1.0 - chance) * self.healing[field]
            self.before[field + 1] = self.before[field] + reached * here
            self.reached[field + 1] = reached * chance

    def beaten(self, state: Gold, field: i64) -> i64:
        """Where the guards are counted that the pair at a field would beat."""
        limit = self.monster[field * 2] + self.monster[field * 2 + 1] - self.more_strength[field]
        return state.stars_at(state.gate() + field) * SUMS + min(max(limit, i64(0)), i64(SUMS - 1))

    def chance(self, state: Gold, field: i64) -> float:
        """The chance that the guard of a field is beaten."""
        at = self.beaten(state, field)
        return float(self.count[at]) / float(max(self.count[at | (SUMS - 1)], i64(1)))

    def brought(self, state: Gold, field: i64) -> float:
        """What the loot of a field is worth to the seat if its guard is beaten: the odd coin goes to the stronger."""
        at = self.beaten(state, field)
        if self.count[at] == 0:
            return 0.0
        loot = max(0.0, float(self.loot[at]) / float(self.count[at]) + float(self.more_loot[field]))
        one = self.owner[field * 2]
        two = self.owner[field * 2 + 1]
        if one == two:
            return self.weight(one) * loot
        mine = self.monster[field * 2]
        yours = self.monster[field * 2 + 1]
        first = 0.5 * loot + (0.25 if mine > yours else -0.25)
        second = 0.5 * loot + (0.25 if yours > mine else -0.25)
        return self.weight(one) * first + self.weight(two) * second

    def value(self, state: Gold, move: i64) -> float:
        """What the seat is ahead by after a move and the fight."""
        paid = 0.0
        if move >= REPLACE:
            move -= REPLACE
            slot = move % MOST_SLOTS
            price = state.price(self.seat, slot)
            paid = float(price)
            if state.owner[slot] != self.seat:
                paid -= self.other_share * float(price - state.cards.treasury_price)
        slot = move % MOST_SLOTS
        field = slot >> 1
        monster = self.monster[slot]
        owner = self.owner[slot]
        healing = 0.0
        if owner >= 0:
            healing = -self.weight(owner) * float(state.healing_cost(monster))
        self.monster[slot] = move // MOST_SLOTS + 1
        self.owner[slot] = self.seat
        healing += float(state.healing_cost(self.monster[slot]))
        chance = self.chance(state, field)
        brought = self.brought(state, field) + self.beyond[field + 1]
        self.monster[slot] = monster
        self.owner[slot] = owner
        here = chance * brought - (1.0 - chance) * (self.healing[field] + healing)
        reached = self.reached[field]
        return self.before[field] - (1.0 - reached) * healing + reached * here - paid
