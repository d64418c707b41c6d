"""The spells, weapons and monsters of Monster Hunters, read from `cards.toml` and checked."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.option import UsageError
from polikarp.engine.state import numbers

SYMBOLS: Final = ("fire", "ice", "lightning", "sword", "bow", "axe")
KINDS: Final = ("basic", "combination", "failed", "wand")
BASIC: Final = 0
COMBINATION: Final = 1
FAILED: Final = 2
WAND: Final = 3
PICTURED: Final = (1, 2, 1, 0)  # by kind: how many symbols its cards picture

LEAST_VALUE: Final = 3
MOST_VALUE: Final = 5
MOST_CARDS: Final = 200
MOST_MONSTERS: Final = 99
FEWEST_MONSTERS: Final = 6  # a pile has a card to turn up and one to refill from


class CardsError(UsageError):
    """The data file can not be played with; the text says what to mend."""


class Cards:
    """All cards of the game. Cards that look alike share a face: faces and monsters are numbered as in the file."""

    mistake: i64  # points for a monster taken by mistake

    kind: vec[i64]  # by face
    copies: vec[i64]
    pictures: vec[i64]  # by face and symbol: how often the symbol is on the card
    shows: vec[i64]  # the same, of those that count

    priority: vec[i64]  # by monster
    value: vec[i64]
    players: vec[i64]  # with so many players, or more, it is in play
    needs: vec[i64]  # by monster and symbol

    def __init__(self, data: Mapping[str, Any]) -> None:
        self.kind = numbers(0, 0)
        self.copies = numbers(0, 0)
        self.pictures = numbers(0, 0)
        self.shows = numbers(0, 0)
        self.priority = numbers(0, 0)
        self.value = numbers(0, 0)
        self.players = numbers(0, 0)
        self.needs = numbers(0, 0)
        self.mistake = whole(part(data, "mistake"), "mistake", "points", -9, 0)
        for face in rows(data, "card"):
            self.add_face(face)
        for monster in rows(data, "monster"):
            self.add_monster(monster)
        self.check_size()
        self.check_catches()

    def add_face(self, face: Mapping[str, Any]) -> None:
        name = face.get("kind")
        if name not in KINDS:
            raise CardsError(f"a card is of kind {name!r}; right is: {', '.join(KINDS)}")
        kind = KINDS.index(name)
        symbols = read_symbols(face, f"a {name} card", PICTURED[kind], PICTURED[kind])
        self.kind = append(self.kind, i64(kind))
        self.copies = append(self.copies, i64(whole(face, f"a {name} card", "copies", 0, MOST_CARDS)))
        for count in symbols:
            self.pictures = append(self.pictures, i64(count))
            self.shows = append(self.shows, i64(0 if kind == FAILED else count))  # hunters.12

    def add_monster(self, monster: Mapping[str, Any]) -> None:
        priority = whole(monster, "a monster", "priority", 1, MOST_MONSTERS)
        name = f"monster {priority}"
        if priority in list(self.priority):
            raise CardsError(f"two monsters have the priority number {priority}")
        self.priority = append(self.priority, i64(priority))
        self.value = append(self.value, i64(whole(monster, name, "value", LEAST_VALUE, MOST_VALUE)))
        self.players = append(self.players, i64(whole(monster, name, "players", 2, 8)))
        for count in read_symbols(monster, name, 1, 9):
            self.needs = append(self.needs, i64(count))

    def check_size(self) -> None:
        if self.deck_size(False) < 8:
            raise CardsError("there are too few spells and weapons: each of eight players needs one")
        if self.deck_size(True) > MOST_CARDS:
            raise CardsError(f"there are more than {MOST_CARDS} spells and weapons")
        if self.monster_count(2) < FEWEST_MONSTERS:
            raise CardsError(f"two players have too few monsters; right is: at least {FEWEST_MONSTERS}")

    def check_catches(self) -> None:
        """When all cards lie open every monster can be caught."""  # hunters.20
        shown = [0] * len(SYMBOLS)
        wands = 0
        for face in range(len(self.kind)):
            wands += self.copies[face] if self.kind[face] == WAND else 0
            for symbol in range(len(SYMBOLS)):
                shown[symbol] += self.copies[face] * self.shows[face * 6 + symbol]
        for monster in range(len(self.priority)):
            missing = sum(max(0, self.needs[monster * 6 + symbol] - shown[symbol]) for symbol in range(len(SYMBOLS)))
            if missing > wands:
                raise CardsError(f"monster {self.priority[monster]} can not be caught with all cards open")

    def deck_size(self, failed_attacks: bool) -> i64:
        """Spells and weapons in play."""
        size: i64 = 0
        for face in range(i64(len(self.kind))):
            if failed_attacks or self.kind[face] != FAILED:
                size += self.copies[face]
        return size

    def monster_count(self, players: i64) -> i64:
        """Monsters in play."""  # hunters.2
        count: i64 = 0
        for monster in range(i64(len(self.players))):
            count += i64(self.players[monster] <= players)
        return count


def part(data: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = data.get(name)
    if not isinstance(value, dict):
        raise CardsError(f"there is no part [{name}]")
    return value


def rows(data: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    values = data.get(name)
    if not isinstance(values, list) or not values or not all(isinstance(value, dict) for value in values):
        raise CardsError(f"there is no list of [[{name}]]")
    return values


def whole(row: Mapping[str, Any], owner: str, name: str, low: int, high: int) -> int:
    """A whole number in its bounds."""
    value = row.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise CardsError(f"{name} of {owner} is {value!r}; right is a whole number from {low} to {high}")
    return value


def read_symbols(row: Mapping[str, Any], owner: str, fewest: int, most: int) -> list[int]:
    """How often each symbol is listed."""
    values = row.get("symbols")
    if not isinstance(values, list) or not fewest <= len(values) <= most:
        right = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        raise CardsError(f"symbols of {owner} are {values!r}; right is a list of {right}")
    for value in values:
        if value not in SYMBOLS:
            raise CardsError(f"{owner} has the symbol {value!r}; right is: {', '.join(SYMBOLS)}")
    return [values.count(symbol) for symbol in SYMBOLS]


def read_data(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as mistake:
        raise CardsError(f"{path.name} can not be read: {mistake}") from None
