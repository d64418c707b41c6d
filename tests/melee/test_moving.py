"""Move & Attack: which units act, where they can go, and what they capture."""

from __future__ import annotations

import pytest

from .positions import (
    attacking,
    board,
    fight,
    keys,
    moves,
    places,
    play,
    refused,
    reserve,
    told,
    units_in,
    waits_for,
)


def test_each_unit_acts_once_in_any_order() -> None:
    """melee.40: or stays; a unit's turn ends before the next unit starts."""
    state = attacking({0: "soldier R0, knight R0, soldier L, camp L"}, gold=0)
    assert moves(state, 0) == ["done", "use soldier at R0", "use soldier at L", "use knight at R0"]
    play(state, 0, "use soldier at L")
    assert refused(state, 0, "use knight at R0")[0] == "melee.40"
    play(state, 0, "go M")
    assert refused(state, 0, "use soldier at M") == ("melee.40", "has_acted")
    play(state, 0, "use soldier at R0", "stop")
    assert refused(state, 0, "use soldier at R0") == ("melee.40", "has_acted")
    play(state, 0, "use knight at R0", "go R2")
    assert moves(state, 0) == ["done"]
    play(state, 0, "done")
    assert board(state).phase == "bidding"


def test_a_unit_that_can_do_nothing_is_not_offered() -> None:
    """melee.40"""
    state = attacking({0: "catapult R0, soldier R0"}, gold=0)
    assert refused(state, 0, "use catapult at R0") == ("melee.40", "nothing_to_do")
    assert refused(state, 0, "use knight at R0") == ("melee.40", "no_unit")


def test_moving_goes_to_empty_and_own_provinces() -> None:
    """melee.41: without an identical unit; an enemy castle is never empty, not even without units."""
    state = attacking({0: "soldier R1, soldier R0, knight L", 1: "soldier Y1"}, gold=0)
    play(state, 0, "use soldier at R1")
    assert places(state, 0, "go") == {"R2", "M", "L"}
    assert refused(state, 0, "go R0") == ("melee.41", "identical_there")
    assert refused(state, 0, "go Y1") == ("melee.41", "closed")
    assert refused(state, 0, "go R1") == ("melee.41", "is_there")
    state = attacking({0: "soldier Y1"}, gold=0)
    play(state, 0, "use soldier at Y1")
    assert refused(state, 0, "go Y0") == ("melee.41", "closed")


def test_a_lone_catapult_is_entered_and_captured() -> None:
    """melee.42, melee.58: without attack; replaced by an own one, which can not be used in the same season."""
    state = attacking({0: "soldier R1", 1: "catapult M, soldier Y2", 2: "soldier G1"})
    play(state, 0, "use soldier at R1")
    assert refused(state, 0, "attack M") == ("melee.42", "just_enter")
    log = play(state, 0, "go M")
    assert told(log, "capture") == [{"seat": 0, "whose": 1, "province": "M"}]
    assert units_in(state, "M") == (0, ["soldier", "catapult"])
    assert (reserve(state, 0)["catapult"], reserve(state, 1)["catapult"]) == (1, 2)
    assert refused(state, 0, "use catapult at M") == ("melee.58", "just_captured")
    assert [each.rested for each in board(state).provinces if each.name == "M"] == [[]]


def test_the_ban_is_on_the_captured_piece_only() -> None:
    """melee.58"""
    state = attacking({0: "soldier R1, catapult L", 1: "catapult M, soldier Y1", 3: "soldier B1"})
    play(state, 0, "use soldier at R1", "go M")
    assert "use catapult at L" in moves(state, 0)


def test_a_capture_needs_a_catapult_in_reserve() -> None:
    """melee.58: otherwise there is none; the enemy's returns to reserve all the same."""
    state = attacking({0: "soldier R1, catapult R0, catapult R2", 1: "catapult M"})
    log = play(state, 0, "use soldier at R1", "go M")
    assert "capture_none" in keys(log)
    assert units_in(state, "M") == (0, ["soldier"])
    assert reserve(state, 1)["catapult"] == 2


def test_a_catapult_in_a_castle_is_not_just_entered() -> None:
    """melee.42: not in a castle."""
    state = attacking({0: "soldier Y1", 1: "catapult Y0"})
    play(state, 0, "use soldier at Y1")
    assert refused(state, 0, "go Y0") == ("melee.41", "closed")
    assert places(state, 0, "attack") == {"Y0"}


def test_a_soldier_moves_one_province_and_is_done() -> None:
    """melee.43"""
    state = attacking({0: "soldier R0", 1: "soldier Y1"})
    play(state, 0, "use soldier at R0")
    assert refused(state, 0, "go M") == ("melee.43", "too_far")
    play(state, 0, "go R1")
    assert moves(state, 0) == ["done"]


def test_a_knight_rides_through_empty_and_own_provinces() -> None:
    """melee.44, melee.54: its own castle included, never into the mountains; past an own knight, but not to stop."""
    state = attacking({0: "knight R2, knight R1", 1: "soldier Y1, soldier L"}, gold=0)
    play(state, 0, "use knight at R2")
    assert places(state, 0, "go") == {"R0", "B2", "B0", "B1", "G1", "G2", "F", "Y2"} - {"B0"}
    assert refused(state, 0, "go R1") == ("melee.41", "identical_there")
    assert refused(state, 0, "go M") == ("melee.54", "no_mountains")
    assert refused(state, 0, "go B0") == ("melee.41", "closed")
    state = attacking({0: "knight R0, knight R1, camp R2", 1: "soldier B2, soldier L"}, gold=0)
    play(state, 0, "use knight at R0")
    assert "Y1" in places(state, 0, "go"), "past the knight in R1"


def test_after_a_move_a_knight_must_attack_before_it_moves_again() -> None:
    """melee.44"""
    state = attacking({0: "knight R1", 1: "soldier Y1, soldier Y2", 2: "soldier G2"}, gold=9)
    play(state, 0, "use knight at R1", "go L")
    assert moves(state, 0) == ["done"], "nothing to attack from there: it is done"
    state = attacking({0: "knight R0", 1: "soldier Y1, soldier Y2"}, gold=9)
    play(state, 0, "use knight at R0", "go R1")
    assert refused(state, 0, "go R2") == ("melee.44", "attack_first")
    assert places(state, 0, "attack") == {"Y1"}
    play(state, 0, "attack Y1")
    fight(state, 1, 2)
    assert units_in(state, "Y1") == (0, ["knight"])
    assert "R2" in places(state, 0, "go")
    assert places(state, 0, "attack") == {"Y0", "Y2"}
    play(state, 0, "go R2")
    assert moves(state, 0) == ["done"]


def test_a_knight_that_fell_is_done() -> None:
    """melee.44: it goes on until an attack fails."""
    state = attacking({0: "knight R1, soldier R0", 1: "soldier Y1"}, gold=9)
    play(state, 0, "use knight at R1", "attack Y1")
    fight(state, 2, 2)
    assert (board(state).phase, board(state).hand) == ("acting", None)
    assert moves(state, 0) == ["done", "use soldier at R0"]


def test_a_capture_ends_a_ride() -> None:
    """melee.42, melee.44: it may end a long move, and then the knight may attack, but not move on."""
    state = attacking({0: "knight R0", 1: "catapult Y1", 2: "soldier F"}, gold=0)
    play(state, 0, "use knight at R0")
    log = play(state, 0, "go Y1")
    assert "capture" in keys(log)
    assert moves(state, 0) == ["done"], "nothing to attack without gold: it is done"
    state = attacking({0: "knight R0", 1: "catapult Y1", 2: "soldier F"}, gold=9)
    play(state, 0, "use knight at R0", "go Y1")
    assert moves(state, 0) == ["stop", "attack Y0", "attack F"]
    assert refused(state, 0, "go R1") == ("melee.44", "attack_first")


@pytest.mark.parametrize("withdraws", [False, True])
def test_an_attack_from_where_it_captured_opens_another_move(withdraws: bool) -> None:
    """melee.42, melee.44: an attack won, or withdrawn from."""
    state = attacking({0: "knight R0", 1: "catapult Y1", 2: "soldier F, camp F"}, gold=9)
    play(state, 0, "use knight at R0", "go Y1", "attack F")
    fight(state, 1, 2)
    if withdraws:
        play(state, 0, "withdraw")
        assert places(state, 0, "go") >= {"R1", "R0"}
    else:
        play(state, 0, "press")
        fight(state, 1, 2)
        assert units_in(state, "F") == (0, ["knight", "camp"])
        assert units_in(state, "Y1") == (0, ["catapult"]), "the captured one stays behind"
        assert "Y1" in places(state, 0, "go")


def test_a_catapult_that_has_acted_was_not_captured() -> None:
    """melee.40, melee.58: one that stopped, or moved by Wheels, is refused for that reason."""
    state = attacking({0: "catapult R1, soldier R0", 1: "soldier Y1"})
    play(state, 0, "use catapult at R1", "stop")
    assert refused(state, 0, "use catapult at R1") == ("melee.40", "has_acted")
    state = attacking({0: "catapult R1, soldier R0", 1: "soldier Y1"}, abilities={0: "wheels"})
    play(state, 0, "use catapult at R1", "go R2")
    assert refused(state, 0, "use catapult at R2") == ("melee.40", "has_acted")


def test_a_knight_does_not_ride_past_a_catapult_without_capturing_it() -> None:
    """melee.42: the move ends there."""
    state = attacking({0: "knight R0, soldier R2", 1: "catapult R1, soldier L, soldier B2"}, gold=0)
    play(state, 0, "use knight at R0")
    assert places(state, 0, "go") == {"R1", "R2"}


def test_camps_and_catapults_stay() -> None:
    """melee.45"""
    state = attacking({0: "camp R1, catapult R1, soldier R0", 1: "soldier Y1"})
    assert refused(state, 0, "use camp at R1") == ("melee.45", "camps_stay")
    assert moves(state, 0) == ["done", "use soldier at R0", "use catapult at R1"]
    play(state, 0, "use catapult at R1")
    assert refused(state, 0, "go R2") == ("melee.45", "catapults_stay")
    assert moves(state, 0) == ["stop", "attack Y1"]


def test_steps_can_be_taken_back_until_something_is_shown() -> None:
    """melee.47, melee.80: a stake stays; taking it back would tell whether a value was named already."""
    from polikarp.engine.table import Table
    from polikarp.games.melee import game

    table = Table(game, 2, {}, seed=1)
    table.state = attacking({0: "soldier R0, knight R0", 1: "soldier B1"}, seats=2)
    for text in ("use knight at R0", "go R1", "attack B1"):
        table.play(text)
    for _ in range(3):
        table.undo(0)
    assert waits_for(attacking({0: "soldier R0"}, seats=2)) == 0
    assert table.moves(0)[0] == "done"
    for text in ("use knight at R0", "go R1", "attack B1", "stake 3"):
        table.play(text)
    assert not table.can_undo(0), "the stake lies on the table"
