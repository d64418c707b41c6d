"""Connections to PostgreSQL that break, and addresses at which there is none."""

from __future__ import annotations

import asyncio

import asyncpg
import pytest

from polikarp.store import StoreDown
from polikarp.store.opening import open_store
from tests.store.connections import commit_when_up, connection_to, refusal, stopped
from tests.store.postgres_server import PASSWORD, PostgresServer
from tests.store.rows import PATIENCE, opened, outcomes, turn, until, whole


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
    async with stopped(postgres), asyncio.timeout(PATIENCE):
        with pytest.raises(StoreDown):
            await store.commit(turn("a", 1))
        await store.close()


async def test_a_connection_that_was_cut_while_nothing_was_said_costs_nobody_anything(
    postgres_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, connections = asyncpg.Connection.__init__, []

    def noted(self: asyncpg.Connection, *args: object, **settings: object) -> None:
        connections.append(self)
        begin(self, *args, **settings)

    async with connection_to(postgres_place) as connection:
        monkeypatch.setattr(asyncpg.Connection, "__init__", noted)
        async with opened(postgres_place) as store:
            await store.commit(turn("a", 1))
            cut = list(connections)
            assert cut
            await connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'polikarp' AND datname = current_database()"
            )
            await until(lambda: all(one.is_closed() for one in cut))
            await store.commit(turn("a", 2))
            assert whole(await store.read("a"))


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
