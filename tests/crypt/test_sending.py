"""The Servants phase: turns, sending, pushing off, recovering. Each test names the rule that it guards."""

from __future__ import annotations

from contextlib import suppress

import pytest

from polikarp.engine.rng import ScriptError, ScriptRng
from polikarp.games.crypt.rules import Crypt

from .positions import board, dice, holding, keys, moves, play, position, send, sends, told, waits_for


@pytest.mark.parametrize(("seats", "leader", "order"), [(3, 1, [1, 2, 0]), (4, 2, [2, 3, 0, 1])])
def test_each_player_takes_one_turn_clockwise_from_the_leader(seats: int, leader: int, order: list[int]) -> None:
    """crypt.12: one turn each, from the leader clockwise."""
    state = position(seats, leader=leader)
    for seat in order:
        assert board(state).round == 1
        assert waits_for(state) == seat
        play(state, seat, "recover")
    assert board(state).round == 2


def test_a_turn_is_to_send_or_to_recover() -> None:
    """crypt.12: one of the two, by the player whose turn it is and nobody else."""
    state = position(3)
    assert [move for move in moves(state, 0) if not move.startswith("send")] == ["recover"]
    assert sends(state, 0)
    assert moves(state, 1) == moves(state, 2) == []
    play(state, 0, "send 1x1 at A")
    assert "recover" not in moves(state, 0)
    play(state, 0, "done")
    assert waits_for(state) == 1


def test_any_number_of_dice_of_any_value_can_be_sent_to_any_treasure() -> None:
    """crypt.13: 1 to 3 dice, each value, every treasure, the face-down one too."""
    state = position(3)
    expected = {f"{number}x{shows} at {slot}" for slot in "ABCD" for number in (1, 2, 3) for shows in range(1, 7)}
    assert set(sends(state, 0)) == expected


def test_one_send_goes_to_several_treasures_with_different_values() -> None:
    """crypt.13: dice on one treasure show the same, on different treasures they may differ."""
    state = position(3)
    send(state, 0, "2x5 at D", "1x3 at A")
    assert holding(state) == {"D": (0, 2, 5), "A": (0, 1, 3)}
    assert dice(state, 0) == (0, 0)


def test_only_ready_dice_can_be_sent() -> None:
    """crypt.13: exhausted dice stay where they are, and a die is sent once."""
    state = position(3, tired={0: 1})
    assert {text[0] for text in sends(state, 0)} == {"1", "2"}
    play(state, 0, "send 1x4 at B")
    assert {text[0] for text in sends(state, 0)} == {"1"}
    play(state, 0, "send 1x4 at A")
    assert moves(state, 0) == ["done"]


def test_a_send_has_at_least_one_die_and_one_group_a_treasure() -> None:
    """crypt.13: sending nothing is no send, and a treasure gets one group in one send."""
    state = position(3)
    assert "done" not in moves(state, 0)
    play(state, 0, "send 1x2 at A")
    assert "done" in moves(state, 0)
    assert sends(state, 0, "A") == []
    assert sends(state, 0, "B") != []


@pytest.mark.parametrize(
    ("pushed", "sent"), [((1, 1, 5), "3x2 at A"), ((1, 2, 3), "2x4 at A"), ((1, 1, 1), "1x2 at A")]
)
def test_the_examples_of_the_rulebook_push_off(pushed: tuple[int, int, int], sent: str) -> None:
    """crypt.14: 2+2+2=6 beats 5; 4+4=8 beats 3+3=6; 2 beats 1. All pushed dice go back to their owner, ready."""
    state = position(3, leader=1, turn=1, held={"A": pushed})
    number, shows = int(sent[0]), int(sent[2])
    log = send(state, 2, sent)
    assert holding(state) == {"A": (2, number, shows)}
    assert dice(state, 1) == (3, 0)
    assert dice(state, 2) == (3 - number, 0)
    assert keys(log) == ["done"]


@pytest.mark.parametrize("shows", range(1, 7))
@pytest.mark.parametrize("number", [1, 2, 3])
def test_only_a_strictly_higher_total_pushes_off(number: int, shows: int) -> None:
    """crypt.14: every group that may be sent to a held treasure has a higher total, and every such group may."""
    state = position(3, turn=1, held={"B": (0, number, shows)})
    higher = [f"{dice}x{face} at B" for dice in (1, 2, 3) for face in range(1, 7) if dice * face > number * shows]
    assert sends(state, 1, "B") == higher
    assert sorted(picks(state, 1)) == sorted(state.moves(1))


def picks(state: Crypt, seat: int) -> list[int]:
    """What each first draw picks for a seat with three dice and four treasures; some draws lead to another."""
    picked = []
    for draw in range(1 + 4 * 18):
        with suppress(ScriptError):
            picked.append(state.pick(seat, ScriptRng([draw])))
    return picked


def test_a_push_tells_both_totals() -> None:
    """crypt.14: what is said of a push names both players and both totals."""
    state = position(3, turn=1, held={"A": (0, 1, 5)})
    log = play(state, 1, "send 3x2 at A")
    [args] = told(log, "push")
    assert (args["seat"], args["whose"], args["total"], args["held"]) == (1, 0, 6, 5)


def test_lights_out_acts_last_and_sends_to_one_treasure_only() -> None:
    """crypt.15: the player to the leader's right is last and, having sent to one treasure, can only be done."""
    state = position(3, leader=1)
    play(state, 1, "recover")
    play(state, 2, "recover")
    assert waits_for(state) == 0 == board(state).last
    assert board(state).lights_out
    play(state, 0, "send 2x1 at B")
    assert moves(state, 0) == ["done"]
    log = play(state, 0, "done")
    assert "collect" in keys(log)


@pytest.mark.parametrize("turn", [0, 1, 2])
def test_others_may_send_to_several_treasures(turn: int) -> None:
    """crypt.15: it binds the last turn of four, not the first three."""
    state = position(4, turn=turn)
    assert not board(state).lights_out
    play(state, turn, "send 1x1 at B")
    assert sends(state, turn, "C") != []


@pytest.mark.parametrize("leader", [0, 1])
def test_with_two_players_the_leader_has_a_second_turn(leader: int) -> None:
    """crypt.16: leader, other, leader again; only the leader's second turn goes to one treasure only."""
    state = position(2, leader=leader)
    other = 1 - leader
    assert waits_for(state) == leader
    send(state, leader, "1x1 at A", "1x1 at B")
    assert waits_for(state) == other
    send(state, other, "1x2 at A", "1x2 at B")
    assert waits_for(state) == leader
    assert board(state).lights_out
    play(state, leader, "send 1x3 at A")
    assert moves(state, leader) == ["done"]
    log = play(state, leader, "done", rolls=[6, 6])
    assert keys(log)[-4:].count("lay") == 2
    assert board(state).round == 2


def test_own_dice_are_pushed_off_only_by_a_strictly_higher_total() -> None:
    """crypt.17: the new dice stand alone against the old ones: nothing is added to a treasure that one holds."""
    state = position(2, turn=2, held={"A": (0, 1, 3)})
    ones = [f"1x{face} at A" for face in (4, 5, 6)]
    twos = [f"2x{face} at A" for face in (2, 3, 4, 5, 6)]
    assert sends(state, 0, "A") == ones + twos
    log = play(state, 0, "send 2x2 at A")
    assert holding(state) == {"A": (0, 2, 2)}
    assert dice(state, 0) == (1, 0)
    assert [(args["total"], args["held"]) for args in told(log, "push_own")] == [(4, 3)]


def test_dice_still_on_a_treasure_can_not_push_themselves_off() -> None:
    """crypt.17: the pushed dice are ready again, but not for the send that pushes them."""
    state = position(2, turn=2, held={"A": (0, 2, 1)})
    assert sends(state, 0, "A") == [f"1x{face} at A" for face in range(3, 7)]
    play(state, 0, "send 1x3 at A")
    assert dice(state, 0) == (2, 0)
    assert moves(state, 0) == ["done"]


def test_a_die_revived_in_this_turn_may_be_sent() -> None:
    """crypt.17: the die on the treasure can not push itself off, one made ready by Remains A in this turn can."""
    state = position(2, turn=2, hands={0: ["remains 1", "remains 2"]}, held={"A": (0, 1, 2)}, tired={0: 2})
    assert sends(state, 0) == []
    play(state, 0, "revive")
    assert sends(state, 0, "A") == [f"1x{face} at A" for face in range(3, 7)]
    play(state, 0, "send 1x3 at A")
    assert holding(state) == {"A": (0, 1, 3)}
    assert dice(state, 0) == (1, 1)


def test_recovering_readies_all_exhausted_dice_and_is_the_whole_turn() -> None:
    """crypt.18: all of them, and then it is the next player's turn."""
    state = position(3, tired={0: 2, 1: 1})
    assert "recover" in moves(state, 0)
    log = play(state, 0, "recover")
    assert told(log, "recover") == [{"seat": 0, "dice": 2}]
    assert dice(state, 0) == (3, 0)
    assert dice(state, 1) == (2, 1)
    assert waits_for(state) == 1


def test_recovering_leaves_dice_on_treasures() -> None:
    """crypt.18: dice on treasures stay."""
    state = position(2, turn=0, held={"B": (0, 1, 4)}, tired={0: 1})
    play(state, 0, "recover")
    assert holding(state) == {"B": (0, 1, 4)}
    assert dice(state, 0) == (2, 0)


def test_recovering_with_nothing_exhausted_is_a_pass() -> None:
    """crypt.18: it may be chosen with nothing to recover."""
    state = position(3)
    assert "recover" in moves(state, 0)
    log = play(state, 0, "recover")
    assert keys(log) == ["pass"]
    assert dice(state, 0) == (3, 0)
    assert waits_for(state) == 1


def test_who_has_no_ready_die_recovers_without_being_asked() -> None:
    """crypt.19: the turn of a player with three exhausted dice needs no decision."""
    state = position(3, tired={1: 3})
    log = play(state, 0, "recover")
    assert told(log, "recover_self") == [{"seat": 1, "dice": 3}]
    assert dice(state, 1) == (3, 0)
    assert waits_for(state) == 2


@pytest.mark.parametrize("remains", [[], ["remains 1", "remains 2"]])
def test_who_has_all_dice_out_passes_without_being_asked(remains: list[str]) -> None:
    """crypt.19: with nothing exhausted it is a pass, whatever Remains A could do for an exhausted die."""
    state = position(2, hands={0: remains})
    send(state, 0, "3x1 at A")
    log = play(state, 1, "recover")
    assert keys(log)[:2] == ["pass", "pass_self"]
    assert told(log, "pass_self") == [{"seat": 0}]
    assert told(log, "collect")[0]["seat"] == 0


@pytest.mark.parametrize(
    ("side_b", "remains", "asked"),
    [
        ("", ["remains 1", "remains 2"], True),
        ("", ["remains 1"], False),
        ("", ["remains 1", "remains 2 turned"], False),
        ("remains", ["remains 1", "remains 2"], False),
    ],
)
def test_who_can_make_a_die_ready_by_remains_is_asked(side_b: str, remains: list[str], asked: bool) -> None:
    """crypt.19: only a player who can pay Remains A decides with no ready die."""
    state = position(3, side_b=side_b, hands={1: remains}, tired={1: 3})
    play(state, 0, "recover")
    assert waits_for(state) == (1 if asked else 2)
    if asked:
        assert sorted(moves(state, 1)) == ["recover", "revive"]
        play(state, 1, "revive")
        assert {text[0] for text in sends(state, 1)} == {"1"}
