"""A board as plain text, where a game has written none."""

from __future__ import annotations

import msgspec

from polikarp.engine.text import board_lines
from polikarp.engine.words import Words

WORDS = Words({"label": {"coins": "Gold"}}, "en")


class Board(msgspec.Struct):
    coins: list[int]
    deck_left: int = 7
    open_cards: list[str] = []
    leader: str | None = None
    prices: dict[str, int] = {}


def test_a_line_for_each_field_and_one_for_each_seat() -> None:
    board = Board([3, 4], open_cards=["oak", "ash", "elm"], leader="Ala", prices={"oak": 2, "ash": 1})
    assert board_lines(board, WORDS, ["Ala", "Bo"]) == [
        "Deck left: 7",
        "Open cards: oak, ash, elm",
        "Leader: Ala",
        "Prices: oak 2, ash 1",
        "  Ala: Gold 3",
        "  Bo: Gold 4",
    ]


def test_what_is_empty_is_a_dash() -> None:
    lines = board_lines(Board([]), WORDS, ["Ala", "Bo"])
    assert lines == ["Gold: –", "Deck left: 7", "Open cards: –", "Leader: –", "Prices: –"]
