"""Running a server: from the open door to the last move written."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping, Sequence

import uvicorn
import uvloop
from starlette.routing import BaseRoute

from polikarp.engine.data import told
from polikarp.engine.game import Game
from polikarp.games import broken_games
from polikarp.server.bots.pool import BotWorkers
from polikarp.server.house import House
from polikarp.server.http.api import Api
from polikarp.server.http.guard import Guard
from polikarp.server.http.routes import router
from polikarp.server.identity import Signer, house_key
from polikarp.server.logs import log, set_up_logs
from polikarp.server.records import Replays
from polikarp.server.settings import ServerSettings
from polikarp.server.tables import Tables
from polikarp.server.websocket import protocol_on
from polikarp.store.opening import open_store

MESSAGE_BYTES = 64 * 1024
HEAD_BYTES = 16 * 1024  # of a request; another parser would read on without end
PING_SECONDS = 20.0
STOP_SECONDS = 5
BACKLOG = 2048  # connections that may wait to be accepted
GONE_MILLISECONDS = 45_000  # a peer that takes no data for so long is gone, whatever its connection says


class Server(uvicorn.Server):
    """Uvicorn, which first lets the tables finish what was begun."""

    def __init__(self, config: uvicorn.Config, tables: Tables) -> None:
        super().__init__(config)
        self.tables = tables

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        log("stopping")
        await self.tables.stop()
        await super().shutdown(sockets)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are seen to from before the first client comes until the store is closed: see `stopping_well`."""
        yield


@contextlib.contextmanager
def stopping_well(server: Server) -> Iterator[None]:
    """A signal lets the server stop in good order, also one that comes while it starts."""
    loop = asyncio.get_running_loop()
    handled = (signal.SIGINT, signal.SIGTERM)
    for number in handled:
        loop.add_signal_handler(number, server.handle_exit, number, None)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def listening_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_MILLISECONDS)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        made.bind((host, port))
        made.listen(BACKLOG)
    except OSError as mistake:
        made.close()
        mistake.filename = f"{host}:{port}"
        raise
    return made


Pages = Callable[[Guard, Replays], Sequence[BaseRoute]]


def guarded_app(tables: Tables, bots: Callable[[], dict[str, int]], pages: Pages | None = None) -> Guard:
    """Everything that can be asked of one process, behind its guard."""
    guard, replays = Guard(tables.house, tables), Replays()
    guard.app = router(Api(guard, replays, bots), pages(guard, replays) if pages is not None else ())
    return guard


async def run_server(
    settings: ServerSettings,
    games: Mapping[str, Game],
    pages: Pages | None = None,
    in_browser: bool = False,
) -> None:
    """Serve until a signal comes. Without `pages` there is the API only."""
    signer = Signer(house_key(settings.data))
    listening = listening_socket(settings.host, settings.port)
    store = open_store(settings.place)
    workers = BotWorkers()
    try:
        await store.start()
        try:
            house = House(
                store,
                games,
                workers,
                signer,
                public_url=settings.public_url,
                round_trip_header=settings.round_trip_header,
            )
            tables = Tables(house)
            await workers.start()
            await tables.start()
            config = uvicorn.Config(
                guarded_app(tables, workers.figures, pages),
                http="h11",
                h11_max_incomplete_event_size=HEAD_BYTES,
                ws=protocol_on(house.clock),
                ws_max_size=MESSAGE_BYTES,
                ws_ping_interval=PING_SECONDS,
                ws_ping_timeout=PING_SECONDS,
                ws_per_message_deflate=False,
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=bool(settings.trusted_proxies),
                forwarded_allow_ips=settings.trusted_proxies,
                timeout_graceful_shutdown=STOP_SECONDS,
                backlog=BACKLOG,
            )
            server = Server(config, tables)
            calm_collector()
            with stopping_well(server):
                where = settings.public_url or address_of(listening)
                print(f"polikarp: {where}/", flush=True)
                if in_browser and (sys.platform == "darwin" or os.environ.get("DISPLAY")):
                    asyncio.get_running_loop().call_later(0.5, webbrowser.open, f"{where}/")
                log("started", server=house.server)
                await server.serve(sockets=[listening])
                log("stopped")
        finally:
            await workers.stop()
            await store.close()
    finally:
        listening.close()


def calm_collector() -> None:
    """What was loaded stays; `Tables.tidy` searches for cycles, seldom: it stops all tables for its time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)


def address_of(listening: socket.socket) -> str:
    """An address that can be opened: a server that listens everywhere is reached under the machine's name too."""
    host, port = listening.getsockname()[:2]
    if host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    settings: ServerSettings, games: Mapping[str, Game], pages: Pages | None = None, in_browser: bool = False
) -> None:
    set_up_logs()
    for name, mistake in broken_games().items():
        log("left_out", game=name, mistake=told(mistake))
    uvloop.run(run_server(settings, games, pages, in_browser))
