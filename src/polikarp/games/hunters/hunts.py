"""A game as a row of hunts, each from an empty table to the monster that was taken, read from what everybody was
told. So what lay open can still be shown when it is gone, and what a player did can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from polikarp.engine.phrase import Arg, Phrase
from polikarp.games.hunters.rules import PLACES
from polikarp.games.hunters.view import Card, Monster

KINDS = {"turn_up": "shown", "failed": "failed", "wand": "wand"}


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


class Taking(msgspec.Struct, frozen=True):
    """What came of a hunt, for the page. `lacking`: the monster's symbols, and of each whether it was missing."""

    taken: Monster
    seat: int
    caught: bool
    cards: list[Turned]
    used: list[bool]
    missing: list[str]
    lacking: list[tuple[str, bool]]


def taking(hunt: Hunt) -> Taking:
    assert hunt.place is not None
    assert hunt.seat is not None
    taken = hunt.monsters[hunt.place]
    return Taking(taken, hunt.seat, hunt.caught, hunt.cards, hunt.used, hunt.missing, hunt.lacking())


def last_hunts(told: Sequence[Phrase]) -> list[Hunt]:
    """The hunt that is on, and before it the one that ended last. It looks back no further than it must: what was told
    grows with the game."""
    begun = last_taking(told, last_taking(told, len(told))) + 1
    return hunts(((one.key, one.args) for one in told[begun:]), laid(told, begun))


def last_taking(told: Sequence[Phrase], before: int) -> int:
    """Where a monster was last taken before a place in what was told; -1 if none was."""
    at = before - 1
    while at >= 0 and told[at].key not in ("catch", "mistake"):
        at -= 1
    return max(at, -1)


def laid(told: Sequence[Phrase], before: int) -> dict[int, Monster]:
    """By place: the monster that was laid there last."""
    found: dict[int, Monster] = {}
    at = before - 1
    while at >= 0 and len(found) < PLACES:
        if told[at].key == "monster":
            found.setdefault(number(told[at].args["place"]) - 1, monster_of(told[at].args))
        at -= 1
    return found


def hunts(told: Iterable[tuple[str, Mapping[str, Arg]]], before: Mapping[int, Monster] | None = None) -> list[Hunt]:
    """The hunts of a game, by what was told from the deal on, or from a moment at which these monsters lay there; the
    last is the one that is on."""
    done: list[Hunt] = []
    monsters: dict[int, Monster] = dict(before or {})
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
