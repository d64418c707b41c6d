"""The numbers of Melee, read from `cards.toml` and checked: prices, pieces, gold, and what abilities change."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.data import Data
from polikarp.engine.state import numbers

UNITS: Final = ("soldier", "knight", "camp", "catapult")
SOLDIER: Final = 0
KNIGHT: Final = 1
CAMP: Final = 2
CATAPULT: Final = 3

ABILITIES: Final = (
    "recruiter",
    "stables",
    "carpenters",
    "settlers",
    "treasurer",
    "merchants",
    "salt_master",
    "tax_collector",
    "looters",
    "shield_wall",
    "heavy_armour",
    "palisade",
    "moat",
    "forced_march",
    "mountain_paths",
    "wheels",
    "trebuchet",
    "sappers",
    "veterans",
    "herald",
)
RECRUITER: Final = 0
STABLES: Final = 1
CARPENTERS: Final = 2
SETTLERS: Final = 3
TREASURER: Final = 4
MERCHANTS: Final = 5
SALT_MASTER: Final = 6
TAX_COLLECTOR: Final = 7
LOOTERS: Final = 8
SHIELD_WALL: Final = 9
HEAVY_ARMOUR: Final = 10
PALISADE: Final = 11
MOAT: Final = 12
FORCED_MARCH: Final = 13
MOUNTAIN_PATHS: Final = 14
WHEELS: Final = 15
TREBUCHET: Final = 16
SAPPERS: Final = 17
VETERANS: Final = 18
HERALD: Final = 19

SEASONS: Final = 4
TOP_GOLD: Final = 70  # nobody can have more when they decide something: `check_gold`
TOP_OFFER: Final = 20  # the most that can be offered for an ability
MOST_NAMES: Final = 3  # values that a defender names


class Cards:
    """The numbers of the game."""

    count: vec[i64]  # by unit
    price: vec[i64]  # by unit
    cheaper: vec[i64]  # by unit: the price for who has the ability

    def __init__(self, data: Data) -> None:
        self.start: i64 = data.whole("gold.start", 0, TOP_OFFER)
        self.tax: i64 = data.whole("gold.tax")
        self.camp: i64 = data.whole("gold.camp")
        self.province: i64 = data.whole("gold.province")
        self.count = numbers(4, 0)
        self.price = numbers(4, 0)
        self.cheaper = numbers(4, 0)
        for unit in range(4):
            self.count[unit] = data.whole(f"unit.{UNITS[unit]}.count", 1, 9)
            self.price[unit] = data.whole(f"unit.{UNITS[unit]}.price", 1)
        self.cheaper[SOLDIER] = data.whole("ability.recruiter.price", 1)
        self.cheaper[KNIGHT] = data.whole("ability.stables.price", 1)
        self.cheaper[CATAPULT] = data.whole("ability.carpenters.price", 1)
        self.cheaper[CAMP] = data.whole("ability.settlers.price", 1)
        self.treasurer: i64 = data.whole("ability.treasurer.gold")
        self.merchants: i64 = data.whole("ability.merchants.camp")
        self.salt_master: i64 = data.whole("ability.salt_master.province")
        self.tax_collector: i64 = data.whole("ability.tax_collector.tax")
        self.looters: i64 = data.whole("ability.looters.gold", 0, 1)  # with more, a knight's attacks would pay
        self.moat: i64 = data.whole("ability.moat.names", 1, MOST_NAMES)
        self.sappers: i64 = data.whole("ability.sappers.fewer")
        for name in ABILITIES:
            data.table(f"ability.{name}")
        data.finish()

    def check_gold(self, data: Data, marked: int) -> None:
        """Whether nobody can ever hold more gold than there are numbers to bid, with so many +1 provinces."""
        tax = max(self.tax, self.tax_collector)
        camps = self.count[CAMP] * max(self.camp, self.merchants)
        season = tax + camps + marked * max(self.province, self.salt_master) + self.treasurer
        most = self.start + (SEASONS - 1) * season + tax
        if most > TOP_GOLD:
            raise data.wrong("gold", f"somebody could come to hold {most} gold; right is at most {TOP_GOLD}")
