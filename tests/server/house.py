"""A whole server inside the test's own event loop, on a real port, with its parts within reach."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sys
from collections.abc import AsyncIterator, Coroutine
from pathlib import Path
from typing import Any

import uvicorn

from polikarp.games import all_games
from polikarp.games.hunters import HuntersGame
from polikarp.server.app import Desk
from polikarp.server.bot_workers import BotWorkers
from polikarp.server.frames import LimitedWebSocket
from polikarp.server.hall import Hall
from polikarp.server.identity import Signer, house_key
from polikarp.server.limits import Buckets
from polikarp.server.serve import Server, address_of, listening_socket
from polikarp.store.opening import open_store
from polikarp.web.site import Site
from tests.server.bids import BidsGame
from tests.server.playing import Guest, Player

ROUND_TRIP = "X-Round-Trip"  # in which a proxy says how long a line is
TOY_WORKER = (sys.executable, "-m", "tests.server.toy_worker")


class House:
    def __init__(self, hall: Hall, url: str, server: Server) -> None:
        self.hall = hall
        self.url = url
        self.server = server
        self.known: list[Guest] = []

    async def guests(self, count: int) -> list[Guest]:
        """New people, who are shown out when the house closes."""
        come = [await aside(Guest, self.url) for _ in range(count)]
        self.known += come
        return come


@contextlib.asynccontextmanager
async def open_house(data: Path, place: str | Path | None = None, rest: float = 0.0) -> AsyncIterator[House]:
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
    hall = Hall(store, games, workers, Signer(house_key(data)), round_trip_header=ROUND_TRIP)
    await hall.start()
    listening = listening_socket("127.0.0.1", 0)
    desk = Desk(hall, dict)
    desk.asking = desk.making = desk.guessing = Buckets(rate=1e6, burst=1e6)  # one address asks for everybody here
    config = uvicorn.Config(
        desk.app(Site(desk).routes()), ws=LimitedWebSocket, lifespan="off", log_config=None, access_log=False
    )
    server = Server(config, hall)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    house = House(hall, address_of(listening), server)
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
