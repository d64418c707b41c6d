"""Tables at one moment, in memory only: what commands and moves are worked out from, without a store or a socket."""

from __future__ import annotations

from typing import Any, cast

from polikarp.games import all_games
from polikarp.server.denied import Denied
from polikarp.server.house import House
from polikarp.server.identity import Person, Signer
from polikarp.server.limits import Limits
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.document import Document
from polikarp.server.table.opening import new_document
from tests.server.bids import BidsGame
from tests.server.hand_clock import HandClock

ANA, BO, CY = Person("ana", "Ana"), Person("bo", "Bo"), Person("cy", "Cy")


def a_house(limits: Limits | None = None, public_url: str = "") -> House:
    """A server process that keeps nothing."""
    games = {**all_games(), "bids": BidsGame()}
    nothing = cast(Any, None)
    return House(
        nothing, games, nothing, Signer(bytes(32)), public_url=public_url, clock=HandClock(), limits=limits or Limits()
    )


class TableInMemory:
    """A table that becomes what each change makes of it. Its owner is Ana."""

    def __init__(self, game: str, seats: int, house: House | None = None) -> None:
        self.house = house or a_house()
        self.game = self.house.games[game]
        options: dict[str, Any] = {option.name: option.default for option in self.game.options}
        self.document: Document = new_document(self.game, options, seats, self.house.clock.now())
        self.document.owner, self.document.stand_in = ANA.id, "random"
        self.changes: list[TableChange] = []
        self.table: Any = None

    def seat(self, *people: Person) -> TableInMemory:
        for seat, person in zip(self.document.seats, people, strict=False):
            seat.person, seat.name = person.id, person.name
        return self

    def moment(self) -> Moment:
        marks = {(one.step.seat, one.step.mark) for one in self.changes if one.step is not None and one.step.mark}
        return Moment(
            house=self.house,
            id="here",
            document=self.document,
            game=self.game,
            table=self.table,
            step_count=sum(one.step is not None for one in self.changes),
            chat_count=sum(one.chat is not None for one in self.changes),
            marks=marks,
            now=self.house.clock.now(),
            outages=[],
        )

    def take(self, change: TableChange | None) -> TableChange:
        assert change is not None
        if change.document is not None:
            self.changes.append(change)
            self.document = change.document
        if change.deals is not None:
            self.table = change.deals
        if change.accept is not None:
            change.accept()
        return change


def key_of(denied: Denied) -> str:
    return denied.refusal.key
