"""Real servers in processes of their own, and clients that talk to them over real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

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


class Guest:
    """Somebody with a cookie (or a token): makes requests and opens sockets."""

    def __init__(self, url: str, token: str = "") -> None:
        self.url = url
        self.token = token
        self.http = httpx2.Client(base_url=url, timeout=PATIENCE, headers=self.headers())
        self.count = 0
        if not token:
            self.name = self.get("/api/me")["name"]

    def headers(self) -> dict[str, str]:
        if self.token:
            return {"Authorization": f"Bearer {self.token}"}
        cookie = self.http.cookies.get("polikarp") if hasattr(self, "http") else None
        return {"Cookie": f"polikarp={cookie}"} if cookie else {}

    def move_to(self, url: str) -> None:
        """The same person at another server."""
        cookie = self.http.cookies.get("polikarp")
        self.http.close()
        self.url = url
        self.http = httpx2.Client(base_url=url, timeout=PATIENCE)
        if cookie:
            self.http.cookies.set("polikarp", cookie)

    def get(self, path: str, status: int = 200, **params: Any) -> Any:
        response = self.http.get(path, params=params or None)
        assert response.status_code == status, response.text[:500]
        return response.json()

    def post(self, path: str, body: Any, status: int | None = None) -> Any:
        response = self.http.post(path, json=body)
        assert response.status_code == status or (status is None and response.status_code < 300), response.text[:500]
        return response.json()

    def table(self, **wanted: Any) -> str:
        made: str = self.post("/api/tables", {"game": "crypt", **wanted}, 201)["table"]
        return made

    def do(self, table: str, kind: str, status: int | None = None, **fields: Any) -> Any:
        self.count += 1
        fields.setdefault("id", f"{kind} {self.count}")
        return self.post(f"/api/tables/{table}", {"type": kind, **fields}, status)

    def close(self) -> None:
        self.http.close()


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
            where, additional_headers={**self.guest.headers(), **headers}, max_size=None, open_timeout=PATIENCE
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

    async def read(self, socket: ClientConnection, lost: asyncio.Event) -> None:
        try:
            async for text in socket:
                assert isinstance(text, str)
                self.received.append(text)
                message = msgspec.json.decode(text)
                if message["type"] == "update":
                    mine = message["you"]["seats"]
                    self.seen = {seat: had for seat, had in self.seen.items() if seat in (mine or [None])}
                    self.seen.setdefault(message["seat"], Seen()).take(message)
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
                if refusal.key != "old_prompt":
                    raise
            number = update["number"]
            await self.until(lambda update, number=number: update["number"] > number, seat)
        return played


class PersistentPlayer(Player):
    """A player on one seat who goes on through lost lines: what was not answered is sent again under the same id.

    It knows what the table must remember of it: `moves` and `lines` of chat that were acknowledged, in order.
    """

    def __init__(self, guest: Guest, table: str, seat: int, chance: random.Random) -> None:
        super().__init__(guest, table)
        self.seat = seat
        self.chance = chance
        self.moves: list[str] = []  # without those that were taken back
        self.lines: list[str] = []
        self.pending: dict[str, Any] | None = None  # what was sent and not answered
        self.acknowledged = 0  # moves, those that were taken back too
        self.undone = 0
        self.sent_again = 0

    async def insist(self, kind: str, **fields: Any) -> dict[str, Any]:
        """Send something until it is answered."""
        self.count += 1
        fields["id"] = f"{self.seat} {self.count} {kind}"
        self.pending = {"type": kind, **fields}
        while True:
            try:
                if self.lost.is_set() or self.socket is None:
                    await self.come_back()
                answer = await self.do(kind, **fields)
                self.note_done()
                return answer
            except (ConnectionError, ConnectionClosed):
                self.sent_again += 1
            except Refusal as refusal:
                if refusal.key not in ("store_down", "restarting"):
                    self.pending = None
                    raise
                await asyncio.sleep(0.1)
                self.sent_again += 1

    def note_done(self) -> None:
        assert self.pending is not None
        self.acknowledged += self.pending["type"] == "move"
        self.undone += self.pending["type"] == "undo"
        self.moves, self.lines = self.with_pending()
        self.pending = None

    def with_pending(self) -> tuple[list[str], list[str]]:
        """Moves and lines as they are if what is pending was carried out."""
        match self.pending:
            case {"type": "move", "move": move}:
                return [*self.moves, move], self.lines
            case {"type": "undo"}:
                return self.moves[:-1], self.lines
            case {"type": "chat", "text": text}:
                return self.moves, [*self.lines, text]
        return self.moves, self.lines

    async def come_back(self) -> None:
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    await self.connect()
                    return
                except (OSError, WebSocketException):  # nobody is there yet
                    await asyncio.sleep(0.1)

    async def see(self, condition: Any) -> dict[str, Any]:
        """Wait till something is so in the seat's stream, through lost lines."""
        while True:
            try:
                return await self.until(condition, self.seat)
            except ConnectionError:
                await self.come_back()

    async def play_on(self, chats: float = 0.0, undoes: float = 0.0) -> dict[str, Any]:
        """Play random moves to the end, with some chat and some steps taken back; says how it ended."""
        while True:
            update = await self.see(
                lambda update: update["view"] and (update["view"]["result"] or self.seat in update["view"]["waiting"])
            )
            if update["view"]["result"]:
                result: dict[str, Any] = update["view"]["result"]
                return result
            prompt = update["prompt"]
            try:
                if self.chance.random() < chats:
                    await self.insist("chat", text=f"{self.seat} says {self.count}")
                if update["can_undo"] and self.chance.random() < undoes:
                    await self.insist("undo", seat=self.seat, prompt=prompt)
                else:
                    move = self.chance.choice(update["view"]["moves"])
                    await self.insist("move", seat=self.seat, prompt=prompt, move=move)
            except Refusal as refusal:
                if refusal.key == "chat_too_fast":
                    continue
                if refusal.key != "old_prompt":
                    raise
            await self.see(lambda update, prompt=prompt: update["prompt"] != prompt)


async def play_moves(players: dict[int, Player], count: int, chance: random.Random) -> None:
    """Play so many random moves, by whoever's turn it is; every seat has its player here."""
    for _ in range(count):
        update = await next(iter(players.values())).until(lambda update: update["view"], next(iter(players)))
        seat = update["view"]["waiting"][0]
        asked = await players[seat].until(lambda update: update["view"] and update["view"]["moves"], seat)
        await players[seat].do("move", seat=seat, prompt=asked["prompt"], move=chance.choice(asked["view"]["moves"]))
        for other, player in players.items():
            had = asked["number"] if other == seat else player.seen[other].update["number"] - 1
            await player.until(lambda update, had=had: update["number"] > had, other)


@contextlib.asynccontextmanager
async def playing(*seated: tuple[Guest, str]) -> AsyncIterator[list[Player]]:
    """Clients that are connected, and leave in the end."""
    players = [await Player(guest, table).connect() for guest, table in seated]
    try:
        yield players
    finally:
        for player in players:
            await player.leave()


def wait_until(condition: Any, patience: float = PATIENCE) -> None:
    end = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.02)


def in_environment(name: str, default: int) -> int:
    """How much of a long test is wanted."""
    return int(os.environ.get(name, default))
