"""Leduc poker, the worked example with secrets: its rules and its known numbers."""

from __future__ import annotations

import pytest

from polikarp.engine.rng import FastRng, ScriptRng
from polikarp.games.leduc import game
from polikarp.games.leduc.rules import CALL, FOLD, RAISE, Leduc
from polikarp.games.leduc.view import Board

JACK, QUEEN, KING = 0, 1, 2
TREE = [1, 2, 9, 21, 46, 66, 57, 27, 6]  # positions after a king and a jack were dealt, by depth


def dealt(first: int, second: int) -> Leduc:
    state = Leduc()
    state.deal(FastRng(0))
    state.hand[0], state.hand[1] = first, second
    return state


def after(state: Leduc, *moves: int, opened: int | None = None) -> Leduc:
    """The state after moves by turns; `opened` is the rank that the first round's end lays open."""
    for move in moves:
        seat = 0 if state.waiting == 1 else 1
        lying = [state.hand[0], state.hand[1]]
        nth = 0 if opened is None else sum(2 - lying.count(rank) for rank in range(opened))
        state.play(seat, move, ScriptRng([nth]))
    return state


def test_everyone_pays_one_chip_and_gets_one_of_six_cards() -> None:
    """leduc.1"""
    counts = [0, 0, 0]
    for seed in range(300):
        state = Leduc()
        state.deal(FastRng(seed))
        assert list(state.paid) == [1, 1]
        counts[state.hand[0]] += 1
    assert all(count > 70 for count in counts)
    pairs = 0
    for seed in range(1000):
        state = Leduc()
        state.deal(FastRng(seed))
        pairs += state.hand[0] == state.hand[1]
    assert 140 < pairs < 260, "the second of two cards is of the same rank one time in five"


def test_seats_act_in_turn_and_the_first_begins_each_round() -> None:
    """leduc.2"""
    state = dealt(KING, JACK)
    assert state.acting() == 1
    refusal = state.why_not(1, CALL)
    assert refusal is not None
    assert refusal.rule == "leduc.2"
    assert after(state, CALL).acting() == 2
    assert after(state, CALL, opened=QUEEN).acting() == 1
    assert state.round == 2


def test_folding_needs_something_to_fold_to_and_loses_what_was_paid() -> None:
    """leduc.3"""
    state = dealt(KING, JACK)
    refusal = state.why_not(0, FOLD)
    assert refusal is not None
    assert refusal.rule == "leduc.3"
    after(state, RAISE, FOLD)
    assert [state.score(0), state.score(1)] == [1, -1]
    assert state.winners() == [0]


def test_raises_are_two_chips_then_four_and_two_a_round() -> None:
    """leduc.4"""
    state = after(dealt(KING, JACK), RAISE, RAISE)
    assert list(state.paid) == [3, 5]
    refusal = state.why_not(0, RAISE)
    assert refusal is not None
    assert (refusal.rule, refusal.args) == ("leduc.4", {"round": 1})
    after(state, CALL, RAISE, opened=QUEEN)
    assert list(state.paid) == [9, 5]
    assert state.moves(1) == [FOLD, CALL, RAISE]


def test_one_card_is_laid_open_after_the_first_round() -> None:
    """leduc.5"""
    state = after(dealt(KING, JACK), CALL, CALL, opened=KING)
    assert state.open == KING
    assert state.left(KING) == 0


@pytest.mark.parametrize(
    ("first", "second", "opened", "scores"),
    [
        (KING, JACK, QUEEN, [1, -1]),
        (KING, JACK, JACK, [-1, 1]),
        (QUEEN, KING, JACK, [-1, 1]),
        (QUEEN, QUEEN, JACK, [0, 0]),
    ],
)
def test_a_pair_wins_else_the_higher_card(first: int, second: int, opened: int, scores: list[int]) -> None:
    """leduc.6"""
    state = after(dealt(first, second), CALL, CALL, CALL, CALL, opened=opened)
    assert [state.score(0), state.score(1)] == scores
    assert state.winners() == [seat for seat in (0, 1) if scores[seat] == max(scores)]


def test_hands_are_shown_only_when_nobody_folded() -> None:
    """leduc.7"""
    folded = after(dealt(KING, JACK), RAISE, FOLD)
    assert hands(folded, 0) == ["king", None]
    assert hands(folded, None) == [None, None]
    called = after(dealt(KING, JACK), CALL, CALL, CALL, CALL, opened=QUEEN)
    assert hands(called, 0) == hands(called, None) == ["king", "jack"]


def hands(state: Leduc, seat: int | None) -> list[str | None]:
    """The hands as a seat or a watcher sees them."""
    board = game.view(state, seat).board
    assert isinstance(board, Board)
    return board.hands


def count_ends(state: Leduc, depth: int) -> list[int]:
    """Positions by depth, over all moves, with one rank laid open for each that can be."""
    counts = [0] * (depth + 1)
    counts[0] = 1
    if depth == 0 or not state.waiting:
        return counts
    seat = 0 if state.waiting == 1 else 1
    for move in state.moves(seat):
        closes = move == CALL and state.answered and state.round == 1
        ways = [0, 2 - list(state.hand).count(JACK), 4 - [*state.hand].count(JACK) - [*state.hand].count(QUEEN)]
        nths = [nth for rank, nth in enumerate(ways) if state.left(rank) > 0] if closes else [0]
        for nth in nths:
            twin = state.copy()
            assert isinstance(twin, Leduc)
            twin.apply(seat, move, ScriptRng([nth]))
            for at, number in enumerate(count_ends(twin, depth - 1)):
                counts[at + 1] += number
    return counts


def test_the_tree_has_its_known_size() -> None:
    """Counted by depth, with cards of a rank taken as one."""
    assert count_ends(dealt(KING, JACK), 8) == TREE
