"""How moves of Melee are written: `recruit knight at R1`, `stake 3`. EXAMPLES has all kinds."""

from __future__ import annotations

from polikarp.engine.game import MoveTextError
from polikarp.games.melee.boards import COLOURS, COUNT, PROVINCES
from polikarp.games.melee.cards import TOP_GOLD, TOP_OFFER, UNITS
from polikarp.games.melee.rules import (
    ACTIONS,
    ATTACK,
    BID,
    CHOICES,
    CHOOSE,
    DONE,
    FIRST,
    GO,
    LEAD,
    MARCH,
    NAME,
    OFFER,
    PASS,
    PRESS,
    RECRUIT,
    SLOTS,
    STAKE,
    STOP,
    USE,
    WITHDRAW,
)

EXAMPLES = (
    "pass, recruit knight at R1, offer 3 at C, bid 3, lead B, choose tax, choose recruit and attack, first tax, "
    "use soldier at R1, go M, march M, attack Y1, stake 3, name 3, press, withdraw, stop, done"
)

WORDS = {"pass": PASS, "done": DONE, "stop": STOP, "press": PRESS, "withdraw": WITHDRAW}


def move_text(move: int) -> str:
    if move >= NAME:
        return f"name {move - NAME + 1}"
    if move >= STAKE:
        return f"stake {move - STAKE + 1}"
    if move >= BID:
        return f"bid {move - BID}"
    if move >= OFFER:
        slot, gold = divmod(move - OFFER, TOP_OFFER)
        return f"offer {gold + 1} at {SLOTS[slot]}"
    for first, verb in ((ATTACK, "attack"), (MARCH, "march"), (GO, "go")):
        if move >= first:
            return f"{verb} {PROVINCES[move - first]}"
    for first, verb in ((USE, "use"), (RECRUIT, "recruit")):
        if move >= first:
            unit, province = divmod(move - first, COUNT)
            return f"{verb} {UNITS[unit]} at {PROVINCES[province]}"
    if move >= LEAD:
        return f"lead {COLOURS[move - LEAD]}"
    if move >= FIRST:
        return f"first {ACTIONS[move - FIRST]}"
    if move >= CHOOSE:
        return f"choose {choice_text(CHOICES[move - CHOOSE])}"
    return list(WORDS)[move]


def choice_text(cards: int) -> str:
    return " and ".join(action for card, action in enumerate(ACTIONS) if cards >> card & 1)


MOVES = {move_text(move).lower(): move for move in range(NAME + TOP_GOLD)}


def parse_move(text: str) -> int:
    plain = " ".join(text.lower().split())
    if plain not in MOVES:
        raise MoveTextError(text, EXAMPLES)
    return MOVES[plain]
