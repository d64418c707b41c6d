"""The treasures and numbers of Crypt, read from `cards.toml` and checked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

from librt.vecs import vec
from mypy_extensions import i64

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


class CardsError(Exception):
    """The data file can not be played with; the text says what to mend."""


class Cards:
    """The numbers of the game. Rows by number of players are asked for with that number."""

    copies: vec[i64]  # by players, kind and value: see `copies_of`
    face_up: vec[i64]  # by players
    face_down: vec[i64]  # by players
    deck: vec[i64]  # cards in play, by players
    pottery_coins: vec[i64]  # by number of pottery cards, the last for more

    def __init__(self, data: dict[str, Any]) -> None:
        self.copies = numbers(5 * 6 * 5, 0)
        self.face_up = numbers(5, 0)
        self.face_down = numbers(5, 0)
        self.deck = numbers(5, 0)
        try:
            self.dice: i64 = data["servants"]["dice"]
            self.die_coins: i64 = data["servants"]["coins"]
            collector = data["collector"]
            self.statue_flip: i64 = collector["statue"]["A"]["flip"]
            self.statue_need: i64 = collector["statue"]["B"]["need"]
            self.statue_first: i64 = collector["statue"]["B"]["first"]
            self.statue_later: i64 = collector["statue"]["B"]["later"]
            self.jewellery_need: i64 = collector["jewellery"]["A"]["need"]
            self.jewellery_each: i64 = collector["jewellery"]["B"]["each"]
            self.manuscript_need: i64 = collector["manuscript"]["A"]["need"]
            self.manuscript_worth: i64 = collector["manuscript"]["A"]["worth"]
            self.manuscript_flip: i64 = collector["manuscript"]["B"]["flip"]
            coins: list[int] = collector["pottery"]["A"]["coins"]
            self.pottery_flip: i64 = collector["pottery"]["B"]["flip"]
            self.remains_flip: i64 = collector["remains"]["A"]["flip"]
            self.remains_need: i64 = collector["remains"]["B"]["need"]
            self.remains_coins: i64 = collector["remains"]["B"]["coins"]
            self.tapestry_coins: i64 = collector["tapestry"]["A"]["coins"]
            self.tapestry_need: i64 = collector["tapestry"]["B"]["need"]
            self.tapestry_alone: i64 = collector["tapestry"]["B"]["alone"]
            self.tapestry_shared: i64 = collector["tapestry"]["B"]["shared"]
            self.amateur: i64 = data["solo"]["amateur"]
            self.rich: i64 = data["solo"]["rich"]
            self.wealthy: i64 = data["solo"]["wealthy"]
            for players in range(1, 5):
                self.face_up[players] = data["crypt"]["face_up"][players - 1]
                self.face_down[players] = data["crypt"]["face_down"][players - 1]
            for row in data["treasure"]:
                self.add(KINDS.index(row["kind"]), row["value"], row["copies"])
        except (KeyError, TypeError, ValueError, IndexError) as mistake:
            raise CardsError(f"something is missing or of the wrong kind: {mistake}") from mistake
        self.pottery_coins = numbers(len(coins), 0)
        for at in range(len(coins)):
            self.pottery_coins[at] = coins[at]
        self.check()

    def add(self, kind: int, value: int, copies: list[int]) -> None:
        if not 1 <= value <= TOP_VALUE:
            raise CardsError(f"a {KINDS[kind]} has value {value}; right is 1 to {TOP_VALUE}")
        for players in range(1, 5):
            self.copies[(players * 6 + kind) * 5 + value] += copies[players - 1]
            self.deck[players] += copies[players - 1]

    def check(self) -> None:
        if self.dice != MOST_DICE:
            raise CardsError(f"every player has {MOST_DICE} dice, not {self.dice}")
        for players in range(1, 5):
            slots = self.face_up[players] + self.face_down[players]
            if not 1 <= slots <= MOST_SLOTS or self.face_up[players] < 0 or self.face_down[players] < 0:
                raise CardsError(f"with {players} players {slots} cards lie in the crypt; right is 1 to {MOST_SLOTS}")
            if self.deck[players] == 0 or self.deck[players] % slots:
                raise CardsError(f"with {players} players {self.deck[players]} cards do not fill rounds of {slots}")
        for flip in (self.statue_flip, self.manuscript_flip, self.pottery_flip, self.remains_flip):
            if flip < 1:
                raise CardsError("a use of a collector turns up at least one card")

    def copies_of(self, players: i64, kind: i64, value: i64) -> i64:
        return self.copies[(players * 6 + kind) * 5 + value]


def load_cards(path: Path) -> Cards:
    try:
        return Cards(tomllib.loads(path.read_text("utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError, CardsError) as mistake:
        raise CardsError(f"{path.name}: {mistake}") from mistake
