"""The treasures and numbers of Crypt, read from `cards.toml` and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.option import UsageError
from polikarp.engine.state import numbers

KINDS: Final = ("statue", "jewellery", "manuscript", "pottery", "remains", "tapestry")
STATUE: Final = 0
JEWELLERY: Final = 1
MANUSCRIPT: Final = 2
POTTERY: Final = 3
REMAINS: Final = 4
TAPESTRY: Final = 5

TOP_VALUE: Final = 4
MOST_SLOTS: Final = 6
MOST_DICE: Final = 3


class CardsError(UsageError):
    """The data file can not be played with; the text says what to mend."""


class Cards:
    """The numbers of the game. Rows by number of players are asked for with that number."""

    copies: vec[i64]  # by players, kind and value: see `copies_of`
    face_up: vec[i64]  # by players
    face_down: vec[i64]  # by players
    deck: vec[i64]  # cards in play, by players
    pottery_coins: vec[i64]  # by number of pottery cards, the last for more

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.dice: i64 = whole(data, "servants.dice", MOST_DICE, MOST_DICE)
        self.die_coins: i64 = whole(data, "servants.coins")
        self.statue_flip: i64 = whole(data, "collector.statue.A.flip", 1)
        self.statue_need: i64 = whole(data, "collector.statue.B.need", 1)
        self.statue_first: i64 = whole(data, "collector.statue.B.first", 1)
        self.statue_later: i64 = whole(data, "collector.statue.B.later", 1)
        self.jewellery_need: i64 = whole(data, "collector.jewellery.A.need", 1)
        self.jewellery_each: i64 = whole(data, "collector.jewellery.B.each")
        self.manuscript_need: i64 = whole(data, "collector.manuscript.A.need", 1)
        self.manuscript_worth: i64 = whole(data, "collector.manuscript.A.worth")
        self.manuscript_flip: i64 = whole(data, "collector.manuscript.B.flip", 1)
        self.pottery_coins = row(data, "collector.pottery.A.coins", 1)
        self.pottery_flip: i64 = whole(data, "collector.pottery.B.flip", 1)
        self.remains_flip: i64 = whole(data, "collector.remains.A.flip", 1)
        self.remains_need: i64 = whole(data, "collector.remains.B.need", 1)
        self.remains_coins: i64 = whole(data, "collector.remains.B.coins")
        self.tapestry_coins: i64 = whole(data, "collector.tapestry.A.coins")
        self.tapestry_need: i64 = whole(data, "collector.tapestry.B.need", 1)
        self.tapestry_alone: i64 = whole(data, "collector.tapestry.B.alone")
        self.tapestry_shared: i64 = whole(data, "collector.tapestry.B.shared")
        self.amateur: i64 = whole(data, "solo.amateur")
        self.rich: i64 = whole(data, "solo.rich", int(self.amateur))
        self.wealthy: i64 = whole(data, "solo.wealthy", int(self.rich))
        self.face_up = by_players(data, "crypt.face_up")
        self.face_down = by_players(data, "crypt.face_down")
        self.copies = numbers(5 * 6 * 5, 0)
        self.deck = numbers(5, 0)
        treasures = data.get("treasure")
        if not isinstance(treasures, list) or not treasures:
            raise CardsError("there is no list of treasures")
        for treasure in treasures:
            kind = treasure.get("kind") if isinstance(treasure, dict) else None
            if kind not in KINDS:
                raise CardsError(f"a treasure is of kind {kind!r}; right is: {', '.join(KINDS)}")
            self.add(KINDS.index(kind), whole(treasure, "value", 1, TOP_VALUE), by_players(treasure, "copies"))
        self.check_rounds()

    def add(self, kind: int, value: int, copies: vec[i64]) -> None:
        for players in range(1, 5):
            self.copies[(players * 6 + kind) * 5 + value] += copies[players]
            self.deck[players] += copies[players]

    def check_rounds(self) -> None:
        for players in range(1, 5):
            slots = self.face_up[players] + self.face_down[players]
            if not 1 <= slots <= MOST_SLOTS:
                raise CardsError(f"with {players} players {slots} cards lie in the crypt; right is 1 to {MOST_SLOTS}")
            if self.deck[players] == 0 or self.deck[players] % slots:
                raise CardsError(f"with {players} players {self.deck[players]} cards do not fill rounds of {slots}")

    def copies_of(self, players: i64, kind: i64, value: i64) -> i64:
        return self.copies[(players * 6 + kind) * 5 + value]


def whole(data: Mapping[str, Any], name: str, low: int = 0, high: int = 99) -> int:
    """The whole number at a place such as `servants.dice`, in its bounds."""
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


def row(data: Mapping[str, Any], name: str, shortest: int) -> vec[i64]:
    """The whole numbers at a place."""
    values = at_place(data, name)
    if not isinstance(values, list) or not shortest <= len(values) <= 99:
        raise CardsError(f"{name} is {values!r}; right is a list of at least {shortest} whole numbers")
    made = numbers(len(values), 0)
    for at in range(len(values)):
        made[at] = in_bounds(values[at], name, 0, 99)
    return made


def by_players(data: Mapping[str, Any], name: str) -> vec[i64]:
    """Four numbers, for one to four players, asked for with the number of players."""
    values = row(data, name, 4)
    made = numbers(5, 0)
    for players in range(1, 5):
        made[players] = values[players - 1]
    return made


def read_data(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as mistake:
        raise CardsError(f"{path.name} can not be read: {mistake}") from None
