"""Time at a table, as arithmetic, with outages that are made up. `test_live.py` lets it pass."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from polikarp.server.table import clocks
from polikarp.server.table.document import Document, Pace, Seat
from polikarp.store import Outage


@pytest.mark.parametrize(
    ("outages", "passed"),
    [
        ([], 100),
        ([(0, 50)], 100),  # before
        ([(50, 130)], 70),  # it had begun before
        ([(120, 150)], 70),
        ([(120, 150), (160, 170)], 60),
        ([(190, 250)], 90),  # it goes on
        ([(200, 250)], 100),  # after
        ([(50, 250)], 0),
        ([(100, 200)], 0),
    ],
)
def test_time_in_which_no_server_ran_does_not_count(outages: list[tuple[float, float]], passed: float) -> None:
    assert clocks.elapsed(100.0, 200.0, [Outage(*outage) for outage in outages]) == passed


@settings(deadline=None)
@given(some.sets(some.integers(0, 60)), some.integers(0, 60), some.integers(0, 60))
def test_what_passed_are_the_seconds_in_which_a_server_ran(down: set[int], since: int, now: int) -> None:
    outages = [Outage(float(second), float(second + 1)) for second in sorted(down)]
    ran = [second for second in range(since, now) if second not in down]
    assert clocks.elapsed(float(since), float(now), outages) == len(ran)


def test_a_deadline_moves_with_an_outage_and_not_before() -> None:
    body, seat = a_table("live", 30, 10)
    clocks.start_clock(seat, 1000.0)
    assert clocks.deadline(body, seat, 1001.0, []) == 1040.0
    assert clocks.deadline(body, seat, 1039.0, []) == 1040.0
    assert not clocks.time_is_up(body, seat, 1039.9, [])
    assert clocks.time_is_up(body, seat, 1040.0, [])
    outages = [Outage(1005.0, 1105.0)]
    assert clocks.deadline(body, seat, 1105.0, outages) == 1140.0
    assert not clocks.time_is_up(body, seat, 1139.9, outages)
    assert clocks.time_is_up(body, seat, 1140.0, outages)


def test_without_a_pace_there_is_no_deadline() -> None:
    body, seat = a_table("none", 0, 0)
    clocks.start_clock(seat, 1000.0)
    assert clocks.deadline(body, seat, 1e12, []) is None
    assert not clocks.time_is_up(body, seat, 1e12, [])


def test_what_a_decision_takes_beyond_its_seconds_comes_out_of_the_reserve() -> None:
    body, seat = a_table("live", 30, 10)
    clocks.start_clock(seat, 1000.0)
    clocks.stop_clock(body, seat, 1029.0, [])
    assert (seat.reserve, seat.ticking) == (10.0, False)
    assert not clocks.time_is_up(body, seat, 9999.0, [])
    clocks.start_clock(seat, 1100.0)
    clocks.stop_clock(body, seat, 1136.0, [Outage(1110.0, 1112.0)])
    assert seat.reserve == 6.0
    clocks.start_clock(seat, 1200.0)
    assert clocks.deadline(body, seat, 1200.0, []) == 1236.0
    clocks.stop_clock(body, seat, 1240.0, [])
    assert seat.reserve == 0.0


def test_who_takes_a_decision_back_has_the_time_that_was_left_before_it() -> None:
    body, seat = a_table("live", 30, 10)
    clocks.start_clock(seat, 1000.0)
    clocks.stop_clock(body, seat, 1035.0, [])
    clocks.resume_clock(seat)
    assert clocks.deadline(body, seat, 1036.0, []) == 1040.0
    clocks.stop_clock(body, seat, 1037.0, [])
    assert seat.reserve == 3.0


def test_absence_ends_after_the_seconds_that_a_server_ran() -> None:
    body, seat = a_table("none", 0, 0)
    body.absence, seat.person, seat.away = 60, "somebody", 1000.0
    assert clocks.absence_ends(body, seat, 1030.0, []) == 1060.0
    assert clocks.absence_ends(body, seat, 1200.0, [Outage(1010.0, 1190.0)]) == 1240.0
    present, free = Seat(person="somebody"), Seat(away=1000.0)
    held = Seat(person="somebody", away=1000.0, held="random")
    for other in (present, free, held):
        assert clocks.absence_ends(body, other, 1030.0, []) is None
    body.absence = 0
    assert clocks.absence_ends(body, seat, 1030.0, []) is None


def a_table(kind: Any, seconds: int, reserve: int) -> tuple[Document, Seat]:
    """A table, and a seat that has all of its reserve."""
    seat = Seat(reserve=float(reserve))
    pace = Pace(kind, seconds, reserve)
    return Document(
        game="crypt", options={}, rules="", seats=[seat], made=0.0, seed=None, commitment="", pace=pace
    ), seat
