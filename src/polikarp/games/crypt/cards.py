"""The treasures and numbers of Crypt, read from `cards.toml` and checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

from polikarp.engine.data import Data
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


class Cards:
    """The numbers of the game. Rows by number of players are asked for with that number."""

    copies: vec[i64]  # by players, kind and value: see `copies_of`
    face_up: vec[i64]  # by players
    face_down: vec[i64]  # by players
    deck: vec[i64]  # cards in play, by players
    pottery_coins: vec[i64]  # by number of pottery cards, the last for more
    collector: Mapping[str, Any]  # by kind and side: its numbers as the file names them

    def __init__(self, data: Data) -> None:
        self.dice: i64 = data.whole("servants.dice", MOST_DICE, MOST_DICE)
        self.die_coins: i64 = data.whole("servants.coins")
        self.statue_flip: i64 = data.whole("collector.statue.A.flip", 1)
        self.statue_need: i64 = data.whole("collector.statue.B.need", 1)
        self.statue_first: i64 = data.whole("collector.statue.B.first", 1)
        self.statue_later: i64 = data.whole("collector.statue.B.later", 1)
        self.jewellery_need: i64 = data.whole("collector.jewellery.A.need", 1)
        self.jewellery_each: i64 = data.whole("collector.jewellery.B.each")
        self.manuscript_need: i64 = data.whole("collector.manuscript.A.need", 1)
        self.manuscript_worth: i64 = data.whole("collector.manuscript.A.worth")
        self.manuscript_flip: i64 = data.whole("collector.manuscript.B.flip", 1)
        self.pottery_coins = row(data.row("collector.pottery.A.coins", 1, 99))
        self.pottery_flip: i64 = data.whole("collector.pottery.B.flip", 1)
        self.remains_flip: i64 = data.whole("collector.remains.A.flip", 1)
        self.remains_need: i64 = data.whole("collector.remains.B.need", 1)
        self.remains_coins: i64 = data.whole("collector.remains.B.coins")
        self.tapestry_coins: i64 = data.whole("collector.tapestry.A.coins")
        self.tapestry_need: i64 = data.whole("collector.tapestry.B.need", 1)
        self.tapestry_alone: i64 = data.whole("collector.tapestry.B.alone")
        self.tapestry_shared: i64 = data.whole("collector.tapestry.B.shared")
        self.collector = data.given["collector"]
        data.whole("solo.fool", 0, 0)
        self.amateur: i64 = data.whole("solo.amateur")
        self.rich: i64 = data.whole("solo.rich", int(self.amateur))
        self.wealthy: i64 = data.whole("solo.wealthy", int(self.rich))
        self.face_up = by_players(data, "crypt.face_up")
        self.face_down = by_players(data, "crypt.face_down")
        self.copies = numbers(5 * 6 * 5, 0)
        self.deck = numbers(5, 0)
        for treasure in data.tables("treasure"):
            kind = KINDS.index(treasure.choice("kind", KINDS))
            self.add(kind, treasure.whole("value", 1, TOP_VALUE), by_players(treasure, "copies"))
        data.finish()
        self.check_rounds(data)

    def add(self, kind: int, value: int, copies: vec[i64]) -> None:
        for players in range(1, 5):
            self.copies[(players * 6 + kind) * 5 + value] += copies[players]
            self.deck[players] += copies[players]

    def check_rounds(self, data: Data) -> None:
        for players in range(1, 5):
            slots = self.face_up[players] + self.face_down[players]
            if not 1 <= slots <= MOST_SLOTS:
                lie = f"with {players} players {slots} cards lie in the crypt; right is 1 to {MOST_SLOTS}"
                raise data.wrong("crypt.face_up", lie)
            if self.deck[players] == 0 or self.deck[players] % slots:
                many = f"with {players} players {self.deck[players]} cards do not fill rounds of {slots}"
                raise data.wrong("treasure", many)

    def pottery_bonus(self, count: i64) -> i64:
        """What Pottery A gives for so many cards."""  # crypt.44A
        return self.pottery_coins[min(count, i64(len(self.pottery_coins)) - 1)]

    def copies_of(self, players: i64, kind: i64, value: i64) -> i64:
        return self.copies[(players * 6 + kind) * 5 + value]


def row(values: list[int]) -> vec[i64]:
    made = numbers(len(values), 0)
    for at in range(len(values)):
        made[at] = values[at]
    return made


def by_players(data: Data, name: str) -> vec[i64]:
    """Four numbers, for one to four players, asked for with the number of players."""
    values = data.row(name, 4, 4)
    made = numbers(5, 0)
    for players in range(1, 5):
        made[players] = values[players - 1]
    return made
