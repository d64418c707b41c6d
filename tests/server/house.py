"""A whole server inside the test's own event loop, on a real port, with its parts within reach."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import uvicorn

from polikarp.games import all_games
from polikarp.games.hunters import HuntersGame
from polikarp.server.bots.pool import BotWorkers
from polikarp.server.clock import Clock
from polikarp.server.house import House as Services
from polikarp.server.identity import Signer, house_key
from polikarp.server.limits import Limits, Rate
from polikarp.server.serve import Server, address_of, guarded_app, listening_socket
from polikarp.server.tables import Tables
from polikarp.server.websocket import protocol_on
from polikarp.store.opening import open_store
from polikarp.web.site import Site
from tests.server.bids import BidsGame
from tests.server.playing import Guest, Player

ROUND_TRIP = "X-Round-Trip"  # in which a proxy says how long a line is
TOY_WORKER = (sys.executable, "-m", "tests.server.toy_worker")


WITHOUT_END = Rate(1e6, 1e6)
GENEROUS = Limits(asking=WITHOUT_END, making=WITHOUT_END, guessing=WITHOUT_END, chatting=WITHOUT_END)


class SetClock(Clock):
    """The machine's time, but the calendar may say something else."""

    def __init__(self) -> None:
        self.calendar: Callable[[], float] = time.time

    def now(self) -> float:
        return self.calendar()


class House:
    def __init__(self, tables: Tables, clock: SetClock, url: str, server: Server) -> None:
        self.tables = tables
        self.services = tables.house
        self.clock = clock
        self.url = url
        self.server = server
        self.known: list[Guest] = []

    async def guests(self, count: int) -> list[Guest]:
        """New people, who are shown out when the house closes."""
        come = [await aside(Guest, self.url) for _ in range(count)]
        self.known += come
        return come


@contextlib.asynccontextmanager
async def open_house(
    data: Path, place: str | Path | None = None, rest: float = 0.0, limits: Limits = GENEROUS
) -> AsyncIterator[House]:
    """A house whose tables are kept at a place; in its own folder if none is named. `rest`: seconds from a taking to
    the next card of Monster Hunters, fewer than hunters.31 says, since many are taken here.
    """
    store = open_store(place or data / "polikarp.sqlite")
    await store.start()
    workers = BotWorkers(count=2, command=TOY_WORKER)
    await workers.start()
    hunters = HuntersGame()
    hunters.rest = rest
    games = {**all_games(), "bids": BidsGame(), "hunters": hunters}
    clock = SetClock()  # one address asks for everybody here, so limits are generous
    signer = Signer(house_key(data))
    services = Services(store, games, workers, signer, round_trip_header=ROUND_TRIP, clock=clock, limits=limits)
    tables = Tables(services)
    await tables.start()
    listening = listening_socket("127.0.0.1", 0)
    app = guarded_app(tables, dict, lambda guard, replays: Site(guard, replays).routes())
    config = uvicorn.Config(app, ws=protocol_on(clock), lifespan="off", log_config=None, access_log=False)
    server = Server(config, tables)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    house = House(tables, clock, address_of(listening), server)
    try:
        yield house
    finally:
        for guest in house.known:
            guest.close()
        server.should_exit = True
        await serving
        await workers.stop()
        await store.close()
        listening.close()


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


async def aside(call: Any, *args: Any, **fields: Any) -> Any:
    """Something that blocks, such as a plain HTTP request, while the server in this loop answers it."""
    return await asyncio.to_thread(call, *args, **fields)


async def play_moves(players: dict[int, Player], count: int, chance: random.Random) -> None:
    """Play so many random moves, by whoever's turn it is; every seat has its player here."""
    for _ in range(count):
        update = await next(iter(players.values())).until(lambda update: update["view"], next(iter(players)))
        seat = update["view"]["waiting"][0]
        asked = await players[seat].until(lambda update: update["view"] and update["view"]["moves"], seat)
        await players[seat].do("move", seat=seat, prompt=asked["prompt"], move=chance.choice(asked["view"]["moves"]))
        await players[seat].until(lambda update, had=asked["number"]: update["number"] > had, seat)
        for other, player in players.items():
            waiting = players[seat].view(seat)["waiting"]
            await player.until(lambda update, waiting=waiting: update["view"]["waiting"] == waiting, other)
