"""The spells, weapons and monsters of Monster Hunters, read from `cards.toml` and checked."""

from __future__ import annotations

from typing import Final

from librt.vecs import append, vec
from mypy_extensions import i64

from polikarp.engine.data import Data
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

    def __init__(self, data: Data) -> None:
        self.kind = numbers(0, 0)
        self.copies = numbers(0, 0)
        self.pictures = numbers(0, 0)
        self.shows = numbers(0, 0)
        self.priority = numbers(0, 0)
        self.value = numbers(0, 0)
        self.players = numbers(0, 0)
        self.needs = numbers(0, 0)
        self.mistake = data.whole("mistake.points", -9, 0)
        for face in data.tables("card"):
            self.add_face(face)
        for monster in data.tables("monster"):
            self.add_monster(monster)
        data.finish()
        self.check_size(data)
        self.check_catches(data)

    def add_face(self, face: Data) -> None:
        kind = KINDS.index(face.choice("kind", KINDS))
        symbols = counted(face.choices("symbols", SYMBOLS, PICTURED[kind], PICTURED[kind]))
        self.kind = append(self.kind, i64(kind))
        self.copies = append(self.copies, i64(face.whole("copies", 0, MOST_CARDS)))
        for count in symbols:
            self.pictures = append(self.pictures, i64(count))
            self.shows = append(self.shows, i64(0 if kind == FAILED else count))  # hunters.12

    def add_monster(self, monster: Data) -> None:
        priority = monster.whole("priority", 1, MOST_MONSTERS)
        if priority in list(self.priority):
            raise monster.wrong("priority", f"two monsters have the priority number {priority}")
        self.priority = append(self.priority, i64(priority))
        self.value = append(self.value, i64(monster.whole("value", LEAST_VALUE, MOST_VALUE)))
        self.players = append(self.players, i64(monster.whole("players", 2, 8)))
        for count in counted(monster.choices("symbols", SYMBOLS, 1, 9)):
            self.needs = append(self.needs, i64(count))

    def check_size(self, data: Data) -> None:
        if self.deck_size(False) < 8:
            raise data.wrong("card", "there are too few spells and weapons: each of eight players needs one")
        if self.deck_size(True) > MOST_CARDS:
            raise data.wrong("card", f"there are more than {MOST_CARDS} spells and weapons")
        if self.monster_count(2) < FEWEST_MONSTERS:
            raise data.wrong("monster", f"two players have too few monsters; right is: at least {FEWEST_MONSTERS}")

    def check_catches(self, data: Data) -> None:
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
                named = f"monster {self.priority[monster]} can not be caught with all cards open"
                raise data.tables("monster")[monster].wrong("symbols", named)

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


def counted(symbols: list[str]) -> list[int]:
    """How often each symbol is listed."""
    return [symbols.count(symbol) for symbol in SYMBOLS]
