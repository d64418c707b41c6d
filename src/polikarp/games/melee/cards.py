"""The numbers of Melee, read from `cards.toml` and checked: prices, pieces, gold, and what abilities change."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.option import UsageError
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


class CardsError(UsageError):
    """The data file can not be played with; the text says what to mend."""


class Cards:
    """The numbers of the game."""

    count: vec[i64]  # by unit
    price: vec[i64]  # by unit
    cheaper: vec[i64]  # by unit: the price for who has the ability

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.start: i64 = whole(data, "gold.start", 0, TOP_OFFER)
        self.tax: i64 = whole(data, "gold.tax")
        self.camp: i64 = whole(data, "gold.camp")
        self.province: i64 = whole(data, "gold.province")
        self.count = numbers(4, 0)
        self.price = numbers(4, 0)
        self.cheaper = numbers(4, 0)
        for unit in range(4):
            self.count[unit] = whole(data, f"unit.{UNITS[unit]}.count", 1, 9)
            self.price[unit] = whole(data, f"unit.{UNITS[unit]}.price", 1)
        self.cheaper[SOLDIER] = whole(data, "ability.recruiter.price", 1)
        self.cheaper[KNIGHT] = whole(data, "ability.stables.price", 1)
        self.cheaper[CATAPULT] = whole(data, "ability.carpenters.price", 1)
        self.cheaper[CAMP] = whole(data, "ability.settlers.price", 1)
        self.treasurer: i64 = whole(data, "ability.treasurer.gold")
        self.merchants: i64 = whole(data, "ability.merchants.camp")
        self.salt_master: i64 = whole(data, "ability.salt_master.province")
        self.tax_collector: i64 = whole(data, "ability.tax_collector.tax")
        self.looters: i64 = whole(data, "ability.looters.gold", 0, 1)  # with more, a knight's attacks would pay
        self.moat: i64 = whole(data, "ability.moat.names", 1, MOST_NAMES)
        self.sappers: i64 = whole(data, "ability.sappers.fewer")
        unknown = [name for name in data["ability"] if name not in ABILITIES and name != "source"]
        missing = [name for name in ABILITIES if name not in data["ability"]]
        if unknown or missing:
            raise CardsError(f"abilities that nobody knows: {unknown}; abilities that are missing: {missing}")

    def check_gold(self, marked: int) -> None:
        """Whether nobody can ever hold more gold than there are numbers to bid, with so many +1 provinces."""
        tax = max(self.tax, self.tax_collector)
        camps = self.count[CAMP] * max(self.camp, self.merchants)
        season = tax + camps + marked * max(self.province, self.salt_master) + self.treasurer
        most = self.start + (SEASONS - 1) * season + tax
        if most > TOP_GOLD:
            raise CardsError(f"somebody could come to hold {most} gold; right is at most {TOP_GOLD}")


def whole(data: Mapping[str, Any], name: str, low: int = 0, high: int = 99) -> int:
    """The whole number at a place such as `gold.start`, in its bounds."""
    value: object = data
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise CardsError(f"{name} is {value!r}; right is a whole number from {low} to {high}")
    return value


def read_data(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as mistake:
        raise CardsError(f"{path.name} can not be read: {mistake}") from None
