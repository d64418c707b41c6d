"""Copies of everything that a store keeps, each a SQLite file like those of the SQLite store, and the way back.

A backup is written beside its place under another name and renamed when it is whole; it never overwrites anything.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from polikarp.store import Batch, Store, StoreError
from polikarp.store.columns import COLUMNS
from polikarp.store.schema import raise_sqlite, taken_in_sqlite

MANY = 500  # rows in a batch


def insertion(table: str) -> str:
    """The SQLite statement that writes a whole row."""
    columns = COLUMNS[table]
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


@contextlib.contextmanager
def trouble_told(path: Path, doing: str) -> Iterator[None]:
    """Trouble with a file, in one line for a person."""
    try:
        yield
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB:
            raise StoreError(f"{path} is not a SQLite database: choose another file") from error
        raise StoreError(f"{path} can not be {doing}: {error}") from error
    except OSError as error:
        raise StoreError(f"{path} can not be {doing}: {error.strerror}") from error


def open_sqlite(path: Path, mode: str) -> sqlite3.Connection:
    """A connection that begins no transaction by itself, and may be handed from one thread to another."""
    address = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def copy_sqlite(source: Path, path: Path) -> int:
    """Copy a SQLite store, also one that is being written, as of one moment; says how many tables there are."""
    with draft_of(path) as draft, trouble_told(path, "written"):
        copy_pages(source, draft)
        with contextlib.closing(open_sqlite(draft, "rw")) as writing:
            tables = count_tables(writing)
        take_place(draft, path)
    return tables


async def write_backup(path: Path, contents: AsyncIterator[Batch]) -> int:
    """Write everything into a new SQLite file; says how many tables there are."""
    with draft_of(path) as draft, contextlib.closing(open_sqlite(draft, "rw")) as writing:

        def begin() -> None:
            # A draft that breaks off is thrown away: it needs no journal.
            writing.execute("PRAGMA journal_mode = OFF")
            raise_sqlite(writing, str(draft))
            writing.execute("BEGIN")

        def add(batch: Batch) -> None:
            writing.executemany(insertion(batch.table), batch.rows)

        def finish() -> int:
            writing.execute("COMMIT")
            tables = count_tables(writing)
            writing.close()
            take_place(draft, path)
            return tables

        with trouble_told(path, "written"):
            await asyncio.to_thread(begin)
        async for batch in contents:
            with trouble_told(path, "written"):
                await asyncio.to_thread(add, batch)
        with trouble_told(path, "written"):
            return await asyncio.to_thread(finish)


async def restore(path: Path, store: Store) -> int:
    """Copy a backup into a store that is started and empty; says how many tables there are.

    This is also how a house moves from one kind of store to the other.
    """
    if not path.exists():
        raise StoreError(f"{path} is not there: name the file of a backup")
    # A backup of an older program is brought up to date in a copy: the backup itself stays as it is.
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        with trouble_told(path, "read"):
            copy.touch(0o600)
            await asyncio.to_thread(copy_pages, path, copy)
            with contextlib.closing(open_sqlite(copy, "rw")) as reading:
                if not taken_in_sqlite(reading, str(path)):
                    raise StoreError(f"{path} is not a backup of polikarp: choose another file")
                raise_sqlite(reading, str(path))
                try:
                    await store.fill(read_batches(reading))
                except ValueError as error:
                    raise StoreError(f"{path} holds what this store can not take: {error}") from error
                return count_tables(reading)


def read_batches(reading: sqlite3.Connection) -> Iterator[Batch]:
    for table, columns in COLUMNS.items():
        cursor = reading.execute(f"SELECT {', '.join(columns)} FROM {table}")
        while rows := cursor.fetchmany(MANY):
            yield Batch(table, rows)


@contextlib.contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A file to write into, for its owner's eyes only. It is gone afterwards, unless it took its place."""
    if path.exists():
        raise StoreError(f"{path} is there already: choose another name")
    with trouble_told(path, "written"):
        handle, name = tempfile.mkstemp(prefix=f"{path.name}.", suffix=".draft", dir=path.parent)
        os.close(handle)
    draft = Path(name)
    try:
        yield draft
    finally:
        draft.unlink(missing_ok=True)


def take_place(draft: Path, path: Path) -> None:
    """Let a draft that is whole become the backup."""
    sync(draft)
    if path.exists():
        raise StoreError(f"{path} is there already: choose another name")
    draft.rename(path)
    sync(path.parent)


def sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def copy_pages(source: Path, target: Path) -> None:
    with (
        contextlib.closing(open_sqlite(source, "ro")) as reading,
        contextlib.closing(open_sqlite(target, "rw")) as writing,
    ):
        reading.backup(writing)
        # One file with nothing beside it, which can be read from where nothing can be written.
        writing.execute("PRAGMA journal_mode = DELETE")


def count_tables(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM tables").fetchone()[0])
