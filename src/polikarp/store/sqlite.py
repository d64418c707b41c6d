"""Tables in a SQLite file: one process, one connection, one thread of its own that does everything in turn.

All changes that wait are written in one transaction (group commit), because the disk's acknowledgement takes far longer
than the writing. The event loop never waits for the disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from polikarp.store import (
    GAP,
    REMEMBERED,
    Batch,
    Beat,
    Change,
    CodeTaken,
    Conflict,
    Loaded,
    Outage,
    StoreDown,
    StoreError,
    TableRow,
)
from polikarp.store.backup import copy_sqlite, insertion, open_sqlite, trouble_told
from polikarp.store.columns import (
    CHAT_LIST,
    COLUMNS,
    STEP_LIST,
    TABLE_LIST,
    can_be_stored,
    chat_values,
    make_chat,
    make_row,
    make_step,
    row_values,
    step_values,
)
from polikarp.store.schema import missing_steps, raise_sqlite, taken_in_sqlite

INSERT_TABLE = f"{insertion('tables')} ON CONFLICT (id) DO NOTHING"
UPDATE_TABLE = """
    UPDATE tables SET code = ?2, game = ?3, rules = ?4, stage = ?5, public = ?6, version = ?7, changed = ?8, due = ?9,
        body = ?10, state = ?11
    WHERE id = ?1 AND version = ?7 - 1
"""

T = TypeVar("T")
Work = Callable[[sqlite3.Connection], T]


class Request(NamedTuple):
    """A change to write, or something to ask of the connection; and who waits for it."""

    future: asyncio.Future[Any]
    work: Change | Work[Any]


class Answer(NamedTuple):
    future: asyncio.Future[Any]
    value: object = None
    error: BaseException | None = None


class SqliteStore:
    """A store in one file. With `reading`, beside the process that has it open for writing."""

    def __init__(self, path: Path, reading: bool = False) -> None:
        self._path = path
        self._reading = reading
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._server: str | None = None  # whose beats these are, once there was one

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._requests = queue.SimpleQueue()
        self._server = None
        opened: asyncio.Future[None] = self._loop.create_future()
        # A daemon, so that a process whose loop died does not stay for it; what was acknowledged is on the disk.
        self._thread = threading.Thread(target=self._run, args=(opened,), name="polikarp store", daemon=True)
        self._thread.start()
        try:
            await opened
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        if self._thread is not None:
            thread, self._thread = self._thread, None
            self._requests.put(None)
            await asyncio.to_thread(thread.join)

    async def commit(self, change: Change) -> None:
        self._must_write()
        await self._ask(change)

    async def read(self, table_id: str, steps_from: int = 0, chat_from: int = 0) -> Loaded | None:
        if not can_be_stored(table_id):
            return None
        return await self._do(lambda connection: load_table(connection, table_id, steps_from, chat_from))

    async def find_code(self, code: str) -> str | None:
        if not can_be_stored(code):
            return None
        found = await self._do(lambda connection: column(connection, "SELECT id FROM tables WHERE code = ?", (code,)))
        return found[0] if found else None

    async def list_stage(self, stage: str, public: bool | None, limit: int) -> list[TableRow]:
        return await self._do(
            lambda connection: rows(
                connection,
                f"""
                    SELECT {TABLE_LIST} FROM tables WHERE stage = ?1 AND (?2 IS NULL OR public = ?2)
                    ORDER BY changed DESC, id DESC LIMIT ?3
                """,
                (stage, public, limit),
            )
        )

    async def list_of(self, person: str, limit: int) -> list[TableRow]:
        if not can_be_stored(person):
            return []
        return await self._do(
            lambda connection: rows(
                connection,
                f"""
                    SELECT {TABLE_LIST} FROM tables WHERE id IN (SELECT table_id FROM sitters WHERE person = ?)
                    ORDER BY changed DESC, id DESC LIMIT ?
                """,
                (person, limit),
            )
        )

    async def list_due(self, now: float, limit: int) -> list[str]:
        query = "SELECT id FROM tables WHERE due <= ? ORDER BY due, id LIMIT ?"
        return await self._do(lambda connection: column(connection, query, (now, limit)))

    async def list_ids(self, after: str, limit: int) -> list[str]:
        query = "SELECT id FROM tables WHERE id > ? ORDER BY id LIMIT ?"
        return await self._do(lambda connection: column(connection, query, (after, limit)))

    async def beat(self, server: str, now: float) -> Beat:
        self._must_write()
        # Only one process has the file: a server that beats for the first time finds nobody else alive.
        fresh = server != self._server
        beat = await self._do(lambda connection: note_beat(connection, server, now, fresh))
        self._server = server
        return beat

    async def leave(self, server: str, now: float) -> None:
        self._must_write()
        self._server = None
        await self._do(lambda connection: note_leaving(connection, server, now))

    async def keep(self, name: str, value: str) -> str:
        self._must_write()
        return await self._do(lambda connection: keep_fact(connection, name, value))

    async def listen(self, heard: Callable[[str, int], None], lost: Callable[[], None]) -> None:
        """Nothing is ever heard: there is one process to a file, so every change is its own."""

    async def backup(self, path: Path) -> int:
        # Through a reading connection of its own: the writing goes on meanwhile.
        return await asyncio.to_thread(copy_sqlite, self._path, path)

    async def fill(self, batches: Iterable[Batch]) -> None:
        self._must_write()
        await self._do(lambda connection: fill_tables(connection, batches, str(self._path)))

    def _must_write(self) -> None:
        if self._reading:
            raise StoreError(f"{self._path} is open for reading only")

    async def _do(self, work: Work[T]) -> T:
        result: T = await self._ask(work)
        return result

    def _ask(self, work: Change | Work[Any]) -> asyncio.Future[Any]:
        if self._thread is None:
            raise StoreDown(f"{self._path} is not open")
        request = Request(self._loop.create_future(), work)
        self._requests.put(request)
        return request.future

    # From here on: in the store's thread.

    def _run(self, opened: asyncio.Future[None]) -> None:
        with contextlib.ExitStack() as held:
            try:
                connection = self._open(held)
            except Exception as error:
                held.close()
                self._tell([Answer(opened, error=error)])
                return
            self._tell([Answer(opened)])
            going = True
            while going:
                waiting = [self._requests.get()]
                waiting += [self._requests.get() for _ in range(self._requests.qsize())]
                going = None not in waiting
                requests = [request for request in waiting if request is not None]
                self._tell(answer_changes(connection, requests))
                self._tell(answer_others(connection, requests))

    def _open(self, held: contextlib.ExitStack) -> sqlite3.Connection:
        place = str(self._path)
        with trouble_told(self._path, "opened"):
            if self._path.is_dir():
                raise StoreError(f"{place} is a folder: name a file in it")
            if self._reading:
                if not self._path.exists():
                    raise StoreError(f"{place} is not there: name the file that the server keeps its tables in")
            else:
                self._make_file(held)
            connection = open_sqlite(self._path, "ro" if self._reading else "rw")
            held.callback(connection.close)
            connection.execute("PRAGMA busy_timeout = 5000")
            taken = taken_in_sqlite(connection, place)  # before anything is written into another program's file
            if self._reading:
                if missing_steps("sqlite", taken, place):
                    raise StoreError(f"{place} is not up to date: start the server on it once")
            else:
                self._close_to_others()
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("PRAGMA fullfsync = ON")  # macOS acknowledges too early without it
                raise_sqlite(connection, place)
        return connection

    def _make_file(self, held: contextlib.ExitStack) -> None:
        """Take the lock that keeps other processes out, and make the file if need be."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(f"{self._path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        held.callback(os.close, lock)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StoreError(f"{self._path} is in use by another polikarp process") from None
        if not self._path.exists():
            os.close(os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def _close_to_others(self) -> None:
        """What is hidden at the table is hidden here too: the files are for their owner's eyes only."""
        for suffix in ("", "-wal", "-shm"):
            with contextlib.suppress(FileNotFoundError):
                Path(f"{self._path}{suffix}").chmod(0o600)

    def _tell(self, answers: list[Answer]) -> None:
        if answers:
            # A loop that is closed has nobody left who waits.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(settle, answers)


def settle(answers: list[Answer]) -> None:
    for future, value, error in answers:
        if future.done():
            continue
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)


def answer_changes(connection: sqlite3.Connection, requests: list[Request]) -> list[Answer]:
    """Write all changes in one transaction; if that fails for what is in one of them, each on its own."""
    futures = [request.future for request in requests if isinstance(request.work, Change)]
    changes = [request.work for request in requests if isinstance(request.work, Change)]
    if not changes:
        return []
    try:
        outcomes = write_changes(connection, changes)
    except Exception as error:
        failure = judge(error)
        if isinstance(failure, StoreDown):
            return [Answer(future, error=StoreDown(*failure.args)) for future in futures]
        if len(changes) == 1:
            return [Answer(futures[0], error=failure)]
        return [answer for request in requests for answer in answer_changes(connection, [request])]
    return [Answer(future, error=outcome) for future, outcome in zip(futures, outcomes, strict=True)]


def answer_others(connection: sqlite3.Connection, requests: list[Request]) -> list[Answer]:
    answers = []
    for future, work in requests:
        if isinstance(work, Change):
            continue
        try:
            answers.append(Answer(future, work(connection)))
        except Exception as error:
            answers.append(Answer(future, error=judge(error)))
    return answers


def judge(error: Exception) -> Exception:
    """What a failure means to those who wait."""
    match error:
        case sqlite3.IntegrityError() | sqlite3.DataError() | sqlite3.ProgrammingError() | OverflowError():
            return ValueError(str(error))
        case sqlite3.Error():
            return StoreDown(f"the file can not be read or written: {error}")
        case _:
            return error


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, kind: str = "IMMEDIATE") -> Iterator[None]:
    connection.execute(f"BEGIN {kind}")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        connection.rollback()
        raise


def write_changes(connection: sqlite3.Connection, changes: Sequence[Change]) -> list[Conflict | None]:
    outcomes: list[Conflict | None] = []
    with transaction(connection):
        for change in changes:
            outcomes.append(write_row(connection, change.row))
        written = [change for change, conflict in zip(changes, outcomes, strict=True) if conflict is None]
        connection.executemany(
            insertion("steps"), (step_values(change.row.id, step) for change in written for step in change.steps)
        )
        connection.executemany(
            insertion("chat"), (chat_values(change.row.id, said) for change in written for said in change.chat)
        )
        for change in written:
            if change.sitters is not None:
                connection.execute("DELETE FROM sitters WHERE table_id = ?", (change.row.id,))
                sitters = ((change.row.id, person) for person in set(change.sitters))
                connection.executemany(insertion("sitters"), sitters)
    return outcomes


def write_row(connection: sqlite3.Connection, row: TableRow) -> Conflict | None:
    """Write the row if its version fits. This is the first thing written of a change: a conflict leaves nothing."""
    try:
        if row.version == 1:
            written = connection.execute(INSERT_TABLE, row_values(row)).rowcount
        else:
            written = connection.execute(UPDATE_TABLE, row_values(row)).rowcount
    except sqlite3.IntegrityError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_CONSTRAINT_UNIQUE:
            raise
        if column(connection, "SELECT id FROM tables WHERE code = ?", (row.code,)) != [row.id]:
            return CodeTaken(f"code {row.code} belongs to another table")
        written = 0
    return None if written else Conflict(f"table {row.id} was changed by somebody else before version {row.version}")


def load_table(connection: sqlite3.Connection, table_id: str, steps_from: int, chat_from: int) -> Loaded | None:
    with transaction(connection, "DEFERRED"):
        found = rows(connection, f"SELECT {TABLE_LIST} FROM tables WHERE id = ?", (table_id,))
        steps = connection.execute(
            f"SELECT {STEP_LIST} FROM steps WHERE table_id = ? AND number >= ? ORDER BY number", (table_id, steps_from)
        ).fetchall()
        chat = connection.execute(
            f"SELECT {CHAT_LIST} FROM chat WHERE table_id = ? AND number >= ? ORDER BY number", (table_id, chat_from)
        ).fetchall()
    return Loaded(row=found[0], steps=[*map(make_step, steps)], chat=[*map(make_chat, chat)]) if found else None


def rows(connection: sqlite3.Connection, query: str, values: tuple[object, ...]) -> list[TableRow]:
    return [make_row(found) for found in connection.execute(query, values)]


def column(connection: sqlite3.Connection, query: str, values: tuple[object, ...]) -> list[str]:
    return [value for (value,) in connection.execute(query, values)]


def note_beat(connection: sqlite3.Connection, server: str, now: float, fresh: bool) -> Beat:
    with transaction(connection):
        (last,) = connection.execute("SELECT max(beat) FROM servers WHERE beat < ?", (now,)).fetchone()
        if last is not None and (fresh or now - last > GAP):
            connection.execute("INSERT OR IGNORE INTO outages (began, ended) VALUES (?, ?)", (last, now))
        connection.execute("DELETE FROM outages WHERE ended < ?", (now - REMEMBERED,))
        connection.execute("DELETE FROM servers WHERE id <> ?", (server,))
        connection.execute("INSERT OR REPLACE INTO servers (id, beat, gone) VALUES (?, ?, ?)", (server, now, False))
        outages = connection.execute("SELECT began, ended FROM outages ORDER BY began, ended").fetchall()
    return Beat([server], [Outage(began, ended) for began, ended in outages])


def note_leaving(connection: sqlite3.Connection, server: str, now: float) -> None:
    with transaction(connection):
        connection.execute("UPDATE servers SET beat = ?, gone = ? WHERE id = ?", (now, True, server))


def keep_fact(connection: sqlite3.Connection, name: str, value: str) -> str:
    with transaction(connection):
        connection.execute("INSERT OR IGNORE INTO house (name, value) VALUES (?, ?)", (name, value))
        (kept,) = connection.execute("SELECT value FROM house WHERE name = ?", (name,)).fetchone()
    return str(kept)


def fill_tables(connection: sqlite3.Connection, batches: Iterable[Batch], place: str) -> None:
    with transaction(connection):
        for table in COLUMNS:
            if connection.execute(f"SELECT EXISTS (SELECT 1 FROM {table})").fetchone() == (1,):
                raise StoreError(f"{place} is not empty: a backup goes into a new store only")
        for table, batch in batches:
            connection.executemany(insertion(table), batch)
