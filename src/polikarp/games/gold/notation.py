"""How moves of Heroes' Gold are written: `place 4 at 2b` puts monster 4 on the second slot of field 2."""

from __future__ import annotations

import re

from polikarp.engine.game import MoveTextError
from polikarp.games.gold.rules import MOST_SLOTS, PLACE, REPLACE, SLOTS

EXAMPLES = "place 4 at 2b, replace 5 at 1a"

WORDS = {"place": PLACE, "replace": REPLACE}
MOVE_TEXT = re.compile(r"(place|replace) ([1-5]) at ([1-6][ab])")


def move_text(move: int) -> str:
    word = "replace" if move >= REPLACE else "place"
    monster, slot = divmod(move - WORDS[word], MOST_SLOTS)
    return f"{word} {monster + 1} at {SLOTS[slot]}"


def parse_move(text: str) -> int:
    found = MOVE_TEXT.fullmatch(" ".join(text.lower().split()))
    if not found:
        raise MoveTextError(text, EXAMPLES)
    word, strength, slot = found.groups()
    return WORDS[word] + (int(strength) - 1) * MOST_SLOTS + SLOTS.index(slot)
