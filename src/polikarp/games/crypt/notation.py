"""How moves of Crypt are written: `send 2x5 at C` is two dice showing 5 on treasure C. EXAMPLES has all kinds."""

from __future__ import annotations

import re

from polikarp.engine.game import MoveTextError
from polikarp.games.crypt.rules import DONE, LOOK, RECOVER, REROLL, REVIVE, SEND, SLOTS, TAKE, send_move, send_parts

EXAMPLES = "send 2x5 at C, done, recover, look, revive, reroll 5, take E"

WORDS = {"done": DONE, "recover": RECOVER, "look": LOOK, "revive": REVIVE}
SEND_TEXT = re.compile(r"send ([1-3])x([1-6]) at ([a-f])")
REROLL_TEXT = re.compile(r"reroll ([1-6])")
TAKE_TEXT = re.compile(r"take ([a-f])")


def move_text(move: int) -> str:
    if move >= SEND:
        slot, dice, shows = send_parts(move)
        return f"send {dice}x{shows} at {SLOTS[slot]}"
    if move >= TAKE:
        return f"take {SLOTS[move - TAKE]}"
    if move >= REROLL:
        return f"reroll {move - REROLL + 1}"
    return list(WORDS)[move]


def parse_move(text: str) -> int:
    plain = " ".join(text.lower().split())
    if plain in WORDS:
        return WORDS[plain]
    if found := SEND_TEXT.fullmatch(plain):
        dice, shows, slot = found.groups()
        return send_move(SLOTS.index(slot.upper()), int(dice), int(shows))
    if found := REROLL_TEXT.fullmatch(plain):
        return REROLL + int(found[1]) - 1
    if found := TAKE_TEXT.fullmatch(plain):
        return TAKE + SLOTS.index(found[1].upper())
    raise MoveTextError(text, EXAMPLES)
