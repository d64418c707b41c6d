"""Who is connected to a table: the connections through this process, and what the seats say of all servers.

`Viewer` is all that a table and its referee know of a connection.
"""

from __future__ import annotations

from typing import Protocol

from polikarp.server.house import House
from polikarp.server.identity import Person
from polikarp.server.race.latency import Latency
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.document import CLOSED, HALTED, Document

VISIT_SECONDS = 60.0  # for which bots think after somebody looked who keeps no connection: a page without scripts


class Viewer(Protocol):
    """Somebody who looks on through this process."""

    person: Person | None
    address: str
    latency: Latency  # where the first counts
    screen: str  # those who sit at one have one clock
    since: float  # milliseconds
    held_until: float  # nothing new is shown before that

    def wake(self) -> None:
        """Something may be new at the table."""

    def farewell(self) -> None:
        """The server stops."""

    def stuck(self) -> bool:
        """The client has taken nothing for too long."""

    def drop(self) -> None:
        """Give the connection up."""


class Presence:
    """The people at one table, as far as this process knows."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.viewers: set[Viewer] = set()
        self.visited = -VISIT_SECONDS  # when somebody last looked who keeps no connection

    def people(self) -> set[str]:
        """Who is connected through this process."""
        return {viewer.person.id for viewer in self.viewers if viewer.person is not None}

    def servers_of(self, who: Person) -> list[str]:
        """The servers through which somebody is connected: this one, if so."""
        return [self.house.server] if who.id in self.people() else []

    def visit(self) -> None:
        """Somebody looks at the table."""
        self.visited = self.house.clock.now()

    def awake(self, document: Document) -> bool:
        """Whether bots think here: somebody looks on, or somebody who is away has agreed to a clock, which runs on. A
        table that everybody left waits until somebody comes back.
        """
        if self.viewers or self.house.clock.now() - self.visited < VISIT_SECONDS:
            return True
        if any(server in self.house.alive for seat in document.seats for server in seat.servers):
            return True
        return document.pace.kind != "none" and any(seat.person and not seat.held for seat in document.seats)

    def differs(self, document: Document) -> bool:
        """What the seats say is not so: a server is gone, or one was taken for gone."""
        if document.stage in (CLOSED, HALTED):
            return False
        lost = any(server not in self.house.alive for seat in document.seats for server in seat.servers)
        here = self.people()
        return lost or any(seat.person in here and self.house.server not in seat.servers for seat in document.seats)

    def noted(self, moment: Moment, person: str = "", here: bool = False) -> TableChange | None:
        """The seats as they are, after somebody came or went; with nobody named, after a server did."""
        server, alive, people = self.house.server, self.house.alive, self.people()
        draft = moment.draft()
        for seat in draft.seats:
            others = [one for one in seat.servers if one != server and one in alive]
            if seat.person == person:
                seat.servers = [*others, server] if here else others
            elif server in seat.servers or seat.person in people:
                seat.servers = [*others, server]
            else:
                seat.servers = others
            if seat.person:
                seat.away = None if seat.servers else seat.away if seat.away is not None else moment.now
        if draft.seats == moment.document.seats or draft.stage in (CLOSED, HALTED):
            return None
        return TableChange(draft)
