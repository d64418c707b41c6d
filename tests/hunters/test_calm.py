"""The option `calm`: everybody answers the first slap in secret, and the rules decide."""

from __future__ import annotations

import pytest

from polikarp.engine.phrase import Refusal
from polikarp.engine.state import WATCHER
from polikarp.games.hunters.rules import Hunters

from .positions import board, caught, deal, keys, mistakes, moves, play, position, waits_for, why_not

OPEN = ["fire", "ice", "bow", "axe"]  # catches 1 (OLU) and 13 (OLUT), not 29


def calm(seats: int = 3) -> Hunters:
    return position(seats, monsters=[1, 13, 29], turned=OPEN, calm=10)


def race(*answers: tuple[int, str]) -> Hunters:
    """The position after these answers, the first slap first."""
    state = calm()
    for seat, text in answers:
        play(state, seat, text)
    return state


def test_after_the_first_slap_everybody_else_may_still_choose() -> None:
    """hunters.35: nothing is taken before all have answered."""
    state = race((1, "slap 1"))
    assert state.waiting == 0b101
    assert caught(state, 1) == []
    for seat in (0, 2):
        assert moves(state, seat)[:4] == ["pass", "slap 1", "slap 2", "slap 3"]


def test_a_second_slap_is_void() -> None:
    """hunters.24, hunters.35: everyone may slap once."""
    state = race((1, "slap 1"), (0, "pass"))
    for seat in (0, 1):
        assert moves(state, seat) == []
        for text in ("slap 2", "pass"):
            assert why_not(state, seat, text) == Refusal("hunters.24", "one_slap")


def test_no_card_is_turned_up_while_a_race_is_on() -> None:
    """hunters.34"""
    state = race((1, "slap 1"))
    for seat in range(3):
        assert why_not(state, seat, "flip") == Refusal("hunters.34", "race_is_on")
    play(state, 0, "pass")
    play(state, 2, "pass")
    assert why_not(state, 1, "flip") is None


def test_alone_the_first_slap_counts() -> None:
    """hunters.35: everybody else passes."""
    state = race((1, "slap 1"), (0, "pass"), (2, "pass"))
    assert caught(state, 1) == [1]
    assert waits_for(state) == 1


def test_the_highest_priority_counts_however_late() -> None:
    """hunters.17, hunters.24, hunters.35: all slaps are contenders."""
    state = race((1, "slap 1"), (0, "pass"), (2, "slap 2"))
    assert (caught(state, 1), caught(state, 2)) == ([], [13])


def test_the_highest_priority_counts_even_if_it_is_a_mistake() -> None:
    """hunters.16, hunters.17: right or wrong."""
    state = race((1, "slap 1"), (0, "slap 3"), (2, "slap 2"))
    assert mistakes(state, 0) == [29]
    assert [state.score(seat) for seat in range(3)] == [-1, 0, 0]


@pytest.mark.parametrize("order", [(2, 0), (0, 2)])
def test_on_the_same_monster_the_earlier_slap_counts(order: tuple[int, int]) -> None:
    """hunters.18, hunters.24"""
    state = race((1, "slap 1"), (order[0], "slap 2"), (order[1], "slap 2"))
    assert caught(state, order[0]) == [13]
    state = race((1, "slap 2"), (order[0], "slap 2"), (order[1], "slap 1"))
    assert caught(state, 1) == [13]


def test_a_calm_slap_is_judged_by_what_its_player_had_been_shown() -> None:
    """hunters.25: the newest card is the axe, which monster 13 needs; the one before it a bow, which 1 needs."""
    state = race((1, "slap 2 before"), (0, "pass"), (2, "pass"))
    assert mistakes(state, 1) == [13]
    state = race((1, "slap 1 before"), (0, "pass"), (2, "pass"))
    assert caught(state, 1) == [1]
    state = race((1, "slap 1 before 2"), (0, "pass"), (2, "pass"))
    assert mistakes(state, 1) == [1]


def test_answers_are_unseen_by_the_others() -> None:
    """hunters.35: which monster, who has answered, and whether with a pass, nobody else can tell."""
    before = race((1, "slap 1"))
    for state in (race((1, "slap 2")), race((1, "slap 1"), (0, "slap 3")), race((1, "slap 1"), (0, "pass"))):
        for viewer in (2, WATCHER):
            assert state.sight(viewer).to_bytes() == before.sight(viewer).to_bytes()
    assert board(before, 1).race == board(race((1, "slap 1"), (0, "pass")), 1).race
    shown = board(race((1, "slap 1"), (0, "slap 3")), 0).race
    assert shown is not None
    assert (shown.first, shown.mine) == (1, "slap 3")


def test_who_slapped_first_is_told_but_not_which_monster() -> None:
    """hunters.35"""
    state = calm()
    log = play(state, 1, "slap 2")
    assert [(event.key, event.args) for event in log.events if event.audience & 0b1] == [("race", {"seat": 1})]
    assert [event.key for event in log.events if event.audience & 0b10] == ["race", "your_slap"]
    log = play(state, 0, "pass")
    assert [(event.key, event.audience) for event in log.events] == [("your_pass", 1)]


def test_the_answers_are_shown_when_the_race_is_decided() -> None:
    """hunters.35"""
    state = race((1, "slap 2"), (0, "pass"))
    log = play(state, 2, "slap 1")
    assert keys(log) == ["your_slap", "passed", "slapped", "slapped", "catch", "monster", "gather"]
    assert board(state).answers == ["pass", "slap 2", "slap 1"]
    assert board(state).race is None


def test_calm_is_off_by_default() -> None:
    """hunters.35: then the first slap counts at once."""
    state = deal(3)
    assert not state.calm
    state = position(3, monsters=[1], turned=OPEN)
    play(state, 1, "slap 1")
    assert caught(state, 1) == [1]
