"""melee.25: the last player of winter takes no turn without a chance to win. Tested from both sides."""

from __future__ import annotations

import pytest

from polikarp.engine.build import COMPILED
from polikarp.engine.rng import FastRng
from polikarp.engine.state import first_seat
from polikarp.games.melee import game
from polikarp.games.melee.boards import COUNT
from polikarp.games.melee.cards import ABILITIES, CATAPULT, SOLDIER, UNITS
from polikarp.games.melee.rules import ORDERING, Melee

from .positions import board, gold, keys, moves, play, position, put_units, waits_for


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


def test_wheels_count_where_they_would_win() -> None:
    """melee.25, melee.a16: a game in which a catapult of the last player could have gone to a third province."""
    state = game.start(2, {"rules": "advanced"}, FastRng(67))
    assert isinstance(state, Melee)
    course = """
        recruit soldier at R1, offer 1 at B, recruit soldier at R2, recruit camp at B1, offer 11 at A,
        recruit catapult at B1, pass,
        bid 0, bid 0, lead R, choose recruit, choose attack, use soldier at B0, go B1, done,
        bid 0, bid 0, lead R, choose recruit, choose attack, use soldier at B1, attack R1, stake 11, name 11, done,
        bid 0, bid 1, lead R, choose recruit, choose recruit,
        bid 0, bid 1, lead R, choose recruit and attack, choose recruit and attack, first recruit, done
    """
    for text in course.split(","):
        play(state, first_seat(state.waiting), " ".join(text.split()))
    assert board(state).phase == "ordering"
    play(state, 1, "first attack", "use catapult at B1", "go B2", "done")
    assert state.place(1) == 1


def at_last_turn(state: Melee) -> bool:
    """Whether the last turn of winter has come, or was skipped."""
    return state.season == 4 and state.turn >= state.seats - 1


def can_win(state: Melee, seat: int, most: int = 50_000) -> bool | None:
    """The test of melee.25 without any bound: every move in every situation. None if there are too many of them."""
    trial = state.copy()
    assert isinstance(trial, Melee)
    trial.testing, trial.phase, trial.waiting = 1, ORDERING, 1 << seat
    open_ends = [trial]
    seen = {trial.to_bytes()}
    while open_ends:
        here = open_ends.pop()
        for move in here.moves(seat):
            after = here.copy()
            assert isinstance(after, Melee)
            after.testing = 1
            after.apply(seat, move, FastRng(0))
            if not after.waiting:
                if after.place(seat) == 1:
                    return True
            elif (mark := after.to_bytes()) not in seen:
                seen.add(mark)
                open_ends.append(after)
        if len(seen) > most:
            return None
    return False


def lopsided(rng: FastRng, seats: int) -> Melee:
    """The last turn of winter has come for who has little, while nearly all belongs to one other: there the bounds are
    tight. Every second time it is somebody with hardly any gold or knights, but many abilities and catapults, for these
    are most easily forgotten. Whether such a position can come about does not matter.
    """
    state = game.start(seats, {}, FastRng("any deal"))
    assert isinstance(state, Melee)
    seat = seats - 1
    poor = rng.below(2) == 1
    state.season, state.first, state.turn, state.player = 4, 0, seat, seat
    for each in range(seats):
        put_units(state, each, "")
        state.gold[each] = 0 if poor else 3 * rng.below(4)
        state.chosen[each] = (0b110, 0b101, 0b011)[rng.below(2 if poor else 3)]
        often = 10 if each != seat else 2 if poor else 4
        state.has[each] = sum(1 << ability for ability in range(len(ABILITIES)) if not rng.below(often))
    state.gold[seat] = rng.below(3 if poor else 9)
    mine = rng.below(4)  # tenths of the map
    for province in range(COUNT):
        castle = state.board.home[province]
        drawn = rng.below(10)
        whose = castle if castle >= 0 else seat if drawn < mine else rng.below(seat) if drawn < 4 else 0
        kinds = (SOLDIER, CATAPULT, CATAPULT) if poor and whose == seat else range(len(UNITS))
        if state.board.provinces >> province & 1 and drawn < 9:
            for _ in range(rng.below(4 if poor else 3) if castle >= 0 or whose == seat else 1 + rng.below(2)):
                unit = kinds[rng.below(len(kinds))]
                may = ~state.on[whose * 4 + unit] & ~state.barred(whose, unit)
                if state.reserve[whose * 4 + unit] and may >> province & 1:
                    state.place_unit(whose, unit, province)
    return state


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.long) for part in range(1, 24))])
def test_the_bounds_miss_no_win(part: int) -> None:
    """melee.25: where the short test says no, looking at everything says no too, in 240,000 lopsided positions."""
    told = {True: 0, False: 0}
    for number in range(10_000 if COMPILED else 30):
        rng = FastRng(("lopsided", part, number))
        seats = (2, 2, 3, 4)[number % 4]  # fewer seats, tighter bounds
        state = lopsided(rng, seats)
        chance = state.has_chance(seats - 1)
        told[chance] += 1
        if not chance:
            assert can_win(state, seats - 1) is not True, (part, number)
    assert all(told.values()), "both answers were looked at"


# The bounds that spare the search. Each of these wins hangs on one of their terms.


@pytest.mark.parametrize(
    ("red", "blue", "cards", "purse", "abilities"),
    [
        # Wheels: a catapult moves too, also one that is recruited first.
        ("soldier M, knight R0, knight R2, catapult R1", "soldier B1, catapult B0", "recruit attack", (0, 0), "wheels"),
        ("soldier M, knight R0, knight R2, catapult R1", "soldier B1, soldier B2", "recruit attack", (0, 2), "wheels"),
        # One shot clears soldier and knight out of a castle for 1 gold.
        (
            "soldier R0, soldier B2, knight R0, knight L, camp R1, camp B1, camp M",
            "soldier R2, catapult R2",
            "tax attack",
            (0, 1),
            "",
        ),
        # A catapult that was captured is replaced from the reserve, and a knight leaves it and fights on.
        (
            "soldier B1, knight R1, camp M, camp L, catapult B2, catapult M",
            "knight B0",
            "recruit attack",
            (0, 2),
            "sappers",
        ),
        # Provinces with nothing but a catapult fall without an attack.
        ("soldier B1, knight R0, knight B1, camp M, catapult L", "soldier R1, knight B0", "recruit attack", (0, 0), ""),
        # Looters' attacks cost nothing.
        ("soldier M, knight R1, knight L, camp B2", "soldier B0, soldier B1", "recruit attack", (0, 2), "looters"),
        ("soldier R0, soldier R2, knight R0, camp M, camp L, camp B1", "soldier R1", "tax attack", (0, 0), "looters"),
        # Sappers: the garrison names fewer values.
        ("soldier R2, soldier B2, camp B1, camp L, catapult M", "soldier R1", "recruit attack", (0, 2), "sappers"),
        # Forced March: a soldier attacks a castle from two steps away.
        ("knight R2, knight L, camp B1, camp B2", "soldier M", "tax attack", (0, 8), "forced_march"),
        # A knight that is recruited rides and fights on, and takes camps over.
        (
            "soldier R0, soldier R2, knight B2, camp R1, camp B1, camp L, catapult M",
            "",
            "recruit attack",
            (0, 8),
            "looters mountain_paths",
        ),
        # Catapults attack as well.
        ("knight B1, camp R2, camp B1, camp L", "camp R1, catapult R1, catapult B2", "tax attack", (0, 8), ""),
        # The cheapest unit counts.
        (
            "soldier R0, soldier R1, soldier R2, knight R1",
            "knight B0",
            "recruit attack",
            (0, 1),
            "carpenters forced_march",
        ),
        # Recruits may come after the attack, with the gold that was kept for it.
        (
            "soldier R1, soldier R2, soldier B2, camp B1, catapult M, catapult L",
            "",
            "recruit attack",
            (0, 8),
            "settlers stables trebuchet",
        ),
        ("knight L, camp R1, camp B2", "soldier B1", "recruit attack", (0, 3), ""),
        # Camps that bring more than they cost.
        ("soldier R1, catapult R1, catapult L", "", "recruit tax", (3, 0), "merchants settlers"),
        # Taxes pay for it.
        ("soldier R0, soldier M, knight B1, knight B2, camp L", "knight B0, camp R2", "tax attack", (0, 1), ""),
    ],
)
def test_a_win_that_hangs_on_one_term_of_the_bounds(
    red: str, blue: str, cards: str, purse: tuple[int, int], abilities: str
) -> None:
    """melee.25"""
    state = last({0: red, 1: blue}, cards, dict(enumerate(purse)), abilities)
    assert has_turn(state)
    assert can_win(state, 1) is True
