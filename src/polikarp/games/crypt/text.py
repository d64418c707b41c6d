"""Crypt's table as plain text, for the terminal and for playthroughs."""

from __future__ import annotations

from collections.abc import Sequence

from polikarp.engine.words import Words
from polikarp.games.crypt.view import Board, Card, Heir, Treasure


def board_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The table, line by line."""
    label = words.tables["label"]
    everyone = [*names, label["ghost"]]
    width = max(len(name) for name in everyone)
    head = [f"{label['round']} {board.round}/{board.rounds}", f"{label['torch']}: {everyone[board.leader]}"]
    head.append(f"{label['lights_out']}: {everyone[board.last]}")
    if board.top is not None:
        head.append(f"{label['deck']} {board.deck} ({label['top_of_deck']}: {kind_name(words, board.top)})")
    collectors = ", ".join(f"{kind_name(words, each.kind)} {each.side}" for each in board.collectors)
    lines = [capital(" · ".join(head)), capital(f"{label['collectors']}: {collectors}"), ""]
    lines += [treasure_text(treasure, words, everyone) for treasure in board.crypt]
    if board.crypt:
        lines.append("")
    for seat, heir in enumerate(board.heirs):
        lines.append(heir_text(heir, words, f"{names[seat]:{width}}"))
    return lines


def capital(line: str) -> str:
    return line[:1].upper() + line[1:]


def kind_name(words: Words, kind: str) -> str:
    name = words.tables["term"]["kind"][kind]["nom"]
    assert isinstance(name, str)
    return name


def card_value(card: Card) -> str:
    """The value, or what is known of it; in brackets if others do not know it."""
    if card.value is None:
        return "?" if card.least == 1 else f"≥{card.least}"
    return str(card.value) if card.public else f"({card.value})"


def treasure_text(treasure: Treasure, words: Words, names: Sequence[str]) -> str:
    label = words.tables["label"]
    card = f"{kind_name(words, treasure.card.kind)} {card_value(treasure.card)}"
    if treasure.holder is None:
        held = label["free"]
    else:
        total = treasure.dice * treasure.shows
        held = f"{names[treasure.holder]}: {treasure.dice}×{treasure.shows} = {total}"
    return f"  {treasure.slot}  {card:<16} {held}"


def heir_text(heir: Heir, words: Words, name: str) -> str:
    label = words.tables["label"]
    dice = f"{label['ready']} {heir.ready}, {label['exhausted']} {heir.exhausted}, {label['away']} {heir.away}"
    coins = f"{label['coins']} {heir.coins.total}{'' if heir.complete else '+'}"
    kinds: dict[str, list[str]] = {}
    for card in heir.collection:
        kinds.setdefault(card.kind, []).append(card_value(card) + ("^" if card.turned else ""))
    cards = "; ".join(f"{kind_name(words, kind)} {' '.join(values)}" for kind, values in kinds.items())
    return f"  {name}  {dice} · {coins}" + (f" · {cards}" if cards else "")


def end_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The final score with all its parts."""
    label = words.tables["label"]
    lines = []
    for name, heir in zip(names, board.heirs, strict=True):
        parts = [f"{label['treasures']} {heir.coins.treasures}"]
        parts += [f"{kind_name(words, kind)} +{coins}" for kind, coins in heir.coins.collectors.items() if coins]
        parts.append(f"{label['servants']} {heir.coins.servants}")
        rolls = heir.coins.tie_rolls
        lines.append(f"  {name}: {', '.join(parts)} = {heir.coins.total - (rolls or 0)}")
        if rolls is not None:
            lines.append(f"    {label['tie_rolls']} +{rolls} = {heir.coins.total}")  # crypt.32
    return lines


def collectors_text(board: Board, words: Words) -> list[str]:
    """What each collector gives on the side in use."""
    return [
        f"  {kind_name(words, each.kind)} {each.side}: "
        + words.say("collector", f"{each.kind}_{each.side}", each.numbers)
        for each in board.collectors
    ]
