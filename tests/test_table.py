"""Tables and states from Python: seats that do not exist, undo, playing on, options, and bytes that are damaged."""

from __future__ import annotations

import pytest

from polikarp.engine.option import Option, UsageError, read_options
from polikarp.engine.phrase import Refused
from polikarp.engine.record import make_record, replay
from polikarp.engine.rng import FastRng
from polikarp.engine.table import Table, commitment, make_seed
from polikarp.games import all_games

crypt = all_games()["crypt"]
leduc = all_games()["leduc"]


@pytest.mark.parametrize("seat", [-2, 2, 64, 2**63, 2**64, 10**30])
def test_a_seat_that_does_not_exist_is_told_nothing(seat: int) -> None:
    """In both builds, also where the number of the seat does not fit into a machine word."""
    table = crypt.deal(seats=2, seed=1)
    for ask in (table.view, table.log, table.moves, table.state.sight, table.state.moves):
        with pytest.raises(UsageError, match=f"there is no seat {seat}"):
            ask(seat)
    with pytest.raises(UsageError):
        table.state.imagine(seat, FastRng(1))
    refusal = table.state.why_not(seat, 0)
    assert refusal is not None
    assert refusal.key == "no_such_seat"
    with pytest.raises(Refused):
        table.play("recover", seat)


def test_a_watcher_is_not_a_seat_of_a_table() -> None:
    table = crypt.deal(seats=2, seed=1)
    for ask in (table.view, table.log, table.moves):
        with pytest.raises(UsageError):
            ask(-1)


@pytest.mark.parametrize("move", [-1, 124, 2**64])
def test_a_move_that_does_not_exist_is_refused(move: int) -> None:
    refusal = crypt.deal(seats=2, seed=1).state.why_not(0, move)
    assert refusal is not None
    assert refusal.key == "no_such_move"


def test_a_refused_move_changes_nothing() -> None:
    table = crypt.deal(seats=2, seed=1)
    before = table.state.to_bytes()
    with pytest.raises(Refused):
        table.play("done")
    assert (table.state.to_bytes(), table.steps) == (before, [])


def test_undo_takes_back_own_steps_while_nothing_was_shown() -> None:
    table = crypt.deal(seats=2, seed=1)
    before = table.state.to_bytes()
    seat = table.waiting[0]
    table.play("send 1x2 at A")
    table.play("send 1x2 at B")
    assert not table.can_undo(1 - seat)
    table.undo()
    table.undo()
    assert table.state.to_bytes() == before
    with pytest.raises(Refused):
        table.undo()


def test_nothing_is_taken_back_once_dice_were_rolled() -> None:
    table = crypt.deal(seats=2, seed=1)
    for move in ("send 1x6 at A", "done", "recover", "recover"):
        table.play(move)
    assert table.steps[-1].drawn
    assert not table.can_undo(table.steps[-1].seat)


def test_nothing_is_taken_back_when_the_game_is_over() -> None:
    table = leduc.deal(seed=1)
    table.play("raise")
    table.play("fold")
    assert table.over
    with pytest.raises(Refused, match="no_undo"):
        table.undo()


def test_a_replayed_game_can_be_played_on() -> None:
    table = crypt.deal(seats=2, seed=1)
    table.play("send 1x6 at A")
    record = make_record(table, ["Ala", "Bo"])
    assert record.seed is None, "the seed of a running game stays secret"
    again = replay(crypt, record)
    again.play("done")
    assert len(again.steps) == 2


def test_a_mistake_inside_the_rules_leaves_the_table_as_it_was() -> None:
    table = Table(crypt, 2, {}, 1, script=[crypt.deal(seats=2, seed=1).dealt, [], [], [], [9]])
    for move in ("send 1x6 at A", "done", "recover"):
        table.play(move)
    before = table.state.to_bytes()
    with pytest.raises(Exception, match="draw number 1 is 9"):
        table.play("recover")
    assert (table.state.to_bytes(), len(table.steps)) == (before, 3)


def test_timed_tables_note_when_a_move_was_made() -> None:
    table = Table(crypt, 2, {}, 1, timed=True)
    table.play("recover")
    at = make_record(table, ["Ala", "Bo"]).moves[0].at
    assert at is not None
    assert 0 <= at < 60_000


def test_seeds() -> None:
    assert make_seed(7) == make_seed("7") != make_seed(8)
    assert make_seed(None) != make_seed(None)
    assert make_seed(bytes(32)) == bytes(32)
    assert len(commitment(bytes(32))) == 64
    with pytest.raises(UsageError, match="has 32 of them, not 3"):
        make_seed(b"abc")


def test_damaged_bytes_are_refused() -> None:
    data = crypt.start(3, {}, FastRng(1)).to_bytes()
    for damaged in (data[:-1], data + b"\x00", b"", b"\xff" * 20, data[:1] + b"\x80" * 12 + data[1:]):
        with pytest.raises(ValueError, match="a saved state"):
            crypt.load(3, damaged)
    with pytest.raises(ValueError, match="another number of seats"):
        crypt.load(2, data)


OPTIONS = (
    Option("variant", False),
    Option("pace", 2.0, low=0.8, high=5.0),
    Option("gold", 8, choices=(5, 8)),
    Option("sides", "A", choices=("A", "B"), pattern="[AB]{6}", example="ABABAA"),
)


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ({}, "pace", 2.0),
        ({"variant": "on"}, "variant", True),
        ({"variant": False}, "variant", False),
        ({"pace": "0.8"}, "pace", 0.8),
        ({"pace": 5}, "pace", 5.0),
        ({"gold": "5"}, "gold", 5),
        ({"sides": "BBBBBA"}, "sides", "BBBBBA"),
    ],
)
def test_options_are_read_in_their_own_type(given: dict[str, str], name: str, value: object) -> None:
    read = read_options(OPTIONS, given)[name]
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ({"variant": "maybe"}, "on or off"),
        ({"pace": "5.1"}, "0.8 to 5"),
        ({"pace": "nan"}, "0.8 to 5"),
        ({"pace": "fast"}, "0.8 to 5"),
        ({"gold": "6"}, "5, 8"),
        ({"sides": "ABC"}, "A, B, or a value such as ABABAA"),
        ({"colour": "red"}, "variant, pace, gold, sides"),
    ],
)
def test_a_wrong_option_is_told_what_is_right(given: dict[str, str], right: str) -> None:
    with pytest.raises(UsageError, match=right):
        read_options(OPTIONS, given)


def test_samples_show_all_that_an_option_can_do() -> None:
    assert [option.samples() for option in OPTIONS] == [[False, True], [2.0, 0.8, 5.0], [5, 8], ["A", "B", "ABABAA"]]
