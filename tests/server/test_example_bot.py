"""The example bot as people run it: processes of their own, at a real server that does not always stay up."""

from __future__ import annotations

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from polikarp.engine.record import read_record, verify
from polikarp.games import find_game
from tests.server.playing import Guest, Player, serving, wait_until

BOT = Path(__file__).parents[2] / "examples" / "bot.py"
PATIENCE = 120


@contextmanager
def bots(link: str, *arguments: list[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Bots at one table, one for each list of arguments. They come back quickly to a server that was away."""
    surroundings = {**os.environ, "WEBSOCKETS_BACKOFF_INITIAL_DELAY": "0.5", "WEBSOCKETS_BACKOFF_MIN_DELAY": "0.5"}
    processes = [
        subprocess.Popen(
            [sys.executable, str(BOT), link, *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=surroundings,
        )
        for given in arguments
    ]  # fmt: skip
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """How a bot ended, and what it had to say."""
    said, complained = process.communicate(timeout=PATIENCE)
    return process.returncode, said + complained


def seats_of(owner: Guest, table: str) -> list[dict[str, Any]]:
    seats: list[dict[str, Any]] = owner.get(f"/api/tables/{table}")["updates"][0]["table"]["seats"]
    return seats


def committed(owner: Guest, table: str) -> int:
    return sum(seat["committed"] for seat in seats_of(owner, table))


def statuses(owner: Guest, table: str) -> list[str]:
    return [seat["status"] for seat in seats_of(owner, table)]


def test_it_is_short() -> None:
    assert len(BOT.read_text("utf-8").splitlines()) < 60


def test_bots_play_on_through_a_server_that_dies_twice(tmp_path: Path) -> None:
    """Three seats, two `kill -9` in the middle: the game ends, and all three shares are in its chance."""
    with serving(tmp_path / "data") as server:
        owner = Guest(server.url)
        table = owner.table(seats=3, sit=False)
        with bots(f"{server.url}/t/{table}", [], [], []) as playing:
            wait_until(lambda: committed(owner, table) == 3)
            owner.do(table, "start")
            for lines in (5, 40):
                asyncio.run(watch(owner, table, lines))
                server.kill()
                server.start()
                owner.move_to(server.url)
                assert owner.get(f"/api/tables/{table}")["updates"][0]["table"]["stage"] == "playing"
            assert [finish(process) for process in playing] == [(0, "")] * 3
        record = read_record(owner.http.get(f"/api/tables/{table}/record").content)
        owner.close()
    assert len(set(record.players)) == 3
    assert [share.seat for share in record.shares] == [0, 1, 2]
    assert all(share.secret is not None for share in record.shares)
    assert verify(find_game("crypt"), record) > 0
    assert record.result is not None


async def watch(owner: Guest, table: str, lines: int) -> None:
    """Look on until the log has so many lines."""
    watcher = await Player(owner, table).connect(fresh=True)
    try:
        await watcher.until(lambda _: len(watcher.seen[None].log) >= lines)
    finally:
        await watcher.leave()


def test_it_plays_the_seat_that_its_token_is_for_and_takes_it_back(tmp_path: Path) -> None:
    """The owner's seat, which a bot holds meanwhile; the example bot takes it over and plays it to the end."""
    with serving(tmp_path / "data") as server:
        owner = Guest(server.url)
        table = owner.table(seats=2)
        other = Guest(server.url)
        other.do(table, "sit")
        secret = os.urandom(32)
        owner.do(table, "commit", seat=0, commitment=hashlib.sha256(secret).hexdigest())
        owner.do(table, "start")
        owner.do(table, "reveal", seat=0, share=secret.hex())
        owner.do(table, "hand_over", seat=0)
        token = owner.do(table, "make_token", seat=0)["token"]
        whole = other.do(table, "make_token", seat=1)["token"]
        link = f"{server.url}/t/{table}"
        with bots(link, [token]) as playing:
            wait_until(lambda: "held" not in statuses(owner, table))
            with bots(link, [whole]) as others:  # until now the game waited for that seat
                assert [finish(process) for process in (*playing, *others)] == [(0, "")] * 2
        assert "held" not in statuses(owner, table)
        record = read_record(owner.http.get(f"/api/tables/{table}/record").content)
        owner.close()
        other.close()
    assert verify(find_game("crypt"), record) > 0


def test_it_says_why_it_can_not_play(tmp_path: Path) -> None:
    with serving(tmp_path / "data") as server:
        owner = Guest(server.url)
        table = owner.table(seats=1)
        with bots(f"{server.url}/t/{table}", []) as playing:
            assert finish(playing[0]) == (1, "All seats at this table are taken.\n")
        owner.do(table, "leave")
        with bots(f"{server.url}/t/{table}", []) as playing:
            wait_until(lambda: committed(owner, table) == 1)
            owner.do(table, "kick", seat=0)
            assert finish(playing[0]) == (1, "The owner of the table has sent you away.\n")
        owner.close()
