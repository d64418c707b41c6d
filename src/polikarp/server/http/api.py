"""What programs can ask over HTTP: an answer for each address of `routes.py`. `docs/api.md` describes it for people."""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.websockets import WebSocket

from polikarp import __version__
from polikarp.bots import bot_levels
from polikarp.engine.record import RecordError, read_record, record_json
from polikarp.engine.state import WATCHER
from polikarp.engine.words import house_languages
from polikarp.server import messages as say
from polikarp.server.connection import JsonDialect
from polikarp.server.denied import Denied, record_denied
from polikarp.server.http.guard import JSON, Guard, language_of, need_json, number_in, read_bytes, reply
from polikarp.server.identity import Person, clean_name
from polikarp.server.logs import short
from polikarp.server.metrics import metrics_text
from polikarp.server.records import Replays, seat_record, take_record, whole_record
from polikarp.server.table.updates import update

CODE = re.compile(r"[A-Za-z0-9]{1,12}")
STALE_SECONDS = 10  # without a word of the store, and the server is not well


class Api:
    """Answers programs. One for each process."""

    def __init__(self, guard: Guard, replays: Replays, bots: Callable[[], dict[str, int]]) -> None:
        self.guard = guard
        self.house = guard.house
        self.tables = guard.tables
        self.replays = replays
        self.bots = bots  # figures of the processes in which they think

    # About the server.

    async def front(self, request: Request) -> dict[str, str]:
        return {"polikarp": __version__, "api": "/api/openapi.json"}

    async def link(self, request: Request) -> Response:
        return RedirectResponse(f"/api/tables/{self.guard.table_id(request)}", 307)

    async def health(self, request: Request) -> Response:
        """Well as long as the store answers and no stop was asked for."""
        well = not self.house.draining and self.house.clock.now() - self.house.beaten < STALE_SECONDS
        return reply({"ok": well, "version": __version__}, 200 if well else 503)

    async def metrics(self, request: Request) -> Response:
        tables, sockets, servers = len(self.tables.live), sum(self.guard.sockets.values()), len(self.house.alive)
        text = metrics_text(self.house.counted, tables, sockets, servers, self.bots())
        return Response(text, media_type="text/plain; version=0.0.4")

    async def games(self, request: Request) -> list[say.GameInfo]:
        return [
            say.GameInfo(
                id=game.id,
                rules=game.rules,
                title={language: game.title(language) for language in house_languages()},
                tagline={language: game.tagline(language) for language in house_languages()},
                seats=list(game.seats),
                bots=bot_levels(game),
                options=list(game.options),
                factions=list(game.factions),
            )
            for game in self.house.games.values()
            if game.offered
        ]

    # About people.

    async def me(self, request: Request) -> say.Me:
        return me_of(self.guard.somebody(request))

    async def rename(self, request: Request, wanted: say.NewName) -> say.Me:
        person = self.guard.somebody(request)
        if request.headers.get("authorization") is not None:
            raise Denied("token_keeps_name", status=403)
        renamed = msgspec.structs.replace(person, name=clean_name(wanted.name))
        return me_of(self.guard.remember(request, renamed))

    async def mine(self, request: Request) -> list[say.Listed]:
        person = self.guard.person(request)
        return [] if person is None else await self.tables.tables_of(person)

    # About tables.

    async def open_tables(self, request: Request) -> list[say.Listed]:
        return await self.tables.open_tables(self.guard.person(request))

    async def create(self, request: Request, wanted: say.NewTable) -> say.Made:
        return await self.tables.create(self.guard.maker(request), wanted)

    async def code(self, request: Request) -> say.Made:
        code: str = request.path_params["code"]
        self.guard.need_guessing(request)
        table_id = await self.tables.find_code(code) if CODE.fullmatch(code) else None
        if table_id is None:
            raise Denied("no_such_code", status=404)
        return say.Made(table_id, self.house.link(table_id), code.upper())

    async def table(self, request: Request) -> say.Snapshot:
        person = self.guard.identify(request)
        live = await self.tables.visit(self.guard.table_id(request))
        await live.until_shown()
        viewers = live.seats_of(person) or [WATCHER]
        return say.Snapshot([update(live, person, viewer, 0, 0, 0) for viewer in viewers])

    async def command(self, request: Request, command: say.Commands) -> say.Done:
        person = self.guard.somebody(request)
        live = await self.tables.visit(self.guard.table_id(request))
        try:
            return await live.do(person, command)
        except Denied as denied:
            denied.command = command.id
            raise

    async def socket(self, websocket: WebSocket) -> None:
        await self.guard.take_socket(websocket, JsonDialect(), language_of(websocket))

    # About games that are over, and records.

    async def record(self, request: Request) -> Response | say.SeatRecord:
        """The whole record when the game is over; before, what the asking seat may know."""
        person = self.guard.identify(request)
        asked = number_in(request, "seat")
        live = await self.tables.visit(self.guard.table_id(request))
        await live.until_shown()
        if live.document.stage == "over":
            name = f"polikarp-{live.game.id}-{short(live.id)}.json"
            return Response(
                record_json(whole_record(live)),
                media_type="application/json",
                headers={"Content-Disposition": f'attachment; filename="{name}"'},
            )
        mine = live.seats_of(person)
        if asked is not None and asked not in mine:
            raise Denied("not_your_seat", {"number": asked}, 403)
        return seat_record(live, asked if asked is not None else mine[0] if mine else WATCHER)

    async def replay(self, request: Request) -> say.Replayed:
        live = await self.tables.visit(self.guard.table_id(request))
        replay = await self.replays.of(live)
        seats, seat = len(live.document.seats), number_in(request, "seat")
        until = number_in(request, "until")
        if seat is not None and seat >= seats:
            raise Denied("no_such_seat", {"number": seat, "seats": seats}, 422)
        at = replay.last if until is None else min(until, replay.last)
        viewer, steps = WATCHER if seat is None else seat, replay.table.steps
        return say.Replayed(
            moves=[live.game.text(step.move) for step in steps],
            at=at,
            of=replay.last,
            seat=seat,
            log=[say.Told(event.key, event.args) for event in replay.told(at, viewer)],
            view=msgspec.Raw(JSON(replay.view(at, viewer))),
            strip=replay.strip(at),
            thoughts=steps[at - 1].thoughts if at else None,
        )

    async def take_record(self, request: Request) -> say.Made:
        self.guard.somebody(request)
        self.guard.need_making(request)
        need_json(request)
        try:
            record = read_record(await read_bytes(request, self.house.limits.record_bytes))
        except RecordError as mistake:
            raise record_denied(mistake) from None
        return await take_record(self.house, record)


def me_of(person: Person) -> say.Me:
    return say.Me(person.name, person.table, person.seat) if person.one_seat else say.Me(person.name)
