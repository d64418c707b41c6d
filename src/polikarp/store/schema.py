"""The schema of both stores: numbered SQL steps in `schema/sqlite` and `schema/postgresql`, the same steps in each.

A store that is opened gets the steps that it lacks (migration), in order, each in one transaction with the note that
it was taken. A step that was once released is never edited: what changes later is a new step.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from polikarp.store import StoreError

if TYPE_CHECKING:
    from asyncpg import Connection

TURN = 0x706F6C69  # the advisory lock under which servers that start at once take the steps one after the other
PATIENCE = 3600.0  # seconds that a step may take in a big house


class SchemaStep(NamedTuple):
    number: int
    name: str
    sql: str


def read_steps(kind: str) -> list[SchemaStep]:
    """All steps for `sqlite` or `postgresql`, in order."""
    found = [file for file in files(__package__).joinpath("schema", kind).iterdir() if file.name.endswith(".sql")]
    return sorted(SchemaStep(int(file.name[:3]), file.name, file.read_text("utf-8")) for file in found)


def missing_steps(kind: str, taken: Iterable[int], place: str) -> list[SchemaStep]:
    """The steps that a store lacks. A store that is ahead of this program is left alone."""
    steps = read_steps(kind)
    taken = set(taken)
    if max(taken, default=0) > steps[-1].number:
        raise StoreError(f"{place} was written by a newer polikarp (schema {max(taken)}): update this one")
    return [step for step in steps if step.number not in taken]


def taken_in_sqlite(connection: sqlite3.Connection, place: str) -> list[int]:
    """The numbers of the steps that a SQLite file has seen; none for a new one."""
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "schema_steps" in present:
        return [number for (number,) in connection.execute("SELECT number FROM schema_steps")]
    if present:
        raise StoreError(f"{place} is a database of another program: choose another file")
    return []


def raise_sqlite(connection: sqlite3.Connection, place: str) -> None:
    """Bring a SQLite file up to date."""
    for step in missing_steps("sqlite", taken_in_sqlite(connection, place), place):
        noted = f"INSERT INTO schema_steps (number, name) VALUES ({step.number}, '{step.name}');"
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{step.sql}\n;\n{noted}\nCOMMIT;")
        except sqlite3.Error:
            connection.rollback()
            raise


async def taken_in_postgres(connection: Connection) -> list[int]:
    """The numbers of the steps that a PostgreSQL database has seen; none for a new one."""
    if await connection.fetchval("SELECT to_regclass('schema_steps')") is None:
        return []
    return [number for (number,) in await connection.fetch("SELECT number FROM schema_steps")]


async def raise_postgres(connection: Connection, place: str) -> None:
    """Bring a PostgreSQL database up to date."""
    going = True
    while going:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", TURN, timeout=PATIENCE)
            steps = missing_steps("postgresql", await taken_in_postgres(connection), place)
            for step in steps[:1]:
                await connection.execute(step.sql, timeout=PATIENCE)
                await connection.execute(
                    "INSERT INTO schema_steps (number, name) VALUES ($1, $2)", step.number, step.name
                )
            going = len(steps) > 1
