"""The solo game: the order of the crypt, the ghost's dice, and the result. The ghost is heir number 1."""

from __future__ import annotations

import pytest

from polikarp.games.crypt import game

from .positions import (
    board,
    collector_coins,
    crypt_texts,
    dice,
    finish,
    holding,
    keys,
    moves,
    play,
    position,
    send,
    sends,
    texts,
    told,
    waits_for,
)

CRYPT = ["statue 4", "pottery 3", "remains 1"]  # laid out: A statue 4, B pottery 3, C face down


def test_you_and_the_ghost_take_turns_as_two_players_do() -> None:
    """crypt.50: you start with both torches: you, ghost, you; next round ghost, you, ghost; then as at first."""
    state = position(1, crypt=CRYPT)
    assert (board(state).leader, board(state).last) == (0, 0)
    log = play(state, 0, "recover", rolls=[1, 2, 3])
    assert keys(log)[:2] == ["pass", "ghost_roll"]
    assert board(state).lights_out
    assert waits_for(state) == 0
    log = play(state, 0, "recover", rolls=[1, 2, 3])
    assert board(state).round == 2
    assert (board(state).leader, board(state).last) == (1, 1)
    assert keys(log).index("torches_ghost") < keys(log).index("ghost_roll")
    assert not board(state).lights_out
    log = play(state, 0, "recover")
    assert keys(log)[:2] == ["pass", "ghost_rests"]
    assert "torches_you" in keys(log)
    assert board(state).round == 3
    assert board(state).leader == 0


def test_a_solo_deal_gives_you_both_torches() -> None:
    """crypt.50: you begin, whatever the seed."""
    for seed in range(8):
        seen = game.deal(seats=1, seed=seed).view(0).board
        assert (seen.leader, seen.last, seen.turn) == (0, 0, 0)


def test_your_second_turn_goes_to_one_treasure_only() -> None:
    """crypt.50: as with two players, Lights Out binds the second turn of who leads."""
    state = position(1, crypt=CRYPT)
    play(state, 0, "recover", rolls=[1, 1, 1])
    play(state, 0, "send 1x2 at B")
    assert moves(state, 0) == ["done"]


@pytest.mark.parametrize(
    ("drawn", "order"),
    [
        (["pottery 1", "statue 4", "remains 4"], ["statue 4", "remains ?", "pottery 1"]),
        (["pottery 2", "statue 3", "remains 1"], ["statue 3", "remains ?", "pottery 2"]),
        (["pottery 3", "statue 4", "remains 4"], ["statue 4", "pottery 3", "remains ?"]),
        (["pottery 1", "statue 2", "remains 1"], ["remains ?", "statue 2", "pottery 1"]),
        (["pottery 3", "statue 3", "remains 2"], ["pottery 3", "statue 3", "remains ?"]),
        (["statue 1", "pottery 1", "remains 2"], ["remains ?", "statue 1", "pottery 1"]),
    ],
)
def test_the_crypt_is_ordered_by_value(drawn: list[str], order: list[str]) -> None:
    """crypt.51: highest first; a face-down card counts 2.5, whatever it is; of equal ones the earlier drawn first."""
    state = position(1, deck=drawn)
    finish(state, rolls=[1, 2, 3] * 2)
    assert board(state).round == 2
    assert crypt_texts(state) == order


@pytest.mark.parametrize(
    ("rolls", "placed"),
    [
        ([1, 6, 2], {"A": (1, 1, 6), "B": (1, 1, 2), "C": (1, 1, 1)}),
        ([5, 1, 5], {"A": (1, 2, 5), "B": (1, 1, 1)}),
        ([2, 5, 2], {"A": (1, 1, 5), "B": (1, 2, 2)}),
        ([4, 4, 4], {"A": (1, 3, 4)}),
        ([6, 3, 3], {"A": (1, 2, 3), "B": (1, 1, 6)}),
        ([2, 4, 2], {"A": (1, 2, 2), "B": (1, 1, 4)}),
    ],
)
def test_the_ghost_joins_equal_dice_and_places_the_highest_total_first(
    rolls: list[int], placed: dict[str, tuple[int, int, int]]
) -> None:
    """crypt.52: equal dice join; groups act from the highest total; joined before single: two 3s before one 6."""
    state = position(1, crypt=CRYPT)
    log = play(state, 0, "recover", rolls=rolls)
    assert holding(state) == placed
    assert told(log, "ghost_roll") == [{"rolled": " ".join(map(str, sorted(rolls, reverse=True)))}]


def test_the_example_of_the_rulebook_pushes_5_and_2() -> None:
    """crypt.53: two joined 3s push your 5; the 4 can not push your 4, so it pushes your 2."""
    state = position(1, crypt=CRYPT)
    send(state, 0, "1x5 at A", "1x4 at B", "1x2 at C", rolls=[3, 4, 3])
    assert holding(state) == {"A": (1, 2, 3), "B": (0, 1, 4), "C": (1, 1, 4)}
    assert dice(state, 0) == (2, 0)


def test_a_group_goes_to_the_first_treasure_that_is_free_or_held_with_less() -> None:
    """crypt.53: in the order of the crypt: your 2 on A is pushed although B is free."""
    state = position(1, crypt=CRYPT)
    send(state, 0, "1x2 at A", rolls=[3, 1, 1])
    assert holding(state) == {"A": (1, 1, 3), "B": (1, 2, 1)}


def test_a_group_that_fits_nowhere_is_set_aside() -> None:
    """crypt.53: equal is not higher: a 6 can not push your 6."""
    state = position(1, crypt=CRYPT)
    ghost, yours, ghost_leading = [2, 6, 2], [6, 6, 6], [1, 2, 3]
    log = send(state, 0, "1x6 at A", "1x6 at B", "1x6 at C", rolls=ghost + yours + ghost_leading)
    assert told(log, "ghost_aside") == [{"dice": 1, "shows": 6}, {"dice": 2, "shows": 2}]
    assert "ghost_push" not in keys(log)


def test_the_ghost_never_pushes_itself() -> None:
    """crypt.53: its 6 passes over its own 3 and 2 and pushes your 2."""
    state = position(1, leader=1, crypt=CRYPT, rolls=[1, 2, 3])
    assert holding(state) == {"A": (1, 1, 3), "B": (1, 1, 2), "C": (1, 1, 1)}
    log = send(state, 0, "1x2 at C", rolls=[6])
    assert [args["slot"] for args in told(log, "ghost_push")] == ["C"]


@pytest.mark.parametrize(
    ("rolls", "placed", "yours"),
    [
        ([5, 6], {"slot": "C", "dice": 1, "shows": 6, "held": 5}, [6, 6]),
        ([4, 4], {"slot": "B", "dice": 2, "shows": 4, "held": 6}, [6]),
    ],
)
def test_the_ghosts_second_turn_places_the_highest_group_of_the_dice_pushed_off(
    rolls: list[int], placed: dict[str, int | str], yours: list[int]
) -> None:
    """crypt.54: two dice were pushed off, two are rolled; equal ones join; only the highest group is placed."""
    state = position(1, leader=1, crypt=CRYPT, rolls=[6, 5, 4])
    log = send(state, 0, "2x3 at B", "1x5 at C", rolls=rolls + yours)
    [push] = told(log, "ghost_push")
    assert {name: push[name] for name in placed} == placed
    assert not {"ghost_send", "ghost_aside"} & set(keys(log))


def test_nothing_is_placed_if_the_highest_group_fits_nowhere() -> None:
    """crypt.54: the 2 can push off neither your 12 nor your 5, and the 1 is not tried."""
    state = position(1, leader=1, crypt=CRYPT, rolls=[6, 5, 4])
    log = send(state, 0, "2x6 at B", "1x5 at C", rolls=[1, 2, 6, 6, 6])
    assert told(log, "ghost_aside") == [{"dice": 1, "shows": 2}]
    assert not {"ghost_send", "ghost_push"} & set(keys(log))


def test_dice_set_aside_stay_aside() -> None:
    """crypt.54: of three groups one found no treasure; only the die you pushed off is rolled again."""
    state = position(
        1,
        side_b="pottery",
        leader=1,
        crypt=["statue 4", "jewellery 3", "remains 1"],
        hands={0: ["pottery 1", "pottery 2"]},
    )
    log = play(state, 0, "take C", rolls=[6, 5, 4])
    assert told(log, "ghost_aside") == [{"dice": 1, "shows": 4}]
    log = send(state, 0, "1x6 at B", rolls=[2, 6])
    assert told(log, "ghost_roll") == [{"rolled": "2"}]


def test_no_second_turn_without_a_die_pushed_off() -> None:
    """crypt.54: nothing was pushed off, so nothing is rolled."""
    state = position(1, leader=1, crypt=CRYPT, rolls=[6, 6, 5])
    log = send(state, 0, "1x1 at C")
    assert "ghost_rests" in keys(log)
    assert "ghost_roll" not in keys(log)


def test_no_second_turn_when_you_lead() -> None:
    """crypt.54: what you push off in your second turn stays off: the next dice that fall are yours."""
    state = position(1, crypt=CRYPT)
    play(state, 0, "recover", rolls=[1, 2, 3])
    log = send(state, 0, "1x2 at C", rolls=[6, 1, 2, 3])
    assert keys(log)[1] == "roll_kept"


def test_the_ghosts_dice_are_never_exhausted() -> None:
    """crypt.55: they are not rolled in collecting, and all three are rolled in the next round."""
    state = position(1, crypt=CRYPT)
    play(state, 0, "recover", rolls=[6, 6, 6])
    log = play(state, 0, "recover", rolls=[4, 4, 5])
    assert told(log, "ghost_roll") == [{"rolled": "5 4 4"}]
    assert "roll_kept" not in keys(log)
    assert "roll_tired" not in keys(log)


def test_the_ghost_has_three_dice_again_when_you_lead() -> None:
    """crypt.55: after a round in which one of its dice was set aside in its second turn."""
    state = position(1, leader=1, crypt=CRYPT, rolls=[6, 5, 1])
    send(state, 0, "1x6 at C", rolls=[1, 6])
    assert board(state).round == 2
    assert board(state).ghost_ready == 3
    log = play(state, 0, "recover", rolls=[1, 2, 3])
    assert told(log, "ghost_roll") == [{"rolled": "3 2 1"}]


def test_what_you_did_not_take_is_discarded() -> None:
    """crypt.55: what the ghost holds too; you may look through the discards, except cards that lay face down."""
    state = position(1, leader=1, crypt=CRYPT, rolls=[6, 5, 1])
    send(state, 0, "1x6 at B", rolls=[1, 6])
    assert texts(board(state, 0).discards) == ["statue 4", "remains ?"]
    assert texts(board(state, 0).heirs[0].collection) == ["pottery 3"]
    assert len(board(state, 0).heirs) == 1


def test_the_ghost_takes_no_statue_award_from_you() -> None:
    """crypt.56: your second statue gives 5, whenever it comes."""
    state = position(1, side_b="statue", turn=2, crypt=CRYPT, hands={0: ["statue 1"]}, held={"A": (0, 1, 1)})
    log = play(state, 0, "recover", rolls=[1, 2, 3])
    assert told(log, "award") == [{"seat": 0, "coins": 5}]


@pytest.mark.parametrize(
    ("side_b", "hand", "coins"),
    [
        ("", ["tapestry 1"], 5),
        ("", ["statue 1"], 0),
        ("tapestry", ["tapestry 1", "tapestry 2", "tapestry 3"], 7),
        ("tapestry", ["tapestry 1", "tapestry 2"], 0),
    ],
)
def test_tapestries_need_only_what_you_have(side_b: str, hand: list[str], coins: int) -> None:
    """crypt.56: side A needs a total above 0, side B gives 7."""
    state = position(1, side_b=side_b, turn=2, hands={0: hand}, last=True)
    finish(state)
    assert board(state).phase == "over"
    assert collector_coins(state, 0, "tapestry") == coins


def all_of(*kinds: str) -> list[str]:
    """Ten coins a kind, one card of each value."""
    return [f"{kind} {value}" for kind in kinds for value in (1, 2, 3, 4)]


@pytest.mark.parametrize(
    ("hand", "coins", "title", "won"),
    [
        ([*all_of("statue", "manuscript"), "pottery 4", "pottery 2"], 29, "fool", False),
        ([*all_of("statue", "manuscript"), "pottery 4", "pottery 3"], 30, "amateur", False),
        ([*all_of("statue", "manuscript", "pottery"), "remains 4", "remains 2"], 39, "amateur", False),
        ([*all_of("statue", "manuscript", "pottery"), "remains 4", "remains 3"], 40, "rich", True),
        ([*all_of("statue", "manuscript", "pottery", "remains"), "tapestry 4", "tapestry 2"], 49, "rich", True),
        ([*all_of("statue", "manuscript", "pottery", "remains"), "tapestry 4", "tapestry 3"], 50, "wealthy", True),
    ],
)
def test_the_result_has_a_title(hand: list[str], coins: int, title: str, won: bool) -> None:
    """crypt.57: under 30 Fool, 30 to 39 Amateur, both lost; 40 to 49 Rich, 50 and more Wealthy, both won."""
    laid = [card if at < 14 else f"{card} hidden" for at, card in enumerate(hand)]
    state = position(1, side_b="manuscript pottery tapestry", turn=2, hands={0: laid}, last=True)
    log = finish(state)
    assert told(log, "solo_end") == [{"coins": coins, "title": title}]
    assert board(state, 0).title == title
    result = game.result(state)
    assert result is not None
    assert result.scores == [coins]
    assert result.winners == ([0] if won else [])


def test_you_may_push_off_your_own_dice() -> None:
    """crypt.17: the leader of a solo game meets this too: only a strictly higher total will do."""
    state = position(1, crypt=CRYPT)
    send(state, 0, "1x5 at A", rolls=[1, 1, 1])
    assert sends(state, 0, "A") == ["1x6 at A", "2x3 at A", "2x4 at A", "2x5 at A", "2x6 at A"]
    log = play(state, 0, "send 1x6 at A")
    assert keys(log) == ["push_own"]
    assert dice(state, 0) == (2, 0)
