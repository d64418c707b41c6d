"""The commands of those who host: serve, token, backup, restore, check."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
from pathlib import Path

import httpx2
import msgspec
import pytest

from polikarp.engine.phrase import Event
from polikarp.engine.state import EVERYONE
from polikarp.server.table.rows import DOCUMENT, PACK
from tests.conftest import Command, assert_refused
from tests.server.playing import Guest, Player, ServerProcess, serving, wait_until


def finish_a_game(url: str, guest: Guest) -> str:
    """A whole game between a person and a bot; says which table."""
    table = guest.table(seats=2)
    guest.do(table, "add_bot", level="random")

    async def play() -> None:
        player = await Player(guest, table).connect()
        await player.do("start")
        await player.play(0, random.Random(1))
        await player.leave()

    asyncio.run(play())
    return table


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A data folder with a finished, a running and an open table; the first two's ids."""
    folder = tmp_path_factory.mktemp("played") / "data"
    with serving(folder) as server:
        guest = Guest(server.url)
        finished = finish_a_game(server.url, guest)
        running = guest.table(seats=2)
        guest.do(running, "sit")
        guest.do(running, "start")
        guest.table(seats=4, public=True)
        guest.close()
    return folder, finished, running


def test_polikarp_alone_serves_what_the_environment_says(tmp_path: Path, surroundings: dict[str, str]) -> None:
    environment = {**surroundings, "POLIKARP_PORT": "0", "POLIKARP_DATA": str(tmp_path / "data")}
    process = subprocess.Popen(
        [sys.executable, "-m", "polikarp.cli"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    url = process.stdout.readline().split()[1]
    assert httpx2.get(f"{url}healthz").json()["ok"]
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    lines = [msgspec.json.decode(line) for line in err.splitlines()]
    assert [line["event"] for line in lines] == ["started", "stopping", "stopped"]
    assert stat.S_IMODE((tmp_path / "data" / "key").stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--port", "x"), "0 to 65535"),
        (("--port", "70000"), "0 to 65535"),
        (("--database", "mysql://localhost/x"), "postgresql://"),
        (("--public-url", "play.example.org"), "https://"),
        (("--public-url", "https://example.org/games"), "https://"),
        (("--round-trip-header", "X-Round-Trip"), "--trusted-proxies"),
    ],
)
def test_wrong_settings_are_one_line(args: tuple[str, ...], words: str, call: Command) -> None:
    assert_refused(call("serve", "--data", "data", *args), 2, words)


def test_a_port_that_is_taken_is_one_line(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "data") as server:
        port = server.url.rsplit(":", 1)[1]
        assert_refused(run("serve", "--data", str(tmp_path / "other"), "--port", port), 2, port)


def test_a_second_server_on_one_folder_is_refused(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "data"):
        outcome = run("serve", "--data", str(tmp_path / "data"), "--port", "0")
        assert_refused(outcome, 1, "in use")


def test_a_database_of_another_house_is_refused(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "data"):
        pass
    (tmp_path / "data" / "key").write_text("00" * 32)
    outcome = run("serve", "--data", str(tmp_path / "data"), "--port", "0")
    assert_refused(outcome, 1, "key")
    (tmp_path / "data" / "key").write_text("rubbish")
    assert_refused(run("serve", "--data", str(tmp_path / "data"), "--port", "0"), 1, "is not a key")


def test_tokens_from_the_command_line_let_programs_in(tmp_path: Path, run: Command) -> None:
    with serving(tmp_path / "data") as server:
        token = run("token", " My   bot ", "--data", str(tmp_path / "data")).stdout.strip()
        robot = Guest(server.url, token)
        assert robot.get("/api/me")["name"] == "My bot"
        assert robot.table()
        robot.close()
    assert_refused(run("token", "", "--data", str(tmp_path / "data")), 2, "name")
    assert_refused(run("token", "x", "--days", "0", "--data", str(tmp_path / "data")), 2, "days")


def test_check_names_the_tables_that_no_longer_hold(
    played: tuple[Path, str, str], tmp_path: Path, run: Command
) -> None:
    folder, finished, _running = played
    outcome = run("check", "--data", str(folder))
    assert (outcome.returncode, outcome.stdout, outcome.stderr) == (0, "3 tables, 3 hold, 0 do not\n", "")
    copy = tmp_path / "polikarp.sqlite"
    assert run("backup", str(copy), "--data", str(folder)).returncode == 0
    with sqlite3.connect(copy) as database:
        database.execute("UPDATE steps SET move = 'done' WHERE table_id = ? AND number = 1", (finished,))
    database.close()
    outcome = run("check", "--data", str(tmp_path))
    assert outcome.returncode == 1
    first, last = outcome.stdout.splitlines()
    assert first.startswith(f"{finished}: move 1 is not legal")
    assert last == "3 tables, 2 hold, 1 do not"
    assert_refused(run("check", "--data", str(tmp_path / "nowhere")), 1, "polikarp.sqlite")


def test_a_table_that_does_not_hold_is_halted_and_the_others_go_on(
    played: tuple[Path, str, str], tmp_path: Path, run: Command
) -> None:
    """As after an upgrade: the tables were dealt under rules with another mark."""
    folder, finished, running = played
    data = tmp_path / "data"
    data.mkdir()
    (data / "key").write_text((folder / "key").read_text())
    assert run("backup", str(data / "polikarp.sqlite"), "--data", str(folder)).returncode == 0
    with serving(data) as server:
        guest = Guest(server.url)
        good = guest.table(seats=1)
        guest.do(good, "start")
    with sqlite3.connect(data / "polikarp.sqlite") as database:
        for table in (running, good):
            (packed,) = database.execute("SELECT body FROM tables WHERE id = ?", (table,)).fetchone()
            body = DOCUMENT.decode(packed)
            body.rules = "0+00000000"
            database.execute("UPDATE tables SET rules = ?, body = ? WHERE id = ?", (body.rules, PACK(body), table))
        told = msgspec.msgpack.encode([Event("done", {"seat": 3}, EVERYONE)])  # which is not so now
        database.execute("UPDATE steps SET events = ? WHERE table_id = ? AND number = 0", (told, running))
        database.execute("UPDATE tables SET state = X'00'")  # older rules wrote positions down in another way
    database.close()
    with serving(data) as server:
        guest.move_to(server.url)
        halted = guest.get(f"/api/tables/{running}")["updates"][0]
        assert (halted["table"]["stage"], halted["view"]) == ("halted", None)
        assert halted["table"]["halted"]
        adopted = guest.get(f"/api/tables/{good}")["updates"][0]
        assert adopted["table"]["stage"] == "playing"
        assert adopted["table"]["rules"] != "0+00000000"
        move = {"prompt": adopted["prompt"], "move": adopted["view"]["moves"][0]}
        guest.do(good, "move", seat=0, **move)
        assert guest.get(f"/api/tables/{finished}/record")["result"]
        guest.close()


def test_backup_while_playing_and_restore_elsewhere(tmp_path: Path, run: Command) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy.sqlite"
    with serving(data) as server:
        guest = Guest(server.url)
        playing = threading.Thread(target=finish_a_game, args=(server.url, guest))
        playing.start()
        wait_until(lambda: guest.get("/api/mine") != [])
        assert run("backup", str(copy), "--data", str(data)).stdout == f"{copy}: 1 tables\n"
        playing.join()
        guest.close()
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert_refused(run("backup", str(copy), "--data", str(data)), 1, str(copy))
    assert_refused(run("backup", str(tmp_path / "no" / "x"), "--data", str(data)), 2, "folder does not exist")
    assert run("restore", str(copy), "--data", str(tmp_path / "new")).stdout == f"1 tables from {copy}\n"
    assert run("check", "--data", str(tmp_path / "new")).stdout == "1 tables, 1 hold, 0 do not\n"
    assert_refused(run("restore", str(copy), "--data", str(tmp_path / "new")), 1, "empty")
    assert_refused(run("restore", str(tmp_path / "gone"), "--data", str(tmp_path / "third")), 1, "gone")


def test_a_server_that_stops_says_so_and_keeps_everything(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data").start()
    guest = Guest(server.url)
    table = guest.table(seats=1)
    guest.do(table, "start")

    async def stopped() -> int | None:
        player = await Player(guest, table).connect()
        await player.until(lambda update: update["view"], 0)
        assert server.process is not None
        os.kill(server.process.pid, signal.SIGTERM)
        await asyncio.wait_for(player.lost.wait(), 30)
        assert player.restarting
        assert player.socket is not None
        await player.socket.wait_closed()
        return player.socket.close_code

    assert asyncio.run(stopped()) == 1012
    assert server.finish() == 0
    with serving(tmp_path / "data") as again:
        guest.move_to(again.url)
        assert guest.get(f"/api/tables/{table}")["updates"][0]["table"]["stage"] == "playing"
    guest.close()
