"""The twenty abilities, and how many values a defender names."""

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
    position,
    refused,
    reserve,
    units_in,
)
from .test_season import bid, bidding


def prices(*abilities: str) -> dict[str, int]:
    return board(position(4, abilities={0: " ".join(abilities)})).lords[0].prices


def test_cheaper_units() -> None:
    """melee.a1 Recruiter, melee.a2 Stables, melee.a3 Carpenters, melee.a4 Settlers: each changes one price only."""
    assert prices() == {"soldier": 2, "knight": 6, "camp": 2, "catapult": 2}
    assert prices("recruiter") == {"soldier": 1, "knight": 6, "camp": 2, "catapult": 2}
    assert prices("stables") == {"soldier": 2, "knight": 4, "camp": 2, "catapult": 2}
    assert prices("carpenters") == {"soldier": 2, "knight": 6, "camp": 2, "catapult": 1}
    assert prices("settlers") == {"soldier": 2, "knight": 6, "camp": 1, "catapult": 2}
    state = position(4, gold=9, cards={0: "recruit"}, abilities={0: "stables"})
    play(state, 0, "recruit knight at R1")
    assert gold(state, 0) == 5


def income(units: str, ability: str) -> int:
    return board(position(4, {0: units}, abilities={0: ability})).lords[0].income


def test_more_income() -> None:
    """melee.a5 Treasurer, melee.a6 Merchants, melee.a7 Salt Master"""
    units = "camp R1, camp R2, soldier L"
    assert income(units, "") == 3
    assert income(units, "treasurer") == 4
    assert income(units, "merchants") == 5
    assert income(units, "salt_master") == 4
    state = position(2, {0: "camp R1"}, gold=0, cards={0: "tax", 1: "tax"}, abilities={0: "treasurer"})
    assert gold(state, 0) == 5


def test_the_tax_collector() -> None:
    """melee.a8"""
    assert gold(position(2, gold=1, cards={1: "recruit"}, abilities={0: "tax_collector"}), 0) == 6


def test_looters() -> None:
    """melee.a9: at once after each defence beaten, the garrison too; a shot counts once."""
    state = attacking({0: "soldier R1", 1: "soldier Y1, camp Y1"}, 5, {0: "looters"})
    play(state, 0, "use soldier at R1", "attack Y1")
    fight(state, 2, 1)
    assert gold(state, 0) == 4
    state = attacking({0: "catapult R1, soldier R0", 1: "soldier Y1, knight Y1, camp Y1"}, 5, {0: "looters"})
    play(state, 0, "use catapult at R1", "attack Y1")
    fight(state, 2, 1)
    assert gold(state, 0) == 4
    state = attacking({0: "soldier Y1"}, 5, {0: "looters"})
    play(state, 0, "use soldier at Y1", "attack Y0")
    fight(state, 2, 1, 3)
    assert gold(state, 0) == 4


def test_looters_get_nothing_without_a_defence() -> None:
    """melee.a9: nor for a failed attack, a shot that meets no defence, or a capture."""
    state = attacking({0: "catapult R1, soldier R0", 1: "catapult Y1"}, 5, {0: "looters"})
    play(state, 0, "use catapult at R1", "attack Y1")
    assert gold(state, 0) == 4
    state = attacking({0: "soldier R1, soldier R0", 1: "catapult Y1"}, 5, {0: "looters"})
    play(state, 0, "use soldier at R1", "go Y1")
    assert gold(state, 0) == 5
    state = attacking({0: "soldier R1, soldier R0", 1: "soldier Y1"}, 5, {0: "looters"})
    play(state, 0, "use soldier at R1", "attack Y1")
    fight(state, 2, 2)
    assert gold(state, 0) == 3


def named(defenders: str, target: str, mine: str = "", theirs: str = "", unit: str = "soldier", purse: int = 10) -> int:
    """How many values are named against a unit of seat 0 in Y1."""
    state = attacking({0: f"{unit} Y1", 1: defenders}, purse, {0: mine, 1: theirs})
    return int(state.guesses(0, ["soldier", "knight", "camp", "catapult"].index(unit), province(target)))


def province(name: str) -> int:
    from polikarp.games.melee.boards import PROVINCES

    return PROVINCES.index(name)


@pytest.mark.parametrize(
    ("ability", "unit"), [("shield_wall", "soldier"), ("heavy_armour", "knight"), ("palisade", "camp")]
)
def test_double_defence_everywhere(ability: str, unit: str) -> None:
    """melee.a10 Shield Wall, melee.a11 Heavy Armour, melee.a12 Palisade: for one kind of unit; two sources are no
    more than one (melee.90)."""
    for other in ("soldier", "knight", "camp"):
        assert named(f"{other} Y2", "Y2", theirs=ability) == (2 if other == unit else 1)
        assert named(f"{other} Y2", "Y2", mine=ability) == 1, "the attacker's helps nobody"
    if unit != "camp":
        assert named(f"{unit} Y0", "Y0", theirs=ability) == 2


def test_the_moat() -> None:
    """melee.a13, melee.90: the garrison names three values, other defenders do not."""
    assert named("", "Y0", theirs="moat") == 3
    assert named("soldier Y0", "Y0", theirs="moat") == 2
    state = attacking({0: "soldier Y1", 1: "soldier Y2"}, 9, {1: "moat"})
    play(state, 0, "use soldier at Y1", "attack Y0", "stake 4")
    play(state, 1, "name 1", "name 2")
    assert state.waiting == 2
    log = play(state, 1, "name 4")
    assert "falls" in keys(log)


def test_sappers() -> None:
    """melee.a18, melee.90: one value fewer in castles, at least one, a catapult's shots included; not elsewhere."""
    assert named("soldier Y0", "Y0", mine="sappers") == 1
    assert named("", "Y0", mine="sappers") == 1
    assert named("", "Y0", mine="sappers", theirs="moat") == 2
    assert named("soldier Y0", "Y0", mine="sappers", unit="catapult") == 1
    assert named("soldier Y2", "Y2", mine="sappers", theirs="shield_wall") == 2
    assert named("soldier M", "M", mine="sappers") == 2


def test_never_more_values_than_gold() -> None:
    """melee.90: an ability holds to the end of the game."""
    state = attacking({0: "soldier Y1"}, 2, {1: "moat"})
    play(state, 0, "use soldier at Y1", "attack Y0")
    duel = board(state).duel
    assert duel is not None
    assert duel.values == 2


def marching(units: dict[int, str], ability: str = "forced_march") -> Melee:
    state = attacking(units, abilities={0: ability})
    play(state, 0, "use soldier at R0")
    return state


def test_a_forced_march() -> None:
    """melee.a14: through one province that is empty or own, then a move or an attack; it withdraws to where it
    attacked from."""
    state = marching({0: "soldier R0", 1: "soldier Y1, camp Y1"})
    assert places(state, 0, "go") == {"R1", "R2", "M", "L", "B2"}
    assert places(state, 0, "march") == {"R1", "R2"}
    play(state, 0, "march R1")
    assert refused(state, 0, "march M") == ("melee.a14", "has_marched")
    assert places(state, 0, "go") == {"R0", "R2", "M", "L"}
    play(state, 0, "attack Y1")
    fight(state, 1, 2)
    play(state, 0, "withdraw")
    assert units_in(state, "R1") == (0, ["soldier"])
    assert moves(state, 0) == ["done"] if state.waiting == 1 else True


def test_a_march_needs_the_ability_and_a_free_way() -> None:
    """melee.a14: past an own soldier, but not to stop or attack there; a lone catapult only by the move itself."""
    assert refused(marching({0: "soldier R0"}, ""), 0, "march R1") == ("melee.a14", "no_march")
    state = marching({0: "soldier R0, soldier R1", 1: "catapult M, soldier R2, soldier Y1"})
    assert refused(state, 0, "march R1") == ("melee.a14", "identical_there")
    assert refused(state, 0, "march R2") == ("melee.a14", "closed")
    assert refused(state, 0, "march M") == ("melee.a14", "too_far")
    assert refused(state, 0, "go B2") == ("melee.43", "too_far")
    assert places(state, 0, "go") == {"M", "L"}
    assert places(state, 0, "attack") == {"R2"}
    log = play(state, 0, "go M")
    assert "capture" in keys(log)
    state = marching({0: "soldier R0", 1: "catapult R1"})
    assert refused(state, 0, "march R1") == ("melee.a14", "closed")
    assert "go R1" in moves(state, 0)
    assert "go M" not in moves(state, 0)


def test_mountain_paths() -> None:
    """melee.a15: knights may be recruited in, enter, pass and attack the mountains, which give them no Double
    Defence; Heavy Armour does."""
    state = position(4, {0: "soldier M"}, 20, {0: "recruit"}, {0: "mountain_paths"})
    assert "recruit knight at M" in moves(state, 0)
    state = attacking({0: "knight R1", 1: "soldier R2, soldier L, soldier Y1"}, 0, {0: "mountain_paths"})
    play(state, 0, "use knight at R1")
    assert places(state, 0, "go") >= {"M", "F", "G1", "B1"}
    state = attacking({0: "knight R1", 1: "soldier M"}, 9, {0: "mountain_paths"})
    play(state, 0, "use knight at R1")
    assert "attack M" in moves(state, 0)
    assert named("knight M", "M", theirs="mountain_paths") == 1
    assert named("knight M", "M", theirs="mountain_paths heavy_armour") == 2
    state = attacking({0: "knight R1", 1: "catapult M, soldier Y1"}, 9)
    play(state, 0, "use knight at R1")
    assert refused(state, 0, "go M") == ("melee.54", "no_mountains")


def test_wheels() -> None:
    """melee.a16: instead of attacking, to an empty or own province without a catapult; it captures nothing."""
    units = {0: "catapult R1, catapult R0, soldier R2", 1: "catapult L, soldier Y1"}
    state = attacking(units, abilities={0: "wheels"})
    play(state, 0, "use catapult at R1")
    assert places(state, 0, "go") == {"R2", "M"}
    assert refused(state, 0, "go L") == ("melee.41", "closed")
    assert refused(state, 0, "go R0") == ("melee.41", "identical_there")
    assert places(state, 0, "attack") == {"Y1", "L"}
    play(state, 0, "go M")
    assert refused(state, 0, "use catapult at M")[1] == "has_acted"


def test_the_trebuchet() -> None:
    """melee.a17: two provinces from anywhere, never into the mountains."""
    state = attacking({0: "catapult R0", 1: "soldier M, soldier R1, soldier Y1"}, abilities={0: "trebuchet"})
    play(state, 0, "use catapult at R0")
    assert places(state, 0, "attack") == {"R1", "Y1"}
    state = attacking({0: "catapult R1", 1: "soldier M, soldier Y0", 2: "soldier G2"}, abilities={0: "trebuchet"})
    play(state, 0, "use catapult at R1")
    assert places(state, 0, "attack") == {"Y0"}


def test_veterans() -> None:
    """melee.a19: a soldier whose stake was named stays and is done; the gold is lost. A knight falls."""
    state = attacking({0: "soldier R1, soldier R0", 1: "soldier Y1"}, 10, {0: "veterans"})
    play(state, 0, "use soldier at R1", "attack Y1")
    log = fight(state, 4, 4)
    assert "stays" in keys(log)
    assert (gold(state, 0), units_in(state, "R1"), units_in(state, "Y1")) == (6, (0, ["soldier"]), (1, ["soldier"]))
    assert moves(state, 0) == ["done", "use soldier at R0"]
    state = attacking({0: "knight R1, soldier R0", 1: "soldier Y1"}, 10, {0: "veterans"})
    play(state, 0, "use knight at R1", "attack Y1")
    fight(state, 4, 4)
    assert reserve(state, 0)["knight"] == 2


def test_the_herald() -> None:
    """melee.a20: wins every tie for the highest bid that it is part of, and no other."""
    for bids, winner in (((3, 3, 3, 3), 2), ((3, 1, 3, 0), 2), ((3, 3, 2, 0), 0), ((0, 0, 0, 0), 2)):
        state = bidding(4)
        state.has[2] = 1 << 19
        assert bid(state, *bids) == winner


def test_abilities_of_others_change_nothing() -> None:
    """melee.a1 to melee.a20 belong to one player."""
    everything = "recruiter stables carpenters settlers treasurer merchants tax_collector forced_march wheels"
    lord = board(position(4, {1: "camp Y1"}, abilities={0: everything})).lords[1]
    assert (lord.prices["knight"], lord.income) == (6, 1)
