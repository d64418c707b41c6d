"""What all parts of one server process have in common: time, store, games, bots, keys, bounds, counters, tasks, and the
other servers on the same store. It knows no table.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any, Protocol, TypeVar

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.server.bots.worker import BotAnswer
from polikarp.server.clock import Clock
from polikarp.server.denied import Denied
from polikarp.server.identity import Signer
from polikarp.server.limits import Buckets, Limits
from polikarp.server.logs import log
from polikarp.server.metrics import Counted
from polikarp.store import GAP, Outage, Store, StoreDown

Answer = TypeVar("Answer")


class Bots(Protocol):
    """Where bots think."""

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
    ) -> BotAnswer | None: ...


class House:
    """One server process."""

    def __init__(
        self,
        store: Store,
        games: Mapping[str, Game],
        bots: Bots,
        signer: Signer,
        *,
        public_url: str = "",
        round_trip_header: str = "",
        clock: Clock | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.store = store
        self.games = games
        self.bots = bots
        self.signer = signer
        self.public_url = public_url.rstrip("/")
        self.round_trip_header = round_trip_header
        self.clock = clock or Clock()
        self.limits = limits or Limits()
        self.counted = Counted()
        self.chatting = Buckets(self.limits.chatting, self.clock)
        self.draining = False  # a stop was asked for: nothing new is begun
        self.server = secrets.token_hex(6)
        self.alive: set[str] = {self.server}  # the servers on this store
        self.noted_outages: list[Outage] = []
        self.beaten = 0.0  # when the store last answered
        self.tasks: set[asyncio.Task[None]] = set()

    def link(self, table_id: str) -> str:
        return f"{self.public_url}/t/{table_id}"

    def find_game(self, name: str) -> Game:
        """A game that people may choose. Raises `Denied` if there is none of that name."""
        game = self.games.get(name)
        if game is None or not game.offered:
            known = ", ".join(game.id for game in self.games.values() if game.offered)
            raise Denied("no_such_game", {"text": name[:40], "known": known}, 422)
        return game

    def need_open(self) -> None:
        """Nothing new is begun while the server stops."""
        if self.draining:
            raise Denied("restarting", status=503)

    async def asked(self, answer: Awaitable[Answer]) -> Answer:
        """What the store answers to somebody's request. Raises `Denied` where it can not."""
        try:
            return await answer
        except StoreDown:
            raise Denied("store_down", status=503) from None

    # Work that goes on beside the rest.

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let something go on; it is remembered until it ends."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.finished)
        return task

    def finished(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (mistake := task.exception()) is not None:
            log("error", mistake=mistake)

    async def every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await self.clock.sleep(seconds)
            try:
                await work()
            except StoreDown:
                log("store_down")

    async def end_tasks(self) -> None:
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)

    # The servers on this store.

    async def beat(self) -> None:
        """A sign of life, and news of the others."""
        beat = await self.store.beat(self.server, self.clock.now())
        self.alive = {*beat.alive, self.server}
        self.noted_outages = beat.outages
        self.beaten = self.clock.now()

    @property
    def outages(self) -> list[Outage]:
        """When nobody could play: no server ran, or the store did not answer, up to now if that goes on."""
        now = self.clock.now()
        going_on = [Outage(self.beaten, now)] if now - self.beaten > GAP else []
        return self.noted_outages + going_on
