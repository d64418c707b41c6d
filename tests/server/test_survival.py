"""Whatever happens to the server, what it acknowledged is there afterwards, once, and every table goes on."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import random
import resource
import socket
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from tests.conftest import Command, assert_refused
from tests.server.playing import (
    Guest,
    PersistentPlayer,
    Player,
    Refusal,
    ServerProcess,
    in_environment,
    playing,
    serving,
)
from tests.store.postgres_server import PostgresServer, running_postgres

MOVES = in_environment("POLIKARP_TEST_MOVES", 2000)  # acknowledged in one test
KILLS = in_environment("POLIKARP_TEST_KILLS", 12)  # at least


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The address of an empty database; nothing for SQLite."""
    return request.getfixturevalue("postgres").new_database() if request.param == "postgresql" else ""


@pytest.fixture
def server(database: str, tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "house", database).start()
    yield server
    if server.process is not None:
        server.kill()


class House:
    """People who play at many tables at once, through whatever happens to the server."""

    def __init__(self, url: str, chance: random.Random, guests: int) -> None:
        self.chance = chance
        self.guests = [Guest(url) for _ in range(guests)]
        self.tables: defaultdict[str, list[PersistentPlayer]] = defaultdict(list)
        self.games: dict[str, asyncio.Task[Any]] = {}

    @property
    def players(self) -> list[PersistentPlayer]:
        return [player for players in self.tables.values() for player in players]

    @property
    def acknowledged(self) -> int:
        return sum(player.acknowledged for player in self.players)

    def open_tables(self, count: int) -> None:
        """See that so many are being played, with people on most seats."""
        while len(self.unfinished()) < count:
            seats = self.chance.choice([2, 3, 4, 4])
            bots = self.chance.choice([0, 0, 0, 1])
            people = self.chance.sample(self.guests, seats - bots)
            table = people[0].table(seats=seats, absence=0)
            for guest in people[1:]:
                guest.do(table, "sit")
            if bots:
                people[0].do(table, "add_bot", level=self.chance.choice(["random", "greedy"]))
            self.tables[table] = [
                PersistentPlayer(guest, table, seat, random.Random(self.chance.random()))
                for seat, guest in enumerate(people)
            ]
            self.games[table] = asyncio.create_task(play_table(self.tables[table]))

    def unfinished(self) -> list[str]:
        """The tables that are still played. Raises what went wrong at the others."""
        for game in self.games.values():
            if game.done():
                game.result()
        return [table for table, game in self.games.items() if not game.done()]

    async def play_some(self, moves: int) -> None:
        enough = self.acknowledged + moves
        while self.acknowledged < enough and self.unfinished():
            await asyncio.sleep(0.01)

    def compare(self) -> int:
        """Everything that was acknowledged is there, and nothing else but what still waits for its answer: says how
        much of that was carried out. Nobody sends or reads meanwhile, because all of the test is one thread."""
        carried_out = 0
        for table in self.unfinished():
            chat = snapshot(self.tables[table][0])["chat"]
            for player in self.tables[table]:
                found = own_moves(player), [line["text"] for line in chat if line["seat"] == player.seat]
                if found != (player.moves, player.lines):
                    assert found == player.with_pending(), (player.moves, player.lines, player.pending)
                    carried_out += 1
        return carried_out

    async def finish(self) -> None:
        """Every game comes to its end, its record holds and has what was acknowledged, and nobody missed anything."""
        await asyncio.gather(*self.games.values())
        for table, players in self.tables.items():
            record = read_record(fetch(self.guests[0], f"/api/tables/{table}/record"))
            assert record.result is not None
            assert verify(all_games()[record.game], record) > 0
            for player in players:
                assert player.moves == [move.move for move in record.moves if move.seat == player.seat]
                seen, now = player.seen[player.seat], snapshot(player)
                assert player.lines == [line["text"] for line in now["chat"] if line["seat"] == player.seat]
                assert (seen.log, seen.chat) == (now["log"], now["chat"])
                assert seen.update["view"] == now["view"]

    async def close(self) -> None:
        for game in self.games.values():
            game.cancel()
        await asyncio.gather(*self.games.values(), return_exceptions=True)
        for player in self.players:
            await player.leave()
        for guest in self.guests:
            guest.close()


@contextlib.asynccontextmanager
async def house_at(server: ServerProcess, chance: random.Random, guests: int) -> AsyncIterator[House]:
    house = House(server.url, chance, guests)
    try:
        yield house
    finally:
        await house.close()


async def play_table(players: list[PersistentPlayer]) -> None:
    await asyncio.gather(*(player.come_back() for player in players))
    await players[0].insist("start")
    await asyncio.gather(*(player.play_on(chats=0.1, undoes=0.25) for player in players))


def fetch(guest: Guest, path: str) -> bytes:
    """What is there, as soon as the server finds that enough time has passed since the last request."""
    while (response := guest.http.get(path)).status_code == 429:
        time.sleep(0.1)
    assert response.status_code == 200, response.text
    return response.content


def own_moves(player: PersistentPlayer) -> list[str]:
    """A seat's moves as the table has them."""
    record = player.guest.get(f"/api/tables/{player.table}/record", seat=player.seat)
    if "seed" in record:  # the game is over: everybody's moves
        return [move for seat, move, *_ in record["moves"] if seat == player.seat]
    moves: list[str] = record["moves"]
    return moves


def snapshot(player: PersistentPlayer) -> dict[str, Any]:
    """The table as a seat sees it now, with the whole log and chat."""
    (update,) = json.loads(fetch(player.guest, f"/api/tables/{player.table}"))["updates"]
    assert update["seat"] == player.seat
    found: dict[str, Any] = update
    return found


def assert_all_hold(run: Command, server: ServerProcess) -> None:
    place = ["--database", server.database] if server.database else ["--data", str(server.data)]
    checked = run("check", *place)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.endswith("hold, 0 do not\n")


def test_what_was_acknowledged_survives_kill_9_and_is_there_once(
    server: ServerProcess, run: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    async def live() -> str:
        chance = random.Random("kill -9")
        kills = carried_out = 0
        async with house_at(server, chance, guests=8) as house:
            while kills < KILLS or house.acknowledged < MOVES:
                house.open_tables(10)
                if chance.random() < 0.25:
                    await asyncio.sleep(chance.uniform(0, 0.5))  # while everybody comes back
                else:
                    await house.play_some(chance.randrange(2 * MOVES // KILLS))
                    await asyncio.sleep(chance.uniform(0, 0.02))
                server.kill()
                kills += 1
                await asyncio.to_thread(server.start)
                carried_out += house.compare()
            await house.finish()
            assert carried_out > 0, "no kill came between the writing and the answer"
            undone = sum(player.undone for player in house.players)
            assert undone > 0
            lines = sum(len(player.lines) for player in house.players)
            assert lines > 0
            again = sum(player.sent_again for player in house.players)
            return (
                f"{house.acknowledged} moves, {undone} of them taken back, and {lines} lines at {len(house.tables)}"
                f" tables; {kills} kills; {again} messages sent again, {carried_out} of them carried out before"
            )

    summary = asyncio.run(live())
    with capsys.disabled():
        print(f"\n{summary}")
    assert_all_hold(run, server)


def test_a_server_that_is_asked_to_stop_says_so_and_loses_nothing(server: ServerProcess, run: Command) -> None:
    async def live() -> None:
        async with house_at(server, random.Random("stop"), guests=6) as house:
            house.open_tables(6)
            await house.play_some(100)
            present = [player for table in house.unfinished() for player in house.tables[table]]
            assert present
            began = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            assert time.monotonic() - began < 10
            assert all(player.restarting for player in present)
            assert {player.closed for player in present} == {1012}
            await asyncio.to_thread(server.start)
            house.compare()
            await house.finish()

    asyncio.run(live())
    assert_all_hold(run, server)


def test_stopping_waits_for_nobody(tmp_path: Path) -> None:
    with serving(tmp_path / "house") as server:
        guest = Guest(server.url)
        table = guest.table(seats=2)
        host, port = server.url.removeprefix("http://").split(":")
        with contextlib.ExitStack() as lines:

            def line() -> socket.socket:
                return lines.enter_context(socket.create_connection((host, int(port))))

            line()  # says nothing at all
            line().sendall(b"GET /api/games HTTP/1.1\r\n")  # stops in the middle of a request
            silent = line()  # opens a socket and never says hello
            silent.sendall(upgrade(table))
            deaf = line()  # says hello, and reads nothing, not even that the server goes
            deaf.sendall(upgrade(table) + masked(b'{"type":"hello"}'))

            async def live() -> None:
                idle = await Player(guest, table).connect()
                await idle.until(lambda update: True, 0)
                began = time.monotonic()
                assert await asyncio.to_thread(server.stop) == 0
                assert time.monotonic() - began < 10
                await idle.lost.wait()
                assert idle.restarting
                await idle.leave()

            asyncio.run(live())
        guest.close()


def upgrade(table: str) -> bytes:
    """The request that opens a socket."""
    key = base64.b64encode(bytes(16)).decode()
    return (
        f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: here\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def masked(text: bytes) -> bytes:
    """A short message as a client sends it."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


def test_two_servers_do_not_share_a_sqlite_folder(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "house") as server:
        assert_refused(run("serve", "--data", str(server.data), "--port", "0"), 1, "in use by another polikarp")
        guest = Guest(server.url)  # the first is none the worse for it
        guest.table(seats=2)
        guest.close()


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can limit another process")
def test_what_can_not_be_written_is_refused_and_did_not_happen(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "house") as server:
        assert server.process is not None
        pid = server.process.pid
        guest = Guest(server.url)
        table = guest.table(seats=2)
        guest.do(table, "add_bot", level="random")

        async def live() -> None:
            async with playing((guest, table)) as (player,):
                await player.do("start")
                update = await player.until(lambda update: 0 in (update["view"] or {}).get("waiting", []), 0)
                before = guest.get(f"/api/tables/{table}")
                unlimited = resource.prlimit(pid, resource.RLIMIT_FSIZE)
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (4096, unlimited[1]))  # as if the disk were full
                move = {"seat": 0, "prompt": update["prompt"], "move": update["view"]["moves"][0], "id": "the move"}
                for kind, fields in (("move", move), ("chat", {"text": "Hello?"}), ("hand_over", {"seat": 0})):
                    with pytest.raises(Refusal) as refused:
                        await player.do(kind, **fields)
                    assert refused.value.key == "store_down"
                refusal = guest.do(table, "chat", 503, text="Hello?")
                assert refusal["reason"]["key"] == "store_down"
                assert guest.post("/api/tables", {"game": "crypt"}, 503)["reason"]["key"] == "store_down"
                assert guest.get(f"/api/tables/{table}") == before
                resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)
                await player.do("move", **move)
                await player.do("chat", text="Hello again.")
                await player.play(0, random.Random(1))

        asyncio.run(live())
        assert [line["text"] for line in guest.get(f"/api/tables/{table}")["updates"][0]["chat"]] == ["Hello again."]
        record = read_record(fetch(guest, f"/api/tables/{table}/record"))
        assert verify(all_games()["crypt"], record) > 0
        assert_all_hold(run, server)
        guest.close()
