"""How a deal of Melee comes out as a lesson wants it: the `first` player and, in the advanced game, the `abilities`
that lie open."""

from __future__ import annotations

from collections.abc import Mapping

from polikarp.engine.data import Data
from polikarp.engine.lessons.stack import unshuffle
from polikarp.engine.option import OptionValue
from polikarp.games.melee.boards import Board
from polikarp.games.melee.cards import ABILITIES, SALT_MASTER


def stacked(board: Board, seats: int, options: Mapping[str, OptionValue], wanted: Data) -> list[int]:
    first = wanted.whole("first", 0, seats - 1) if wanted.has("first") else 0
    if options["rules"] != "advanced":
        return [first]
    deck = [name for ability, name in enumerate(ABILITIES) if ability != SALT_MASTER or board.marked]  # melee.a7
    lie = wanted.choices("abilities", deck, 1, seats + 1) if wanted.has("abilities") else []
    return [first, *unshuffle(deck, lie, "abilities")]
