"""Real servers in processes of their own, and clients that talk to them over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.server.hand_clock import HandClock, MachineClock

PATIENCE = 60.0
COMMAND = (sys.executable, "-m", "polikarp.cli", "serve")


class ServerProcess:
    """`polikarp serve` in a process of its own."""

    def __init__(self, data: Path, database: str = "", command: tuple[str, ...] = COMMAND, port: int = 0) -> None:
        self.data = data
        self.database = database
        self.command = command
        self.port = port
        self.process: subprocess.Popen[str] | None = None
        self.url = ""
        self.log = data.parent / f"{data.name}.log"

    def start(self) -> ServerProcess:
        args = [*self.command, "--data", str(self.data), "--port", str(self.port)]
        if self.database:
            args += ["--database", self.database]
        with self.log.open("a") as log:
            self.process = subprocess.Popen(args, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("polikarp: http"):
            self.process.kill()
            self.process.wait()
            self.process.stdout.close()
            raise RuntimeError(f"the server did not start: {line!r} {self.log.read_text()[-2000:]}")
        self.url = line.split()[1].rstrip("/")
        self.port = int(self.url.rsplit(":", 1)[1])  # the same again after a restart
        return self

    def kill(self) -> None:
        """`kill -9`."""
        assert self.process is not None
        self.process.kill()
        self.finish()

    def stop(self) -> int:
        """Ask it to stop, and say how it did."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        return self.finish()

    def finish(self) -> int:
        assert self.process is not None
        status = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
        return status


@contextlib.contextmanager
def serving(data: Path, database: str = "", command: tuple[str, ...] = COMMAND) -> Iterator[ServerProcess]:
    server = ServerProcess(data, database, command).start()
    try:
        yield server
    finally:
        if server.process is not None:
            assert server.stop() == 0, server.log.read_text()[-2000:]


def bot_workers(server: ServerProcess) -> list[int]:
    """The processes in which a server's bots think."""
    assert server.process is not None
    children = subprocess.run(["pgrep", "-P", str(server.process.pid)], capture_output=True, text=True)
    return [int(pid) for pid in children.stdout.split()]


@contextlib.contextmanager
def frozen_bots(server: ServerProcess) -> Iterator[None]:
    """Meanwhile the bots of a server are stopped in their thoughts; afterwards they answer, late."""
    wait_until(lambda: len(bot_workers(server)) >= max(2, os.cpu_count() or 1))  # it starts them when it has started
    workers = bot_workers(server)
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in workers:
            with contextlib.suppress(ProcessLookupError):  # it died with its server
                os.kill(pid, signal.SIGCONT)


NUMBERS = itertools.count(1)
MOST_ASKED = 100  # from one address, of the 200 that the server answers at once


def own_address() -> str:
    """An address of this machine that nobody else here has."""
    number = next(NUMBERS)
    return f"127.{number >> 16 & 63 | 64}.{number >> 8 & 255}.{number & 255}"


class Guest:
    """Somebody with a cookie (or a token): makes requests and opens sockets. From an address of their own, and who asks
    for much goes on from another: how much one address may ask for never depends on what else is tested."""

    clock: HandClock | MachineClock = MachineClock()  # by which they wait

    def __init__(self, url: str, token: str = "") -> None:
        self.url = url
        self.token = token
        self.asked = 0
        self.http = self.client(self.headers())
        self.count = 0
        if not token:
            self.name = self.get("/api/me")["name"]

    def headers(self) -> dict[str, str]:
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        cookie = self.http.cookies.get("polikarp") if hasattr(self, "http") else None
        return {"Cookie": f"polikarp={cookie}"} if cookie else {}

    def client(self, headers: dict[str, str]) -> httpx2.Client:
        transport = httpx2.HTTPTransport(local_address=own_address())
        return httpx2.Client(base_url=self.url, timeout=PATIENCE, headers=headers, transport=transport)

    def move_to(self, url: str) -> None:
        """The same person at another server, or from another address."""
        cookie = self.http.cookies.get("polikarp")
        self.http.close()
        self.url = url
        self.asked = 0
        self.http = self.client(self.headers() if self.token else {})
        if cookie:
            self.http.cookies.set("polikarp", cookie)

    def ask(self) -> httpx2.Client:
        self.asked += 1
        if self.asked > MOST_ASKED:
            self.move_to(self.url)
        return self.http

    def get(self, path: str, status: int = 200, **params: Any) -> Any:
        response = self.ask().get(path, params=params or None)
        assert response.status_code == status, response.text[:500]
        return response.json()

    def post(self, path: str, body: Any, status: int | None = None) -> Any:
        response = self.ask().post(path, json=body)
        assert response.status_code == status or (status is None and response.status_code < 300), response.text[:500]
        return response.json()

    def table(self, **wanted: Any) -> str:
        made: str = self.post("/api/tables", {"game": "crypt", **wanted}, 201)["table"]
        return made

    def do(self, table: str, kind: str, status: int | None = None, **fields: Any) -> Any:
        self.count += 1
        fields.setdefault("id", f"{kind} {self.count}")
        return self.post(f"/api/tables/{table}", {"type": kind, **fields}, status)

    def figure(self, name: str) -> int:
        """One of the figures that the server tells about itself."""
        lines = self.http.get("/metrics").text.splitlines()
        return int(next(line for line in lines if line.startswith(f"polikarp_{name} ")).split()[1])

    def bots_asked(self) -> int:
        """How many bots owe the server an answer."""
        return self.figure("bots_busy") + self.figure("bots_queued")

    def close(self) -> None:
        self.http.close()


@contextlib.contextmanager
def guests_at(*urls: str) -> Iterator[list[Guest]]:
    """Somebody new at each of these servers, who leaves in the end."""
    guests = [Guest(url) for url in urls]
    try:
        yield guests
    finally:
        for guest in guests:
            guest.close()


class Refusal(Exception):
    """The server said no."""

    def __init__(self, reason: dict[str, Any]) -> None:
        super().__init__(f"{reason['key']}: {reason['text']}")
        self.reason = reason
        self.key: str = reason["key"]


class Seen:
    """What a client has of one stream."""

    def __init__(self) -> None:
        self.update: dict[str, Any] = {}
        self.log: list[dict[str, Any]] = []
        self.chat: list[dict[str, Any]] = []

    def take(self, update: dict[str, Any]) -> None:
        if self.update:
            assert update["number"] >= self.update["number"] + (update["log_from"] > 0), "numbers go up"
        assert update["log_from"] <= len(self.log)
        assert update["log_from"] or update["log"][: len(self.log)] == self.log, "what was shown stays so"
        assert update["chat_from"] <= len(self.chat)
        self.log[update["log_from"] :] = update["log"]
        self.chat[update["chat_from"] :] = update["chat"]
        self.update = update


class Player:
    """A client on a socket at one table."""

    def __init__(self, guest: Guest, table: str) -> None:
        self.guest = guest
        self.table = table
        self.socket: ClientConnection | None = None
        self.seen: dict[int | None, Seen] = {}
        self.answers: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self.changed = asyncio.Condition()
        self.reader: asyncio.Task[None] | None = None
        self.count = 0
        self.received: list[str] = []  # every message as it came
        self.restarting = False
        self.lost = asyncio.Event()
        self.closed: int | None = None  # how the last line ended

    async def connect(self, fresh: bool = False, **headers: str) -> Player:
        await self.leave()
        where = f"{self.guest.url.replace('http', 'ws', 1)}/api/tables/{self.table}/socket"
        self.socket = await connect(
            where,
            additional_headers={**self.guest.headers(), **headers},
            max_size=None,
            open_timeout=PATIENCE,
            sock=self.made_socket(),
        )
        if fresh:
            self.seen = {}
        seen = [
            {"seat": seat, "number": had.update["number"], "log": len(had.log), "chat": len(had.chat)}
            for seat, had in self.seen.items()
            if had.update
        ]
        await self.socket.send(msgspec.json.encode({"type": "hello", "seen": seen}).decode())
        self.lost = asyncio.Event()
        self.reader = asyncio.create_task(self.read(self.socket, self.lost))
        return self

    def made_socket(self) -> socket.socket | None:
        """A connected socket to use, where it matters from where."""
        return None

    async def read(self, socket: ClientConnection, lost: asyncio.Event) -> None:
        try:
            async for text in socket:
                assert isinstance(text, str)
                self.received.append(text)
                message = msgspec.json.decode(text)
                if message["type"] == "ping":
                    await self.pong(socket, message["nonce"])
                elif message["type"] == "update":
                    mine = message["you"]["seats"]
                    self.seen = {seat: had for seat, had in self.seen.items() if seat in (mine or [None])}
                    self.seen.setdefault(message["seat"], Seen()).take(message)
                    self.saw(message)
                elif message["type"] == "restarting":
                    self.restarting = True
                elif message["id"] in self.answers:
                    answer = self.answers[message["id"]]
                    if not answer.done():
                        answer.set_result(message)
                async with self.changed:
                    self.changed.notify_all()
        except ConnectionClosed:
            pass
        finally:
            self.closed = socket.close_code
            lost.set()
            for answer in self.answers.values():
                if not answer.done():
                    answer.set_exception(ConnectionError("the line was lost"))
                    answer.exception()
            async with self.changed:
                self.changed.notify_all()

    def saw(self, update: dict[str, Any]) -> None:
        """An update is on the screen, at this very moment."""

    async def pong(self, socket: ClientConnection, nonce: str) -> None:
        """Answer at once, as all who are honest do."""
        await socket.send(msgspec.json.encode({"type": "pong", "nonce": nonce}).decode())

    async def leave(self) -> None:
        socket, self.socket = self.socket, None
        if socket is not None:
            await socket.close()
            if self.reader is not None:
                await self.reader

    async def send(self, kind: str, **fields: Any) -> str:
        self.count += 1
        fields.setdefault("id", f"{kind} {self.count} {random.getrandbits(32):x}")
        assert self.socket is not None
        self.answers[fields["id"]] = asyncio.get_running_loop().create_future()
        await self.socket.send(msgspec.json.encode({"type": kind, **fields}).decode())
        name: str = fields["id"]
        return name

    async def answer(self, name: str) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            message = await self.answers[name]
        if message["type"] == "refused":
            raise Refusal(message["reason"])
        return message

    async def do(self, kind: str, **fields: Any) -> dict[str, Any]:
        return await self.answer(await self.send(kind, **fields))

    async def until(self, condition: Any, seat: int | None = None, patience: float = PATIENCE) -> dict[str, Any]:
        """Wait till something is so in a stream."""

        def so() -> bool:
            had = self.seen.get(seat)
            return had is not None and bool(had.update) and bool(condition(had.update))

        async with self.changed, asyncio.timeout(patience):
            await self.changed.wait_for(lambda: so() or self.lost.is_set())
        if not so():
            raise ConnectionError("the line was lost")
        return self.seen[seat].update

    def view(self, seat: int | None) -> dict[str, Any]:
        view: dict[str, Any] = self.seen[seat].update["view"]
        return view

    async def move(self, seat: int, kind: str = "") -> dict[str, Any]:
        """Make a move, the first of this kind or any; says what the seat sees then."""
        update = self.seen[seat].update
        chosen = [text for text in update["view"]["moves"] if text.startswith(kind)]
        await self.do("move", seat=seat, prompt=update["prompt"], move=chosen[0])
        return await self.until(lambda now: now["prompt"] > update["prompt"], seat)

    async def decide(self, seat: int) -> None:
        """Move until the game waits for somebody else."""
        while seat in self.view(seat)["waiting"]:
            await self.move(seat)

    async def play(self, seat: int, chance: random.Random, most: int = 10_000) -> int:
        """Play random moves on a seat until the game is over; says how many."""
        played = 0
        while played < most:
            update = await self.until(
                lambda update: update["view"] and (update["view"]["result"] or seat in update["view"]["waiting"]), seat
            )
            if update["view"]["result"]:
                break
            try:
                await self.do("move", seat=seat, prompt=update["prompt"], move=chance.choice(update["view"]["moves"]))
                played += 1
            except Refusal as refusal:
                if refusal.key == "too_fast":  # several seats at one socket share its limit
                    await asyncio.sleep(0.1)
                    continue
                if refusal.key != "old_prompt":
                    raise
            number = update["number"]
            await self.until(lambda update, number=number: update["number"] > number, seat)
        return played


@contextlib.asynccontextmanager
async def playing(*seated: tuple[Guest, str]) -> AsyncIterator[list[Player]]:
    """Clients that are connected, and leave in the end."""
    players = [await Player(guest, table).connect() for guest, table in seated]
    try:
        yield players
    finally:
        for player in players:
            await player.leave()


async def eventually(condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait, in the loop, for something that nobody tells of when it comes to be: in another process, mostly."""
    async with asyncio.timeout(patience):
        while not condition():
            await asyncio.sleep(0.01)


def wait_until(condition: Callable[[], object], patience: float = PATIENCE) -> None:
    """The same outside of a loop."""
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)
