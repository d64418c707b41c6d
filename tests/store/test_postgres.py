"""What is the PostgreSQL store's own: many servers on one database."""

from __future__ import annotations

import asyncio
import contextlib

import asyncpg
import pytest

from polikarp.store import Conflict, Outage, Store, postgres_connection
from polikarp.store.opening import open_store
from tests.store.connections import connection_to, refusal
from tests.store.rows import opened, outcomes, turn, whole


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


async def test_a_database_of_another_program_is_left_alone(postgres_place: str) -> None:
    async with connection_to(postgres_place) as connection:
        await connection.execute("CREATE TABLE steps (name text)")
        assert "of another program" in await refusal(postgres_place)
        assert await connection.fetchval("SELECT to_regclass('tables')") is None


async def test_what_is_opened_for_reading_can_not_write(postgres_place: str) -> None:
    connection = await postgres_connection.Database(postgres_place, reading=True).connect()
    try:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await connection.execute("CREATE TABLE guests (name text)")
    finally:
        await connection.close()


async def test_reading_makes_no_tables(postgres_place: str) -> None:
    assert "not up to date" in await refusal(postgres_place, reading=True)
