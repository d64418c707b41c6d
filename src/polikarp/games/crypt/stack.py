"""How a deal of Crypt comes out as a lesson wants it: `deck` has the cards drawn first, `leader` holds the Torch."""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.engine.data import Data
from polikarp.engine.lessons.stack import unshuffle
from polikarp.engine.option import OptionValue
from polikarp.games.crypt.cards import KINDS, TOP_VALUE, Cards


def stacked(cards: Cards, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
    sides = [0] * len(KINDS) if options["collectors"] == "random" else []
    deck = [
        f"{kind} {value}"
        for number, kind in enumerate(KINDS)
        for value in range(1, TOP_VALUE + 1)
        for _ in range(cards.copies_of(seats, number, value))
    ]
    first = wanted.choices("deck", sorted(set(deck)), 0, len(deck)) if wanted.has("deck") else []
    draws = [*sides, *unshuffle(deck, first, "deck")]
    if seats > 1 and options["first"] == "random":
        draws.append(wanted.whole("leader", 0, seats - 1) if wanted.has("leader") else 0)
    return draws
