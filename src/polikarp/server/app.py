"""The server's front: HTTP routes and the socket, and who is let in. `docs/api.md` describes it for people."""

from __future__ import annotations

import re
import secrets
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv6Address, IPv6Network
from typing import TypeVar

import msgspec
from h11 import LocalProtocolError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from polikarp import __version__
from polikarp.bots import bot_levels
from polikarp.engine.option import Option
from polikarp.engine.record import RecordError, read_record, record_json
from polikarp.engine.record import replay as replay_record
from polikarp.engine.state import WATCHER
from polikarp.engine.strip import Strip
from polikarp.engine.thoughts import Thoughts
from polikarp.engine.words import best_language, house_languages
from polikarp.games import spoken_languages
from polikarp.server import messages as say
from polikarp.server.denied import Denied, record_denied, server_words
from polikarp.server.hall import Hall, short
from polikarp.server.identity import COOKIE, Person, clean_name, new_person
from polikarp.server.limits import Buckets
from polikarp.server.logs import log
from polikarp.server.metrics import metrics_text
from polikarp.server.openapi import openapi
from polikarp.server.showing import seat_record, update, whole_record
from polikarp.server.sockets import TRY_AGAIN, Connection
from polikarp.store import StoreDown

BODY_BYTES = 64 * 1024
RECORD_BYTES = 256 * 1024  # the longest games have a tenth of it; reading much more would keep everybody waiting
COOKIE_SECONDS = 400 * 86400
MOST_CONNECTIONS, MOST_OF_ONE = 20_000, 64
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address of a table lets people in
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
TABLE_ID = re.compile(r"[A-Za-z0-9_-]{22}")
CODE = re.compile(r"[A-Za-z0-9]{1,12}")

JSON = msgspec.json.Encoder().encode
Wanted = TypeVar("Wanted")
Handler = Callable[[Request], Awaitable[Response]]


class GameInfo(msgspec.Struct, frozen=True):
    """A game that can be played here."""

    id: str
    rules: str
    title: dict[str, str]
    tagline: dict[str, str]
    seats: list[int]
    bots: list[str]
    options: list[Option]
    factions: list[str]


class Replayed(msgspec.Struct, frozen=True):
    """A moment of a finished game, as one seat (or a watcher) saw it."""

    moves: list[str]
    at: int
    of: int
    seat: int | None
    log: list[say.Told]
    view: msgspec.Raw
    strip: Strip | None
    thoughts: Thoughts | None


class Snapshot(msgspec.Struct, frozen=True):
    """A table now: an update for each of the reader's seats, or one for a watcher."""

    updates: list[say.Update]


class Desk:
    """Answers requests. One for each process."""

    def __init__(self, hall: Hall, bots: Callable[[], dict[str, int]]) -> None:
        self.hall = hall
        self.bots = bots
        self.lost: Callable[[Request, Denied], Response] | None = None  # a page for who has lost the way
        self.connections: dict[str, int] = {}
        self.making = Buckets(rate=1.0, burst=30)  # tables and guests, by address
        self.asking = Buckets(rate=50.0, burst=200)  # everything, by address
        self.guessing = Buckets(rate=0.5, burst=20)  # codes, by address

    def app(self, pages: Sequence[BaseRoute] = ()) -> ASGIApp:
        """Everything under its address; pages, where there are any, come first."""
        routes = [
            *pages,
            self.route("/", GET=self.front),
            self.route("/t/{table}", GET=self.link),
            self.route("/healthz", GET=self.health),
            self.route("/metrics", GET=self.metrics),
            self.route("/api/openapi.json", GET=self.openapi),
            self.route("/api/games", GET=self.games),
            self.route("/api/me", GET=self.me, PUT=self.rename),
            self.route("/api/tables", GET=self.open_tables, POST=self.create),
            self.route("/api/mine", GET=self.mine),
            self.route("/api/codes/{code}", GET=self.code),
            self.route("/api/records", POST=self.take_record),
            self.route("/api/tables/{table}", GET=self.table, POST=self.command),
            self.route("/api/tables/{table}/record", GET=self.record),
            self.route("/api/tables/{table}/replay", GET=self.replay),
            WebSocketRoute("/api/tables/{table}/socket", self.socket),
        ]
        app = Starlette(routes=routes, exception_handlers={HTTPException: self.no_route})
        app.router.redirect_slashes = False
        return GuardedApp(app)

    def route(self, path: str, **answers: Handler) -> Route:
        """Checks what all requests have in common, and turns every mistake into a clear answer."""

        async def answered(request: Request) -> Response:
            language = language_of(request)
            try:
                if path not in ("/healthz", "/metrics") and not self.asking.take(address(request)):
                    raise Denied("too_fast", status=429)
                if request.method not in ("GET", "HEAD"):
                    self.check_origin(request)
                response = await answers["GET" if request.method == "HEAD" else request.method](request)
            except Denied as denied:
                self.hall.counted.refused += 1
                return refusal(denied, language)
            except ClientDisconnect:
                return Response(status_code=400, headers=HEADERS)
            except Exception as mistake:
                log("error", mistake=mistake)
                return refusal(Denied("internal", status=500), language)
            response.headers.update({name: value for name, value in HEADERS.items() if name not in response.headers})
            return response

        return Route(path, answered, methods=list(answers))

    async def no_route(self, request: Request, mistake: Exception) -> Response:
        status = mistake.status_code if isinstance(mistake, HTTPException) else 500
        key = {404: "no_such_page", 405: "wrong_method"}.get(status, "internal")
        denied = Denied(key, status=status)
        if self.lost is not None and "text/html" in request.headers.get("accept", ""):
            response = self.lost(request, denied)
        else:
            response = refusal(denied, language_of(request))
        if isinstance(mistake, HTTPException) and mistake.headers:
            response.headers.update(mistake.headers)
        return response

    # Who is asking.

    def identify(self, connection: HTTPConnection) -> Person | None:
        """The person behind a request, by token or cookie."""
        authorization = connection.headers.get("authorization")
        if authorization is not None:
            kind, _, token = authorization.partition(" ")
            person = self.hall.signer.read(token.strip(), "token", self.hall.now())
            if kind.lower() != "bearer" or person is None:
                raise Denied("bad_token", status=401)
            return person
        cookie = connection.cookies.get(COOKIE)
        return self.hall.signer.read(cookie, "guest", self.hall.now()) if cookie else None

    def somebody(self, request: Request) -> tuple[Person, bool]:
        """Who is asking; a new guest where nobody is known. Says whether they are new."""
        person = self.identify(request)
        if person is not None:
            return person, False
        if not self.making.take(address(request)):
            raise Denied("too_fast", status=429)
        word = server_words(language_of(request)).template("word", "guest")
        return new_person(f"{word} {secrets.randbelow(9000) + 1000}"), True

    def whole_person(self, request: Request) -> Person | None:
        """Who is asking, if it is not a program that knows only one seat."""
        person = self.identify(request)
        return person if person is not None and person.whole() else None

    def give_cookie(self, response: Response, person: Person, request: Request) -> None:
        response.set_cookie(
            COOKIE,
            self.hall.signer.sign(person, "guest"),
            max_age=COOKIE_SECONDS,
            path="/",
            httponly=True,
            samesite="lax",
            secure=request.scope["scheme"] == "https" or self.hall.public_url.startswith("https:"),
        )

    def check_origin(self, connection: HTTPConnection) -> None:
        """A page of another site must not act for somebody who is known here. Programs send no origin."""
        origin = connection.headers.get("origin")
        if origin is None:
            return
        host = connection.headers.get("host", "")
        homes = [self.hall.public_url] if self.hall.public_url else [f"http://{host}", f"https://{host}"]
        if origin.lower() not in [home.lower() for home in homes]:
            raise Denied("wrong_origin", status=403)

    # What can be asked.

    async def front(self, request: Request) -> Response:
        return reply({"polikarp": __version__, "api": "/api/openapi.json"})

    async def link(self, request: Request) -> Response:
        return RedirectResponse(f"/api/tables/{self.table_id(request)}", 307)

    async def health(self, request: Request) -> Response:
        """Well as long as the store answers and no stop was asked for."""
        well = not self.hall.draining and self.hall.now() - self.hall.beaten < 10
        return reply({"ok": well, "version": __version__}, 200 if well else 503)

    async def metrics(self, request: Request) -> Response:
        text = metrics_text(self.hall, sum(self.connections.values()), self.bots())
        return Response(text, media_type="text/plain; version=0.0.4")

    async def openapi(self, request: Request) -> Response:
        return reply(openapi())

    async def games(self, request: Request) -> Response:
        return reply(
            [
                GameInfo(
                    id=game.id,
                    rules=game.rules,
                    title={language: game.title(language) for language in house_languages()},
                    tagline={language: game.tagline(language) for language in house_languages()},
                    seats=list(game.seats),
                    bots=bot_levels(game),
                    options=list(game.options),
                    factions=list(game.factions),
                )
                for game in self.hall.games.values()
                if game.offered
            ]
        )

    async def me(self, request: Request) -> Response:
        person, new = self.somebody(request)
        response = reply(me_of(person))
        if new:
            self.give_cookie(response, person, request)
        return response

    async def rename(self, request: Request) -> Response:
        wanted = await read_body(request, say.NewName)
        person, _ = self.somebody(request)
        if request.headers.get("authorization") is not None:
            raise Denied("token_keeps_name", status=403)
        renamed = msgspec.structs.replace(person, name=clean_name(wanted.name))
        response = reply(me_of(renamed))
        self.give_cookie(response, renamed, request)
        return response

    async def open_tables(self, request: Request) -> Response:
        return reply(await self.hall.open_tables(self.whole_person(request)))

    async def mine(self, request: Request) -> Response:
        person = self.whole_person(request)
        return reply([] if person is None else await self.hall.tables_of(person))

    async def create(self, request: Request) -> Response:
        wanted = await read_body(request, say.NewTable)
        person, new = self.somebody(request)
        if not new and not self.making.take(address(request)):
            raise Denied("too_fast", status=429)
        response = reply(await self.hall.create(person, wanted), 201)
        if new:
            self.give_cookie(response, person, request)
        return response

    async def code(self, request: Request) -> Response:
        code: str = request.path_params["code"]
        if not self.guessing.take(address(request)):
            raise Denied("too_fast", status=429)
        table_id = await self.hall.find_code(code) if CODE.fullmatch(code) else None
        if table_id is None:
            raise Denied("no_such_code", status=404)
        return reply(say.Made(table_id, self.hall.link(table_id), code.upper()))

    def table_id(self, request: HTTPConnection) -> str:
        table_id: str = request.path_params["table"]
        if not TABLE_ID.fullmatch(table_id):
            raise Denied("no_such_table", status=404)
        return table_id

    async def table(self, request: Request) -> Response:
        person = self.identify(request)
        lane = await self.hall.visit(self.table_id(request))
        await lane.until_shown()
        viewers = lane.seats_of(person) or [WATCHER]
        return reply(Snapshot([update(lane, person, viewer, 0, 0, 0) for viewer in viewers]))

    async def command(self, request: Request) -> Response:
        command: say.Commands = await read_body(request, say.Commands)  # type: ignore[arg-type]
        person, new = self.somebody(request)
        lane = await self.hall.visit(self.table_id(request))
        try:
            response = reply(await lane.do(person, command))
        except Denied as denied:
            denied.command = command.id
            raise
        if new:
            self.give_cookie(response, person, request)
        return response

    async def record(self, request: Request) -> Response:
        """The whole record when the game is over; before, what the asking seat may know."""
        person = self.identify(request)
        asked = number_in(request, "seat")
        lane = await self.hall.visit(self.table_id(request))
        await lane.until_shown()
        if lane.body.stage == "over":
            name = f"polikarp-{lane.game.id}-{short(lane.id)}.json"
            return Response(
                record_json(whole_record(lane)),
                media_type="application/json",
                headers={"Content-Disposition": f'attachment; filename="{name}"'},
            )
        mine = lane.seats_of(person)
        if asked is not None and asked not in mine:
            raise Denied("not_your_seat", {"number": asked}, 403)
        viewer = asked if asked is not None else mine[0] if mine else WATCHER
        return reply(seat_record(lane, viewer))

    async def replay(self, request: Request) -> Response:
        lane = await self.hall.visit(self.table_id(request))
        record = whole_record(lane)
        until = number_in(request, "until")
        at = len(record.moves) if until is None else min(until, len(record.moves))
        seat = number_in(request, "seat")
        if seat is not None and seat >= len(record.players):
            raise Denied("no_such_seat", {"number": seat, "seats": len(record.players)}, 422)
        try:
            table = replay_record(lane.game, record, at)
        except RecordError as mistake:
            raise record_denied(mistake) from None
        return reply(
            Replayed(
                moves=[move.move for move in record.moves],
                at=at,
                of=len(record.moves),
                seat=seat,
                log=[say.Told(event.key, event.args) for event in table.log(seat)],
                view=msgspec.Raw(JSON(table.view(seat))),
                strip=next((step.strip for step in reversed(table.steps) if step.strip is not None), None),
                thoughts=table.steps[-1].thoughts if table.steps else None,
            )
        )

    async def take_record(self, request: Request) -> Response:
        self.somebody(request)
        if not self.making.take(address(request)):
            raise Denied("too_fast", status=429)
        need_json(request)
        try:
            record = read_record(await read_bytes(request, RECORD_BYTES))
        except RecordError as mistake:
            raise record_denied(mistake) from None
        return reply(await self.hall.take_record(record), 201)

    async def socket(self, websocket: WebSocket) -> None:
        await self.take_socket(websocket, Connection, language_of(websocket))

    async def take_socket(self, websocket: WebSocket, kind: type[Connection], language: str) -> None:
        """A client at a table. Who may not come in gets an HTTP answer that says why."""
        where = address(websocket)
        try:
            if self.hall.draining:
                raise Denied("restarting", status=503)
            self.check_origin(websocket)
            busy = sum(self.connections.values()) >= MOST_CONNECTIONS
            if busy or self.connections.get(where, 0) >= MOST_OF_ONE * 16:
                raise Denied("too_many_lines", status=503)
            person = self.identify(websocket)
            lane = await self.hall.visit(self.table_id(websocket))
            ids = [one.person.id for one in lane.connections if one.person is not None]
            if person is not None and ids.count(person.id) >= MOST_OF_ONE:
                raise Denied("too_many_lines", status=429)
        except Denied as denied:
            await websocket.send_denial_response(refusal(denied, language))
            return
        await websocket.accept()
        self.connections[where] = self.connections.get(where, 0) + 1
        try:
            await kind(websocket, self.hall, lane, person, language).run()
        except (Denied, StoreDown):
            await websocket.close(TRY_AGAIN, "store_down")
        finally:
            self.connections[where] -= 1
            if not self.connections[where]:
                del self.connections[where]


class GuardedApp:
    """Around everything: what even the routes could not answer ends here, and no inner word gets out."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "websocket":
            await self.app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self.app(scope, receive, sending)
        except LocalProtocolError as mistake:  # uvicorn has given the line up: what came on it was no HTTP
            log("not_sent", mistake=mistake)
        except Exception as mistake:
            log("error", mistake=mistake)
            if not begun:
                await refusal(Denied("internal", status=500), "en")(scope, receive, send)


def reply(answer: object, status: int = 200) -> Response:
    return Response(JSON(answer), status, headers=HEADERS, media_type="application/json")


def refusal(denied: Denied, language: str) -> Response:
    return reply(say.Refused(denied.command, denied.reason(language)), denied.status)


def me_of(person: Person) -> say.Me:
    return say.Me(person.name) if person.whole() else say.Me(person.name, person.table, person.seat)


def address(connection: HTTPConnection) -> str:
    """Where a request comes from; behind a trusted proxy, what the proxy says. One home has a whole /64 of IPv6."""
    host = connection.client.host if connection.client is not None else ""
    if ":" not in host:
        return host
    try:
        number = IPv6Address(host)
    except ValueError:
        return host
    return str(number.ipv4_mapped or IPv6Network((number, 64), strict=False))


def language_of(connection: HTTPConnection) -> str:
    asked = connection.query_params.get("language", "")
    return asked if asked in spoken_languages() else best_language(connection.headers.get("accept-language", ""))


def number_in(request: Request, name: str) -> int | None:
    """A number in the query."""
    text = request.query_params.get(name)
    if text is None:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise Denied("not_a_number", {"name": name, "text": text[:20]}, 422)
    return int(text)


def need_json(request: Request) -> None:
    """Forms of other sites can not send JSON."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Denied("not_json", status=415)


async def read_bytes(request: Request, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Denied("too_large", {"most": most}, 413)
        parts.append(part)
    return b"".join(parts)


async def read_body(request: Request, wanted: type[Wanted]) -> Wanted:
    need_json(request)
    data = await read_bytes(request, BODY_BYTES)
    try:
        return msgspec.json.decode(data, type=wanted)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as mistake:
        raise Denied("malformed", {"text": str(mistake)[:200]}, 422) from None
