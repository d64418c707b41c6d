"""Rows to write, and what the tests of all stores share."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from polikarp.store import Change, ChatRow, Loaded, StepRow, Store, TableRow
from polikarp.store.opening import open_store

PATIENCE = 60.0  # seconds after which something is said to never happen


@contextlib.asynccontextmanager
async def opened(place: str | Path, reading: bool = False) -> AsyncIterator[Store]:
    store = open_store(place, reading)
    await store.start()
    try:
        yield store
    finally:
        await store.close()


def table(table_id: str, version: int = 1, **others: Any) -> TableRow:
    row: dict[str, Any] = {
        "id": table_id,
        "code": None,
        "game": "crypt",
        "rules": "crypt 3",
        "stage": "open",
        "public": True,
        "version": version,
        "changed": 1000.0 + version,
        "due": None,
        "body": b"body",
        "state": None,
    }
    return TableRow(**(row | others))


def step(number: int, **others: Any) -> StepRow:
    row: dict[str, Any] = {
        "number": number,
        "seat": 0,
        "move": f"move {number}",
        "drawn": [number, 2],
        "events": b"events",
        "sealed": False,
        "at": 1000.5,
        "mark": f"mark {number}",
    }
    return StepRow(**(row | others))


def line(number: int, **others: Any) -> ChatRow:
    row: dict[str, Any] = {"number": number, "seat": 1, "name": "Ola", "text": f"line {number}", "at": 1000.25}
    return ChatRow(**(row | others))


def turn(table_id: str, version: int, **others: Any) -> Change:
    """One change of a table, with the one step and the one line of chat that belong to it."""
    return Change(row=table(table_id, version, **others), steps=[step(version - 1)], chat=[line(version - 1)])


def whole(loaded: Loaded | None) -> bool:
    """Whether a table that was changed by `turn` alone is all of one moment."""
    assert loaded is not None
    numbers = list(range(loaded.row.version))
    return [step.number for step in loaded.steps] == numbers == [line.number for line in loaded.chat]


async def outcomes(store: Store, *changes: Change) -> list[BaseException | None]:
    """Commit changes all at once; what came of each."""
    return await asyncio.gather(*map(store.commit, changes), return_exceptions=True)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)
