"""How a deal of Monster Hunters comes out as a lesson wants it: `monsters` by their numbers, row by row, and `cards` as
they are turned up: "fire", "fire sword", "failed bow", "wand". The option `first` says who begins; if it is left to
chance, the first seat does.
"""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.engine.data import Data
from polikarp.engine.lessons.stack import unshuffle
from polikarp.engine.option import OptionValue
from polikarp.games.hunters.cards import FAILED, SYMBOLS, WAND, Cards


def stacked(cards: Cards, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
    monsters = [number for number, players in zip(cards.priority, cards.players, strict=True) if players <= seats]
    faces = [
        face_name(cards, face)
        for face, copies in enumerate(cards.copies)
        if options["failed_attacks"] or cards.kind[face] != FAILED
        for _ in range(copies)
    ]
    lie = wanted.row("monsters", 1, len(monsters), 1) if wanted.has("monsters") else []
    come = wanted.choices("cards", list(dict.fromkeys(faces)), 1, len(faces)) if wanted.has("cards") else []
    draws = [*unshuffle(monsters, lie, "monsters"), *unshuffle(faces, come, "cards")]
    return [*draws, 0] if options["first"] == "random" else draws


def face_name(cards: Cards, face: int) -> str:
    pictured = [symbol for at, symbol in enumerate(SYMBOLS) for _ in range(cards.pictures[face * len(SYMBOLS) + at])]
    kind = ["wand"] if cards.kind[face] == WAND else ["failed"] if cards.kind[face] == FAILED else []
    return " ".join([*kind, *pictured])
