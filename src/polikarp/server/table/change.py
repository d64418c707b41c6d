"""What a command is given of a table, and what it makes of it. Both are plain data, so that commands and moves can be
worked out without a store, and written whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from polikarp.engine.game import Game
from polikarp.engine.state import Cut, State
from polikarp.engine.table import Table
from polikarp.server import messages as say
from polikarp.server.house import House
from polikarp.server.table.document import Document, draft_of, seat_names
from polikarp.server.table.history import Entry
from polikarp.store import ChatRow, Outage, StepRow


class Moment(NamedTuple):
    """A table at the moment at which something is done to it."""

    house: House
    id: str
    document: Document
    game: Game
    table: Table | None  # the engine's, once it is dealt
    step_count: int
    chat_count: int
    marks: set[tuple[int, str]]  # of moves: seat and the message's id
    now: float
    outages: Sequence[Outage]

    def draft(self) -> Document:
        return draft_of(self.document)

    def names(self) -> list[str]:
        return seat_names(self.document)

    def since_deal(self) -> int:
        """Milliseconds."""
        return max(0, int((self.now - (self.document.began or 0)) * 1000))


class TableChange(NamedTuple):
    """What is to be written, and what is then so. Without a document nothing changes."""

    document: Document | None = None
    done: say.Done | None = None  # the answer to whoever wanted it
    step: StepRow | None = None
    entry: Entry | None = None  # the same for the log
    state: State | None = None  # the position afterwards
    cuts: Sequence[Cut] = ()  # moments on the way there, for whoever looks on now
    accept: Callable[[], None] | None = None  # makes it the position of the engine's table
    deals: Table | None = None
    chat: ChatRow | None = None
    everybody: bool = True  # everybody sees that something happened; else the document says who does
    opens: Document | None = None  # another table, for the same people: its id becomes `following`
