"""Connections to PostgreSQL as the tests need them: beside a store, through a relay that can fall silent, and to one
that is stopped.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from polikarp.store import Conflict, Store, StoreDown, StoreError
from polikarp.store.opening import open_store
from tests.store.postgres_server import PostgresServer
from tests.store.rows import PATIENCE, turn


@asynccontextmanager
async def connection_to(url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(url)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def stopped(postgres: PostgresServer, mode: str = "fast") -> AsyncIterator[None]:
    await asyncio.to_thread(postgres.stop, mode)
    try:
        yield
    finally:
        await asyncio.to_thread(postgres.start)


async def until_blocked(connection: asyncpg.Connection) -> None:
    """Until somebody waits for a lock."""
    while not await connection.fetchval("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"):
        await asyncio.sleep(0.01)


async def commit_when_up(store: Store, table: str, version: int) -> None:
    """Commit as a server would: again and again while the store is down, and knowing that it may have been written."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await store.commit(turn(table, version))
            except StoreDown:
                await asyncio.sleep(0.02)
            except Conflict:
                return
            else:
                return


class Relay:
    """Stands between a store and PostgreSQL, and can fall silent: connections stay open, and nothing comes through."""

    def __init__(self, url: str) -> None:
        self._address, _, self._database = url.rpartition("/")
        self._ways: list[asyncio.Task[None]] = []
        self._ends: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.fall_silent()
        await asyncio.gather(*self._ways, return_exceptions=True)
        for end in self._ends:
            end.close()
        await asyncio.gather(*(end.wait_closed() for end in self._ends), return_exceptions=True)

    @property
    def url(self) -> str:
        port = self._server.sockets[0].getsockname()[1]
        return f"{self._address.rpartition(':')[0]}:{port}/{self._database}"

    def fall_silent(self) -> None:
        """All connections that there are, but not those that are made later."""
        for task in self._ways:
            task.cancel()

    async def _connect(self, near_in: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        port = int(self._address.rpartition(":")[2])
        far_in, far_out = await asyncio.open_connection("127.0.0.1", port)
        self._ends += [near_out, far_out]
        self._ways.append(asyncio.create_task(pass_on(near_in, far_out)))
        self._ways.append(asyncio.create_task(pass_on(far_in, near_out)))


async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while some := await source.read(65536):
        target.write(some)
    target.close()


async def refusal(url: str, reading: bool = False) -> str:
    with pytest.raises(StoreError) as refused:
        await open_store(url, reading).start()
    said = str(refused.value)
    assert "\n" not in said
    assert refused.value.__cause__ is None
    return said
