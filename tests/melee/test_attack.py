"""The attack: stake and values, one defender after another, camps, castles, catapults."""

from __future__ import annotations

import pytest

from polikarp.games.melee.rules import Melee

from .positions import (
    attacking,
    board,
    fight,
    gold,
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


def attack(state: Melee, unit: str, target: str) -> Melee:
    """`unit` is such as `soldier at R1`."""
    play(state, 0, f"use {unit}", f"attack {target}")
    return state


def values(state: Melee) -> int:
    """How many values are named against the attack that is on."""
    duel = board(state).duel
    assert duel is not None
    return duel.values


def test_defenders_are_attacked_in_order() -> None:
    """melee.46: soldier, knight, camp; catapults never defend."""
    state = attacking({0: "soldier R1", 1: "camp Y1, catapult Y1, soldier Y1, knight Y1"}, gold=20)
    attack(state, "soldier at R1", "Y1")
    beaten = []
    for _ in range(3):
        log = fight(state, 1, 2)
        beaten.append(told(log, "beaten")[0]["unit"])
        if "press" in moves(state, 0):
            play(state, 0, "press")
    assert beaten == ["soldier", "knight", "camp"]
    assert units_in(state, "Y1") == (0, ["soldier", "camp", "catapult"])


def test_in_a_castle_the_garrison_is_last() -> None:
    """melee.46: and a catapult does not defend there either."""
    state = attacking({0: "soldier Y1", 1: "catapult Y0, knight Y0, soldier Y0"}, gold=20)
    attack(state, "soldier at Y1", "Y0")
    defenders = []
    for _ in range(3):
        duel = board(state).duel
        assert duel is not None
        defenders.append(duel.defender)
        fight(state, 1, 2, 3)
        if state.waiting:
            play(state, 0, "press")
    assert defenders == ["soldier", "knight", "garrison"]


def test_targets() -> None:
    """melee.46: neighbours with a soldier, knight or camp, and enemy castles, with units or without."""
    state = attacking({0: "soldier Y1, soldier R1", 1: "camp Y2, soldier G1", 2: "catapult F"})
    play(state, 0, "use soldier at Y1")
    assert places(state, 0, "attack") == {"Y0", "Y2"}
    assert refused(state, 0, "attack G1") == ("melee.46", "out_of_reach")
    assert refused(state, 0, "attack R1") == ("melee.46", "no_enemy")
    assert refused(state, 0, "attack F") == ("melee.42", "just_enter")


def test_the_stake() -> None:
    """melee.47: 1 to all of one's gold, and without gold no unit attacks; values lie between 1 and that gold and
    differ."""
    state = attacking({0: "soldier Y1", 1: "soldier Y0"}, gold=4)
    attack(state, "soldier at Y1", "Y0")
    assert moves(state, 0, "stake") == ["1", "2", "3", "4"]
    assert refused(state, 0, "stake 5") == ("melee.47", "too_little_gold")
    play(state, 0, "stake 4")
    assert moves(state, 1, "name") == ["1", "2", "3", "4"]
    assert refused(state, 1, "name 5") == ("melee.47", "more_than_gold")
    play(state, 1, "name 2")
    assert refused(state, 1, "name 2") == ("melee.47", "named_already")
    assert moves(state, 1, "name") == ["1", "3", "4"]
    state = attacking({0: "soldier R1", 1: "soldier Y1"}, gold=0)
    play(state, 0, "use soldier at R1")
    assert refused(state, 0, "attack Y1") == ("melee.47", "no_gold")


def test_with_no_more_gold_than_values_the_attack_is_bound_to_fail() -> None:
    """melee.47: but allowed; nobody is asked for a value."""
    state = attack(attacking({0: "soldier R1", 1: "soldier Y1"}, gold=1), "soldier at R1", "Y1")
    log = play(state, 0, "stake 1")
    assert told(log, "named_right")[0]["named"] == "1"
    state = attack(attacking({0: "soldier Y1", 1: "soldier Y0"}, gold=2), "soldier at Y1", "Y0")
    log = play(state, 0, "stake 2")
    assert told(log, "named_right")[0]["named"] == "1, 2"
    assert gold(state, 0) == 0


def test_the_stake_is_lost_and_named_right_costs_the_unit() -> None:
    """melee.48, melee.49"""
    state = attack(attacking({0: "soldier R1, knight R0", 1: "soldier Y1"}), "soldier at R1", "Y1")
    log = fight(state, 4, 4)
    assert (gold(state, 0), keys(log)[-2:]) == (6, ["named_right", "falls"])
    assert gold(state, 1) == 10, "the treasury has it"
    assert units_in(state, "R1") == (None, [])
    assert (reserve(state, 0)["soldier"], reserve(state, 1)["soldier"]) == (3, 2)


def test_named_wrong_costs_the_defender() -> None:
    """melee.48, melee.49, melee.51: and with no defender left the attacker must move in; a soldier is done."""
    state = attack(attacking({0: "soldier R1, knight R0", 1: "soldier Y1"}), "soldier at R1", "Y1")
    log = fight(state, 4, 3)
    assert (gold(state, 0), keys(log)[-3:]) == (6, ["named_wrong", "beaten", "move_in"])
    assert units_in(state, "Y1") == (0, ["soldier"])
    assert reserve(state, 1)["soldier"] == 3
    assert moves(state, 0) == ["done", "use knight at R0"]


def test_a_catapult_is_no_defender_that_is_left() -> None:
    """melee.51, melee.58: the attacker moves in and captures it."""
    state = attack(attacking({0: "soldier R1, knight R0", 1: "soldier Y1, catapult Y1"}), "soldier at R1", "Y1")
    log = fight(state, 4, 3)
    assert keys(log)[-3:] == ["beaten", "move_in", "capture"]
    assert units_in(state, "Y1") == (0, ["soldier", "catapult"])


def test_after_a_win_one_may_go_on_or_withdraw() -> None:
    """melee.50: what was beaten stays beaten, a soldier that withdrew is done, others may attack what is left."""
    units = {0: "soldier R1, knight R1", 1: "soldier Y1, camp Y1"}
    state = attack(attacking(units), "soldier at R1", "Y1")
    fight(state, 1, 2)
    assert moves(state, 0) == ["withdraw", "press"]
    play(state, 0, "withdraw")
    assert units_in(state, "Y1") == (1, ["camp"])
    assert units_in(state, "R1") == (0, ["soldier", "knight"])
    assert moves(state, 0) == ["done", "use knight at R1"]
    attack(state, "knight at R1", "Y1")
    duel = board(state).duel
    assert duel is not None
    assert duel.defender == "camp"


def test_a_knight_that_withdrew_may_go_on() -> None:
    """melee.50, melee.44: also against the same province, and it may move again."""
    state = attacking({0: "knight R0", 1: "soldier Y1, camp Y1"})
    play(state, 0, "use knight at R0", "go R1", "attack Y1")
    fight(state, 1, 2)
    play(state, 0, "withdraw")
    assert "attack Y1" in moves(state, 0)
    assert "go R2" in moves(state, 0)


def test_without_gold_the_unit_withdraws_by_itself() -> None:
    """melee.50"""
    state = attack(attacking({0: "soldier R1", 1: "soldier Y1, camp Y1"}, gold=3), "soldier at R1", "Y1")
    log = fight(state, 3, 1)
    assert "withdraw" in keys(log)
    assert units_in(state, "R1") == (0, ["soldier"])


def test_a_beaten_camp_changes_hands() -> None:
    """melee.52: if the attacker's reserve has one; the defender's returns to reserve."""
    state = attack(attacking({0: "soldier R1", 1: "camp Y1"}), "soldier at R1", "Y1")
    fight(state, 1, 2)
    assert units_in(state, "Y1") == (0, ["soldier", "camp"])
    assert (reserve(state, 0)["camp"], reserve(state, 1)["camp"]) == (2, 3)
    state = attacking({0: "soldier R1, camp R1, camp R2, camp L", 1: "camp Y1"})
    fight(attack(state, "soldier at R1", "Y1"), 1, 2)
    assert units_in(state, "Y1") == (0, ["soldier"])


@pytest.mark.parametrize(
    ("target", "defenders", "named"),
    [
        ("Y0", "soldier Y0", 2),
        ("Y0", "knight Y0", 2),
        ("Y0", "", 2),
        ("M", "soldier M", 2),
        ("M", "camp M", 2),
        ("Y2", "soldier Y2", 1),
        ("Y2", "knight Y2", 1),
        ("Y2", "camp Y2", 1),
    ],
)
def test_double_defence(target: str, defenders: str, named: int) -> None:
    """melee.53, melee.90: in a castle soldiers, knights and the garrison; in the mountains soldiers and camps."""
    state = attack(attacking({0: "soldier Y1", 1: defenders}), "soldier at Y1", target)
    assert values(state) == named


def test_knights_and_the_mountains() -> None:
    """melee.54"""
    state = attacking({0: "knight R1", 1: "soldier M, soldier Y1"})
    play(state, 0, "use knight at R1")
    assert refused(state, 0, "attack M") == ("melee.54", "no_mountains")
    assert refused(state, 0, "go M") == ("melee.54", "no_mountains")


def test_a_catapult_clears_a_province() -> None:
    """melee.55: one stake, one defence by the first defender; nothing is captured, nothing moves in, and the catapult
    is gone."""
    state = attacking({0: "catapult R1, soldier R1", 1: "knight Y1, camp Y1, catapult Y1"})
    attack(state, "catapult at R1", "Y1")
    duel = board(state).duel
    assert duel is not None
    assert (duel.defender, duel.values) == ("knight", 1)
    fight(state, 2, 1)
    assert units_in(state, "Y1") == (None, [])
    assert units_in(state, "R1") == (0, ["soldier"])
    assert reserve(state, 1) == {"soldier": 3, "knight": 2, "camp": 3, "catapult": 2}
    assert (reserve(state, 0)["catapult"], gold(state, 0)) == (2, 8)


def test_a_catapult_that_shot_well_returns_and_that_is_told() -> None:
    """melee.55, melee.56: with a defence or without."""
    state = attacking({0: "catapult R1", 1: "soldier Y1"})
    play(state, 0, "use catapult at R1", "attack Y1")
    assert told(fight(state, 1, 2), "returns") == [{"seat": 0, "unit": "catapult", "province": "R1"}]
    state = attacking({0: "catapult R1", 1: "catapult Y1"})
    log = play(state, 0, "use catapult at R1", "attack Y1")
    assert told(log, "returns") == [{"seat": 0, "unit": "catapult", "province": "R1"}]


def test_what_was_named_says_who_fought_whom_and_where() -> None:
    """melee.49"""
    for named, key in ((2, "named_wrong"), (1, "named_right")):
        state = attacking({0: "knight R1", 1: "soldier Y1"})
        play(state, 0, "use knight at R1", "attack Y1")
        [row] = told(fight(state, 1, named), key)
        assert (row["unit"], row["province"], row["target"], row["defender"]) == ("knight", "R1", "Y1", "soldier")


def test_a_catapult_that_misses_is_gone_too() -> None:
    """melee.55"""
    state = attack(attacking({0: "catapult R1, soldier R1", 1: "soldier Y1"}), "catapult at R1", "Y1")
    fight(state, 2, 2)
    assert units_in(state, "Y1") == (1, ["soldier"])
    assert reserve(state, 0)["catapult"] == 2


def test_how_far_a_catapult_reaches() -> None:
    """melee.55: one province, two from the mountains over any provinces, never the mountains; a castle with no units
    is no target, and its garrison is not touched."""
    units = {1: "soldier Y1, soldier Y0", 2: "soldier G2, soldier M", 3: ""}
    state = attacking({0: "catapult R1, soldier R0", **units})
    play(state, 0, "use catapult at R1")
    assert places(state, 0, "attack") == {"Y1"}
    assert refused(state, 0, "attack M") == ("melee.55", "no_shot_at_mountains")
    assert refused(state, 0, "attack Y0") == ("melee.55", "out_of_reach")
    state = attacking({0: "catapult M", 1: "soldier Y1, soldier Y0", 2: "soldier G2"})
    play(state, 0, "use catapult at M")
    assert places(state, 0, "attack") == {"Y1", "Y0", "G2"}
    assert refused(state, 0, "attack B0") == ("melee.55", "no_enemy")
    play(state, 0, "attack Y0")
    assert values(state) == 2
    fight(state, 1, 2, 3)
    assert state.waiting
    assert units_in(state, "Y0") == (None, [])


def test_a_shot_at_a_lone_catapult_meets_no_defence() -> None:
    """melee.56: it costs 1 gold and wins; in a castle too."""
    for target, at in (("Y1", "R1"), ("Y0", "Y1")):
        state = attacking({0: f"catapult {at}, soldier R0", 1: f"catapult {target}"})
        log = play(state, 0, f"use catapult at {at}", f"attack {target}")
        assert "shot_free" in keys(log)
        assert (gold(state, 0), units_in(state, target)) == (9, (None, []))
        assert (reserve(state, 0)["catapult"], reserve(state, 1)["catapult"]) == (2, 2)


def test_beating_the_garrison_takes_the_castle() -> None:
    """melee.57, melee.70, melee.72: by soldier or knight; the game is over at once, without turns or income."""
    for unit in ("soldier", "knight"):
        state = attacking({0: f"{unit} Y1, camp R1", 1: "soldier Y0, catapult Y0"})
        play(state, 0, f"use {unit} at Y1", "attack Y0")
        fight(state, 1, 2, 3)
        assert state.waiting, "the garrison is the last"
        play(state, 0, "press")
        log = fight(state, 2, 1, 3)
        assert not state.waiting
        assert "castle" in keys(log)
        assert "income" not in keys(log)
        assert (board(state).taker, board(state).taken) == (0, 1)
        assert gold(state, 0) == 7
        assert state.winners() == [0]
        assert [state.place(seat) for seat in range(4)] == [1, 2, 2, 2]


def test_the_defender_is_asked_not_the_next_player() -> None:
    """melee.47"""
    state = attack(attacking({0: "soldier B2", 3: "soldier B1"}), "soldier at B2", "B1")
    assert waits_for(state) == 0
    play(state, 0, "stake 2")
    assert waits_for(state) == 3
    assert refused(state, 1, "name 2") == ("melee.47", "not_your_turn")
