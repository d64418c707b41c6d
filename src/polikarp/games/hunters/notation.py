"""How moves of Monster Hunters are written: `slap 2` is a hand on the second monster. EXAMPLES has all kinds."""

from __future__ import annotations

from polikarp.engine.game import MoveTextError
from polikarp.games.hunters.rules import FLIP, MOVES, PASS, PLACES, SLAP

EXAMPLES = "flip, slap 2, slap 2 before, slap 2 before 3, pass"


def move_text(move: int) -> str:
    if move == FLIP:
        return "flip"
    if move == PASS:
        return "pass"
    unseen, place = divmod(move - SLAP, PLACES)
    before = "" if unseen == 0 else " before" if unseen == 1 else f" before {unseen}"
    return f"slap {place + 1}{before}"


TEXTS = [move_text(move) for move in range(MOVES)]


def parse_move(text: str) -> int:
    plain = " ".join(text.lower().split())
    if plain not in TEXTS:
        raise MoveTextError(text, EXAMPLES)
    return TEXTS.index(plain)
