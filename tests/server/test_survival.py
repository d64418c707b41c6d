"""Whatever happens to the server, what it acknowledged is there afterwards, once, and every table goes on."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
import resource
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from tests.conftest import Command, assert_refused
from tests.server.company import company
from tests.server.playing import Refusal, ServerProcess, guests_at, playing, serving
from tests.store.postgres_server import PostgresServer, running_postgres


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
    assert_no_mistakes(server)


def assert_no_mistakes(server: ServerProcess) -> None:
    """Whatever happened, the server saw it coming."""
    log = server.log.read_text()
    assert '"event":"error"' not in log, log[-2000:]
    assert "Traceback" not in log, log[-2000:]


def assert_all_hold(run: Command, server: ServerProcess) -> None:
    place = ["--database", server.database] if server.database else ["--data", str(server.data)]
    checked = run("check", *place)
    assert checked.returncode == 0, checked.stdout
    assert checked.stdout.endswith("hold, 0 do not\n")


def test_what_was_acknowledged_survives_kill_9_and_is_there_once(
    server: ServerProcess, run: Command, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some kills; when there is time, as many as it takes until one came between the writing and the answer."""
    long = request.config.getoption("--long")
    least_moves, least_kills = (2000, 8) if long else (300, 3)

    async def live() -> str:
        chance = random.Random("kill -9")
        kills = carried_out = 0
        async with company([server.url] * 8, chance) as people:
            while (
                kills < least_kills
                or people.acknowledged < least_moves
                or (long and not carried_out and kills < 5 * least_kills)
            ):
                people.open_tables(10)
                if chance.random() < 0.25:
                    await asyncio.sleep(chance.uniform(0, 0.5))  # while everybody comes back
                else:
                    await people.play_some(chance.randrange(2 * least_moves // least_kills))
                    await asyncio.sleep(chance.uniform(0, 0.02))
                server.kill()
                kills += 1
                await asyncio.to_thread(server.start)
                carried_out += people.compare()
            await people.finish()
            assert carried_out > 0 or not long, "no kill came between the writing and the answer"
            undone = sum(player.undone for player in people.players)
            assert undone > 0
            lines = sum(len(player.lines) for player in people.players)
            assert lines > 0
            again = sum(player.sent_again for player in people.players)
            return (
                f"{people.acknowledged} moves, {undone} of them taken back, and {lines} lines at {len(people.tables)}"
                f" tables; {kills} kills; {again} messages sent again, {carried_out} of them carried out before"
            )

    summary = asyncio.run(live())
    with capsys.disabled():
        print(f"\n{summary}")
    assert_all_hold(run, server)


def test_a_server_that_is_asked_to_stop_says_so_and_loses_nothing(server: ServerProcess, run: Command) -> None:
    async def live() -> None:
        async with company([server.url] * 6, random.Random("stop")) as people:
            people.open_tables(4)
            await people.play_some(60)
            present = [player for table in people.unfinished() for player in people.tables[table]]
            assert present
            began = time.monotonic()
            assert await asyncio.to_thread(server.stop) == 0
            assert time.monotonic() - began < 10
            assert all(player.restarting for player in present)
            assert {player.closed for player in present} == {1012}
            await asyncio.to_thread(server.start)
            people.compare()
            await people.finish()

    asyncio.run(live())
    assert_all_hold(run, server)


def test_stopping_waits_for_nobody(tmp_path: Path) -> None:
    with serving(tmp_path / "house") as server, guests_at(server.url) as (guest,), contextlib.ExitStack() as lines:
        table = guest.table(seats=2)

        def line(sent: bytes) -> socket.socket:
            made = lines.enter_context(socket.socket())
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            made.connect(("127.0.0.1", server.port))
            made.sendall(sent)
            return made

        line(b"")  # says nothing at all
        line(b"GET /api/games HTTP/1.1\r\n")  # stops in the middle of a request
        line(b"GET /api/openapi.json HTTP/1.1\r\nHost: here\r\n\r\n" * 150)  # asks for more than it takes
        line(upgrade(table))  # opens a socket and never says hello
        deaf = line(upgrade(table))  # says hello, but never notices that the server goes
        assert deaf.recv(1000).startswith(b"HTTP/1.1 101")
        deaf.sendall(masked(b'{"type":"hello"}'))
        assert deaf.recv(1) == b"\x81"

        async def live() -> None:
            async with playing((guest, table)) as (idle,):
                await idle.until(lambda update: True, 0)
                began = time.monotonic()
                assert await asyncio.to_thread(server.stop) == 0
                assert time.monotonic() - began < 10
                await idle.lost.wait()
                assert idle.restarting

        asyncio.run(live())


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
        with guests_at(server.url) as (guest,):  # the first is none the worse for it
            guest.table(seats=2)


@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux can limit another process")
def test_what_can_not_be_written_is_refused_and_did_not_happen(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "house") as server, guests_at(server.url) as (guest,):
        assert server.process is not None
        pid = server.process.pid
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
        record = read_record(guest.http.get(f"/api/tables/{table}/record").content)
        assert verify(all_games()["crypt"], record) > 0
        assert_all_hold(run, server)
