"""Phase 1: placing and replacing monsters, what it costs, and when it ends."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng
from polikarp.engine.state import State
from polikarp.games.gold import game
from polikarp.games.gold.rules import REPLACE, Gold
from tests.gold.positions import (
    EASY,
    board,
    gained,
    hand,
    keys,
    moves,
    play,
    position,
    replacements,
    told,
    waits_for,
    why_not,
)

ONE, TWO, THREE = "* 6/6", "** 7/10", "*** 9/14"


def test_turns_go_clockwise_from_the_first_player() -> None:
    """gold.10: each turn is one action."""
    state = position(4, turn=2)
    for seat, slot in ((2, "1a"), (3, "1b"), (0, "2a"), (1, "2b"), (2, "3a")):
        assert waits_for(state) == seat
        play(state, seat, f"place 3 at {slot}" if slot != "3a" else "place 4 at 3a")


def test_a_monster_is_placed_on_any_empty_slot() -> None:
    """gold.11: face up, and both slots of a guard may be one player's."""
    state = position(3, hands={0: (2, 3, 4)})
    assert len(moves(state, 0)) == 3 * 6
    play(state, 0, "place 4 at 2b")
    slot = board(state).castle[1].slots[1]
    assert (slot.owner, slot.strength) == (0, 4)
    assert hand(state, 0) == [2, 3]
    play(state, 1, "place 3 at 1a")
    play(state, 2, "place 3 at 1b")
    play(state, 0, "place 2 at 2a")
    assert [slot.owner for slot in board(state).castle[1].slots] == [0, 0]
    assert board(state).castle[1].total == 6
    assert gained(state) == [0, 0, 0], "placing is free"


def test_a_stronger_monster_replaces_a_weaker_one() -> None:
    """gold.12, and the book's example: 4 takes the place of 2, which returns to its owner's hand."""
    state = position(3, [THREE], {0: (2, 3, 5), 1: (1, 2, 4)}, {"1a": "0:2"}, turn=1)
    assert replacements(state, 1) == ["replace 4 at 1a"], "neither a weaker one nor an equal one"
    play(state, 1, "replace 4 at 1a")
    slot = board(state).castle[0].slots[0]
    assert (slot.owner, slot.strength) == (1, 4)
    assert hand(state, 0) == [2, 3, 5]
    assert board(state).players[0].placed == 0


@pytest.mark.parametrize(("castle", "may"), [({"1a": "0:3", "1b": "2:2"}, True), ({"1a": "0:4", "1b": "2:2"}, False)])
def test_only_below_the_top_of_the_range(castle: dict[str, str], may: bool) -> None:
    """gold.13: the book's examples. At a guard up to 6: 3 + 2 = 5 may be changed, 4 + 2 = 6 may not."""
    state = position(3, [ONE], {0: (3, 4, 5), 1: (1, 4, 5), 2: (2, 3, 5)}, castle, turn=1)
    assert bool(replacements(state, 1)) == may


def test_a_single_monster_counts_alone_against_the_range() -> None:
    """gold.13: one or two of them."""
    state = position(3, [ONE], {0: (3, 4, 5), 1: (1, 4, 5)}, {"1a": "0:4"}, turn=1)
    assert replacements(state, 1) == ["replace 5 at 1a"]


def test_a_five_can_not_be_replaced() -> None:
    """gold.14"""
    state = position(3, [THREE], castle={"1a": "0:5"}, turn=1)
    assert replacements(state, 1) == []


@pytest.mark.parametrize(("guard", "owner", "price"), [(ONE, 0, 1), (TWO, 1, 2), (THREE, 2, 3)])
def test_the_price_goes_by_the_stars(guard: str, owner: int, price: int) -> None:
    """gold.15: 1 to the treasury, and to the owner nothing, 1 or 2."""
    state = position(3, [guard], castle={"1a": "0:3"}, turn=1)
    treasury = state.treasury
    shown = board(state, 1).castle[0].slots[0].price
    assert shown is not None
    assert (shown.treasury, shown.owner) == (1, owner)
    log = play(state, 1, "replace 4 at 1a")
    assert gained(state) == [owner, -price, 0]
    assert state.treasury == treasury + 1
    assert keys(log) == ["replace_share" if owner else "replace"]


@pytest.mark.parametrize("guard", [ONE, TWO, THREE])
def test_ones_own_monster_costs_one(guard: str) -> None:
    """gold.16: whatever the stars."""
    state = position(3, [guard], {0: (2, 3, 4)}, {"1a": "0:2"})
    shown = board(state, 0).castle[0].slots[0].price
    assert shown is not None
    assert (shown.treasury, shown.owner) == (1, 0)
    play(state, 0, "replace 4 at 1a")
    assert gained(state) == [-1, 0, 0]
    assert hand(state, 0) == [2, 3]
    assert board(state).players[0].placed == 1


def test_the_other_conditions_hold_for_ones_own_monsters_too() -> None:
    """gold.16: weaker (gold.12), below the range (gold.13), no five (gold.14), and the coin (gold.17)."""
    state = position(3, [ONE, THREE], {0: (3, 4, 5), 1: (2, 4, 5)}, {"1a": "0:4", "1b": "1:2"})
    assert replacements(state, 0) == [], "gold.13"
    assert replacements(position(3, [THREE], castle={"1a": "0:4"}, gold={0: 0}), 0) == [], "gold.17"
    assert replacements(position(3, [THREE], castle={"1a": "0:4"}), 0) == ["replace 5 at 1a"], "gold.12"
    assert replacements(position(3, [THREE], castle={"1a": "0:5"}), 0) == [], "gold.14"


@pytest.mark.parametrize(("coins", "may"), [(0, []), (1, ["1a"]), (2, ["1a", "2a"]), (3, ["1a", "2a", "3a"])])
def test_who_can_not_pay_can_not_replace(coins: int, may: list[str]) -> None:
    """gold.17: the whole price, by the stars."""
    state = position(3, [ONE, TWO, THREE], {2: (1, 2, 5)}, {"1a": "0:3", "2a": "0:4", "3a": "1:3"}, {2: coins}, turn=2)
    assert [text[-2:] for text in replacements(state, 2)] == may
    for at in ("1a", "2a", "3a"):
        assert (why_not(state, 2, f"replace 5 at {at}") is None) == (at in may)


def test_with_two_monsters_one_passes_by_itself() -> None:
    """gold.18"""
    state = position(3, [EASY, EASY.replace("10", "11")], castle={"1a": "1:3", "1b": "1:4"}, turn=0)
    assert moves(state, 1) == []
    play(state, 0, "place 3 at 2a")
    assert waits_for(state) == 2, "seat 1 is passed over"
    play(state, 2, "replace 4 at 1a")
    assert waits_for(state) == 0
    play(state, 0, "place 4 at 3b")
    assert waits_for(state) == 1, "whose monster came back, and who must act again"
    assert any(text.startswith("place") for text in moves(state, 1)), "an empty slot always exists"


def test_the_book_s_example_of_three_players() -> None:
    """gold.12, gold.15, gold.18, gold.19: Iga (0) replaces Franek's 2 for one coin; Franek (1) is to act again and
    replaces Iga's 2, for 1 to the treasury and 1 to Iga; Iga fills the last slot with her 2, and the fight begins."""
    state = position(
        3,
        [ONE, TWO, "** 3/6"],
        {0: (2, 4, 3), 1: (2, 3, 4), 2: (3, 4, 5)},
        {"1a": "1:2", "1b": "2:3", "2a": "0:2", "2b": "1:4", "3a": "2:4"},
    )
    play(state, 0, "replace 4 at 1a")
    assert gained(state) == [-1, 0, 0]
    assert waits_for(state) == 1
    play(state, 1, "replace 3 at 2a")
    assert gained(state) == [0, -2, 0]
    assert waits_for(state) == 0
    log = play(state, 0, "place 2 at 3b")
    assert "reveal" in keys(log)


def test_the_phase_ends_when_everyone_has_two_monsters() -> None:
    """gold.19"""
    state = position(3)
    for turn in range(6):
        assert state.round == 1
        seat = waits_for(state)
        log = play(state, seat, next(text for text in moves(state, seat) if text.startswith("place")))
        assert ("round" in keys(log)) == (turn == 5)
    assert state.round == 2


def longest_phase(state: State) -> int:
    """Moves in a phase 1 in which everybody replaces whenever they can, by as little as they can."""
    played = 0
    began = state.round if isinstance(state, Gold) else 0
    while isinstance(state, Gold) and state.round == began and state.waiting:
        seat = waits_for(state)
        listed = state.moves(seat)
        better = [move for move in listed if move >= REPLACE]
        state.apply(seat, min(better or listed), FastRng(0))
        played += 1
    return played


@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_phase_one_is_bounded(seats: int) -> None:
    """gold.19: a slot is filled once and replaced at most four times, each time by a stronger monster. So a phase has
    at most ten moves for each player, and a game no more than it says."""
    longest = 0
    for seed in range(30):
        state = game.start(seats, {"kings_orders": seed % 2 == 0}, FastRng(("long", seed)))
        assert isinstance(state, Gold)
        for seat in range(seats):
            state.gold[seat] = 90  # so that nobody ever has to stop
        while state.waiting:
            longest = max(longest, longest_phase(state))
    assert 2 * seats < longest <= 10 * seats
    assert 10 * seats * game.cards.rounds[seats] <= game.longest


def test_each_replacement_makes_a_slot_stronger() -> None:
    """gold.19: which is why it ends."""
    rng = FastRng("stronger")
    for seed in range(20):
        state = game.start(4, {}, FastRng(seed))
        assert isinstance(state, Gold)
        while state.waiting:
            seat = waits_for(state)
            move = state.pick(seat, rng)
            before, number = list(state.monster), state.round
            state.apply(seat, move, rng)
            if state.round == number and state.waiting:
                assert sum(1 for old, new in zip(before, state.monster, strict=True) if new > old) == 1
                assert all(new >= old for old, new in zip(before, state.monster, strict=True))


def test_a_replacement_tells_who_and_what() -> None:
    state = position(3, [THREE], castle={"1a": "0:3"}, turn=1)
    assert told(play(state, 1, "replace 4 at 1a"), "replace_share") == [
        {"seat": 1, "strength": 4, "at": "1a", "there": 3, "treasury": 1, "whose": 0, "share": 2}
    ]
