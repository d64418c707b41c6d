"""Dealing, moving, taking back: what is written of it, whose clock runs, and who can see that something happened. By a
game of secret bids, where nobody can see who has bid."""

from __future__ import annotations

import pytest

from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.table.document import OVER, PLAYING, Pace
from polikarp.server.table.moves import dealt, parsed, played, prepared, return_to, taken_back
from tests.server.moments import ANA, BO, CY, TableInMemory, key_of


def bids(pace: Pace | None = None) -> TableInMemory:
    """Three who bid, just dealt."""
    table = TableInMemory("bids", 3).seat(ANA, BO, CY)
    table.document.pace = pace or Pace()
    table.take(dealt(table.moment(), table.moment().draft()))
    return table


def play(table: TableInMemory, seat: int, text: str, mark: str = "") -> None:
    moment = table.moment()
    table.take(played(moment, prepared(moment, seat, parsed(table.game, text)), mark))


def numbers(table: TableInMemory) -> tuple[list[int], list[int], int]:
    """Of updates and prompts of the seats, and of the updates of who only watches."""
    seats = table.document.seats
    return [seat.number for seat in seats], [seat.prompt for seat in seats], table.document.watch_number


def test_the_deal_is_step_0_and_all_are_asked() -> None:
    table = bids(Pace("live", 30, 10))
    assert (table.document.stage, table.document.began) == (PLAYING, table.house.clock.now())
    step = table.changes[0].step
    assert step is not None
    assert (step.number, step.move, step.sealed) == (0, "", True)
    assert [(seat.prompt, seat.ticking, seat.reserve) for seat in table.document.seats] == [(1, True, 10.0)] * 3
    assert table.changes[0].everybody


def test_a_secret_move_numbers_the_update_of_nobody_else() -> None:
    table = bids()
    before = numbers(table)
    play(table, 1, "bid 3")
    assert not table.changes[-1].everybody
    assert before == ([0, 0, 0], [1, 1, 1], 0)
    assert numbers(table) == ([0, 1, 0], [1, 2, 1], 0)
    play(table, 0, "bid 4")
    assert numbers(table) == ([1, 1, 0], [2, 2, 1], 0)
    play(table, 2, "bid 5")
    assert numbers(table) == ([2, 2, 1], [3, 3, 2], 1), "all are shown"


def test_the_end_is_everybodys_news() -> None:
    table = bids()
    for number in range(3):
        for seat in range(3):
            play(table, seat, f"bid {number}")
    assert table.document.stage == OVER
    assert table.document.result is not None
    assert numbers(table)[2] == 3


def test_who_moves_takes_their_seat_back_and_all_see_it() -> None:
    table = bids()
    table.document.seats[1].held = "nine"
    play(table, 1, "bid 3", mark="a message")
    assert table.document.seats[1].held == ""
    assert numbers(table) == ([1, 1, 1], [1, 2, 1], 1)
    table.document.seats[2].held = "nine"
    play(table, 2, "bid 9")
    assert table.document.seats[2].held == "nine", "a bot's own move gives nothing back"


def test_clocks_run_for_those_who_are_waited_for() -> None:
    table = bids(Pace("live", 30, 10))
    table.house.clock.passed += 35  # type: ignore[attr-defined]
    play(table, 1, "bid 3")
    ticking = [(seat.ticking, seat.reserve) for seat in table.document.seats]
    assert ticking == [(True, 10.0), (False, 5.0), (True, 10.0)]
    for seat in (0, 2):
        play(table, seat, "bid 3")
    assert all(seat.ticking and seat.asked == table.house.clock.now() for seat in table.document.seats)


def test_a_step_that_is_taken_back_is_gone_and_stays_in_the_log() -> None:
    table = TableInMemory("crypt", 2).seat(ANA, BO)
    table.document.pace = Pace("live", 30, 10)
    table.take(dealt(table.moment(), table.moment().draft()))
    seat = table.table.waiting[0]
    before = table.table.state.to_bytes()
    text = next(text for text in map(table.game.text, table.table.state.moves(seat)) if text.startswith("send"))
    play(table, seat, text)
    asked = table.document.seats[seat].asked
    table.house.clock.passed += 3  # type: ignore[attr-defined]
    prompts = [one.prompt for one in table.document.seats]
    change = table.take(taken_back(table.moment(), table.moment().draft(), seat, say.Done("x")))
    assert table.table.state.to_bytes() == before
    assert change.step is not None
    assert (change.step.move, change.step.seat, change.step.number) == (None, seat, 2)
    assert change.entry is not None
    assert change.entry.undone
    assert [one.prompt for one in table.document.seats] == [prompt + 1 for prompt in prompts]
    assert (table.document.seats[seat].ticking, table.document.seats[seat].asked) == (True, asked)
    with pytest.raises(Denied) as denied:
        taken_back(table.moment(), table.moment().draft(), seat, say.Done("y"))
    assert key_of(denied.value) == "no_undo"


def test_who_comes_back_without_a_connection_is_away_from_now_on() -> None:
    seat = bids().document.seats[0]
    seat.held, seat.away = "nine", 5.0
    return_to(seat, 9.0)
    assert (seat.held, seat.away) == ("", 9.0)
    seat.away = None
    return_to(seat, 10.0)
    assert seat.away is None
