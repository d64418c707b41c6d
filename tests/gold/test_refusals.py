"""Why a move is refused: the number of the rule, a key, and the numbers that make it so. One position for every key."""

from __future__ import annotations

import pytest

from polikarp.engine.game import MoveTextError
from polikarp.engine.phrase import Arg, Refusal, Refused
from polikarp.engine.rng import ScriptRng
from polikarp.games.gold import game
from polikarp.games.gold.rules import Gold
from tests.gold.positions import play, position, why_not

ONE, TWO, THREE = "* 6/6", "** 7/10", "*** 9/14"


def crowded() -> Gold:
    """Seat 2 is to play; seat 1 has two monsters already."""
    castle = {"1a": "0:4", "1b": "1:2", "2a": "1:5", "3a": "2:3"}
    hands = {0: (3, 4, 5), 1: (1, 2, 5), 2: (1, 3, 4)}
    return position(3, [ONE, THREE, TWO], hands, castle, {2: 1}, turn=2)


@pytest.mark.parametrize(
    ("seat", "text", "rule", "key", "args"),
    [
        (0, "place 3 at 2b", "gold.10", "not_your_turn", {"waits_for": 2}),
        (1, "place 1 at 2b", "gold.18", "two_placed", {"waits_for": 2}),
        (2, "place 4 at 4a", "gold.2", "no_such_field", {"at": "4a", "fields": 3}),
        (2, "place 5 at 2b", "gold.8", "laid_aside", {"strength": 5}),
        (2, "place 3 at 2b", "gold.11", "in_castle", {"strength": 3}),
        (2, "place 4 at 1a", "gold.11", "taken", {"at": "1a", "there": 4}),
        (2, "replace 4 at 2b", "gold.12", "nobody_there", {"at": "2b"}),
        (2, "replace 4 at 1a", "gold.12", "not_weaker", {"at": "1a", "there": 4, "strength": 4}),
        (2, "replace 4 at 2a", "gold.14", "strongest", {"at": "2a"}),
        (2, "replace 4 at 1b", "gold.13", "strong_enough", {"field": 1, "total": 6, "most": 6}),
    ],
)
def test_a_refusal_names_rule_and_numbers(seat: int, text: str, rule: str, key: str, args: dict[str, Arg]) -> None:
    """gold.2, gold.8, gold.10 to gold.14, gold.18"""
    assert why_not(crowded(), seat, text) == Refusal(rule, key, args)


def test_too_little_gold_is_a_reason() -> None:
    """gold.17"""
    state = position(3, [THREE], castle={"1a": "0:3"}, gold={1: 2}, turn=1)
    assert why_not(state, 1, "replace 4 at 1a") == Refusal("gold.17", "too_poor", {"price": 3, "have": 2})


def test_an_order_is_a_reason() -> None:
    """gold.34.1"""
    state = position(3, hands={0: (1, 2, 5)}, order=1)
    assert why_not(state, 0, "place 1 at 1a") == Refusal("gold.34.1", "barred", {"strength": 1})


def test_what_is_refused_changes_nothing() -> None:
    state = crowded()
    before = state.to_bytes()
    with pytest.raises(Refused) as refused:
        state.play(2, game.parse("replace 4 at 1b"), ScriptRng([]))
    assert refused.value.refusal.rule == "gold.13"
    assert state.to_bytes() == before
    assert why_not(state, 2, "replace 4 at 3a") is None
    play(state, 2, "replace 4 at 3a")


@pytest.mark.parametrize("text", ["place 4", "place 6 at 1a", "place 4 at 7a", "place 4 at 1c", "put 4 at 1a", ""])
def test_what_is_no_move_gets_examples(text: str) -> None:
    with pytest.raises(MoveTextError, match="place 4 at 2b"):
        game.parse(text)


def test_moves_may_be_written_carelessly() -> None:
    assert game.text(game.parse("  PLACE  4 at 2B ")) == "place 4 at 2b"
