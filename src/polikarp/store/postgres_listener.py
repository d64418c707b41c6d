"""How a server hears what other servers write: a connection on which PostgreSQL calls out every change."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

import asyncpg
from asyncpg import Connection

from polikarp.store.postgres_connection import Connect, connect_again

CHANNEL = "polikarp"
PULSE = 5.0  # seconds between looks at a connection on which nothing is heard

Heard = Callable[[str, int], None]
Lost = Callable[[], None]


class Listener:
    """A connection on which other servers' changes are heard."""

    def __init__(self, connect: Connect, heard: Heard, lost: Lost) -> None:
        self._connect = connect
        self._heard = heard
        self._lost = lost
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def begin(cls, connect: Connect, heard: Heard, lost: Lost) -> Listener:
        listener = cls(connect, heard, lost)
        listener._task = asyncio.create_task(listener._run(await listener._tune_in()))
        return listener

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait([self._task])

    async def _tune_in(self) -> Connection:
        connection = await self._connect()
        try:
            await connection.add_listener(CHANNEL, self._hear)
        except BaseException:
            connection.terminate()
            raise
        return connection

    def _hear(self, _connection: Connection, _pid: int, _channel: str, payload: str) -> None:
        table_id, _, version = payload.rpartition(" ")
        self._heard(table_id, int(version))

    async def _run(self, connection: Connection) -> None:
        while True:
            try:
                await listen_out(connection)
            finally:
                connection.terminate()
            connection = await connect_again(self._tune_in)
            asyncio.get_running_loop().call_soon(self._lost)


async def listen_out(connection: Connection) -> None:
    """Return when the connection is dead. It can die without a word, so it is tried now and then."""
    ended = asyncio.Event()
    connection.add_termination_listener(lambda _connection: ended.set())
    while not connection.is_closed():
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PULSE):
                await ended.wait()
        try:
            await connection.execute("SELECT 1")
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
            return
