"""Where tables are kept, so that they outlive the process: rows, and the one protocol that every store speaks.

A store knows no game and no seat. It keeps, for each table, one row (its body and its present state as bytes), the
steps that were played (the truth) and the chat; and it writes each change of a table whole or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

GAP = 5.0  # seconds without a sign of life after which a server is taken for dead
REMEMBERED = 60 * 86400.0  # seconds for which outages are kept


class TableRow(msgspec.Struct, frozen=True, kw_only=True):
    """One table as it is now."""

    id: str  # unguessable: whoever knows it may come in
    code: str | None  # a short name for reading aloud, while people can still join
    game: str
    rules: str  # the mark of the rules it was dealt under
    stage: str
    public: bool
    version: int  # 1 for a new table, one more with every change
    changed: float  # when all could see something new there; seconds since 1970, like all times here
    due: float | None  # when something is to happen even if nobody comes
    body: bytes
    state: bytes | None


class StepRow(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a table's history: the deal (number 0, seat -1, no move), a move, or the taking back of one."""

    number: int
    seat: int
    move: str | None  # None takes the last move back; the deal is ""
    drawn: list[int]
    events: bytes
    sealed: bool
    at: float
    mark: str  # the sender's name for the message, so that one sent again is not played again (idempotency key)
    strip: bytes | None = None  # of the race that a move ended
    thoughts: bytes | None = None  # of the bot that made a move: for nobody before the end


class ChatRow(msgspec.Struct, frozen=True, kw_only=True):
    number: int  # from 0, without gaps
    seat: int | None
    name: str
    text: str
    at: float


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What one transaction writes. The row's version is one higher than the stored one, or 1 for a new table."""

    row: TableRow
    steps: list[StepRow] = []  # new ones
    chat: list[ChatRow] = []  # new ones
    sitters: list[str] | None = None  # everybody who sits there; None: as before


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    row: TableRow
    steps: list[StepRow]
    chat: list[ChatRow]


class Outage(msgspec.Struct, frozen=True):
    """A time in which no server ran."""

    began: float
    ended: float


class Beat(msgspec.Struct, frozen=True):
    """The answer to a server's sign of life: which servers are alive (the asking one too), and when none was."""

    alive: list[str]
    outages: list[Outage]


class Batch(NamedTuple):
    """Some rows of one of the store's tables as they are, column by column: what backups are made of."""

    table: str
    rows: list[tuple[object, ...]]


class Conflict(Exception):
    """Somebody else changed the table first; nothing was written. Read it again."""


class CodeTaken(Conflict):
    """The short code belongs to another table; nothing was written. Choose another code."""


class StoreDown(Exception):
    """The store can not be reached or written now. Whether the change was written is not known."""


class StoreError(Exception):
    """The store can not be used as it is: the text says in one line what to do."""


class Store(Protocol):
    """What the server asks of a store. Every method that writes is durable when it returns."""

    async def start(self) -> None:
        """Open, and bring the schema up to date. Raises `StoreError`."""

    async def close(self) -> None:
        """Finish what was begun, and let go."""

    async def commit(self, change: Change) -> None:
        """Write one change, whole or not at all. Raises `Conflict`, `CodeTaken` or `StoreDown`; and `ValueError` for
        what no store can take, such as a step whose number is there already."""

    async def read(self, table_id: str, steps_from: int = 0, chat_from: int = 0) -> Loaded | None:
        """A table with its steps and chat from these numbers on, all of one moment."""

    async def find_code(self, code: str) -> str | None:
        """The id of the table with this short code."""

    async def list_stage(self, stage: str, public: bool | None, limit: int) -> list[TableRow]:
        """Tables in a stage, the newest first."""

    async def list_of(self, person: str, limit: int) -> list[TableRow]:
        """Tables at which somebody sits, the newest first."""

    async def list_due(self, now: float, limit: int) -> list[str]:
        """Ids of tables whose time has come, the longest overdue first."""

    async def list_ids(self, after: str, limit: int) -> list[str]:
        """Ids of all tables in order, after the given one: for going through everything in parts."""

    async def beat(self, server: str, now: float) -> Beat:
        """A sign of life of a server. If no server was alive until now, that time is noted as an outage."""

    async def leave(self, server: str, now: float) -> None:
        """A server stops in good order."""

    async def keep(self, name: str, value: str) -> str:
        """Write down a fact about this house, if it is not there yet; says what is there."""

    async def listen(self, heard: Callable[[str, int], None], lost: Callable[[], None]) -> None:
        """From now on `heard(table, version)` is called for every change by another server (and perhaps for one's
        own); `lost()` when some may have been missed. Both are called in the event loop's thread."""

    async def backup(self, path: Path) -> int:
        """Copy everything, as of one moment, into a new SQLite file; says how many tables there are."""

    async def fill(self, batches: Iterable[Batch]) -> None:
        """Take over everything from another store, whole or not at all. Raises `StoreError` unless empty."""
