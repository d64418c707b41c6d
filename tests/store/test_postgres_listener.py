"""A server hears what other servers write, and goes on listening when its connection was dead."""

from __future__ import annotations

import asyncpg
import pytest

from polikarp.store import postgres_connection, postgres_listener
from tests.store.connections import Relay, commit_when_up, stopped
from tests.store.postgres_server import PostgresServer
from tests.store.rows import opened, outcomes, turn, until


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


async def test_listening_goes_on_after_postgres_restarts(
    postgres: PostgresServer, postgres_place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard: list[tuple[str, int]] = []
    lost: list[int] = []
    failed: list[Exception] = []

    async def connect_again(connect: postgres_connection.Connect) -> asyncpg.Connection:
        async def noted() -> asyncpg.Connection:
            try:
                return await connect()
            except Exception as error:
                failed.append(error)
                raise

        return await postgres_connection.connect_again(noted)

    monkeypatch.setattr(postgres_listener, "connect_again", connect_again)
    async with opened(postgres_place) as one, opened(postgres_place) as two:
        await one.listen(lambda table, version: heard.append((table, version)), lambda: lost.append(len(heard)))
        async with stopped(postgres):
            await until(lambda: len(failed) > 1)
            assert lost == [], "while the connection is dead there is nothing new to tell"
        await until(lambda: lost == [0])
        await commit_when_up(two, "a", 1)
        await until(lambda: heard == [("a", 1)])
        assert lost == [0]


async def test_a_line_that_died_without_a_word(postgres_place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_listener, "PULSE", 0.1)
    monkeypatch.setattr(postgres_connection, "PATIENCE", 2.0)
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
