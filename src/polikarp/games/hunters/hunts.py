"""A game as a row of hunts, each from an empty table to the monster that was taken, read from what everybody was
told. So what lay open can still be shown when it is gone, and what a player did can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from polikarp.engine.phrase import Arg
from polikarp.games.hunters.view import Card, Monster

KINDS = {"turn_up": "shown", "failed": "failed", "wand": "wand"}


class Line(Protocol):
    """A line of a table's log."""

    @property
    def kind(self) -> str: ...
    @property
    def args(self) -> Mapping[str, Arg]: ...


class Turned(msgspec.Struct, frozen=True):
    """An open card, and whose it is."""

    seat: int
    card: Card


class Hunt(msgspec.Struct, frozen=True):
    """The monsters by place and the open cards as they were turned up; who took which monster, if that has happened.
    `used`: by card, whether a caught monster needed it; `missing`: the symbols that one taken by mistake lacked.
    """

    monsters: list[Monster]
    cards: list[Turned]
    seat: int | None = None
    place: int | None = None  # from 0
    caught: bool = False
    used: list[bool] = []
    missing: list[str] = []

    def lacking(self) -> list[tuple[str, bool]]:
        """The symbols of the monster that was taken, and of each whether it was missing."""
        assert self.place is not None
        symbols, left = self.monsters[self.place].symbols, list(self.missing)
        found: list[tuple[str, bool]] = []
        for symbol in reversed(symbols):
            found.append((symbol, symbol in left))
            if symbol in left:
                left.remove(symbol)
        return found[::-1]

    def catchable(self) -> list[int]:
        """The places whose monsters can be caught with all open cards."""
        return [place for place, monster in enumerate(self.monsters) if len(needed(monster, self.cards)) > 0]


def hunts(told: Iterable[tuple[str, Mapping[str, Arg]]]) -> list[Hunt]:
    """All hunts of a game, by what was told from the deal on; the last is the one that is on."""
    done: list[Hunt] = []
    monsters: dict[int, Monster] = {}
    cards: list[Turned] = []
    for key, args in told:
        if key in KINDS:
            symbols = str(args.get("symbols", "")).split()
            cards.append(Turned(number(args["seat"]), Card(KINDS[key], symbols)))
        elif key == "monster":
            monsters[number(args["place"]) - 1] = monster_of(args)
        elif key in ("catch", "mistake"):
            place, caught = number(args["place"]) - 1, key == "catch"
            used = needed(monsters[place], cards) if caught else []
            marks = [at in used for at in range(len(cards))]
            missing = str(args.get("missing", "")).split()
            done.append(Hunt(by_place(monsters), cards, number(args["seat"]), place, caught, marks, missing))
            cards = []
    return [*done, Hunt(by_place(monsters), cards)]


def by_place(monsters: Mapping[int, Monster]) -> list[Monster]:
    return [monsters[place] for place in sorted(monsters)]


def number(arg: Arg) -> int:
    assert isinstance(arg, int)
    return arg


def monster_of(args: Mapping[str, Arg]) -> Monster:
    return Monster(number(args["priority"]), number(args["value"]), str(args["symbols"]).split())


def needed(monster: Monster, cards: Sequence[Turned]) -> list[int]:
    """Which cards catch a monster, the earliest that do; none if it can not be caught."""
    lacking = list(monster.symbols)
    used: list[int] = []
    for at, turned in enumerate(cards):
        symbols = [] if turned.card.kind == "failed" else turned.card.symbols
        found = [symbol for symbol in symbols if symbol in lacking]
        for symbol in found:
            lacking.remove(symbol)
        if found:
            used.append(at)
    wands = [at for at, turned in enumerate(cards) if turned.card.kind == "wand"]
    if len(wands) < len(lacking):
        return []
    return sorted([*used, *wands[: len(lacking)]])
