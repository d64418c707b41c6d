"""A whole server inside the test's own event loop, on a real port, with its parts within reach."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
import random
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping
from pathlib import Path
from typing import Any

import uvicorn

from polikarp.bots import make_bot, thoughts_of
from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.rng import FastRng
from polikarp.games import all_games
from polikarp.games.hunters import HuntersGame
from polikarp.server.bots.pool import BotWorkers
from polikarp.server.bots.worker import BotAnswer
from polikarp.server.house import House
from polikarp.server.identity import Signer, house_key
from polikarp.server.limits import Limits, Rate
from polikarp.server.serve import Server, address_of, guarded_app, listening_socket
from polikarp.server.tables import Tables
from polikarp.server.websocket import protocol_on
from polikarp.store.opening import open_store
from polikarp.web.site import Site
from tests.server.bids import BidsGame
from tests.server.hand_clock import HandClock
from tests.server.playing import Guest, Player

ROUND_TRIP = "X-Round-Trip"  # in which a proxy says how long a line is
TOY_WORKER = (sys.executable, "-m", "tests.server.toy_worker")


WITHOUT_END = Rate(1e9, 1e9)
GENEROUS = Limits(
    asking=WITHOUT_END,
    making=WITHOUT_END,
    guessing=WITHOUT_END,
    chatting=WITHOUT_END,
    messages=WITHOUT_END,
    pongs=WITHOUT_END,
    slaps=WITHOUT_END,
)


class BotsHere:
    """Bots that think in the test's own process: at once, or when the test lets them."""

    def __init__(self, games: Mapping[str, Game]) -> None:
        self.games = games
        self.left = math.inf
        self.more = asyncio.Event()
        self.thinking = 0
        self.seeds = itertools.count()

    def let(self, answers: float) -> None:
        """So many answers are given from now on, and then they think on."""
        self.left = answers
        self.more.set()

    async def choose(
        self,
        game_id: str,
        seats: int,
        options: Mapping[str, OptionValue],
        sight: bytes,
        seat: int,
        bot: str,
        volunteer: bool = False,
        *,
        person: str = "",
        table: str = "",
    ) -> BotAnswer | None:
        self.thinking += 1
        try:
            while self.left < 1:
                self.more.clear()
                await self.more.wait()
        finally:
            self.thinking -= 1
        self.left -= 1
        game = self.games[game_id]
        made = make_bot(game, bot)
        think = made.volunteer if volunteer else made.choose
        move = think(game.load(seats, sight, options), seat, FastRng(f"bot {next(self.seeds)}"))
        return BotAnswer(0, move, thoughts_of(game, made, move))


class OpenHouse:
    """A server, and its parts."""

    def __init__(self, tables: Tables, clock: HandClock, url: str, server: Server, bots: BotsHere) -> None:
        self.tables = tables
        self.services = tables.house
        self.clock = clock
        self.url = url
        self.server = server
        self.bots = bots  # unless they think in processes of their own
        self.known: list[Guest] = []

    async def guests(self, count: int) -> list[Guest]:
        """New people, who are shown out when the house closes."""
        come = [await aside(Guest, self.url) for _ in range(count)]
        for guest in come:
            guest.clock = self.clock
        self.known += come
        return come


@contextlib.asynccontextmanager
async def open_house(
    data: Path,
    place: str | Path | None = None,
    rest: float = 0.0,
    limits: Limits = GENEROUS,
    clock: HandClock | None = None,
    bot_processes: bool = False,
) -> AsyncIterator[OpenHouse]:
    """A house whose tables are kept at a place; in its own folder if none is named. `rest`: seconds from a taking to
    the next card of Monster Hunters, fewer than hunters.31 says, since many are taken here. Its clock stands; several
    houses may have the same one.
    """
    hunters = HuntersGame()
    hunters.rest = rest
    games = {**all_games(), "bids": BidsGame(), "hunters": hunters}
    clock = clock or HandClock()
    store = clock.watching(open_store(place or data / "polikarp.sqlite"))
    await store.start()
    here, workers = BotsHere(games), BotWorkers(count=2 if bot_processes else 0, command=TOY_WORKER)
    await workers.start()
    bots = workers if bot_processes else here
    signer = Signer(house_key(data))
    house = House(store, games, bots, signer, round_trip_header=ROUND_TRIP, clock=clock, limits=limits)
    tables = Tables(house)
    await tables.start()
    listening = listening_socket("127.0.0.1", 0)
    app = guarded_app(tables, dict, lambda guard, replays: Site(guard, replays).routes())
    config = uvicorn.Config(app, ws=protocol_on(clock), lifespan="off", log_config=None, access_log=False)
    server = Server(config, tables)
    serving = asyncio.create_task(server.serve(sockets=[listening]))
    opened = OpenHouse(tables, clock, address_of(listening), server, here)
    try:
        yield opened
    finally:
        for guest in opened.known:
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
