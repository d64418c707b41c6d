"""Why a move is refused: the number of the rule and the numbers that make it so, where no other test looks."""

from __future__ import annotations

import pytest

from polikarp.engine.phrase import Arg, Refusal, Refused
from polikarp.games.melee.rules import Melee

from .positions import attacking, play, position, why_not
from .test_season import bidding
from .test_setup import offers, start


def pressing() -> Melee:
    state = attacking({0: "soldier R1", 1: "soldier Y1, camp Y1"})
    play(state, 0, "use soldier at R1", "attack Y1", "stake 3")
    play(state, 1, "name 1")
    return state


def staking() -> Melee:
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=4)
    play(state, 0, "use soldier at R1", "attack Y1")
    return state


def leading() -> Melee:
    state = bidding(2)
    play(state, 0, "bid 1")
    play(state, 1, "bid 0")
    return state


@pytest.mark.parametrize(
    ("state", "seat", "text", "rule", "key", "args"),
    [
        (bidding(2), 0, "bid 12", "melee.21", "too_little_gold", {"need": 12, "gold": 10}),
        (bidding(2), 1, "choose tax", "melee.21", "other_phase", {"phase": "bidding"}),
        (leading(), 1, "lead R", "melee.21", "not_your_turn", {"waits_for": (0,)}),
        (leading(), 0, "bid 1", "melee.21", "other_phase", {"phase": "leading"}),
        (staking(), 0, "stake 6", "melee.47", "too_little_gold", {"need": 6, "gold": 4}),
        (staking(), 0, "press", "melee.47", "other_phase", {"phase": "staking"}),
        (pressing(), 0, "stake 1", "melee.50", "other_phase", {"phase": "pressing"}),
        (pressing(), 1, "withdraw", "melee.50", "not_your_turn", {"waits_for": (0,)}),
        (offers(start(2, "advanced"), "moat"), 1, "done", "melee.10", "not_your_turn", {"waits_for": (0,)}),
        (offers(start(2, "advanced"), "moat"), 0, "bid 1", "melee.10", "other_phase", {"phase": "preliminary"}),
        (
            offers(start(2, "advanced"), "moat"),
            0,
            "offer 20 at A",
            "melee.12",
            "too_high",
            {"ability": "moat", "need": 20, "gold": 15},
        ),
        (offers(start(2, "advanced"), "moat"), 0, "offer 1 at E", "melee.5", "no_ability", {"slot": "E", "cards": 3}),
        (
            position(4, {0: "soldier R0"}, 5, {0: "recruit"}),
            0,
            "recruit knight at R1",
            "melee.30",
            "too_dear",
            {"unit": "knight", "province": "R1", "need": 6, "gold": 5},
        ),
        (
            position(4, {0: "soldier R0", 2: "camp R1"}, 5, {0: "recruit"}),
            0,
            "recruit camp at R1",
            "melee.31",
            "held_by",
            {"unit": "camp", "province": "R1", "whose": 2},
        ),
        (
            attacking({0: "catapult R1, soldier R0"}, gold=3),
            0,
            "use catapult at R1",
            "melee.40",
            "nothing_to_do",
            {"unit": "catapult", "province": "R1", "gold": 3},
        ),
        (
            attacking({0: "soldier R1"}, seats=2),
            0,
            "use soldier at F",
            "melee.40",
            "no_unit",
            {"unit": "soldier", "province": "F"},
        ),
    ],
)
def test_a_refusal_names_rule_and_numbers(
    state: Melee, seat: int, text: str, rule: str, key: str, args: dict[str, Arg]
) -> None:
    assert why_not(state, seat, text) == Refusal(rule, key, args)
    before = state.to_bytes()
    with pytest.raises(Refused):
        play(state, seat, text)
    assert state.to_bytes() == before


def test_provinces_that_are_not_on_the_board() -> None:
    """melee.1"""
    state = attacking({0: "soldier R1", 1: "soldier B1"}, seats=2)
    play(state, 0, "use soldier at R1")
    for verb in ("go", "attack"):
        refusal = why_not(state, 0, f"{verb} Y1")
        assert refusal is not None
        assert (refusal.rule, refusal.key) == ("melee.1", "no_target")


def test_a_march_to_a_province_that_is_not_on_the_board() -> None:
    """melee.1, melee.a14"""
    state = attacking({0: "soldier R0"}, abilities={0: "forced_march"}, seats=2)
    play(state, 0, "use soldier at R0")
    refusal = why_not(state, 0, "march F")
    assert refusal is not None
    assert (refusal.rule, refusal.key) == ("melee.1", "no_target")
