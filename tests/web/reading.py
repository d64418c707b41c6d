"""A page without a browser: it reads its story on a real socket and keeps all that it was sent."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from tests.server.playing import PATIENCE, Guest
from tests.web.at_table import updates

STORY = ("start", "step", "change", "chat")
NOWHERE = {"story": "", "serial": -1}


def applied(old: Any, difference: Any) -> Any:
    """New data out of old, as the client makes it."""
    if isinstance(difference, list):
        return difference[0]
    made = old.copy()
    for field, change in difference.items():
        if isinstance(made, list) and int(field) == len(made):
            made.append(change[0])
            continue
        place = int(field) if isinstance(made, list) else field
        made[place] = applied(made[place], change)
    return made


class PageReader:
    """The page of somebody at one table."""

    def __init__(self, guest: Guest, table: str) -> None:
        self.guest = guest
        self.table = table
        self.received: list[str] = []  # the messages of the story, as they came
        self.said: list[dict[str, Any]] = []  # all others
        self.place: dict[str, Any] = NOWHERE
        self.page: dict[str, Any] = {}
        self.told: list[Any] = []
        self.chat: list[Any] = []
        self.socket: ClientConnection | None = None

    async def connect(self, hello: dict[str, Any] | None = None) -> PageReader:
        where = f"{self.guest.url.replace('http', 'ws', 1)}/t/{self.table}/socket"
        self.socket = await connect(
            where, additional_headers=self.guest.headers(), max_size=None, open_timeout=PATIENCE
        )
        await self.send({"seen": self.place} if hello is None else hello, "hello")
        await self.settled()
        return self

    async def send(self, fields: dict[str, Any], kind: str) -> None:
        assert self.socket is not None
        await self.socket.send(msgspec.json.encode({"type": kind, **fields}).decode())

    async def settled(self) -> None:
        """Read all that is on its way. An answer goes out before news that is ready: after two of them nothing is on
        its way any more."""
        for _ in range(2):
            await self.send({}, "beat")
            async with asyncio.timeout(PATIENCE):
                while await self.take() != "beat":
                    pass

    async def take(self) -> str:
        assert self.socket is not None
        text = await self.socket.recv()
        assert isinstance(text, str)
        message: dict[str, Any] = msgspec.json.decode(text)
        kind: str = message["type"]
        if kind == "ping":
            await self.send({"nonce": message["nonce"]}, "pong")
        elif kind in STORY:
            self.received.append(text)
            self.hear(message)
        elif kind != "beat":
            self.said.append(message)
        return kind

    def hear(self, message: dict[str, Any]) -> None:
        """Go on with the story, as the client does."""
        if message["type"] == "start":
            self.page, self.told, self.chat = message["page"], message["told"], message["chat"]
            self.place = {"story": message["story"], "serial": message["serial"]}
            return
        assert message["serial"] == self.place["serial"] + 1, "nothing is left out"
        self.place = {**self.place, "serial": message["serial"]}
        for part in message.get("beats", [message]):
            self.page = applied(self.page, part["page"]) if "page" in part else self.page
            self.told = [*self.told, *part.get("told", [])]
        self.chat = [*self.chat, *message.get("lines", [])]

    async def leave(self) -> None:
        if self.socket is not None:
            await self.socket.close()
            self.socket = None


def kinds(reader: PageReader) -> list[str]:
    return [msgspec.json.decode(text)["type"] for text in reader.received]


def play_a_move(table: str, guests: list[Guest]) -> None:
    """Whoever is to decide makes the first move there is, without a page."""
    for guest in guests:
        (update,) = updates(guest, table)
        if update["seat"] in update["view"]["waiting"]:
            guest.do(table, "move", seat=update["seat"], prompt=update["prompt"], move=update["view"]["moves"][0])
            return
