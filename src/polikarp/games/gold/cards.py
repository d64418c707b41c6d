"""The guards, monsters and orders of Heroes' Gold, read from `cards.toml` and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.option import UsageError
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


class CardsError(UsageError):
    """The data file can not be played with; the text says what to mend."""


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

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.rounds = numbers(MOST + 1, 0)
        rounds = row(data, "castle.rounds", MOST - FEWEST + 1, 1)
        for players in range(FEWEST, MOST + 1):
            self.rounds[players] = rounds[players - FEWEST]
        self.treasury_price: i64 = whole(data, "replacing.treasury")
        self.own_price: i64 = whole(data, "replacing.own")
        self.owner_price = counted_from_one(row(data, "replacing.owner", LEVELS))
        self.healing = counted_from_one(row(data, "healing.costs", STRONGEST))
        self.dearest: i64 = self.own_price  # the highest price of a replacement
        for stars in range(1, LEVELS + 1):
            self.dearest = max(self.dearest, self.treasury_price + self.owner_price[stars])
        self.read_levels(data.get("level"))
        self.read_orders(data.get("order"))

    def read_levels(self, levels: object) -> None:
        self.stars = vec[i64]()
        self.strength = vec[i64]()
        self.loot = vec[i64]()
        self.top = vec[i64]()
        self.least_strength = numbers(LEVELS + 1, 0)
        self.most_strength = numbers(LEVELS + 1, 0)
        self.least_loot = numbers(LEVELS + 1, 0)
        self.most_loot = numbers(LEVELS + 1, 0)
        if not isinstance(levels, list) or len(levels) != LEVELS:
            raise CardsError(f"there must be a list of {LEVELS} levels of guards")
        for stars in range(1, LEVELS + 1):
            self.read_level(stars, levels[stars - 1])
        self.size: i64 = len(self.stars)
        self.deck = numbers(self.size, 0)
        for guard in range(self.size):
            self.deck[guard] = self.first_alike(guard)
        for players in range(FEWEST, MOST + 1):
            needed = players * self.rounds[players]
            if needed > self.size:
                raise CardsError(f"{players} players need {needed} guards, but there are {self.size}")
        for stars in range(1, LEVELS + 1):
            self.add_guard(stars, 0, 0)
        self.add_guard(0, 0, 0)

    def read_level(self, stars: int, level: object) -> None:
        if not isinstance(level, dict):
            raise CardsError(f"level {stars} is {level!r}; right is a table")
        whole(level, "stars", stars, stars)
        strengths = row(level, "strength", 2)
        loots = row(level, "loot", 2)
        self.least_strength[stars] = strengths[0]
        self.most_strength[stars] = strengths[1]
        self.least_loot[stars] = loots[0]
        self.most_loot[stars] = loots[1]
        guards = level.get("guards")
        if not isinstance(guards, list) or not guards:
            raise CardsError(f"there are no guards with {stars} stars")
        for guard in guards:
            pair = row({"guard": guard}, "guard", 2)
            in_bounds(int(pair[0]), f"the strength of a guard with {stars} stars", int(strengths[0]), int(strengths[1]))
            in_bounds(int(pair[1]), f"the loot of a guard with {stars} stars", int(loots[0]), int(loots[1]))
            self.add_guard(stars, pair[0], pair[1])

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

    def read_orders(self, orders: object) -> None:
        self.barred = numbers(ORDERS + 1, 0)
        self.hand = numbers(ORDERS + 1, 0)
        self.heal_from = numbers(ORDERS + 1, STRONGEST + 1)
        self.heal = numbers(ORDERS + 1, 0)
        self.meant = numbers(ORDERS + 1, NONE)
        self.more_loot = numbers(ORDERS + 1, 0)
        self.more_strength = numbers(ORDERS + 1, 0)
        if not isinstance(orders, list) or len(orders) != ORDERS:
            raise CardsError(f"there must be a list of {ORDERS} orders")
        for number in range(1, ORDERS + 1):
            self.read_order(number, orders[number - 1])

    def read_order(self, number: int, order: object) -> None:
        if not isinstance(order, dict):
            raise CardsError(f"order {number} is {order!r}; right is a table")
        if "barred" in order:
            self.barred[number] = whole(order, "barred", 1, STRONGEST)
        if "hand" in order:
            monsters = row(order, "hand", 3, 1, STRONGEST)
            for at in range(3):
                self.hand[number] |= 1 << monsters[at]
            if count_bits(self.hand[number]) != 3:
                raise CardsError(f"order {number} gives {order['hand']} in hand; right are three different monsters")
        if "heal" in order:
            self.heal_from[number] = whole(order, "heal_from", 1, STRONGEST)
            self.heal[number] = whole(order, "heal")
        if "at" in order:
            if order["at"] not in MEANT:
                raise CardsError(f"order {number} is for {order['at']!r}; right is: {', '.join(MEANT[1:])}")
            self.meant[number] = MEANT.index(order["at"])
            self.more_loot[number] = in_bounds(order.get("loot", 0), f"the loot of order {number}", -99, 99)
            self.more_strength[number] = in_bounds(order.get("strength", 0), f"the strength of order {number}", -99, 99)

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


def whole(data: Mapping[str, Any], name: str, low: int = 0, high: int = 99) -> int:
    """The whole number at a place such as `replacing.own`, in its bounds."""
    return in_bounds(at_place(data, name), name, low, high)


def at_place(data: Mapping[str, Any], name: str) -> object:
    value: object = data
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def in_bounds(value: object, name: str, low: int, high: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise CardsError(f"{name} is {value!r}; right is a whole number from {low} to {high}")
    return value


def row(data: Mapping[str, Any], name: str, count: int, low: int = 0, high: int = 99) -> vec[i64]:
    """So many whole numbers at a place."""
    values = at_place(data, name)
    if not isinstance(values, list) or len(values) != count:
        raise CardsError(f"{name} is {values!r}; right is a list of {count} whole numbers")
    made = numbers(count, 0)
    for at in range(count):
        made[at] = in_bounds(values[at], name, low, high)
    return made


def counted_from_one(values: vec[i64]) -> vec[i64]:
    """The same numbers, asked for with 1, 2, 3, …"""
    made = numbers(len(values) + 1, 0)
    for at in range(len(values)):
        made[at + 1] = values[at]
    return made


def read_data(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as mistake:
        raise CardsError(f"{path.name} can not be read: {mistake}") from None
