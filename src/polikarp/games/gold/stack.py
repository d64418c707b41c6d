"""How a deal of Heroes' Gold comes out as a lesson wants it: `orders` and `guards` in the order in which they come,
`hands` with three monsters for each seat, and the `first` player. A guard is written "2* 5/8": stars, strength, loot.
"""

from __future__ import annotations

from polikarp.engine.data import Data, is_whole
from polikarp.engine.lessons.stack import unshuffle
from polikarp.games.gold.cards import ORDERS, STRONGEST, Cards

IN_HAND = 3


def stacked(cards: Cards, seats: int, wanted: Data) -> list[int]:
    tiles = list(range(1, ORDERS + 1))
    orders = wanted.row("orders", 1, ORDERS, 1, ORDERS) if wanted.has("orders") else []
    guards = [f"{cards.stars[at]}* {cards.strength[at]}/{cards.loot[at]}" for at in range(cards.size)]
    first = wanted.choices("guards", list(dict.fromkeys(guards)), 1, len(guards)) if wanted.has("guards") else []
    draws = [*unshuffle(tiles, orders, "orders"), *unshuffle(guards, first, "guards")]
    for hand in hands(seats, wanted):
        monsters = list(range(1, STRONGEST + 1))
        draws += unshuffle(monsters, [one for one in monsters if one not in hand], "hands")
    draws.append(wanted.whole("first", 0, seats - 1) if wanted.has("first") else 0)
    return draws


def hands(seats: int, wanted: Data) -> list[list[int]]:
    """Three monsters for each seat; the strongest, if nothing is said."""
    if not wanted.has("hands"):
        return [[3, 4, 5]] * seats
    given = wanted.take("hands")
    good = isinstance(given, list) and len(given) == seats and all(is_hand(hand) for hand in given)
    wanted.check(good, "hands", f"{seats} lists of {IN_HAND} different monsters from 1 to {STRONGEST}")
    return list(given)


def is_hand(hand: object) -> bool:
    if not isinstance(hand, list) or not all(is_whole(one, 1, STRONGEST) for one in hand):
        return False
    return len(set(hand)) == len(hand) == IN_HAND
