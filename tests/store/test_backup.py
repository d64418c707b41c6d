"""Backups: of one moment while writing goes on, never half and never over another file, and the way back."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from polikarp.store import Batch, Change, Store, StoreError, backup
from polikarp.store import postgres as postgres_store
from polikarp.store.backup import restore
from polikarp.store.columns import COLUMNS
from tests.store.rows import line, opened, outcomes, step, table, turn, until, whole

Contents = dict[str, list[tuple[Any, ...]]]


def contents(path: str | Path) -> Contents:
    """All rows of a SQLite store."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {
            name: sorted(connection.execute(f"SELECT {', '.join(columns)} FROM {name}"), key=repr)
            for name, columns in COLUMNS.items()
        }


async def furnish(store: Store) -> None:
    """A bit of everything that a store can hold."""
    await outcomes(store, *(turn(f"t{number:04}", 1, code=f"CODE{number}", state=b"\0\1") for number in range(1200)))
    await store.commit(
        Change(
            row=table("t0007", 2, public=False, due=1e9 + 0.1, body=b"\xff" * 100_000, changed=0.1 + 0.2),
            steps=[step(1, move=None, drawn=[], sealed=True, mark=""), step(2, move="", seat=-1)],
            chat=[line(1, seat=None, name="Żółw", text="„𝄞”\n")],
            sitters=["ola", "jan"],
        )
    )
    await store.beat("one", 100.0)
    await store.beat("one", 200.25)
    await store.leave("one", 201.0)
    await store.keep("key", "value")


async def test_a_backup_is_whole_and_can_be_opened(place: str, tmp_path: Path) -> None:
    target = tmp_path / "backups" / "monday.db"
    target.parent.mkdir()
    async with opened(place) as store:
        await furnish(store)
        assert await store.backup(target) == 1200
        here = await store.read("t0007")
    assert [path.name for path in target.parent.iterdir()] == ["monday.db"], "one file, and no draft"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    with contextlib.closing(sqlite3.connect(target)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",), "nor anything when it is opened"
    async with opened(target, reading=True) as copy:
        assert await copy.read("t0007") == here
        assert len(await copy.list_ids("", 9999)) == 1200
        assert [row.id for row in await copy.list_of("ola", 9)] == ["t0007"]


async def test_a_backup_through_a_store_that_is_open_for_reading(place: str, tmp_path: Path) -> None:
    async with opened(place) as store, opened(place, reading=True) as reading:
        await store.commit(turn("a", 1))
        assert await reading.backup(tmp_path / "copy.db") == 1
        await store.commit(turn("a", 2))
    async with opened(tmp_path / "copy.db") as copy:
        loaded = await copy.read("a")
        assert whole(loaded)
        assert loaded is not None
        assert loaded.row.version == 1


async def test_a_backup_is_of_one_moment_while_writing_goes_on(place: str, tmp_path: Path) -> None:
    names = [f"t{number:03}" for number in range(600)]
    async with opened(place) as store:
        await outcomes(store, *(turn(name, 1, body=b"b" * 3000) for name in names))
        writing = True
        groups = 0

        async def write() -> int:
            nonlocal groups
            version = 1
            while writing:
                version += 1
                for first in range(0, len(names), 100):  # from the first to the last, over and over again
                    await outcomes(store, *(turn(name, version) for name in names[first : first + 100]))
                    groups += 1
            return version

        writer = asyncio.create_task(write())
        for number in range(3):
            before = groups
            await until(lambda before=before: groups > before)  # type: ignore[misc]
            assert await store.backup(tmp_path / f"{number}.db") == 600
        writing = False
        assert await writer > 2
    seen = set()
    for number in range(3):
        async with opened(tmp_path / f"{number}.db", reading=True) as copy:
            loaded = [await copy.read(name) for name in names]
            assert all(map(whole, loaded))
            versions = [table.row.version for table in loaded if table]
            assert versions == sorted(versions, reverse=True), "no table is ahead of one that was written before it"
            assert versions[0] - versions[-1] <= 1
            seen.add(sum(versions))
    assert len(seen) == 3, "writing went on"


async def test_a_backup_overwrites_nothing(place: str, tmp_path: Path) -> None:
    target = tmp_path / "letter.txt"
    target.write_text("Dear Ola")
    async with opened(place) as store:
        with pytest.raises(StoreError, match="is there already"):
            await store.backup(target)
        assert target.read_text() == "Dear Ola"
        with pytest.raises(StoreError, match="can not be written"):
            await store.backup(tmp_path / "nowhere" / "copy.db")
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["letter.txt"]


async def test_a_file_that_appears_meanwhile_is_not_overwritten(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "copy.db"
    count_tables = backup.count_tables

    def slowly(connection: sqlite3.Connection) -> int:
        target.write_text("Dear Ola")
        return count_tables(connection)

    monkeypatch.setattr(backup, "count_tables", slowly)
    async with opened(place) as store:
        with pytest.raises(StoreError, match="is there already"):
            await store.backup(target)
    assert target.read_text() == "Dear Ola"
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["copy.db"]


async def test_a_backup_that_breaks_off_leaves_nothing(
    postgres_place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_reading = postgres_store.read_all

    async def broken(connection: object) -> AsyncIterator[Batch]:
        async for batch in whole_reading(connection):
            yield batch
            raise ConnectionResetError("the connection broke")

    monkeypatch.setattr(postgres_store, "read_all", broken)
    async with opened(postgres_place) as store:
        await store.commit(turn("a", 1))
        with pytest.raises(Exception, match="the connection broke") as failed:
            await store.backup(tmp_path / "copy.db")
        assert type(failed.value).__name__ == "StoreDown"
    assert list(tmp_path.iterdir()) == []


async def test_a_house_moves_from_sqlite_to_postgres_and_back(
    sqlite_place: str, postgres_place: str, tmp_path: Path
) -> None:
    first, second, third = (tmp_path / f"{number}.db" for number in range(3))
    async with opened(sqlite_place) as store:
        await furnish(store)
        await store.backup(first)
    async with opened(postgres_place) as store:
        assert await restore(first, store) == 1200
        assert whole(await store.read("t0003"))
        await store.backup(second)
        await store.commit(turn("t0003", 2))  # and life goes on
        assert (await store.beat("two", 300.0)).outages[-1].began == 201.0
    async with opened(tmp_path / "new.db") as store:
        assert await restore(second, store) == 1200
        await store.backup(third)
        await store.commit(turn("t0003", 2))
    assert contents(first) == contents(second) == contents(third)
    assert all(contents(first).values()), "there was something of everything"


async def test_restoring_goes_into_an_empty_store_only(place: str, tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    async with opened(source) as store:
        await outcomes(store, *(turn(name, 1) for name in "abc"))
    async with opened(place) as store:
        assert await store.keep("key", "value") == "value"
        with pytest.raises(StoreError, match="is not empty"):
            await restore(source, store)
        assert await store.list_ids("", 9) == []


async def test_a_restoring_that_fails_leaves_nothing(place: str, tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    async with opened(source) as store:
        await outcomes(store, *(turn(f"t{number:04}", 1) for number in range(1000)))
        # Nothing that this store writes is refused by the other: only a file that was tampered with.
    with contextlib.closing(sqlite3.connect(source)) as tampered, tampered:
        tampered.execute("PRAGMA ignore_check_constraints = ON")
        tampered.execute("UPDATE chat SET text = 'a' || char(0) || 'b' WHERE table_id = 't0990'")
    async with opened(place) as store:
        with pytest.raises(StoreError, match="holds what this store can not take"):
            await restore(source, store)
        assert await store.list_ids("", 9) == []
        await store.commit(turn("a", 1))


async def test_only_a_backup_can_be_restored(place: str, tmp_path: Path) -> None:
    letter, photos, empty = tmp_path / "letter.txt", tmp_path / "photos.db", tmp_path / "empty.db"
    letter.write_text("Dear Ola, " * 1000)
    with contextlib.closing(sqlite3.connect(photos)) as foreign:
        foreign.execute("CREATE TABLE tables (name TEXT)")
    empty.touch()
    async with opened(place) as store:
        for path, reason in (
            (letter, "is not a SQLite database"),
            (photos, "is a database of another program"),
            (empty, "is not a backup of polikarp"),
            (tmp_path / "none.db", "is not there"),
            (tmp_path, "can not be read"),
        ):
            with pytest.raises(StoreError, match=reason) as refused:
                await restore(path, store)
            assert str(path) in str(refused.value)
            assert "\n" not in str(refused.value)
    assert not (tmp_path / "none.db").exists()


async def test_a_file_in_use_can_be_restored_from(place: str, tmp_path: Path) -> None:
    source = tmp_path / "source.db"
    async with opened(source) as living:
        await outcomes(living, *(turn(name, 1) for name in "abc"))
        async with opened(place) as store:
            assert await restore(source, store) == 3
        await living.commit(turn("a", 2))
        assert whole(await living.read("a"))
