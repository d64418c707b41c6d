"""melee.25: the last player of winter takes no turn without a chance to win. Tested from both sides."""

from __future__ import annotations

import pytest

from polikarp.engine.build import COMPILED
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games.melee import game
from polikarp.games.melee.rules import Melee

from .positions import board, gold, keys, moves, play, position, waits_for


def last(units: dict[int, str], cards: str, purse: dict[int, int], abilities: str = "", seats: int = 2) -> Melee:
    """The last seat's turn has come in winter."""
    return position(
        seats,
        units,
        purse,
        {seats - 1: cards},
        {seats - 1: abilities} if abilities else {},
        season="winter",
        turn=seats - 1,
    )


def has_turn(state: Melee) -> bool:
    """Whether the last player is asked; otherwise the game is over."""
    if state.waiting:
        assert waits_for(state) == state.seats - 1
        assert board(state).phase == "ordering"
    return bool(state.waiting)


# Seat 1 plays blue from B0 on the board for two; seat 0 holds some provinces.


@pytest.mark.parametrize(
    ("red", "blue", "cards", "purse", "chance"),
    [
        # Nothing to do is a chance when one leads, or ties and has as much gold after all income.
        ("soldier R0", "soldier B0", "recruit tax", (0, 0), True),
        ("soldier R1, soldier R2", "soldier B1, soldier B2", "recruit tax", (3, 0), True),
        ("soldier R1, soldier R2, camp R1", "soldier B1, soldier B2", "recruit tax", (3, 0), False),
        ("soldier R1, soldier R2, camp R1", "soldier B1, soldier B2", "recruit tax", (2, 0), True),
        # Recruiting fills one's lands, for as much gold as there is, taxes included.
        ("soldier R1, soldier R2, soldier M", "", "recruit tax", (0, 20), False),
        ("soldier R1, soldier R2", "", "recruit tax", (0, 1), True),
        ("soldier R1, soldier R2", "", "recruit tax", (0, 0), False),
        # Moving: out of the castle, which counts anyway.
        ("soldier R1", "soldier B0", "tax attack", (0, 0), True),
        ("soldier R1, soldier R2", "soldier B0", "tax attack", (9, 0), False),
        # An attack needs more gold than values are named: 2 gold beat one value, 1 gold none.
        ("soldier R1, soldier R2", "soldier B1", "recruit attack", (0, 1), False),
        ("soldier R1", "soldier B1", "recruit attack", (5, 2), True),
        # A castle falls to who has more gold than the garrison names values, and a unit close enough.
        ("soldier R2, soldier M, soldier L", "soldier R1", "tax attack", (9, 0), True),
        ("soldier R2, soldier M, soldier L, camp L", "soldier R1", "recruit attack", (9, 2), False),
        ("soldier R2, soldier M, soldier L, camp L", "soldier R1", "recruit attack", (9, 3), True),
        ("soldier R0, soldier R2, camp L, camp M", "soldier R1", "recruit attack", (9, 3), False),
        ("soldier R0, soldier R2, camp L, camp M", "soldier R1", "recruit attack", (9, 4), True),
        # A knight may go through defenders, at 1 gold each, to the castle.
        ("soldier R1, soldier R2, soldier M, camp L", "knight B1", "recruit attack", (9, 4), True),
        ("soldier R1, soldier R2, soldier M, camp L", "knight B1", "recruit attack", (9, 3), False),
    ],
)
def test_is_there_a_chance(red: str, blue: str, cards: str, purse: tuple[int, int], chance: bool) -> None:
    """melee.25"""
    state = last({0: red, 1: blue}, cards, dict(enumerate(purse)))
    assert has_turn(state) == chance


def test_without_a_chance_one_does_nothing_and_still_gets_income() -> None:
    """melee.25: and both cards are turned up before."""
    units = {0: "soldier R1, soldier R2, soldier M", 1: "camp B1"}
    state = position(2, units, {0: 4, 1: 5}, {0: "recruit tax", 1: "recruit tax"}, season="winter")
    log = play(state, 0, "first tax", "done")
    assert keys(log)[-7:-4] == ["reveal_two", "no_chance", "income"]
    assert not state.waiting
    assert gold(state, 1) == 6, "the income of the camp, and no taxes"


def test_only_the_last_of_winter_is_tested() -> None:
    """melee.25: not the others, and not in other seasons."""
    hopeless = {0: "", 1: "soldier B1, soldier B2, soldier M, knight L"}
    state = position(2, hopeless, {1: 9}, {0: "recruit tax", 1: "recruit tax"}, season="winter")
    assert waits_for(state) == 0
    state = position(2, {0: hopeless[1], 1: ""}, {0: 9, 1: 4}, {1: "recruit"}, season="autumn", turn=1)
    assert waits_for(state) == 1


def test_the_order_of_the_cards_is_free_in_the_test() -> None:
    """melee.25: taxes first pay for the attack."""
    units = {0: "soldier R2, soldier M, soldier L", 1: "soldier R1"}
    assert has_turn(last(units, "tax attack", {0: 9, 1: 0}))
    state = last(units, "tax attack", {0: 9, 1: 0})
    assert moves(state, 1) == ["first tax", "first attack"]


@pytest.mark.parametrize(
    ("ability", "purse", "chance"), [("", 2, False), ("sappers", 2, True), ("looters", 2, False), ("looters", 3, True)]
)
def test_abilities_count_in_the_test(ability: str, purse: int, chance: bool) -> None:
    """melee.25, melee.90: Sappers need less gold; Looters get it back for each defender."""
    units = {0: "soldier R0, soldier R2, camp L, soldier M", 1: "soldier R1"}
    garrison_only = {0: "soldier R2, camp L, soldier M, knight M", 1: "soldier R1"}
    red_and_blue = units if ability == "looters" else garrison_only
    assert has_turn(last(red_and_blue, "recruit attack", {0: 9, 1: purse}, ability)) == chance


def test_too_many_situations_count_as_a_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """melee.25: more than 20,000 positions."""
    units = {0: "soldier R1, soldier R2, knight M, camp L", 1: "soldier B1, soldier B2, knight B1"}
    if COMPILED:
        pytest.skip("a compiled limit can not be changed")
    import polikarp.games.melee.rules as rules

    assert rules.MOST_POSITIONS == 20_000
    assert not has_turn(last(units, "recruit attack", {0: 9, 1: 0}))
    monkeypatch.setattr(rules, "MOST_POSITIONS", 0)
    monkeypatch.setattr(rules.Melee, "hopeless", lambda self, seat: False)
    assert has_turn(last(units, "recruit attack", {0: 9, 1: 0}))


class Patient(Melee):
    """Looks at everything in the test, without the bounds that only save time."""

    def hopeless(self, seat: int) -> bool:
        return False

    def leads_already(self, seat: int) -> bool:
        return False

    def blank(self) -> Patient:
        return Patient(self.cards, self.board, self.seats, self.advanced)


@pytest.mark.skipif(COMPILED, reason="a compiled class has no subclass")
def test_the_bounds_of_the_test_change_no_answer() -> None:
    """melee.25: in random games the short way and the long way agree."""
    answers = set()
    for number in range(60):
        rng = FastRng(("bounds", number))
        state = game.start(2 + number % 3, {"rules": ("basic", "advanced")[number % 2]}, rng)
        assert isinstance(state, Melee)
        while state.waiting and not at_last_turn(state):
            patient = Patient(state.cards, state.board, state.seats, state.advanced)
            patient.become(state)
            seat = first_seat(state.waiting)
            move = state.pick(seat, rng)
            state.apply(seat, move, rng)
            if at_last_turn(state) and state.taker < 0:
                patient.apply(seat, move, rng)
                assert patient.to_bytes() == state.to_bytes()
                answers.add(bool(state.waiting))
    assert answers == {True, False}


def at_last_turn(state: Melee) -> bool:
    """Whether the last turn of winter has come, or was skipped."""
    return state.season == 4 and state.turn >= state.seats - 1
