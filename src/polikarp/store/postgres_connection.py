"""Connections to PostgreSQL: how they are made, made again (reconnect) and let go, and what their failures mean."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import asyncpg
from asyncpg import Connection

from polikarp.store import CodeTaken, StoreDown

PATIENCE = 10.0  # seconds for anything that is asked of PostgreSQL: connecting, or one statement
SOONEST, LATEST = 0.1, 2.0  # seconds between attempts to connect again

Connect = Callable[[], Awaitable[Connection]]


class Database:
    """Where a database is, and how to connect to it."""

    def __init__(self, url: str, reading: bool) -> None:
        self._url = url
        self._reading = reading
        self.place = name_place(url)

    async def connect(self) -> Connection:
        return await asyncpg.connect(self._url, **self._manner())

    async def connect_writer(self) -> Connection:
        # A server that freezes in the middle of writing does not keep its tables locked.
        settings = self._manner(idle_in_transaction_session_timeout=f"{PATIENCE:.0f}s")
        return await asyncpg.connect(self._url, **settings)

    async def open_pool(self) -> asyncpg.Pool:
        return await asyncpg.create_pool(self._url, min_size=1, max_size=4, reset=leave_as_is, **self._manner())

    def _manner(self, **settings: str) -> dict[str, Any]:
        settings |= {"application_name": "polikarp", "synchronous_commit": "on"}
        if self._reading:
            settings["default_transaction_read_only"] = "on"
        return {"timeout": PATIENCE, "command_timeout": PATIENCE, "server_settings": settings}


async def leave_as_is(_connection: Connection) -> None:
    """Nothing that is done through the pool leaves traces in the session, so that there is nothing to reset."""


async def connect_again(connect: Connect) -> Connection:
    pause = SOONEST
    while True:
        try:
            return await connect()
        except Exception:  # whatever it is: it may be over in a moment
            await asyncio.sleep(pause)
        pause = min(2 * pause, LATEST)


async def let_go(connection: Connection) -> None:
    """Close in good order; a dead one is let go all the same."""
    with contextlib.suppress(asyncpg.PostgresError, asyncpg.InterfaceError, OSError):
        await connection.close(timeout=PATIENCE)


@contextlib.contextmanager
def judged() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        failure = judge(error)
        if failure is error:
            raise
        raise failure from error


def judge(error: Exception) -> Exception:
    """What a failure means to those who wait."""
    match error:
        case asyncpg.UniqueViolationError(constraint_name="tables_code"):
            return CodeTaken("the code belongs to another table")
        case ValueError() | OverflowError() | asyncpg.DataError() | asyncpg.IntegrityConstraintViolationError():
            return ValueError(line_of(error))
        case asyncpg.PostgresError() | asyncpg.InterfaceError() | asyncpg.InternalClientError() | OSError():
            return StoreDown(f"PostgreSQL can not be reached or written: {line_of(error)}")
        case _:
            return error


def line_of(error: Exception) -> str:
    return str(error).partition("\n")[0] or type(error).__name__


def explain(error: Exception, place: str) -> str:
    """Why a store can not be started, and what to do."""
    match error:
        case ValueError():
            return (
                "the address of PostgreSQL is not understood: write postgresql://USER:PASSWORD@HOST:PORT/DATABASE, "
                "with %40 for an @ in the password"
            )
        case asyncpg.InvalidAuthorizationSpecificationError():
            return f"{place} does not let this user in: look at the user and the password in the address"
        case asyncpg.InvalidCatalogNameError():
            return f"{place} has no such database: make it first, with createdb"
        case asyncpg.DuplicateTableError():
            return f"{place} holds tables of another program: make a database for polikarp alone"
        case OSError():
            return f"{place} can not be reached: is it running? ({line_of(error)})"
        case _:
            return f"{place} can not be used: {line_of(error)}"


def name_place(url: str) -> str:
    """How an address is called in messages: host, port and database, and never a part of what may be the password."""
    address = re.fullmatch(r"\w+://(?:[^?]*@)?([\w.-]*(?::\d+)?/[\w.-]*)(?:\?[^@]*)?", url)
    return f"PostgreSQL at {address[1]}" if address else "PostgreSQL"
