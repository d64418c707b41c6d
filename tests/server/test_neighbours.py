"""A table that another version of the server wrote: it opens, is played on and recorded, in either kind of store.

`tests/golden/stored-table.msgpack` is a game of Crypt as the version before the present one stored it, with a step that
was taken back, chat and clocks. It is never written anew by the code that it tests: only with an older version, when
the rules of Crypt change.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from polikarp.server.identity import Person, Signer, house_key
from polikarp.server.table.rows import PACK, document_of
from polikarp.store import Change, Loaded
from polikarp.store.opening import open_store
from tests.server.playing import Guest, playing, serving
from tests.store.postgres_server import PostgresServer, running_postgres

STORED = msgspec.msgpack.decode(
    (Path(__file__).parents[1] / "golden" / "stored-table.msgpack").read_bytes(), type=Loaded
)
PEOPLE = [(seat.person, seat.name) for seat in document_of(STORED.row).seats]


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest) -> str:
    """The address of a new database; empty: a file in the data folder."""
    if request.param == "sqlite":
        return ""
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_database()


async def put_into(place: str | Path) -> None:
    """The rows, into a new store."""
    store = open_store(place)
    await store.start()
    first = msgspec.structs.replace(STORED.row, version=1)
    people = sorted(person for person, _ in PEOPLE)
    await store.commit(Change(row=first, steps=STORED.steps, chat=STORED.chat, sitters=people))
    await store.close()


def test_a_document_is_written_under_the_same_names() -> None:
    """So a server of the version before reads what this one writes; the order of names does not matter."""
    assert msgspec.msgpack.decode(PACK(document_of(STORED.row))) == msgspec.msgpack.decode(STORED.row.body)


def test_a_table_of_the_version_before_is_played_on_and_recorded(place: str, tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    signer = Signer(house_key(data))
    asyncio.run(put_into(place or data / "polikarp.sqlite"))
    table, taken_back = STORED.row.id, sum(step.move is None for step in STORED.steps)
    assert taken_back == 1
    with serving(data, place) as server:
        guests = [Guest(server.url, signer.sign(Person(person, name, 0), "token")) for person, name in PEOPLE]

        async def play() -> None:
            async with playing(*((guest, table) for guest in guests)) as players:
                update = await players[0].until(lambda update: update["view"], 0)
                assert [said["text"] for said in players[0].seen[0].chat] == ["hello"]
                assert any(line["key"] == "undone" for line in players[0].seen[0].log)
                assert update["table"]["stage"] == "playing"
                await asyncio.gather(*(one.play(seat, random.Random(seat)) for seat, one in enumerate(players)))

        asyncio.run(play())
        record = read_record(guests[0].http.get(f"/api/tables/{table}/record").content)
        for guest in guests:
            guest.close()
    before = [step.move for step in STORED.steps[1 : -2 * taken_back]]
    assert [move.move for move in record.moves][: len(before)] == before
    assert len(record.moves) > len(before)
    assert verify(all_games()["crypt"], record) > 0
