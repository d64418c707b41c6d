"""How moves of Monster Hunters are written: `slap 2` is a hand on the second monster. EXAMPLES has all kinds."""

from __future__ import annotations

from polikarp.engine.game import MoveTextError
from polikarp.games.hunters.rules import BEFORE, EARLY, FLIP, MOVES, PASS, PLACES, SLAP

EXAMPLES = "flip, slap 2, slap 2 before, slap 2 early, pass"


def move_text(move: int) -> str:
    if move == FLIP:
        return "flip"
    if move == PASS:
        return "pass"
    shown = {SLAP: "", BEFORE: " before", EARLY: " early"}[SLAP + (move - SLAP) // PLACES * PLACES]
    return f"slap {(move - SLAP) % PLACES + 1}{shown}"


TEXTS = [move_text(move) for move in range(MOVES)]


def parse_move(text: str) -> int:
    plain = " ".join(text.lower().split())
    if plain not in TEXTS:
        raise MoveTextError(text, EXAMPLES)
    return TEXTS.index(plain)
