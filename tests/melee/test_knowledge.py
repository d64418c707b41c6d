"""melee.80: who knows what. Bids, stakes, values and cards before they are shown; everything else is open."""

from __future__ import annotations

import msgspec
import pytest

from polikarp.engine.rng import FastRng
from polikarp.engine.state import seats_of
from polikarp.games.melee import game
from polikarp.games.melee.rules import Melee

from .positions import attacking, board, choose_all, play, position
from .test_season import bid, bidding


def seen(state: Melee, seat: int | None) -> bytes:
    """All that reaches a viewer."""
    viewer = -1 if seat is None else seat
    return msgspec.json.encode(game.view(state, seat)) + state.sight(viewer).to_bytes()


@pytest.mark.parametrize("viewer", [None, 0, 2, 3])
def test_nobody_sees_what_or_whether_somebody_bid(viewer: int | None) -> None:
    """melee.80, melee.21: they only see that the game waits."""
    state = bidding(4)
    before = seen(state, viewer)
    play(state, 1, "bid 7")
    assert seen(state, viewer) == before
    play(state, 1, "bid 0")
    assert seen(state, viewer) == before
    assert board(state, 1).lords[1].bid == 0
    assert 1 in game.view(state, viewer).waiting
    assert 1 not in game.view(state, 1).waiting


def test_bids_are_shown_together() -> None:
    """melee.80"""
    state = bidding(3)
    bid(state, 1, 4, 2)
    for viewer in (None, 0, 1, 2):
        assert [lord.bid for lord in board(state, viewer).lords] == [1, 4, 2]


@pytest.mark.parametrize("viewer", [None, 0, 2])
def test_cards_are_hidden_until_their_owner_s_turn(viewer: int | None) -> None:
    """melee.80, melee.23"""
    state = bidding(3)
    bid(state, 0, 0, 0)
    play(state, 0, "lead R")
    before = seen(state, viewer)
    play(state, 1, "choose attack")
    assert seen(state, viewer) == before
    assert board(state, 1).lords[1].cards == ["attack"]
    state = position(3, {0: "soldier R0"}, cards={0: "attack", 1: "attack", 2: "recruit"})
    assert [lord.cards for lord in board(state, 1).lords] == [["attack"], ["attack"], []]
    assert [lord.cards for lord in board(state, viewer).lords][1] == []


def test_cards_that_were_never_turned_up_stay_hidden_at_the_end() -> None:
    """melee.80, melee.72"""
    state = position(3, {0: "soldier Y1"}, cards={0: "attack", 1: "recruit"})
    play(state, 0, "use soldier at Y1", "attack Y0", "stake 2")
    play(state, 1, "name 1", "name 3")
    assert not state.waiting
    assert [lord.cards for lord in board(state).lords] == [["attack"], [], []]


def test_stake_and_values_are_hidden_until_both_are_shown() -> None:
    """melee.80, melee.47"""
    twins = [attacking({0: "soldier Y1", 1: "soldier Y0"}) for _ in range(2)]
    for state, stake in zip(twins, (2, 9), strict=True):
        play(state, 0, "use soldier at Y1", "attack Y0", f"stake {stake}")
    for viewer in (None, 1, 2, 3):
        assert seen(twins[0], viewer) == seen(twins[1], viewer)
    assert seen(twins[0], 0) != seen(twins[1], 0)
    before = {viewer: seen(twins[0], viewer) for viewer in (None, 0, 2, 3)}
    play(twins[0], 1, "name 5")
    for viewer, saw in before.items():
        assert seen(twins[0], viewer) == saw, "that one of two values was named is nobody's business"
    duel = board(twins[0], 1).duel
    assert duel is not None
    assert (duel.named, duel.stake) == ([5], None)
    play(twins[0], 1, "name 9")
    for viewer in (None, 0, 1, 2):
        shown = board(twins[0], viewer).last_duel
        assert shown is not None
        assert (shown.stake, shown.named, shown.outcome) == (2, [5, 9], "won")


def test_all_else_is_open() -> None:
    """melee.80, melee.2: gold, reserves and bids for abilities are the same for all."""
    state = game.start(3, {"rules": "advanced"}, FastRng(5))
    assert isinstance(state, Melee)
    play(state, int(state.first), "offer 3 at A")
    assert board(state) == board(state, 0) == board(state, 2)


def test_what_one_imagines_may_be_any_card_and_stake() -> None:
    state = position(3, {0: "soldier R0"}, cards={0: "attack"})
    drawn = set()
    for seed in range(40):
        imagined = state.imagine(0, FastRng(seed))
        assert isinstance(imagined, Melee)
        drawn.add(imagined.chosen[1])
    assert drawn == {1, 2, 4}
    state = position(3, {0: "soldier R0"}, cards={0: "recruit attack"}, season="winter")
    drawn = set()
    for seed in range(40):
        imagined = state.imagine(0, FastRng(seed))
        assert isinstance(imagined, Melee)
        drawn.add(imagined.chosen[1])
    assert drawn == {3, 5, 6}
    state = attacking({0: "soldier Y1", 1: "soldier Y2"}, gold=3)
    play(state, 0, "use soldier at Y1", "attack Y2", "stake 1")
    stakes = set()
    for seed in range(40):
        imagined = state.imagine(1, FastRng(seed))
        assert isinstance(imagined, Melee)
        stakes.add(imagined.stake)
    assert stakes == {1, 2, 3}


def test_a_choice_that_opens_the_next_secret_one_can_not_be_taken_back() -> None:
    """Otherwise whether it still can be would tell that nobody has chosen yet."""
    state = bidding(3)
    for seat in seats_of(state.waiting):
        log = play(state, seat, "bid 0")
    assert log.sealed
    assert play(state, 0, "lead R").sealed
    assert choose_all(state, "choose tax").sealed
