"""What is the SQLite store's own: one process to a file, modes and locks, what survives a kill, and a full disk."""

from __future__ import annotations

import asyncio
import os
import resource
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polikarp.store import StoreDown, StoreError
from polikarp.store.opening import open_store
from polikarp.store.sqlite import SqliteStore
from tests.store.rows import opened, outcomes, turn, whole

Traced = list[sqlite3.Connection]


@pytest.fixture
def connections(monkeypatch: pytest.MonkeyPatch) -> Traced:
    """All connections that are made from now on."""
    made: Traced = []
    connect = sqlite3.connect

    def note(*args: object, **options: object) -> sqlite3.Connection:
        made.append(connect(*args, **options))  # type: ignore[call-overload]
        return made[-1]

    monkeypatch.setattr(sqlite3, "connect", note)
    return made


async def test_group_commit(sqlite_place: str, connections: Traced) -> None:
    async with opened(sqlite_place) as store:
        statements: list[str] = []
        connections[0].set_trace_callback(statements.append)
        await outcomes(store, *(turn(f"t{number:04}", 1) for number in range(1000)))
        connections[0].set_trace_callback(None)
    assert statements.count("BEGIN IMMEDIATE") == statements.count("COMMIT") < 100


async def test_a_commit_waits_for_the_disk(sqlite_place: str, connections: Traced) -> None:
    async with opened(sqlite_place):
        assert connections[0].execute("PRAGMA synchronous").fetchone() == (2,)
        assert connections[0].execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_a_reading_beside_the_writer_is_of_one_moment(sqlite_place: str, connections: Traced) -> None:
    loop = asyncio.get_running_loop()
    async with opened(sqlite_place) as store, opened(sqlite_place, reading=True) as reading:
        await store.commit(turn("a", 1))

        def write_in_between(statement: str) -> None:
            if "FROM steps" in statement:
                asyncio.run_coroutine_threadsafe(store.commit(turn("a", 2)), loop).result()

        connections[1].set_trace_callback(write_in_between)
        loaded = await reading.read("a")
        connections[1].set_trace_callback(None)
        assert whole(loaded)
        assert loaded is not None
        assert loaded.row.version == 1
        assert (await reading.read("a")) == (await store.read("a")) != loaded


WRITER = """
import asyncio, sys
from tests.store.rows import opened, turn

async def write(store, name):
    for version in range(1, 10_000):
        await store.commit(turn(name, version))
        print(name, version, flush=True)

async def main():
    async with opened(sys.argv[1]) as store:
        await asyncio.gather(*(write(store, f"t{number}") for number in range(20)))

asyncio.run(main())
"""


@pytest.fixture
def writer(sqlite_place: str) -> Iterator[subprocess.Popen[str]]:
    """A process that writes into the file without end and tells what was acknowledged."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, sqlite_place],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_what_was_acknowledged_survives_a_kill(sqlite_place: str, writer: subprocess.Popen[str]) -> None:
    assert writer.stdout is not None
    acknowledged: dict[str, int] = {}
    for count, told in enumerate(writer.stdout):
        if told.endswith("\n"):  # the kill may cut the last line off
            name, version = told.split()
            acknowledged[name] = int(version)
        if count == 1000:
            writer.kill()

    async def look() -> None:
        async with opened(sqlite_place) as store:
            for name, version in acknowledged.items():
                loaded = await store.read(name)
                assert whole(loaded)
                assert loaded is not None
                assert loaded.row.version >= version

    assert len(acknowledged) == 20
    asyncio.run(look())


def test_one_process_to_a_file(sqlite_place: str, writer: subprocess.Popen[str]) -> None:
    assert writer.stdout is not None
    assert writer.stdout.readline()  # it runs

    async def try_to_open() -> None:
        with pytest.raises(StoreError, match="is in use by another polikarp process") as refused:
            await open_store(sqlite_place).start()
        assert sqlite_place in str(refused.value)
        async with opened(sqlite_place, reading=True) as reading:
            assert whole(await reading.read("t0"))

    asyncio.run(try_to_open())


async def test_the_lock_ends_with_the_store(sqlite_place: str) -> None:
    async with opened(sqlite_place):
        for _ in range(2):
            with pytest.raises(StoreError, match="in use"):
                await open_store(sqlite_place).start()
    async with opened(sqlite_place) as store:
        await store.commit(turn("a", 1))


async def test_only_the_owner_can_read_the_files(sqlite_place: str) -> None:
    place = Path(sqlite_place)
    before = os.umask(0)
    try:
        async with opened(place) as store:
            await store.commit(turn("a", 1))
            await store.backup(place.with_name("backup.db"))
            files = {path.name: stat.S_IMODE(path.stat().st_mode) for path in place.parent.iterdir()}
    finally:
        os.umask(before)
    made = ["tables.db", "tables.db-wal", "tables.db-shm", "tables.db.lock", "backup.db"]
    assert files == dict.fromkeys(made, 0o600)
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o700


async def test_a_file_that_all_could_read_is_closed_to_them_and_a_folder_is_left_as_it_is(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    place = tmp_path / "tables.db"
    async with opened(place) as store:
        await store.commit(turn("a", 1))
    place.chmod(0o644)
    async with opened(place) as store:
        await store.commit(turn("a", 2))
        assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}
        assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


async def refusal(place: str | Path, reading: bool = False) -> str:
    with pytest.raises(StoreError) as refused:
        await open_store(place, reading).start()
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("reading", [False, True])
async def test_a_file_that_is_no_database(tmp_path: Path, reading: bool) -> None:
    place = tmp_path / "letter.txt"
    place.write_text("Dear Ola, " * 1000)
    place.chmod(0o644)
    assert await refusal(place, reading) == f"{place} is not a SQLite database: choose another file"
    assert place.read_text() == "Dear Ola, " * 1000
    assert stat.S_IMODE(place.stat().st_mode) == 0o644


@pytest.mark.parametrize("reading", [False, True])
async def test_a_database_of_another_program_is_left_alone(tmp_path: Path, reading: bool) -> None:
    place = tmp_path / "photos.db"
    with sqlite3.connect(place) as foreign:
        foreign.execute("CREATE TABLE photos (name TEXT)")
    foreign.close()
    before = place.read_bytes()
    assert "of another program" in await refusal(place, reading)
    assert place.read_bytes() == before


async def test_a_place_that_can_not_be_a_file(tmp_path: Path) -> None:
    assert "is a folder: name a file in it" in await refusal(tmp_path)
    (tmp_path / "file").touch()
    assert "can not be opened" in await refusal(tmp_path / "file" / "tables.db")


async def test_reading_makes_no_file(tmp_path: Path) -> None:
    place = tmp_path / "tables.db"
    assert "is not there" in await refusal(place, reading=True)
    assert list(tmp_path.iterdir()) == []


async def test_reading_an_empty_file(tmp_path: Path) -> None:
    place = tmp_path / "tables.db"
    place.touch()
    assert "not up to date" in await refusal(place, reading=True)


async def test_reading_when_no_server_runs(sqlite_place: str) -> None:
    async with opened(sqlite_place) as store:
        await store.commit(turn("a", 1))
    async with opened(sqlite_place, reading=True) as reading:
        assert whole(await reading.read("a"))


async def test_a_full_disk_is_told_and_is_over_when_there_is_room_again(sqlite_place: str) -> None:
    async with opened(sqlite_place) as store:
        await outcomes(store, *(turn(name, 1) for name in "abc"))
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        room = sum(path.stat().st_size for path in Path(sqlite_place).parent.iterdir())
        resource.setrlimit(resource.RLIMIT_FSIZE, (room + 4096, hard))
        try:
            came = await outcomes(store, turn("a", 2), turn("b", 2, body=b"much" * 1_000_000), turn("c", 2))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert [type(outcome) for outcome in came] == [StoreDown] * 3
        assert await outcomes(store, *(turn(name, 2) for name in "abc")) == [None] * 3
        for name in "abc":
            assert whole(await store.read(name))


def test_a_loop_that_is_gone_does_not_stop_the_writing(sqlite_place: str) -> None:
    store = SqliteStore(Path(sqlite_place))
    loop = asyncio.new_event_loop()
    loop.run_until_complete(store.start())
    waiting = [store.commit(turn(name, 1)) for name in "abc"]
    loop.close()
    for coroutine in waiting:
        coroutine.send(None)  # it asks, and waits for an answer that nobody will bring
        coroutine.close()
    asyncio.run(store.close())

    async def look() -> None:
        async with opened(sqlite_place) as again:
            assert await again.list_ids("", 9) == ["a", "b", "c"]

    asyncio.run(look())


async def test_nothing_is_heard_because_every_change_is_its_own(sqlite_place: str) -> None:
    heard: list[str] = []
    async with opened(sqlite_place) as store:
        await store.listen(lambda table, version: heard.append(table), lambda: heard.append("lost"))
        await store.commit(turn("a", 1))
        await store.read("a")
    assert heard == []


async def test_a_new_server_finds_all_others_dead(sqlite_place: str) -> None:
    async with opened(sqlite_place) as store:
        await store.beat("one", 100.0)
    async with opened(sqlite_place) as store:
        beat = await store.beat("two", 101.0)
        assert beat.alive == ["two"]
        assert [(outage.began, outage.ended) for outage in beat.outages] == [(100.0, 101.0)]
    async with opened(sqlite_place) as store:  # the same name, but the process is another
        assert len((await store.beat("two", 102.0)).outages) == 2
