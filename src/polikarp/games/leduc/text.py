"""The table of Leduc poker as plain text."""

from __future__ import annotations

from collections.abc import Sequence

from polikarp.engine.words import Words
from polikarp.games.leduc.view import Board


def board_text(board: Board, words: Words, names: Sequence[str]) -> list[str]:
    ranks = {rank: forms["nom"] for rank, forms in words.tables["term"]["rank"].items()}
    lines = [f"{board.round}/2 · {ranks.get(board.open, '–')}"]
    for name, hand, paid in zip(names, board.hands, board.paid, strict=True):
        lines.append(f"  {name}: {ranks.get(hand, '?')} · {paid}")
    return lines
