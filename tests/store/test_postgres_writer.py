"""Changes that wait are written together, and whoever waits when that fails is told."""

from __future__ import annotations

import asyncio

import pytest

from polikarp.store import Conflict, StoreDown, postgres_connection, postgres_writer
from polikarp.store.opening import open_store
from tests.store.connections import commit_when_up, connection_to, stopped, until_blocked
from tests.store.postgres_server import PostgresServer
from tests.store.rows import PATIENCE, opened, outcomes, turn, whole


async def test_group_commit(postgres_place: str) -> None:
    async with opened(postgres_place) as store, connection_to(postgres_place) as connection:
        before = int(await connection.fetchval("SELECT pg_current_xact_id()::text"))
        await outcomes(store, *(turn(f"t{number:04}", 1) for number in range(2000)))
        await outcomes(store, *(turn(f"t{number:04}", 2) for number in range(2000)))
        after = int(await connection.fetchval("SELECT pg_current_xact_id()::text"))
    assert after - before < 50


async def test_what_was_acknowledged_survives_a_crash_of_postgres(
    postgres: PostgresServer, postgres_place: str
) -> None:
    async with connection_to(postgres_place) as connection:
        await connection.execute(f"ALTER DATABASE {postgres_place.rpartition('/')[2]} SET synchronous_commit = off")
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


async def test_postgres_stops_while_the_last_change_is_written(postgres: PostgresServer, postgres_place: str) -> None:
    store = open_store(postgres_place)
    await store.start()
    await store.commit(turn("a", 1))
    async with connection_to(postgres_place) as connection:
        await connection.execute("BEGIN; SELECT * FROM tables FOR UPDATE")
        begun = asyncio.ensure_future(outcomes(store, turn("a", 2)))
        await until_blocked(connection)
        closing = asyncio.ensure_future(store.close())
        async with stopped(postgres), asyncio.timeout(PATIENCE):
            assert [type(outcome) for outcome in await begun] == [StoreDown]
            await closing


async def test_those_who_wait_when_the_line_breaks_are_told(postgres_place: str) -> None:
    async with opened(postgres_place) as store, connection_to(postgres_place) as connection:
        await outcomes(store, *(turn(name, 1) for name in "abc"))
        async with connection.transaction():
            await connection.execute("SELECT * FROM tables WHERE id = 'b' FOR UPDATE")
            first = asyncio.ensure_future(outcomes(store, turn("a", 2), turn("b", 2)))
            await until_blocked(connection)
            second = asyncio.ensure_future(outcomes(store, turn("c", 2)))
            await asyncio.sleep(0)
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            )
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
    locked, thawed = asyncio.Event(), asyncio.Event()

    async def freeze(*_: object) -> dict[str, Conflict]:
        locked.set()
        await thawed.wait()
        return {}

    async with opened(postgres_place) as lively:
        await lively.commit(turn("a", 1))
        monkeypatch.setattr(postgres_connection, "PATIENCE", 2.0)
        async with opened(postgres_place) as frozen:
            with monkeypatch.context() as frost:
                frost.setattr(postgres_writer, "insert_new", freeze)
                begun = asyncio.ensure_future(outcomes(frozen, turn("a", 2)))
                await locked.wait()
            await lively.commit(turn("a", 2))
            thawed.set()
            assert [type(outcome) for outcome in await begun] == [StoreDown]


async def test_who_waits_too_long_is_told(postgres_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_connection, "PATIENCE", 2.0)
    async with opened(postgres_place) as store, connection_to(postgres_place) as connection:
        await store.commit(turn("a", 1))
        async with connection.transaction():
            await connection.execute("SELECT * FROM tables FOR UPDATE")
            with pytest.raises(StoreDown):
                await store.commit(turn("a", 2))
        await commit_when_up(store, "a", 2)
        assert whole(await store.read("a"))
