"""Recruiting: prices, places, limits."""

from __future__ import annotations

from .positions import gold, moves, places, play, position, refused, reserve, units_in

OWN = {0: "soldier R0, soldier L, camp M", 1: "soldier R2, soldier Y1"}


def test_prices_and_reserve() -> None:
    """melee.30, melee.2: soldier 2, knight 6, camp 2, catapult 2; as many as gold and reserve allow."""
    state = position(4, {0: "soldier R0"}, gold=14, cards={0: "recruit"})
    play(state, 0, "recruit soldier at R1", "recruit knight at R1", "recruit camp at R1", "recruit catapult at R1")
    assert gold(state, 0) == 2
    assert reserve(state, 0) == {"soldier": 1, "knight": 1, "camp": 2, "catapult": 1}
    assert refused(state, 0, "recruit knight at R2") == ("melee.30", "too_dear")
    play(state, 0, "recruit soldier at R2")
    assert refused(state, 0, "recruit soldier at R0")[0] == "melee.32"
    assert moves(state, 0) == ["done"]

    state = position(4, {0: "soldier R0, soldier R1, soldier M"}, gold=14, cards={0: "recruit"})
    assert refused(state, 0, "recruit soldier at R2") == ("melee.30", "none_left")


def test_one_colour_in_a_province() -> None:
    """melee.31, melee.33: not where an enemy is, also not in one's lands."""
    state = position(4, OWN, gold=30, cards={0: "recruit"})
    assert refused(state, 0, "recruit camp at R2") == ("melee.31", "held_by")
    assert refused(state, 0, "recruit camp at Y1") == ("melee.31", "held_by")
    assert refused(state, 0, "recruit soldier at Y0") == ("melee.31", "held_by")


def test_no_two_identical_units() -> None:
    """melee.32: in a province or castle."""
    state = position(4, OWN, gold=30, cards={0: "recruit"})
    assert refused(state, 0, "recruit soldier at R0") == ("melee.32", "identical")
    assert refused(state, 0, "recruit camp at M") == ("melee.32", "identical")


def test_places() -> None:
    """melee.33: castle, the other two lands, and wherever a unit of one's own is."""
    state = position(4, OWN, gold=30, cards={0: "recruit"})
    assert places(state, 0, "recruit catapult") == {"R0", "R1", "L", "M"}
    assert refused(state, 0, "recruit catapult at F") == ("melee.33", "not_yours")
    state = position(4, {0: "soldier R1"}, gold=30, cards={0: "recruit"})
    assert places(state, 0, "recruit catapult") == {"R0", "R1", "R2"}


def test_no_camp_in_a_castle_and_no_knight_in_the_mountains() -> None:
    """melee.34"""
    state = position(4, OWN, gold=30, cards={0: "recruit"})
    assert refused(state, 0, "recruit camp at R0") == ("melee.34", "no_camp_in_castle")
    assert refused(state, 0, "recruit knight at M") == ("melee.34", "no_knight_in_mountains")
    assert places(state, 0, "recruit camp") == {"R1", "L"}
    assert places(state, 0, "recruit knight") == {"R0", "R1", "L"}


def test_a_province_of_another_board() -> None:
    state = position(2, gold=30, cards={0: "recruit"})
    assert refused(state, 0, "recruit soldier at F") == ("melee.1", "no_province")
    assert units_in(state, "L") == (None, [])
