"""Claims about a view, and patterns of moves."""

from __future__ import annotations

from typing import Any

import pytest

from polikarp.engine.lessons.claims import Claim, fits, objection

VIEW: dict[str, Any] = {
    "board": {"lake": None, "open": True, "cards": [{"slot": "A", "value": 4}, {"slot": "B", "value": 1}]},
    "moves": ["pass"],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("board.cards[0].value", 4),
        ("board.cards[B].value", 1),
        ("board.cards#", 2),
        ("board.lake", "none"),
        ("board.open", True),
        ("moves", ["pass"]),
    ],
)
def test_what_is_true_holds(path: str, value: object) -> None:
    assert objection(VIEW, Claim(path, value)) is None


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("board.cards[0].value", 3, "board.cards[0].value is 4, the lesson says 3"),
        ("board.lake", 1, 'board.lake is "none", the lesson says 1'),
        ("board.open", 1, "board.open is true, the lesson says 1"),
        ("board.cards[2].value", 1, "nothing is at [2] of board.cards[2].value"),
        ("board.cards[C].value", 1, "nothing is at [C] of board.cards[C].value"),
        ("board.sea", 1, "nothing is at sea of board.sea; there is: lake, open, cards"),
        ("board.open#", 1, "nothing is at # of board.open#"),
    ],
)
def test_what_is_false_is_said(path: str, value: object, said: str) -> None:
    assert objection(VIEW, Claim(path, value)) == said


@pytest.mark.parametrize(
    ("text", "pattern", "fit"),
    [
        ("send 2x3 at A", "send * at A", True),
        ("send 2x3 at A", "send 2x? at A", True),
        ("send 2x3 at A", "send 2x3 at ?", True),
        ("offer 12 at A", "offer ? at A", False),
        ("slap 1 before", "slap 1", False),
        ("sendx", "send.", False),
    ],
)
def test_patterns(text: str, pattern: str, fit: bool) -> None:
    assert fits(text, (pattern,)) == fit
