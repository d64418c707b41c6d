"""The Collecting phase: discards, free recovery, rolls, treasures taken. And the torches, which then pass on."""

from __future__ import annotations

from itertools import groupby

import pytest

from .positions import (
    board,
    collection,
    crypt_texts,
    dice,
    events,
    finish,
    keys,
    moves,
    play,
    position,
    send,
    texts,
    told,
    waits_for,
)

ALL_VIEWERS = (0, 1, 2, None)


def test_what_nobody_holds_is_discarded() -> None:
    """crypt.20: unclaimed treasures are discarded, the face-down one unseen by everybody."""
    state = position(3, crypt=["statue 4", "pottery 2", "remains 3", "tapestry 1"])
    log = finish(state)
    assert told(log, "discard")[0] == {"slot": "A", "kind": "statue", "value": 4}
    assert told(log, "discard_hidden") == [{"slot": "D", "kind": "tapestry"}]
    for viewer in ALL_VIEWERS:
        assert texts(board(state, viewer).discards) == ["statue 4", "pottery 2", "remains 3", "tapestry ?"]


def test_what_somebody_holds_is_not_discarded() -> None:
    """crypt.20: only unclaimed treasures go."""
    state = position(3, crypt=["statue 4", "pottery 2", "remains 3", "tapestry 1"])
    send(state, 0, "1x1 at A", "1x1 at D")
    finish(state)
    assert texts(board(state).discards) == ["pottery 2", "remains 3"]


def test_who_lost_every_treasure_recovers_for_free_before_the_rolls() -> None:
    """crypt.21: sent, pushed off everywhere: all exhausted dice are ready again, before any die is rolled."""
    state = position(3, tired={0: 2})
    send(state, 0, "1x1 at A")
    send(state, 1, "1x2 at A")
    log = play(state, 2, "recover", rolls=[2])
    assert told(log, "free_recovery") == [{"seat": 0, "dice": 2}]
    assert keys(log).index("free_recovery") < keys(log).index("roll_kept")
    assert dice(state, 0) == (3, 0)


def test_who_keeps_a_die_on_a_treasure_does_not_recover_for_free() -> None:
    """crypt.21: one die left on any treasure is enough."""
    state = position(3, tired={0: 1})
    send(state, 0, "1x1 at A", "1x1 at B")
    send(state, 1, "1x2 at A")
    log = play(state, 2, "recover", rolls=[2])
    assert "free_recovery" not in keys(log)
    assert dice(state, 0) == (2, 1)


def test_who_sent_nobody_does_not_recover_for_free() -> None:
    """crypt.21: only who sent servants this round."""
    state = position(3, turn=2, tired={0: 2})
    log = play(state, 2, "recover")
    assert "free_recovery" not in keys(log)
    assert dice(state, 0) == (1, 2)


def test_who_sent_in_an_earlier_round_has_not_sent_in_this_one() -> None:
    """crypt.21: "this round" ends with the round."""
    state = position(3)
    send(state, 0, "1x1 at A")
    play(state, 1, "recover")
    assert list(state.sent) == [1, 0, 0]
    play(state, 2, "recover")
    assert (state.round, list(state.sent)) == (2, [0, 0, 0])


@pytest.mark.parametrize("rolled", range(1, 7))
@pytest.mark.parametrize("shows", range(2, 7))
def test_a_die_that_rolls_lower_than_it_showed_is_exhausted(shows: int, rolled: int) -> None:
    """crypt.22: lower than shown: exhausted; equal or higher: ready."""
    state = position(3, turn=2, held={"A": (0, 1, shows)})
    log = play(state, 2, "recover", rolls=[rolled])
    assert dice(state, 0) == ((2, 1) if rolled < shows else (3, 0))
    key = "roll_tired" if rolled < shows else "roll_kept"
    assert told(log, key) == [{"seat": 0, "slot": "A", "shows": shows, "rolled": rolled}]


def test_the_example_of_the_rulebook_exhausts_one_of_three() -> None:
    """crypt.22: each die is rolled for itself: three set to 3 roll 1, 3 and 6; only the 1 is exhausted."""
    state = position(3, turn=2, held={"B": (0, 3, 3)})
    play(state, 2, "recover", rolls=[1, 3, 6])
    assert dice(state, 0) == (2, 1)


def test_a_die_showing_1_is_not_rolled() -> None:
    """crypt.22: it can not fail; `play` insists that no die falls."""
    state = position(3, turn=2, held={"A": (0, 2, 1)})
    log = play(state, 2, "recover", rolls=[])
    assert dice(state, 0) == (3, 0)
    assert not events(log, "roll_kept")


@pytest.mark.parametrize(("rolls", "left"), [([1, 1], (1, 2)), ([1, 6], (2, 1)), ([6, 6], (3, 0))])
def test_the_owner_takes_the_treasure_whatever_the_rolls(rolls: list[int], left: tuple[int, int]) -> None:
    """crypt.23: all dice may fail, the treasure is taken."""
    state = position(3, turn=2, crypt=["statue 4"], held={"A": (0, 2, 6)})
    play(state, 2, "recover", rolls=rolls)
    assert dice(state, 0) == left
    assert collection(state, 0, seat=1) == ["statue 4"]


def test_a_face_down_treasure_is_seen_by_its_owner_only() -> None:
    """crypt.23: who takes it sees it, nobody else does, in the view or in what is told."""
    state = position(3, turn=2, crypt=["statue 4", "pottery 2", "remains 3", "tapestry 1"], held={"D": (0, 1, 1)})
    log = play(state, 2, "recover")
    assert [collection(state, 0, viewer) for viewer in ALL_VIEWERS] == [["tapestry 1"]] + [["tapestry ?"]] * 3
    assert told(log, "collect_hidden") == [{"seat": 0, "slot": "D", "kind": "tapestry"}]
    [seen] = events(log, "see_card")
    assert seen.audience == 1 << 0
    assert seen.args == {"slot": "D", "kind": "tapestry", "value": 1}


def test_a_value_that_was_face_up_stays_public() -> None:
    """crypt.24: a treasure that lay face up lies face down in a collection, but everybody remembers its value."""
    state = position(3, turn=2, crypt=["statue 4"], held={"A": (0, 1, 1)})
    play(state, 2, "recover")
    for viewer in ALL_VIEWERS:
        [card] = board(state, viewer).heirs[0].collection
        assert (card.value, card.public, card.turned) == (4, True, False)


def test_the_number_of_each_kind_in_a_collection_is_public() -> None:
    """crypt.24: collections are sorted by kind, and everybody can count them."""
    hand = ["tapestry 4", "statue 2 hidden", "remains 1 hidden", "statue 3"]
    state = position(3, hands={1: hand})
    for viewer in ALL_VIEWERS:
        kinds = [card.kind for card in board(state, viewer).heirs[1].collection]
        assert kinds == ["statue", "statue", "remains", "tapestry"]


@pytest.mark.parametrize(("seats", "leader", "next_leader"), [(2, 0, 1), (2, 1, 0), (3, 2, 0), (4, 1, 2), (4, 3, 0)])
def test_both_torches_pass_clockwise(seats: int, leader: int, next_leader: int) -> None:
    """crypt.25: the next player leads, and Lights Out moves on with the Torch."""
    state = position(seats, leader=leader)
    last = board(state).last
    finish(state)
    assert board(state).leader == next_leader == waits_for(state)
    assert board(state).last == (last + 1) % seats


def test_collecting_keeps_its_order() -> None:
    """crypt.26: discards, free recovery, all rolls, all treasures, and after them the Statue B awards."""
    state = position(
        3,
        side_b="statue",
        crypt=["statue 4", "pottery 2", "remains 3"],
        hands={1: ["statue 1"]},
        held={"A": (1, 1, 3), "B": (2, 2, 2)},
        tired={0: 1},
        turn=2,
    )
    state.sent[0] = 1
    log = play(state, 2, "recover", rolls=[1, 6, 6])
    steps = [key for key, _ in groupby(key.split("_")[0] for key in keys(log))]
    assert steps[1:] == ["discard", "free", "roll", "collect", "turn", "award", "torches", "round", "lay", "deck"]


def test_statue_windows_open_after_the_treasures_are_taken() -> None:
    """crypt.26: all treasures are taken before the first Statue A window, and the torches pass after the last."""
    state = position(3, turn=2, crypt=["statue 4", "pottery 2"], held={"A": (1, 1, 6), "B": (0, 1, 6)})
    log = play(state, 2, "recover", rolls=[1, 1])
    assert keys(log)[-2:] == ["collect", "collect"]
    assert board(state).phase == "statues"
    assert crypt_texts(state) == []
    assert moves(state, 1) == ["done", "reroll 6"]
    log = play(state, 1, "done")
    assert keys(log)[:2] == ["torches", "round"]
