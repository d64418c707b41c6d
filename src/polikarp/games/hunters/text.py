"""The table of Monster Hunters as plain text, for the terminal and for playthroughs."""

from __future__ import annotations

from collections.abc import Sequence

from polikarp.engine.words import Words
from polikarp.games.hunters.view import Board, Card, Hunter, Monster


def board_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The table, line by line."""
    label = words.tables["label"]
    width = max(len(name) for name in names)
    lines = []
    for place, monster in enumerate(board.monsters, 1):
        pile = f"{label['pile']} {board.piles[place - 1]}"
        lines.append(f"  {place}  {monster_text(monster, words)} · {pile}")
    lines.append("")
    for seat, hunter in enumerate(board.hunters):
        lines.append(hunter_text(hunter, words, f"{names[seat]:{width}}"))
    return lines


def symbols_text(symbols: Sequence[str], words: Words) -> str:
    terms = words.tables["term"]["symbols"]
    return ", ".join(terms[symbol]["nom"] for symbol in symbols)


def monster_text(monster: Monster, words: Words) -> str:
    label = words.tables["label"]
    symbols = symbols_text(monster.symbols, words)
    return f"{label['monster']} {monster.priority} · {label['value']} {monster.value} · {symbols}"


def card_text(card: Card, words: Words) -> str:
    label = words.tables["label"]
    if card.kind == "wand":
        return str(label["wand"])
    symbols = " + ".join(words.tables["term"]["symbols"][symbol]["nom"] for symbol in card.symbols)
    return f"{label['failed']} ({symbols})" if card.kind == "failed" else symbols


def hunter_text(hunter: Hunter, words: Words, name: str) -> str:
    label = words.tables["label"]
    parts = [f"{label['points']} {hunter.points}", f"{label['deck']} {hunter.deck}"]
    if hunter.open:
        parts.append("; ".join(card_text(card, words) for card in hunter.open))
    return f"  {name}  {' · '.join(parts)}"


def end_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    """The final score with all its parts."""
    label = words.tables["label"]
    lines = []
    for name, hunter in zip(names, board.hunters, strict=True):
        values = sorted((monster.value for monster in hunter.caught), reverse=True)
        parts = [f"{label['caught']} {' + '.join(map(str, values)) or 0}"]
        parts.append(f"{label['mistakes']} {len(hunter.mistakes)}")
        lines.append(f"  {name}: {', '.join(parts)} = {hunter.points}")
    return lines
