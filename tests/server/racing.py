"""Programs that race over real sockets, on lines that are made longer by a proxy which keeps everything for a while."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

import msgspec
from websockets.asyncio.client import ClientConnection

from polikarp.server.clock import Clock
from polikarp.server.tables import Tables
from tests.server.house import ROUND_TRIP, OpenHouse, aside
from tests.server.playing import PATIENCE, Guest, Player, Refusal

SETTLED = 1.6  # seconds until a new line is well known


class Racer(Player):
    """A program that is quick of hand, and honest. Times are in milliseconds."""

    def __init__(self, guest: Guest, table: str, forwarded: bool = False, told: str = "") -> None:
        super().__init__(guest, table)
        self.forwarded = forwarded  # by a proxy, which says so
        self.told = told  # what the proxy says of the line: round trip and deviation, in microseconds
        self.shown: dict[tuple[int, int], float] = {}  # by table and card: when it came
        self.reflex: Callable[[int, int], float | None] = lambda table, card: None
        self.target = 0
        self.made: dict[int, float] = {}  # by table: how long this program really took
        self.outcomes: dict[int, str] = {}
        self.slaps: set[asyncio.Task[None]] = set()

    def now(self) -> float:
        return self.guest.clock.monotonic() * 1000

    async def until(self, condition: Any, seat: int | None = None, patience: float = PATIENCE) -> dict[str, Any]:
        """The same while time passes."""
        return await self.guest.clock.until(super().until(condition, seat, patience))

    async def answer(self, name: str) -> dict[str, Any]:
        return await self.guest.clock.until(super().answer(name))

    async def come(self) -> Racer:
        headers = {"X-Forwarded-For": "192.0.2.7", ROUND_TRIP: self.told} if self.forwarded else {}
        await self.connect(fresh=True, **headers)
        return self

    def claim(self, took: float) -> float | None:
        return took

    def saw(self, update: dict[str, Any]) -> None:
        if update["seat"] is None or not update["view"] or update["view"]["result"]:
            return
        board = update["view"]["board"]
        key = (board["table"], board["card"])
        if key not in self.shown:
            self.shown[key] = self.now()
            reflex = self.reflex(*key) if board["card"] else None
            if reflex is not None:
                task = asyncio.create_task(self.react(update["seat"], *key, reflex))
                self.slaps.add(task)

    async def react(self, seat: int, table: int, card: int, reflex: float) -> None:
        began = self.shown[table, card]
        await self.guest.clock.sleep((began + reflex - self.now()) / 1000)
        self.made[table] = self.now() - began
        try:
            await self.slap(seat, table, card, self.claim(self.made[table]))
            self.outcomes[table] = "done"
        except Refusal as refusal:
            self.outcomes[table] = refusal.key

    async def slap(self, seat: int, table: int, card: int, claimed: float | None = None, **others: Any) -> Any:
        fields = {"target": self.target, "round": table, "card": card, "claimed": claimed, **others}
        return await self.do("slap", table=self.table, seat=seat, **fields)

    async def flip(self, seat: int, table: int = 0) -> None:
        """Turn up, as soon as it is this seat's turn."""
        update = await self.until(lambda update: at_table(update, table) and turn_of(update) == seat, seat)
        await self.do("move", seat=seat, prompt=update["prompt"], move="flip")

    def news(self) -> list[str]:
        """All that came but pings."""
        return [text for text in self.received if not text.startswith('{"type":"ping"')]


def at_table(update: dict[str, Any], table: int) -> bool:
    """Whether so many monsters were taken."""
    return bool(update["view"]) and update["view"]["board"]["table"] == table


def card_of(update: dict[str, Any]) -> int | None:
    """How many cards lie open."""
    card: int | None = update["view"]["board"]["card"] if update["view"] else None
    return card


def turn_of(update: dict[str, Any]) -> int | None:
    turn: int | None = update["view"]["board"]["turn"]
    return turn


class SlowPongs(Racer):
    """Answers pings late, to seem far away."""

    delay = 150.0

    async def pong(self, socket: ClientConnection, nonce: str) -> None:
        async def later() -> None:
            await self.guest.clock.sleep(self.delay / 1000)
            with contextlib.suppress(Exception):
                await socket.send(msgspec.json.encode({"type": "pong", "nonce": nonce}).decode())

        self.slaps.add(asyncio.create_task(later()))


class DelayingProxy:
    """Hands everything on, later: half of a round trip each way, which varies by the jitter (its standard deviation
    in a round trip). Nothing overtakes anything."""

    def __init__(
        self, port: int, trip: float, jitter: float, chance: random.Random, clock: Clock | None = None
    ) -> None:
        self.port = port
        self.clock = clock or Clock()
        self.way, self.spread = trip / 2, jitter / 2**0.5
        self.chance = chance
        self.tasks: set[asyncio.Task[None]] = set()

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.port)
        for one, other in ((reader, there_writer), (there_reader, writer)):
            task = asyncio.create_task(self.carry(one, other))
            self.tasks.add(task)

    async def carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        waiting: deque[tuple[float, bytes]] = deque()
        more = asyncio.Event()

        async def deliver() -> None:
            while True:
                while not waiting:
                    more.clear()
                    await more.wait()
                due, data = waiting.popleft()
                await self.clock.sleep((due - self.now()) / 1000)
                writer.write(data)
                if not data:
                    return

        delivering = asyncio.create_task(deliver())
        last = 0.0
        try:
            while data := await reader.read(65536):
                last = max(last, self.now() + self.delay())
                waiting.append((last, data))
                more.set()
        finally:
            delivering.cancel()
            writer.close()

    def now(self) -> float:
        return self.clock.monotonic() * 1000

    def delay(self) -> float:
        if not self.spread:
            return self.way
        root = min(2.0, self.way / self.spread)
        return self.way - self.spread * root + self.chance.gammavariate(root**2, self.spread / root)


@contextlib.asynccontextmanager
async def far_away(
    url: str, trip: float, jitter: float = 0.0, seed: object = 1, clock: Clock | None = None
) -> AsyncIterator[str]:
    """The same server, with a longer way to it."""
    proxy = DelayingProxy(int(url.rsplit(":", 1)[1]), trip, jitter, random.Random(str(seed)), clock)
    server = await asyncio.start_server(proxy.take, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()
        for task in proxy.tasks:
            task.cancel()
        await asyncio.gather(*proxy.tasks, return_exceptions=True)


async def seated(
    house: OpenHouse, seats: int, bots: dict[int, str] | None = None, **options: Any
) -> tuple[str, list[Guest]]:
    """A table of Monster Hunters with people, and bots, on all seats, and the people in the order of theirs."""
    bots = bots or {}
    people = await house.guests(seats - len(bots))
    table = await aside(people[0].table, game="hunters", seats=seats, options=options, sit=False, absence=0)
    sitting = iter(people)
    for seat in range(seats):
        if seat in bots:
            await aside(people[0].do, table, "add_bot", seat=seat, level=bots[seat])
        else:
            await aside(next(sitting).do, table, "sit", seat=seat)
    return table, people


def moment(house: OpenHouse) -> float:
    """Milliseconds of the house's clock."""
    return house.clock.monotonic() * 1000


def strips_of(tables: Tables, table: str) -> list[dict[str, Any]]:
    """The photos that a table keeps, as plain data."""
    played = tables.live[table].table
    assert played is not None
    return [msgspec.to_builtins(step.strip) for step in played.steps if step.strip is not None]


@contextlib.asynccontextmanager
async def racing(*racers: Racer) -> AsyncIterator[None]:
    """Everybody is connected, and the lines are known."""
    for racer in racers:
        await racer.guest.clock.until(racer.come())
    await racers[0].guest.clock.move(SETTLED)
    try:
        yield
    finally:
        for racer in racers:
            await racer.guest.clock.until(racer.leave())


async def turn_at(racer: Racer, table: int) -> int | None:
    """Who turns up first on this table; nobody if the game is over."""
    update = await racer.until(lambda update: at_table(update, table), 0)
    turn: int | None = update["view"]["board"]["turn"]
    return turn
