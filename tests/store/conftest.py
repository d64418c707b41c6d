"""The same tests for every kind of store: each gets a place of its own, and coroutines run in a loop of their own."""

from __future__ import annotations

import asyncio
import inspect
from pathlib import Path

import pytest

from tests.store.postgres_server import PostgresServer
from tests.store.postgres_server import postgres as postgres


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Run tests that are coroutines."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    asyncio.run(pyfuncitem.obj(**{name: pyfuncitem.funcargs[name] for name in wanted}))
    return True


@pytest.fixture
def sqlite_place(tmp_path: Path) -> str:
    return str(tmp_path / "house" / "tables.db")


@pytest.fixture
def postgres_place(postgres: PostgresServer) -> str:
    return postgres.new_database()


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> str:
    """Where a new store can be opened, of each kind in turn."""
    return str(request.getfixturevalue("sqlite_place" if request.param == "sqlite" else "postgres_place"))
