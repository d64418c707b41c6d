"""Who is connected: what the seats say of all servers, who is away, and where bots think."""

from __future__ import annotations

from typing import Any, cast

import pytest

from polikarp.server.identity import Person
from polikarp.server.table.document import CLOSED, HALTED, Pace
from polikarp.server.table.presence import VISIT_SECONDS, Presence
from tests.server.hand_clock import HandClock
from tests.server.moments import ANA, BO, CY, TableInMemory


class Looking:
    """As much of a connection as counts here."""

    def __init__(self, person: Person | None) -> None:
        self.person = person


def at_table(*connected: Person) -> tuple[TableInMemory, Presence]:
    """A table of Ana and Bo, and who is connected through this server."""
    table = TableInMemory("crypt", 3).seat(ANA, BO)
    presence = Presence(table.house)
    for person in connected:
        presence.viewers.add(cast(Any, viewer(person)))
    return table, presence


def viewer(person: Person | None) -> Any:
    return Looking(person)


def servers(table: TableInMemory) -> list[list[str]]:
    return [seat.servers for seat in table.document.seats]


def test_who_comes_is_here_and_who_goes_is_away_from_then_on() -> None:
    table, presence = at_table()
    here, now = table.house.server, table.house.clock.now()
    table.take(presence.noted(table.moment(), ANA.id, here=True))
    assert servers(table) == [[here], [], []]
    assert [seat.away for seat in table.document.seats] == [None, now, None]
    cast(HandClock, table.house.clock).passed += 7
    table.take(presence.noted(table.moment(), ANA.id, here=False))
    assert [seat.away for seat in table.document.seats] == [now + 7, now, None], "not from now on once more"
    assert presence.noted(table.moment(), ANA.id, here=False) is None, "nothing new"


def test_who_is_connected_through_another_server_too_is_not_away() -> None:
    table, presence = at_table()
    table.house.alive.add("other")
    table.document.seats[0].servers = [table.house.server, "other"]
    table.take(presence.noted(table.moment(), ANA.id, here=False))
    assert servers(table)[0] == ["other"]
    assert table.document.seats[0].away is None


def test_people_of_a_server_that_is_gone_are_away() -> None:
    table, presence = at_table()
    table.house.alive.add("other")
    table.document.seats[1].servers = ["other"]
    assert not presence.differs(table.document)
    table.house.alive.discard("other")
    assert presence.differs(table.document)
    table.take(presence.noted(table.moment()))
    assert (servers(table)[1], table.document.seats[1].away) == ([], table.house.clock.now())
    assert not presence.differs(table.document)


def test_who_was_taken_for_gone_is_here_again() -> None:
    """A server that was silent for a while finds its people away."""
    table, presence = at_table(BO)
    assert presence.differs(table.document)
    table.take(presence.noted(table.moment()))
    assert servers(table) == [[], [table.house.server], []]
    assert not presence.differs(table.document)


@pytest.mark.parametrize("stage", [CLOSED, HALTED])
def test_nothing_is_noted_where_nothing_goes_on(stage: str) -> None:
    table, presence = at_table(BO)
    table.document.stage = stage
    assert not presence.differs(table.document)
    assert presence.noted(table.moment()) is None


def test_people_and_the_servers_they_come_through() -> None:
    table, presence = at_table(ANA, ANA)
    presence.viewers.add(viewer(None))
    assert presence.people() == {"ana"}
    assert presence.servers_of(ANA) == [table.house.server]
    assert presence.servers_of(CY) == []


def test_bots_think_while_somebody_looks_on_or_looked_a_moment_ago() -> None:
    table, presence = at_table(CY)
    assert presence.awake(table.document)
    presence.viewers.clear()
    assert not presence.awake(table.document)
    presence.visit()
    assert presence.awake(table.document)
    cast(HandClock, table.house.clock).passed += VISIT_SECONDS
    assert not presence.awake(table.document)


def test_bots_think_for_who_comes_through_another_server_that_lives() -> None:
    table, presence = at_table()
    table.document.seats[0].servers = ["other"]
    assert not presence.awake(table.document)
    table.house.alive.add("other")
    assert presence.awake(table.document)


def test_a_clock_that_somebody_agreed_to_runs_on_without_them() -> None:
    table, presence = at_table()
    table.document.pace = Pace("live", 30)
    assert presence.awake(table.document)
    for seat in table.document.seats:
        seat.held = "random"
    assert not presence.awake(table.document), "bots that hold all seats wait"
