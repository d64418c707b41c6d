"""The schema: the same in both stores, taken step by step, and refused where it is ahead of the program."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

import asyncpg
import pytest

from polikarp.store import Change, StoreError, schema
from polikarp.store.backup import restore
from polikarp.store.columns import row_values, step_values
from polikarp.store.opening import open_store
from polikarp.store.schema import SchemaStep, read_steps
from tests.store.rows import opened, step, turn, whole


def test_both_kinds_of_store_take_the_same_steps() -> None:
    steps = {kind: [(step.number, step.name) for step in read_steps(kind)] for kind in ("sqlite", "postgresql")}
    assert steps["sqlite"] == steps["postgresql"]
    assert [number for number, _ in steps["sqlite"]] == list(range(1, len(steps["sqlite"]) + 1))


async def test_questions_are_answered_from_an_index(sqlite_place: str) -> None:
    async with opened(sqlite_place):
        pass
    with contextlib.closing(sqlite3.connect(sqlite_place)) as connection:
        for question, index in (
            ("SELECT id FROM tables WHERE due <= 1 ORDER BY due, id", "tables_due"),
            ("SELECT * FROM tables WHERE stage = 'open' ORDER BY changed DESC, id DESC", "tables_stage"),
            ("SELECT id FROM tables WHERE code = 'x'", "tables_code"),
            ("SELECT table_id FROM sitters WHERE person = 'x'", "sitters_person"),
        ):
            (plan,) = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {question}")]
            assert f"INDEX {index} (" in plan, "a search, and no sorting after it"


async def test_a_store_of_a_newer_program_is_refused(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_next(kind: str) -> list[SchemaStep]:
        return [*steps[kind], SchemaStep(99, "099-future.sql", "CREATE TABLE future (day TEXT)")]

    steps = {kind: read_steps(kind) for kind in ("sqlite", "postgresql")}
    with monkeypatch.context() as newer:
        newer.setattr(schema, "read_steps", with_next)
        async with opened(place) as store:
            await store.commit(turn("a", 1))
            await store.backup(tmp_path / "newer.db")
    for reading in (False, True):
        with pytest.raises(StoreError, match=r"was written by a newer polikarp \(schema 99\): update this one"):
            await open_store(place, reading).start()
    async with opened(tmp_path / "empty.db") as empty:
        with pytest.raises(StoreError, match="newer polikarp"):
            await restore(tmp_path / "newer.db", empty)


async def test_an_older_store_is_brought_up_to_date_and_an_older_backup_fits(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def with_next(kind: str) -> list[SchemaStep]:
        return [
            *steps[kind],
            SchemaStep(90, "090-guests.sql", "CREATE TABLE guests (name TEXT);"),
            SchemaStep(91, "091-more.sql", "INSERT INTO guests VALUES ('Ola')"),
        ]

    steps = {kind: read_steps(kind) for kind in ("sqlite", "postgresql")}
    async with opened(place) as store:
        await store.commit(turn("a", 1))
        await store.backup(tmp_path / "older.db")
    monkeypatch.setattr(schema, "read_steps", with_next)
    with pytest.raises(StoreError, match="is not up to date: start the server on it once"):
        await open_store(place, reading=True).start()
    for _ in range(2):  # the second time there is nothing to do
        async with opened(place) as store:
            assert whole(await store.read("a"))
    async with opened(place, reading=True), opened(tmp_path / "moved.db") as moved:
        assert await restore(tmp_path / "older.db", moved) == 1
        assert whole(await moved.read("a"))
    with contextlib.closing(sqlite3.connect(tmp_path / "older.db")) as untouched:
        assert untouched.execute("SELECT max(number) FROM schema_steps").fetchone() < (90,)


async def test_steps_from_before_there_were_thoughts_have_none(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change = turn("a", 1)
    row = step_values("a", change.steps[0])
    with monkeypatch.context() as older:
        older.setattr(schema, "read_steps", lambda kind: read_steps(kind)[:2])
        async with opened(place):
            pass
    if place.startswith("postgresql"):
        connection = await asyncpg.connect(place)
        await connection.execute(f"INSERT INTO tables VALUES ({marks(11)})", *row_values(change.row))
        await connection.execute(f"INSERT INTO steps VALUES ({marks(10)})", *row[:-1])
        await connection.close()
    else:
        with contextlib.closing(sqlite3.connect(place)) as connection, connection:
            connection.execute(f"INSERT INTO tables VALUES ({', '.join('?' * 11)})", row_values(change.row))
            connection.execute(f"INSERT INTO steps VALUES ({', '.join('?' * 10)})", row[:-1])
    async with opened(place) as store:
        loaded = await store.read("a")
        assert loaded is not None
        assert loaded.steps == change.steps
        await store.commit(Change(row=turn("a", 2).row, steps=[step(1, thoughts=b"thoughts")]))
        loaded = await store.read("a")
    assert loaded is not None
    assert [one.thoughts for one in loaded.steps] == [None, b"thoughts"]


def marks(count: int) -> str:
    return ", ".join(f"${number}" for number in range(1, count + 1))


async def test_a_step_that_fails_leaves_nothing(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = SchemaStep(90, "090-guests.sql", "CREATE TABLE guests (name TEXT); INSERT INTO nowhere VALUES (1);")
    mended = SchemaStep(90, "090-guests.sql", "CREATE TABLE guests (name TEXT);")
    steps = {kind: read_steps(kind) for kind in ("sqlite", "postgresql")}
    async with opened(place) as store:
        await store.commit(turn("a", 1))
    monkeypatch.setattr(schema, "read_steps", lambda kind: [*steps[kind], broken])
    for _ in range(2):
        with pytest.raises(StoreError, match="nowhere"):
            await open_store(place).start()
    monkeypatch.setattr(schema, "read_steps", lambda kind: [*steps[kind], mended])
    async with opened(place) as store:
        assert whole(await store.read("a"))
