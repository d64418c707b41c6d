"""Tables in PostgreSQL, for houses that outgrow one file or one machine: any number of servers share them.

Changes are written in groups by one connection, readings go through a small pool, and one more connection hears of
what other servers write.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import asyncpg
from asyncpg import Connection, Record

from polikarp.store import GAP, REMEMBERED, Batch, Beat, Change, Loaded, Outage, StoreDown, StoreError, TableRow
from polikarp.store.backup import MANY, write_backup
from polikarp.store.columns import (
    CHAT_LIST,
    COLUMNS,
    STEP_LIST,
    TABLE_LIST,
    can_be_stored,
    make_chat,
    make_row,
    make_step,
)
from polikarp.store.postgres_connection import Database, explain, judged, let_go
from polikarp.store.postgres_listener import Listener
from polikarp.store.postgres_writer import TYPES, Writer, insertion
from polikarp.store.schema import missing_steps, raise_postgres, taken_in_postgres

CLOSING = 5.0  # seconds for readings to end
BEATING = 0x706F6C6A  # the advisory lock under which servers note their beats one after the other

READ_TABLE = f"""
    SELECT {TABLE_LIST},
        ARRAY(SELECT ROW ({STEP_LIST}) FROM steps WHERE table_id = tables.id AND number >= $2 ORDER BY number),
        ARRAY(SELECT ROW ({CHAT_LIST}) FROM chat WHERE table_id = tables.id AND number >= $3 ORDER BY number)
    FROM tables WHERE id = $1
"""


class PostgresStore:
    """A store in a PostgreSQL database. With `reading`, nothing in it is changed."""

    def __init__(self, url: str, reading: bool = False) -> None:
        self._database = Database(url, reading)
        self._place = self._database.place
        self._reading = reading
        self._pool: asyncpg.Pool | None = None
        self._writer: Writer | None = None
        self._listeners: list[Listener] = []

    async def start(self) -> None:
        try:
            connection = await self._database.connect_writer()
            try:
                if not self._reading:
                    await raise_postgres(connection, self._place)
                elif missing_steps("postgresql", await taken_in_postgres(connection), self._place):
                    raise StoreError(f"{self._place} is not up to date: start the server on it once")
                self._pool = await self._database.open_pool()
            except BaseException:
                connection.terminate()
                raise
        except (
            asyncpg.PostgresError,
            asyncpg.InterfaceError,
            asyncpg.InternalClientError,
            OSError,
            ValueError,
        ) as error:
            # Not even the cause is shown: its text may hold a part of the password.
            raise StoreError(explain(error, self._place)) from None
        self._writer = Writer(self._database.connect_writer, connection)

    async def close(self) -> None:
        for listener in self._listeners:
            await listener.close()
        self._listeners.clear()
        if self._writer is not None:
            await self._writer.close()
            self._writer = None
        if self._pool is not None:
            pool, self._pool = self._pool, None
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CLOSING):
                    await pool.close()

    async def commit(self, change: Change) -> None:
        self._must_write()
        if self._writer is None:
            raise StoreDown(f"{self._place} is not open")
        await self._writer.write(change)

    async def read(self, table_id: str, steps_from: int = 0, chat_from: int = 0) -> Loaded | None:
        if not can_be_stored(table_id):
            return None
        # One statement sees one moment.
        found = await self._fetch(READ_TABLE, table_id, steps_from, chat_from)
        if not found:
            return None
        *row, steps, chat = found[0]
        return Loaded(row=make_row(row), steps=[*map(make_step, steps)], chat=[*map(make_chat, chat)])

    async def find_code(self, code: str) -> str | None:
        if not can_be_stored(code):
            return None
        found = await self._fetch("SELECT id FROM tables WHERE code = $1", code)
        return str(found[0][0]) if found else None

    async def list_stage(self, stage: str, public: bool | None, limit: int) -> list[TableRow]:
        query = f"""
            SELECT {TABLE_LIST} FROM tables WHERE stage = $1 AND ($2::bool IS NULL OR public = $2)
            ORDER BY changed DESC, id DESC LIMIT $3
        """
        return [make_row(row) for row in await self._fetch(query, stage, public, limit)]

    async def list_of(self, person: str, limit: int) -> list[TableRow]:
        if not can_be_stored(person):
            return []
        query = f"""
            SELECT {TABLE_LIST} FROM tables WHERE id IN (SELECT table_id FROM sitters WHERE person = $1)
            ORDER BY changed DESC, id DESC LIMIT $2
        """
        return [make_row(row) for row in await self._fetch(query, person, limit)]

    async def list_due(self, now: float, limit: int) -> list[str]:
        query = "SELECT id FROM tables WHERE due <= $1 ORDER BY due, id LIMIT $2"
        return [table_id for (table_id,) in await self._fetch(query, now, limit)]

    async def list_ids(self, after: str, limit: int) -> list[str]:
        query = "SELECT id FROM tables WHERE id > $1 ORDER BY id LIMIT $2"
        return [table_id for (table_id,) in await self._fetch(query, after, limit)]

    async def beat(self, server: str, now: float) -> Beat:
        self._must_write()
        async with self._transaction() as connection:
            return await note_beat(connection, server, now)

    async def leave(self, server: str, now: float) -> None:
        self._must_write()
        async with self._transaction() as connection:
            await connection.execute("UPDATE servers SET beat = $2, gone = true WHERE id = $1", server, now)

    async def keep(self, name: str, value: str) -> str:
        self._must_write()
        async with self._transaction() as connection:
            await connection.execute("INSERT INTO house VALUES ($1, $2) ON CONFLICT DO NOTHING", name, value)
            return str(await connection.fetchval("SELECT value FROM house WHERE name = $1", name))

    async def listen(self, heard: Callable[[str, int], None], lost: Callable[[], None]) -> None:
        with judged():
            self._listeners.append(await Listener.begin(self._database.connect, heard, lost))

    async def backup(self, path: Path) -> int:
        with judged():
            connection = await self._database.connect()
            try:
                async with connection.transaction(isolation="repeatable_read", readonly=True):
                    return await write_backup(path, read_all(connection))
            finally:
                await let_go(connection)

    async def fill(self, batches: Iterable[Batch]) -> None:
        self._must_write()
        async with self._transaction() as connection:
            await connection.execute(f"LOCK TABLE {', '.join(COLUMNS)} IN EXCLUSIVE MODE")
            for table in COLUMNS:
                if await connection.fetchval(f"SELECT EXISTS (SELECT 1 FROM {table})"):
                    raise StoreError(f"{self._place} is not empty: a backup goes into a new store only")
            for table, rows in batches:
                columns = zip(TYPES[table], zip(*rows, strict=True), strict=True)
                # SQLite, where a backup comes from, has 0 and 1 for truth values.
                values = [[*map(bool, column)] if kind == "bool" else column for kind, column in columns]
                await connection.execute(insertion(table), *values)

    def _must_write(self) -> None:
        if self._reading:
            raise StoreError(f"{self._place} is open for reading only")

    async def _fetch(self, query: str, *values: object) -> list[Record]:
        if self._pool is None:
            raise StoreDown(f"{self._place} is not open")
        with judged():
            found: list[Record] = await self._pool.fetch(query, *values)
        return found

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncIterator[Connection]:
        if self._pool is None:
            raise StoreDown(f"{self._place} is not open")
        with judged():
            async with self._pool.acquire() as connection, connection.transaction():
                yield connection


async def note_beat(connection: Connection, server: str, now: float) -> Beat:
    await connection.execute("SELECT pg_advisory_xact_lock($1)", BEATING)
    servers = await connection.fetch("SELECT id, beat, gone FROM servers")
    alive = {name for name, beat, gone in servers if not gone and abs(now - beat) <= GAP}
    last = max((beat for _, beat, _ in servers if beat < now), default=None)
    if not alive and last is not None:
        await connection.execute("INSERT INTO outages VALUES ($1, $2) ON CONFLICT DO NOTHING", last, now)
    await connection.execute(
        """
            INSERT INTO servers (id, beat, gone) VALUES ($1, $2, false)
            ON CONFLICT (id) DO UPDATE SET beat = excluded.beat, gone = excluded.gone
        """,
        server,
        now,
    )
    await connection.execute("DELETE FROM outages WHERE ended < $1", now - REMEMBERED)
    await connection.execute("DELETE FROM servers WHERE beat < $1", now - REMEMBERED)
    outages = await connection.fetch("SELECT began, ended FROM outages ORDER BY began, ended")
    return Beat(sorted(alive | {server}), [Outage(began, ended) for began, ended in outages])


async def read_all(connection: Connection) -> AsyncIterator[Batch]:
    for table, columns in COLUMNS.items():
        cursor = await connection.cursor(f"SELECT {', '.join(columns)} FROM {table}")
        while rows := await cursor.fetch(MANY):
            yield Batch(table, [*map(tuple, rows)])
