"""What is the PostgreSQL store's own: many servers on one database, and a line to it that breaks."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import pytest

from polikarp.store import (
    Conflict,
    Outage,
    Store,
    StoreDown,
    StoreError,
    postgres_line,
    postgres_listener,
    postgres_writer,
)
from polikarp.store.opening import open_store
from tests.store.postgres_server import PASSWORD, PostgresServer
from tests.store.rows import opened, outcomes, turn, until, whole


@asynccontextmanager
async def line_to(url: str) -> AsyncIterator[asyncpg.Connection]:
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


async def until_blocked(line: asyncpg.Connection) -> None:
    """Until somebody waits for a lock."""
    while not await line.fetchval("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"):
        await asyncio.sleep(0.01)


async def commit_when_up(store: Store, table: str, version: int) -> None:
    """Commit as a server would: again and again while the store is down, and knowing that it may have been written."""
    async with asyncio.timeout(10):
        while True:
            try:
                await store.commit(turn(table, version))
            except StoreDown:
                await asyncio.sleep(0.02)
            except Conflict:
                return
            else:
                return


async def test_group_commit(postgres_place: str) -> None:
    async with opened(postgres_place) as store, line_to(postgres_place) as line:
        before = int(await line.fetchval("SELECT pg_current_xact_id()::text"))
        await outcomes(store, *(turn(f"t{number:04}", 1) for number in range(2000)))
        await outcomes(store, *(turn(f"t{number:04}", 2) for number in range(2000)))
        after = int(await line.fetchval("SELECT pg_current_xact_id()::text"))
    assert after - before < 50


async def test_what_was_acknowledged_survives_a_crash_of_postgres(
    postgres: PostgresServer, postgres_place: str
) -> None:
    async with line_to(postgres_place) as line:
        await line.execute(f"ALTER DATABASE {postgres_place.rpartition('/')[2]} SET synchronous_commit = off")
    async with opened(postgres_place) as store:
        for version in range(1, 30):
            await store.commit(turn("a", version))
        async with stopped(postgres, "immediate"):
            pass
    async with opened(postgres_place) as store:
        loaded = await store.read("a")
        assert whole(loaded)
        assert loaded is not None
        assert loaded.row.version == 29


async def test_servers_hear_each_other(postgres_place: str) -> None:
    heard: list[tuple[str, int]] = []
    lost: list[str] = []
    async with opened(postgres_place) as one, opened(postgres_place) as two:
        await one.listen(lambda table, version: heard.append((table, version)), lambda: lost.append("one"))
        await outcomes(two, turn("a b", 1), turn("c", 1), turn("d", 2))
        await two.commit(turn("c", 2))
        await until(lambda: len(heard) == 3)
        assert sorted(heard) == [("a b", 1), ("c", 1), ("c", 2)], "and nothing of the conflict"
        assert lost == []


async def test_listening_goes_on_after_postgres_restarts(postgres: PostgresServer, postgres_place: str) -> None:
    heard: list[tuple[str, int]] = []
    lost: list[int] = []
    async with opened(postgres_place) as one, opened(postgres_place) as two:
        await one.listen(lambda table, version: heard.append((table, version)), lambda: lost.append(len(heard)))
        async with stopped(postgres):
            await asyncio.sleep(0.2)
            assert lost == [], "while the line is dead there is nothing new to tell"
        await until(lambda: lost == [0])
        await commit_when_up(two, "a", 1)
        await until(lambda: heard == [("a", 1)])
        assert lost == [0]


class Relay:
    """Stands between a store and PostgreSQL, and can fall silent: lines stay open, and nothing comes through."""

    def __init__(self, url: str) -> None:
        self._address, _, self._database = url.rpartition("/")
        self._lines: list[asyncio.Task[None]] = []
        self._ends: list[asyncio.StreamWriter] = []

    async def __aenter__(self) -> Relay:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        self.fall_silent()
        await asyncio.gather(*self._lines, return_exceptions=True)
        for end in self._ends:
            end.close()
        await asyncio.gather(*(end.wait_closed() for end in self._ends), return_exceptions=True)

    @property
    def url(self) -> str:
        port = self._server.sockets[0].getsockname()[1]
        return f"{self._address.rpartition(':')[0]}:{port}/{self._database}"

    def fall_silent(self) -> None:
        """All lines that there are, but not those that are made later."""
        for task in self._lines:
            task.cancel()

    async def _connect(self, near_in: asyncio.StreamReader, near_out: asyncio.StreamWriter) -> None:
        port = int(self._address.rpartition(":")[2])
        far_in, far_out = await asyncio.open_connection("127.0.0.1", port)
        self._ends += [near_out, far_out]
        self._lines.append(asyncio.create_task(pass_on(near_in, far_out)))
        self._lines.append(asyncio.create_task(pass_on(far_in, near_out)))


async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while some := await source.read(65536):
        target.write(some)
    target.close()


async def test_a_line_that_died_without_a_word(postgres_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_listener, "PULSE", 0.1)
    monkeypatch.setattr(postgres_line, "PATIENCE", 0.5)
    heard: list[tuple[str, int]] = []
    lost: list[str] = []
    async with Relay(postgres_place) as relay, opened(relay.url) as store, opened(postgres_place) as other:
        await store.listen(lambda table, version: heard.append((table, version)), lambda: lost.append("lost"))
        relay.fall_silent()
        await other.commit(turn("a", 1))
        await until(lambda: lost == ["lost"])
        await other.commit(turn("a", 2))
        await until(lambda: heard == [("a", 2)])
        await commit_when_up(store, "a", 3)
        relay.fall_silent()


async def test_down_while_postgres_is_stopped_and_up_again(postgres: PostgresServer, postgres_place: str) -> None:
    async with opened(postgres_place) as store:
        await outcomes(store, *(turn(name, 1) for name in "abc"))
        async with stopped(postgres):
            for _ in range(2):
                came = await outcomes(store, *(turn(name, 2) for name in "abc"))
                assert [type(outcome) for outcome in came] == [StoreDown] * 3
                with pytest.raises(StoreDown):
                    await store.read("a")
                with pytest.raises(StoreDown):
                    await store.beat("one", 1.0)
                with pytest.raises(StoreDown):
                    await store.listen(lambda table, version: None, lambda: None)
        await asyncio.gather(*(commit_when_up(store, name, 2) for name in "abc"))
        for name in "abc":
            loaded = await store.read(name)
            assert whole(loaded)
            assert loaded is not None
            assert loaded.row.version == 2


async def test_closing_while_postgres_is_stopped(postgres: PostgresServer, postgres_place: str) -> None:
    store = open_store(postgres_place)
    await store.start()
    await store.listen(lambda table, version: None, lambda: None)
    async with stopped(postgres), asyncio.timeout(5):
        with pytest.raises(StoreDown):
            await store.commit(turn("a", 1))
        await store.close()


async def test_postgres_stops_while_the_last_change_is_written(postgres: PostgresServer, postgres_place: str) -> None:
    store = open_store(postgres_place)
    await store.start()
    await store.commit(turn("a", 1))
    async with line_to(postgres_place) as line:
        await line.execute("BEGIN; SELECT * FROM tables FOR UPDATE")
        begun = asyncio.ensure_future(outcomes(store, turn("a", 2)))
        await until_blocked(line)
        closing = asyncio.ensure_future(store.close())
        async with stopped(postgres), asyncio.timeout(5):
            assert [type(outcome) for outcome in await begun] == [StoreDown]
            await closing


async def test_a_line_that_was_cut_while_nothing_was_said_costs_nobody_anything(postgres_place: str) -> None:
    async with opened(postgres_place) as store, line_to(postgres_place) as line:
        await store.commit(turn("a", 1))
        await line.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            "WHERE application_name = 'polikarp' AND datname = current_database()"
        )
        await asyncio.sleep(0.1)
        await store.commit(turn("a", 2))
        assert whole(await store.read("a"))


async def test_those_who_wait_when_the_line_breaks_are_told(postgres_place: str) -> None:
    async with opened(postgres_place) as store, line_to(postgres_place) as line:
        await outcomes(store, *(turn(name, 1) for name in "abc"))
        async with line.transaction():
            await line.execute("SELECT * FROM tables WHERE id = 'b' FOR UPDATE")
            first = asyncio.ensure_future(outcomes(store, turn("a", 2), turn("b", 2)))
            await until_blocked(line)
            second = asyncio.ensure_future(outcomes(store, turn("c", 2)))
            await asyncio.sleep(0)
            await line.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
            assert [type(outcome) for outcome in await first + await second] == [StoreDown] * 3
        await commit_when_up(store, "a", 2)
        loaded = await store.read("c")
        assert loaded is not None
        assert loaded.row.version == 1, "who was told that it failed is not written behind his back"
        for name in "abc":
            await commit_when_up(store, name, 2)
            assert whole(await store.read(name))


async def test_a_server_that_freezes_while_writing_does_not_stop_the_others(
    postgres_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def freeze(*_: object) -> dict[str, Conflict]:
        await asyncio.sleep(2)
        return {}

    async with opened(postgres_place) as lively:
        await lively.commit(turn("a", 1))
        monkeypatch.setattr(postgres_line, "PATIENCE", 1.0)
        async with opened(postgres_place) as frozen:
            with monkeypatch.context() as frost:
                frost.setattr(postgres_writer, "insert_new", freeze)
                begun = asyncio.ensure_future(outcomes(frozen, turn("a", 2)))
                await asyncio.sleep(0.2)  # it has locked the table
            await lively.commit(turn("a", 2))
            assert [type(outcome) for outcome in await begun] == [StoreDown]


async def test_who_waits_too_long_is_told(postgres_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_line, "PATIENCE", 0.5)
    async with opened(postgres_place) as store, line_to(postgres_place) as line:
        await store.commit(turn("a", 1))
        async with line.transaction():
            await line.execute("SELECT * FROM tables FOR UPDATE")
            with pytest.raises(StoreDown):
                await store.commit(turn("a", 2))
        await commit_when_up(store, "a", 2)
        assert whole(await store.read("a"))


async def test_no_change_is_lost_between_servers(postgres_place: str) -> None:
    names = [f"t{number}" for number in range(5)]

    written = 0

    async def add_turns(store: Store) -> None:
        nonlocal written
        for name in names * 5:
            loaded = await store.read(name)
            assert loaded is not None
            with contextlib.suppress(Conflict):
                await store.commit(turn(name, loaded.row.version + 1))
                written += 1

    async with opened(postgres_place) as one, opened(postgres_place) as two:
        came = [*await outcomes(one, *(turn(name, 1) for name in names))]
        assert came == [None] * 5
        await asyncio.gather(*(add_turns(store) for store in (one, two, one, two)))
        loaded = await asyncio.gather(*map(one.read, names))
        assert all(map(whole, loaded))
        assert sum(table.row.version - 1 for table in loaded if table) == written
        assert 25 <= written < 100, "some fitted, and some conflicted"


async def test_the_same_new_tables_from_two_servers_at_once(postgres_place: str) -> None:
    changes = [turn(f"t{number}", 1) for number in range(200)]
    async with opened(postgres_place) as one, opened(postgres_place) as two:
        first, second = await asyncio.gather(outcomes(one, *changes), outcomes(two, *reversed(changes)))
        for mine, theirs in zip(first, reversed(second), strict=True):
            assert {type(mine), type(theirs)} == {type(None), Conflict}


async def test_servers_that_are_alive(postgres_place: str) -> None:
    async with opened(postgres_place) as one, opened(postgres_place) as two:
        assert (await one.beat("one", 100.0)).alive == ["one"]
        beat = await two.beat("two", 104.0)
        assert (beat.alive, beat.outages) == (["one", "two"], [])
        beat = await two.beat("two", 108.0)
        assert (beat.alive, beat.outages) == (["two"], []), "one is dead, and two carried on"
        await two.leave("two", 109.0)
        beat = await one.beat("one", 110.0)
        assert (beat.alive, beat.outages) == (["one"], [Outage(109.0, 110.0)])
        assert (await two.beat("two", 111.0)).alive == ["one", "two"]


async def test_an_outage_is_noted_once_by_servers_that_return_together(postgres_place: str) -> None:
    async with opened(postgres_place) as one, opened(postgres_place) as two:
        await one.beat("one", 100.0)
        await asyncio.gather(
            *((one, two)[number % 2].beat(f"new {number}", 200.0 + number / 10) for number in range(8))
        )
        (outage,) = (await one.beat("one", 201.0)).outages
        assert outage.began == 100.0


async def test_servers_that_start_at_once_on_an_empty_database(postgres_place: str) -> None:
    stores = [open_store(postgres_place) for _ in range(5)]
    try:
        await asyncio.gather(*(store.start() for store in stores))
        await asyncio.gather(*(store.commit(turn(f"t{number}", 1)) for number, store in enumerate(stores)))
        assert len(await stores[0].list_ids("", 9)) == 5
    finally:
        await asyncio.gather(*(store.close() for store in stores))


async def refusal(url: str, reading: bool = False) -> str:
    with pytest.raises(StoreError) as refused:
        await open_store(url, reading).start()
    said = str(refused.value)
    assert "\n" not in said
    assert refused.value.__cause__ is None
    return said


async def test_what_is_wrong_with_the_address_is_told_without_the_password(postgres: PostgresServer) -> None:
    where = f"127.0.0.1:{postgres.port}"
    assert f"{where}/postgres does not let this user in" in await refusal(
        f"postgresql://polikarp:secret@{where}/postgres"
    )
    assert f"{where}/none has no such database" in await refusal(f"postgresql://polikarp:{PASSWORD}@{where}/none")
    for url in (
        f"postgresql://polikarp:secret@{where}/none",
        f"postgres://nobody:secret@{where}/postgres",
        "postgresql://polikarp:secret@127.0.0.1:1/postgres",
        "postgresql://polikarp:secret@127.0.0.1:port/postgres",
        f"postgresql://polikarp:se/secret@{where}/postgres",
        f"postgresql://polikarp:se?secret@{where}/postgres",
        f"postgresql://polikarp:se#secret@{where}/postgres",
        f"postgresql://polikarp:se@secret@{where}/postgres",
        f"postgresql://polikarp@{where}/postgres?password=secret",
        f"postgresql://polikarp@{where}/postgres?password=at@secret",
        f"postgresql://{where}:secret/postgres",
        "postgresql://[secret",
    ):
        assert "secret" not in await refusal(url), url


async def test_postgres_is_away(postgres: PostgresServer, postgres_place: str) -> None:
    async with stopped(postgres):
        said = await refusal(postgres_place)
    assert f"127.0.0.1:{postgres.port}" in said
    assert "can not be reached: is it running?" in said


async def test_a_database_of_another_program_is_left_alone(postgres_place: str) -> None:
    async with line_to(postgres_place) as line:
        await line.execute("CREATE TABLE steps (name text)")
        assert "of another program" in await refusal(postgres_place)
        assert await line.fetchval("SELECT to_regclass('tables')") is None


async def test_what_is_opened_for_reading_can_not_write(postgres_place: str) -> None:
    connection = await postgres_line.Lines(postgres_place, reading=True).connect()
    try:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await connection.execute("CREATE TABLE guests (name text)")
    finally:
        await connection.close()


async def test_reading_makes_no_tables(postgres_place: str) -> None:
    assert "not up to date" in await refusal(postgres_place, reading=True)
