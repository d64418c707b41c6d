"""The guards, monsters and orders of Heroes' Gold, read from `cards.toml` and checked."""

from __future__ import annotations

from typing import Any, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.data import Data, is_whole
from polikarp.engine.state import numbers

FEWEST: Final = 3  # players
MOST: Final = 6
STRONGEST: Final = 5  # monster
LEVELS: Final = 3
ORDERS: Final = 12

# The guards that an order means.
NONE: Final = 0
FIRST: Final = 1
FIRST_TWO: Final = 2
SECOND: Final = 3
LAST: Final = 4
LAST_TWO: Final = 5
EQUAL_PAIRS: Final = 6
WEAKEST_PAIRS: Final = 7
MEANT: Final = ("none", "first", "first two", "second", "last", "last two", "equal pairs", "weakest pairs")


class Cards:
    """The numbers of the game.

    Guards are known by their place in the list of all guards; of several that are alike, by the first one's. Behind
    them come three that stand for the back of a card with one, two and three stars, of which nothing else is known,
    and one for a card that is not known at all.
    """

    rounds: vec[i64]  # by players
    deck: vec[i64]  # all guards
    stars: vec[i64]  # by guard
    strength: vec[i64]
    loot: vec[i64]
    top: vec[i64]  # the highest strength on the guard's back
    owner_price: vec[i64]  # by stars: what the owner of a replaced monster gets
    healing: vec[i64]  # by strength of a monster
    least_strength: vec[i64]  # by stars: the ranges on the backs
    most_strength: vec[i64]
    least_loot: vec[i64]
    most_loot: vec[i64]
    barred: vec[i64]  # by order: the strength that may not be played, or 0
    hand: vec[i64]  # the monsters that everyone takes in hand, a bit each, or 0
    heal_from: vec[i64]  # healing costs something else from this strength on
    heal: vec[i64]
    meant: vec[i64]  # which guards change
    more_loot: vec[i64]
    more_strength: vec[i64]

    def __init__(self, data: Data) -> None:
        self.rounds = numbers(MOST + 1, 0)
        rounds = data.row("castle.rounds", MOST - FEWEST + 1, MOST - FEWEST + 1, 1)
        for players in range(FEWEST, MOST + 1):
            self.rounds[players] = rounds[players - FEWEST]
        self.treasury_price: i64 = data.whole("replacing.treasury")
        self.own_price: i64 = data.whole("replacing.own")
        self.owner_price = counted_from_one(data.row("replacing.owner", LEVELS, LEVELS))
        self.healing = counted_from_one(data.row("healing.costs", STRONGEST, STRONGEST))
        self.dearest: i64 = self.own_price  # the highest price of a replacement
        for stars in range(1, LEVELS + 1):
            self.dearest = max(self.dearest, self.treasury_price + self.owner_price[stars])
        self.read_levels(data)
        self.read_orders(data.tables("order", ORDERS, ORDERS))
        data.finish()

    def read_levels(self, data: Data) -> None:
        self.stars = vec[i64]()
        self.strength = vec[i64]()
        self.loot = vec[i64]()
        self.top = vec[i64]()
        self.least_strength = numbers(LEVELS + 1, 0)
        self.most_strength = numbers(LEVELS + 1, 0)
        self.least_loot = numbers(LEVELS + 1, 0)
        self.most_loot = numbers(LEVELS + 1, 0)
        levels = data.tables("level", LEVELS, LEVELS)
        for stars in range(1, LEVELS + 1):
            self.read_level(stars, levels[stars - 1])
        self.size: i64 = len(self.stars)
        self.deck = numbers(self.size, 0)
        for guard in range(self.size):
            self.deck[guard] = self.first_alike(guard)
        for players in range(FEWEST, MOST + 1):
            needed = players * self.rounds[players]
            if needed > self.size:
                raise data.wrong("castle.rounds", f"{players} players need {needed} guards, but there are {self.size}")
        for stars in range(1, LEVELS + 1):
            self.add_guard(stars, 0, 0)
        self.add_guard(0, 0, 0)

    def read_level(self, stars: int, level: Data) -> None:
        level.whole("stars", stars, stars)
        strengths = level.row("strength", 2, 2)
        loots = level.row("loot", 2, 2)
        self.least_strength[stars] = strengths[0]
        self.most_strength[stars] = strengths[1]
        self.least_loot[stars] = loots[0]
        self.most_loot[stars] = loots[1]
        guards = level.take("guards")
        level.check(isinstance(guards, list) and len(guards) > 0, "guards", "a list of guards: [strength, loot]")
        for guard in guards:
            if not isinstance(guard, list) or len(guard) != 2 or not fits(guard, strengths, loots):
                right = f"[strength, loot], within {strengths} and {loots}"
                raise level.wrong("guards", f"a guard with {stars} stars is {guard!r}; right is {right}")
            self.add_guard(stars, guard[0], guard[1])

    def add_guard(self, stars: i64, strength: i64, loot: i64) -> None:
        self.stars = append(self.stars, stars)
        self.strength = append(self.strength, strength)
        self.loot = append(self.loot, loot)
        self.top = append(self.top, self.most_strength[stars])

    def first_alike(self, guard: i64) -> i64:
        """The first guard in the list that has the same stars, strength and loot."""
        first: i64 = 0
        while (
            self.stars[first] != self.stars[guard]
            or self.strength[first] != self.strength[guard]
            or self.loot[first] != self.loot[guard]
        ):
            first += 1
        return first

    def read_orders(self, orders: list[Data]) -> None:
        self.barred = numbers(ORDERS + 1, 0)
        self.hand = numbers(ORDERS + 1, 0)
        self.heal_from = numbers(ORDERS + 1, STRONGEST + 1)
        self.heal = numbers(ORDERS + 1, 0)
        self.meant = numbers(ORDERS + 1, NONE)
        self.more_loot = numbers(ORDERS + 1, 0)
        self.more_strength = numbers(ORDERS + 1, 0)
        for number in range(1, ORDERS + 1):
            self.read_order(number, orders[number - 1])

    def read_order(self, number: int, order: Data) -> None:
        if order.has("barred"):
            self.barred[number] = order.whole("barred", 1, STRONGEST)
        if order.has("hand"):
            monsters = order.row("hand", 3, 3, 1, STRONGEST)
            for monster in monsters:
                self.hand[number] |= 1 << monster
            order.check(count_bits(self.hand[number]) == 3, "hand", "three different monsters")
        if order.has("heal"):
            self.heal_from[number] = order.whole("heal_from", 1, STRONGEST)
            self.heal[number] = order.whole("heal")
        if order.has("at"):
            self.meant[number] = MEANT.index(order.choice("at", MEANT[1:]))
            self.more_loot[number] = order.whole("loot", -99, 99) if order.has("loot") else 0
            self.more_strength[number] = order.whole("strength", -99, 99) if order.has("strength") else 0

    def back(self, stars: i64) -> i64:
        """The guard of which only the stars are known."""
        return self.size + stars - 1

    def unknown(self) -> i64:
        """The guard of which nothing is known."""
        return self.size + LEVELS


def count_bits(bits: i64) -> i64:
    """How many of up to sixteen bits are set."""
    bits -= bits >> 1 & 0x5555
    bits = (bits & 0x3333) + (bits >> 2 & 0x3333)
    bits = (bits + (bits >> 4)) & 0x0F0F
    return (bits + (bits >> 8)) & 31


def fits(guard: list[Any], strengths: list[int], loots: list[int]) -> bool:
    """Whether a guard is within the ranges on its back."""
    return is_whole(guard[0], strengths[0], strengths[1]) and is_whole(guard[1], loots[0], loots[1])


def counted_from_one(values: list[int]) -> vec[i64]:
    """The same numbers, asked for with 1, 2, 3, …"""
    made = numbers(len(values) + 1, 0)
    for at in range(len(values)):
        made[at + 1] = values[at]
    return made
