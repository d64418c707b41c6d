"""What bots considered is kept beside their moves, whatever happens to the server, and is for nobody before the end."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import connect

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.record import Record, read_record, replay
from polikarp.engine.thoughts import Candidate, Thoughts
from polikarp.games import all_games
from polikarp.server.bots.worker import BotAnswer
from polikarp.server.house import Bots
from polikarp.server.table.rows import THOUGHTS
from polikarp.store.opening import open_store
from tests.server.house import OpenHouse, aside, open_house, run
from tests.server.playing import PATIENCE, Guest, Player, ServerProcess, guests_at, serving, wait_until
from tests.store.postgres_server import PostgresServer, running_postgres

SECRET = re.compile(r"987\D{0,8}654\D{0,8}321|thoughts|other_visits|Why that|Dlaczego tak")
LEVEL = "strong:level=easy"


class Secretive:
    """Bots that all have a thought which can be told from everything else."""

    def __init__(self, workers: Bots, games: Mapping[str, Game]) -> None:
        self.workers = workers
        self.games = games
        self.asked = 0

    async def choose(
        self,
        game_id: str,
        seats: int,
        options: Mapping[str, OptionValue],
        sight: bytes,
        seat: int,
        bot: str,
        volunteer: bool = False,
        **more: str,
    ) -> BotAnswer | None:
        answer = await self.workers.choose(game_id, seats, options, sight, seat, bot, volunteer, **more)
        assert answer is not None
        self.asked += 1
        secret = Thoughts([Candidate(self.games[game_id].text(answer.move), 987654321, 0.987)], 3, 12)
        return msgspec.structs.replace(answer, thoughts=secret)


async def stored(house: OpenHouse, table: str) -> list[Thoughts]:
    """The thoughts that the store has of a table."""
    loaded = await house.services.store.read(table)
    assert loaded is not None
    return [THOUGHTS.decode(step.thoughts) for step in loaded.steps if step.thoughts is not None]


async def ask_everything(guest: Guest, table: str) -> list[str]:
    """All that somebody can get of a running table, and what is refused."""
    where, page = f"/api/tables/{table}", f"/t/{table}"
    told = []
    for path in (page, where, f"{where}/record", "/api/mine", "/api/tables", "/metrics", "/healthz"):
        answer = await aside(guest.http.get, path)
        assert answer.status_code == 200, path
        told.append(answer.text)
    for path in (f"{where}/replay", f"{where}/replay?until=1&seat=1", f"{page}/replay", f"{page}/replay/part?at=1"):
        answer = await aside(guest.http.get, path)
        assert answer.status_code == 409, path
        told.append(answer.text)
    answer = await aside(guest.http.post, f"{page}/go-on", data={"at": "1", "seat": "1"})
    assert answer.status_code == 409
    return [*told, answer.text]


@pytest.mark.parametrize(("name", "seats"), [("crypt", 2), ("gold", 3), ("melee", 3)])
def test_nobody_gets_a_thought_before_the_end(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str], name: str, seats: int
) -> None:
    """The person at the table, for whom a bot stands in at times, and a watcher: pages, sockets, API, figures, log."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            house.services.bots = bots = Secretive(house.services.bots, house.services.games)
            person, watcher = await house.guests(2)
            table = await aside(person.table, game=name, seats=seats)
            await aside(person.do, table, "add_bot", level="greedy")
            lines = [await Player(one, table).connect() for one in (person, watcher)]
            page = await connect(
                f"{house.url.replace('http', 'ws', 1)}/t/{table}/socket", additional_headers=person.headers()
            )
            await page.send('{"type":"hello","seen":{}}')
            await lines[0].do("start")
            told: list[str] = []
            kept = 0
            for part in range(3):
                await lines[0].play(0, random.Random(part), 2)
                await lines[0].do("hand_over", seat=0)
                await lines[0].do("take_back", seat=0)
                kept = len(await stored(house, table))
                for one in (person, watcher):
                    told += await ask_everything(one, table)
            assert kept > 0, "bots have played, and their thoughts are there"
            await lines[0].do("hand_over", seat=0)
            for viewer, line in ((0, lines[0]), (None, lines[1])):
                await line.until(lambda update: update["view"] and update["view"]["result"], viewer)
            while True:
                text = await page.recv()
                assert isinstance(text, str)
                told.append(text)
                message = msgspec.json.decode(text)
                parts = message.get("beats", [message])
                if any(part.get("page", {}).get("stage") in ("over", ["over"]) for part in parts):
                    break
            await page.close()
            for line in lines:
                told += line.received
                await line.leave()
            told += [(await aside(person.http.get, path)).text for path in ("/metrics", f"/t/{table}")]
            told += [str(vars(record)) for record in caplog.records]
            told += capfd.readouterr()
            assert len(told) > 50
            found = [text for text in told if SECRET.search(text)]
            assert not found, found[0][:2000]
            record = read_record((await aside(person.http.get, f"/api/tables/{table}/record")).content)
            thoughts = [move.thoughts for move in record.moves if move.thoughts is not None]
            assert thoughts == await stored(house, table)
            assert len(thoughts) > kept
            assert bots.asked >= len(thoughts)
            assert all(move.thoughts is not None for move in record.moves if move.seat > 0)
            at = next(number for number, move in enumerate(record.moves, 1) if move.thoughts is not None)
            moment = await aside(watcher.get, f"/api/tables/{table}/replay", until=at)
            assert moment["thoughts"] == msgspec.to_builtins(record.moves[at - 1].thoughts)
            assert (await aside(watcher.get, f"/api/tables/{table}/replay", until=0))["thoughts"] is None

    run(story())


def test_a_move_that_is_not_the_bots_own_has_no_thoughts(tmp_path: Path) -> None:
    """Where a bot has no right answer any move is made for it: what it considered has nothing to do with that."""

    class Wrong(Secretive):
        async def choose(self, *args: object, **more: object) -> BotAnswer | None:
            return BotAnswer(1, 10**6, Thoughts([Candidate("recover", 5, 0.5)]))

    async def story() -> None:
        async with open_house(tmp_path) as house:
            house.services.bots = Wrong(house.services.bots, house.services.games)
            (person,) = await house.guests(1)
            table = await aside(person.table, seats=2)
            await aside(person.do, table, "add_bot")
            line = await Player(person, table).connect()
            await line.do("start")
            await line.do("hand_over", seat=0)
            await line.until(lambda update: update["view"] and update["view"]["result"], 0)
            await line.leave()
            assert await stored(house, table) == []

    run(story())


# Real servers, and bots that search


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ServerProcess]:
    database = request.getfixturevalue("postgres").new_database() if request.param == "postgresql" else ""
    with serving(tmp_path / "house", database) as server:
        yield server


def in_store(server: ServerProcess, table: str) -> dict[int, Thoughts]:
    """What the store has by the number of the move, read beside the server."""
    kept: dict[int, Thoughts] = {}

    async def read() -> None:
        store = open_store(server.database or server.data / "polikarp.sqlite", reading=True)
        await store.start()
        loaded = await store.read(table)
        await store.close()
        assert loaded is not None
        kept.update({step.number: THOUGHTS.decode(step.thoughts) for step in loaded.steps if step.thoughts is not None})

    run(read())
    return kept


def record_of(guest: Guest, table: str) -> Record:
    wait_until(lambda: guest.get(f"/api/tables/{table}/record").get("result"), 4 * PATIENCE)
    return read_record(guest.http.get(f"/api/tables/{table}/record").content)


def thoughts_in(record: Record) -> dict[int, Thoughts]:
    return {number: move.thoughts for number, move in enumerate(record.moves, 1) if move.thoughts is not None}


def searching_table(guest: Guest) -> str:
    """A table of gold with somebody on the first seat, and bots that search on the others."""
    table = guest.table(game="gold", seats=3)
    guest.do(table, "add_bot", level=LEVEL)
    guest.do(table, "start")
    return table


def play_until(guest: Guest, table: str, enough: Callable[[], bool]) -> None:
    """Make the moves of the first seat until there is enough; then the game waits for that seat."""
    update: dict[str, Any] = {}

    def asked() -> bool:
        nonlocal update
        (update,) = guest.get(f"/api/tables/{table}")["updates"]
        return 0 in update["view"]["waiting"]

    wait_until(asked)
    while not enough():
        guest.do(table, "move", seat=0, prompt=update["prompt"], move=update["view"]["moves"][0])
        wait_until(asked)


def test_thoughts_survive_kill_9(server: ServerProcess) -> None:
    with guests_at(server.url) as (guest,):
        table = searching_table(guest)
        play_until(guest, table, lambda: len(in_store(server, table)) > 2)
        server.kill()
        before = in_store(server, table)
        server.start()
        guest.do(table, "hand_over", seat=0)
        record = record_of(guest, table)
        after = thoughts_in(record)
        assert len(after) > len(before) > 2
        assert {number: after[number] for number in before} == before
        assert replay(all_games()["gold"], record).over
        assert {record.moves[number - 1].seat for number in after} == {1, 2}, "who stands in plays at first sight"
        assert all(record.moves[number - 1].move == one.best[0].move for number, one in after.items())


def test_a_server_that_hears_of_a_game_from_another_has_the_thoughts_too(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    database = postgres.new_database()
    with serving(tmp_path / "one", database) as one:
        (tmp_path / "two").mkdir()
        shutil.copy(one.data / "key", tmp_path / "two" / "key")
        with serving(tmp_path / "two", database) as two, guests_at(one.url, two.url) as (player, reader):
            table = searching_table(player)
            assert reader.get(f"/api/tables/{table}")["updates"][0]["table"]["stage"] == "playing"
            player.do(table, "hand_over", seat=0)
            record = record_of(reader, table)
            assert len(thoughts_in(record)) > 5
            assert record == record_of(player, table)
