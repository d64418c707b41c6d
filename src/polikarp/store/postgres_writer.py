"""Writing into PostgreSQL: all changes that wait go into one transaction (group commit), and the number of statements
does not grow with the group.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

import asyncpg
from asyncpg import Connection

from polikarp.store import Change, CodeTaken, Conflict, StoreDown, TableRow
from polikarp.store.columns import COLUMNS, TABLE_LIST, chat_values, row_values, step_values
from polikarp.store.postgres_connection import Connect, connect_again, judge, let_go
from polikarp.store.postgres_listener import CHANNEL

MOST = 1000  # changes in one group: enough to share a commit, not so many that the first wait long for the last

TYPES = {
    "tables": ["text", "text", "text", "text", "text", "bool", "bigint", "float8", "float8", "bytea", "bytea"],
    "steps": ["text", "bigint", "bigint", "text", "bytea", "bytea", "bool", "float8", "text", "bytea", "bytea"],
    "chat": ["text", "bigint", "bigint", "text", "text", "float8"],
    "sitters": ["text", "text"],
    "servers": ["text", "float8", "bool"],
    "outages": ["float8", "float8"],
    "house": ["text", "text"],
}


def unnested(table: str, first: int = 1) -> str:
    """Rows that are handed over as one array a column, the first of them as the parameter of this number."""
    return f"unnest({', '.join(f'${number}::{kind}[]' for number, kind in enumerate(TYPES[table], first))})"


def insertion(table: str, first: int = 1) -> str:
    return f"INSERT INTO {table} ({', '.join(COLUMNS[table])}) SELECT * FROM {unnested(table, first)}"


def arrays(table: str, rows: Sequence[tuple[object, ...]]) -> list[Sequence[object]]:
    """Rows as one array a column."""
    return [*zip(*rows, strict=True)] or [[] for _ in COLUMNS[table]]


LOCK_TABLES = "SELECT id, version FROM tables WHERE id = ANY($1::text[]) ORDER BY id FOR UPDATE"
INSERT_TABLES = f"{insertion('tables')} ON CONFLICT DO NOTHING RETURNING id"
# All in one statement, because each takes a journey to the server and back.
WRITE = f"""
    WITH
        rewritten AS (
            UPDATE tables SET {", ".join(f"{name} = fresh.{name}" for name in COLUMNS["tables"][1:])}
            FROM {unnested("tables")} AS fresh ({TABLE_LIST}) WHERE tables.id = fresh.id
        ),
        played AS ({insertion("steps", 12)}),
        said AS ({insertion("chat", 23)})
    SELECT pg_notify('{CHANNEL}', news) FROM unnest($29::text[]) AS news
"""


class Waiting(NamedTuple):
    change: Change
    future: asyncio.Future[None]


class Writer:
    """The one connection that changes are written through, and those who wait for it."""

    def __init__(self, connect: Connect, connection: Connection) -> None:
        self._connect = connect
        self._waiting: list[Waiting] = []
        self._wake = asyncio.Event()
        self._closing = False
        self._down: str | None = None  # why nothing can be written now
        self._task = asyncio.create_task(self._run(connection))

    async def write(self, change: Change) -> None:
        if self._down is not None:
            raise StoreDown(self._down)
        waiting = Waiting(change, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        self._wake.set()
        await waiting.future

    async def close(self) -> None:
        """Write what waits, and let go."""
        self._closing = True
        self._wake.set()
        if self._down is not None:
            self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self, connection: Connection) -> None:
        while not self._closing:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                group = self._take()
                try:
                    if connection.is_closed():  # noticed before anything was sent: no reason to fail
                        connection = await self._connect()
                    await self._write(connection, group)
                except Exception as error:
                    self._down = str(judge(error))
                    connection.terminate()
                    for _, future in group + self._waiting:
                        if not future.done():
                            future.set_exception(StoreDown(self._down))
                    self._waiting.clear()
                    if self._closing:
                        return
                    connection = await connect_again(self._connect)
                    self._down = None
        await let_go(connection)

    def _take(self) -> list[Waiting]:
        """The next group: of each table the first change, in the order in which every server locks them."""
        taken: dict[str, Waiting] = {}
        left = []
        for waiting in self._waiting:
            if waiting.change.row.id in taken or len(taken) == MOST:
                left.append(waiting)
            else:
                taken[waiting.change.row.id] = waiting
        self._waiting = left
        return [taken[table_id] for table_id in sorted(taken)]

    async def _write(self, connection: Connection, group: list[Waiting]) -> None:
        """Write a group in one transaction; if that fails for what is in one of the changes, each on its own."""
        outcomes: Sequence[Exception | None]
        try:
            outcomes = await write_changes(connection, [waiting.change for waiting in group])
        except Exception as error:
            failure = judge(error)
            if isinstance(failure, StoreDown) and not isinstance(error, asyncpg.TransactionRollbackError):
                raise
            if len(group) > 1:
                for waiting in group:
                    await self._write(connection, [waiting])
                return
            outcomes = [failure]
        for waiting, outcome in zip(group, outcomes, strict=True):
            if waiting.future.done():
                continue
            if outcome is None:
                waiting.future.set_result(None)
            else:
                waiting.future.set_exception(outcome)


async def write_changes(connection: Connection, changes: Sequence[Change]) -> list[Conflict | None]:
    """Write all changes whose version fits, at most one a table, in one transaction."""
    async with connection.transaction():
        conflicts = await lock_old(connection, [change.row for change in changes if change.row.version != 1])
        conflicts |= await insert_new(connection, [change.row for change in changes if change.row.version == 1])
        written = [change for change in changes if change.row.id not in conflicts]
        if written:
            await connection.execute(
                WRITE,
                *arrays("tables", [row_values(change.row) for change in written if change.row.version != 1]),
                *arrays("steps", [step_values(change.row.id, step) for change in written for step in change.steps]),
                *arrays("chat", [chat_values(change.row.id, said) for change in written for said in change.chat]),
                [f"{change.row.id} {change.row.version}" for change in written],
            )
        seated = {change.row.id: change.sitters for change in written if change.sitters is not None}
        if seated:
            sitters = [(table_id, person) for table_id, people in seated.items() for person in set(people)]
            await connection.execute("DELETE FROM sitters WHERE table_id = ANY($1::text[])", list(seated))
            await connection.execute(insertion("sitters"), *arrays("sitters", sitters))
    return [conflicts.get(change.row.id) for change in changes]


async def lock_old(connection: Connection, rows: Sequence[TableRow]) -> dict[str, Conflict]:
    """Keep tables that are there from being changed by others; says which were."""
    if not rows:
        return {}
    locked = await connection.fetch(LOCK_TABLES, [row.id for row in rows])
    versions: dict[str, int] = dict(map(tuple, locked))
    return {row.id: stale(row) for row in rows if versions.get(row.id) != row.version - 1}


async def insert_new(connection: Connection, rows: Sequence[TableRow]) -> dict[str, Conflict]:
    """Write the rows of new tables; says which can not be."""
    if not rows:
        return {}
    made = {found for (found,) in await connection.fetch(INSERT_TABLES, *arrays("tables", [*map(row_values, rows)]))}
    refused = [row for row in rows if row.id not in made]
    if not refused:
        return {}
    query = "SELECT id FROM tables WHERE id = ANY($1::text[])"
    present = {found for (found,) in await connection.fetch(query, [row.id for row in refused])}
    return {row.id: stale(row) if row.id in present else code_taken(row) for row in refused}


def stale(row: TableRow) -> Conflict:
    return Conflict(f"table {row.id} was changed by somebody else before version {row.version}")


def code_taken(row: TableRow) -> CodeTaken:
    return CodeTaken(f"code {row.code} belongs to another table")
