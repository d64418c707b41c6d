"""Both kinds of store keep the same columns, and rows fit into them."""

from __future__ import annotations

import contextlib
import sqlite3

import asyncpg
import msgspec

from polikarp.store import ChatRow, StepRow, TableRow
from polikarp.store.columns import COLUMNS
from polikarp.store.postgres_writer import TYPES
from tests.store.rows import opened


async def test_both_kinds_of_store_have_the_columns_of_the_rows(sqlite_place: str, postgres_place: str) -> None:
    async with opened(sqlite_place), opened(postgres_place):
        pass
    with contextlib.closing(sqlite3.connect(sqlite_place)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        in_sqlite = {
            table: tuple(row[1] for row in connection.execute(f"PRAGMA table_info({table})")) for table in tables
        }
    connection = await asyncpg.connect(postgres_place)
    try:
        rows = await connection.fetch(
            "SELECT table_name, column_name FROM information_schema.columns "
            "WHERE table_schema = 'public' ORDER BY table_name, ordinal_position"
        )
    finally:
        await connection.close()
    in_postgres: dict[str, tuple[str, ...]] = {}
    for table, column in rows:
        in_postgres[table] = (*in_postgres.get(table, ()), column)
    assert in_sqlite == in_postgres == COLUMNS | {"schema_steps": ("number", "name")}
    assert {table: len(kinds) for table, kinds in TYPES.items()} == {t: len(c) for t, c in COLUMNS.items()}
    assert msgspec.structs.fields(TableRow)[0].name == "id"
    for row, table in ((TableRow, "tables"), (StepRow, "steps"), (ChatRow, "chat")):
        names = tuple(field.name for field in msgspec.structs.fields(row))
        assert names == COLUMNS[table][-len(names) :]
