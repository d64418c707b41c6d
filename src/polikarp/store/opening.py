"""From the place that a person names to the store that it means."""

from __future__ import annotations

from pathlib import Path

from polikarp.store import Store, StoreError
from polikarp.store.sqlite import SqliteStore


def open_store(place: str | Path, reading: bool = False) -> Store:
    """The store at an address (`postgresql://…`) or in a SQLite file; it is still to be started."""
    if isinstance(place, str) and place.startswith(("postgresql://", "postgres://")):
        try:
            from polikarp.store.postgres import PostgresStore  # asyncpg is needed for this one only
        except ImportError:
            raise StoreError("asyncpg is not installed; get it with: pip install 'polikarp[postgres]'") from None
        return PostgresStore(place, reading)
    return SqliteStore(Path(place), reading)
