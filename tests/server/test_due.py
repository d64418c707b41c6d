"""What is due at a table though nobody sends a message: every kind, and that the store's time, the alarm and what is
done then follow from one list."""

from __future__ import annotations

from typing import Any

import pytest

from polikarp.server.table.document import CLOSED, DEALING, HALTED, HOUR, OPEN, OVER, PLAYING, Document, Pace, Seat
from polikarp.server.table.due import (
    BOT_SECONDS,
    OPEN_HOURS,
    Bustle,
    Due,
    due_list,
    next_alarm,
    next_due,
    overdue,
)
from polikarp.store import Outage

NOW = 1000.0


def a_table(stage: str, *seats: Seat, **fields: Any) -> Document:
    return Document(
        game="crypt", options={}, rules="", stage=stage, seats=list(seats), made=0.0, seed=None, commitment="", **fields
    )


def person(**fields: Any) -> Seat:
    return Seat(person="somebody", **fields)


LIVE = Pace("live", 30, 10)


def test_an_open_table_closes_a_day_after_the_last_change() -> None:
    table = a_table(OPEN, person())
    assert due_list(table, Bustle(), NOW, []) == [Due(NOW + OPEN_HOURS * HOUR, "close")]
    assert due_list(table, Bustle(), NOW, [], closes=1234.0) == [Due(1234.0, "close")], "as it was said then"


def test_cards_are_dealt_when_shares_could_have_been_shown() -> None:
    assert due_list(a_table(DEALING, person(), deal_by=1005.0), Bustle(), NOW, []) == [Due(1005.0, "deal")]
    assert due_list(a_table(DEALING, person()), Bustle(), NOW, []) == []


@pytest.mark.parametrize("stage", [OVER, CLOSED, HALTED])
def test_nothing_is_due_where_nothing_goes_on(stage: str) -> None:
    table = a_table(stage, person(away=0.0), Seat(bot="random"), absence=60, pace=LIVE, deal_by=1.0)
    assert due_list(table, Bustle(waiting=[0, 1], awake=True), NOW, []) == []


def test_who_is_away_is_stood_in_for_whoever_is_waited_for() -> None:
    table = a_table(PLAYING, person(away=990.0), person(), person(away=980.0), person(away=1.0, held="random"))
    table.absence = 60
    assert due_list(table, Bustle(waiting=[1]), NOW, []) == [Due(1050.0, "stand_in", 0), Due(1040.0, "stand_in", 2)]
    outages = [Outage(991.0, 996.0)]
    assert due_list(table, Bustle(), NOW, outages) == [Due(1055.0, "stand_in", 0), Due(1045.0, "stand_in", 2)]
    table.absence = 0
    assert due_list(table, Bustle(waiting=[1]), NOW, []) == []


def test_a_decision_is_made_for_who_is_waited_for_when_their_time_is_up() -> None:
    seats = [person(asked=995.0, asked_reserve=10.0, ticking=True), person(asked=990.0, asked_reserve=0.0)]
    table = a_table(PLAYING, *seats, pace=LIVE)
    assert due_list(table, Bustle(waiting=[0]), NOW, []) == [Due(1035.0, "decide", 0)]
    table.pace = Pace()
    assert due_list(table, Bustle(waiting=[0]), NOW, []) == [], "without a clock the table waits"


def test_bots_are_looked_after_where_they_think() -> None:
    table = a_table(PLAYING, Seat(bot="random"), person(held="random"), person(), pace=LIVE)
    assert due_list(table, Bustle(waiting=[0, 1], awake=True), NOW, []) == [
        Due(NOW + BOT_SECONDS, "look", 0),
        Due(NOW + BOT_SECONDS, "look", 1),
    ]
    assert due_list(table, Bustle(waiting=[0, 1]), NOW, []) == []


def test_in_a_race_nobody_has_a_clock_but_who_is_away_is_stood_in_for() -> None:
    table = a_table(PLAYING, person(away=990.0), Seat(bot="still"), absence=60, pace=LIVE)
    running = Bustle(waiting=[0, 1], awake=True, racing=True, race_goes_on=True)
    stand_in = Due(1050.0, "stand_in", 0)
    assert due_list(table, running, NOW, []) == [stand_in, Due(NOW + BOT_SECONDS, "look")]
    assert due_list(table, running._replace(race_goes_on=False), NOW, []) == [stand_in]


ALL = [Due(1040.0, "stand_in", 2), Due(1030.0, "decide", 0), Due(1005.0, "look", 1), Due(1035.0, "decide", 3)]


def test_the_store_is_told_the_first_of_all() -> None:
    assert next_due(ALL) == 1005.0
    assert next_due([]) is None


def test_the_alarm_is_for_what_no_bot_is_waited_for() -> None:
    assert next_alarm(ALL, NOW) == 1030.0
    assert next_alarm(ALL, 1030.0) == 1035.0, "a time that is up is seen to at once"
    assert next_alarm(ALL[2:3], NOW) is None
    assert next_alarm([Due(1001.0, "close")], NOW) is None, "the sweep closes tables"
    for what in ("deal", "stand_in"):
        assert next_alarm([Due(990.0, what)], NOW) == 990.0


def test_what_is_overdue_is_what_the_alarm_was_for() -> None:
    assert overdue(ALL, 1004.9) == []
    assert overdue(ALL, 1030.0) == [ALL[1], ALL[2]]
    for one in ALL:
        assert overdue([one], one.at) == [one], "no later than the moment itself"
        if one.what != "look":
            assert next_alarm([one], NOW) == one.at == next_due([one])
