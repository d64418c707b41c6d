"""The one way in (middleware): how often an address may ask, whether a page of another site asks, who it is, and what
becomes of every mistake. Requests of programs and of pages all come through here; a refusal is JSON or, where somebody
looks at a page, a page.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from ipaddress import IPv6Address, IPv6Network

import msgspec
from h11 import LocalProtocolError
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from polikarp.engine.words import best_language
from polikarp.games import spoken_languages
from polikarp.server import messages as say
from polikarp.server.connection import TRY_AGAIN, Connection, Dialect
from polikarp.server.denied import Denied, server_words
from polikarp.server.house import House
from polikarp.server.identity import COOKIE, Person, new_person
from polikarp.server.limits import Buckets
from polikarp.server.logs import log
from polikarp.server.table.live import LiveTable
from polikarp.server.tables import Tables

COOKIE_SECONDS = 400 * 86400
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",  # the address of a table lets people in
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
UNLIMITED = ("/healthz", "/metrics")  # machines ask here, and no work is done for them
FOR_PROGRAMS = ("/api/", *UNLIMITED)
TABLE_ID = re.compile(r"[A-Za-z0-9_-]{22}")

JSON = msgspec.json.Encoder().encode
Sorry = Callable[[Request, Denied], Response]  # makes a page of a refusal


class Guard:
    """Who is let in. One for each process."""

    def __init__(self, house: House, tables: Tables) -> None:
        clock, limits = house.clock, house.limits
        self.house = house
        self.tables = tables
        self.app: ASGIApp | None = None  # what is guarded
        self.sorry: Sorry | None = None  # where there are pages
        self.asking = Buckets(limits.asking, clock)
        self.making = Buckets(limits.making, clock)
        self.guessing = Buckets(limits.guessing, clock)
        self.sockets: dict[str, int] = {}  # by address

    # Requests.

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        assert self.app is not None
        scope["app"] = self  # so that addresses which lead nowhere raise, and are answered here
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                self.add_headers(request, MutableHeaders(scope=message))
            await send(message)

        try:
            self.admit(request)
            await self.app(scope, receive, sending)
        except LocalProtocolError as mistake:  # uvicorn has given the connection up: what came on it was no HTTP
            log("not_sent", mistake=mistake)
        except ClientDisconnect:
            if not begun:
                await Response(status_code=400)(scope, receive, sending)
        except Exception as mistake:
            response = self.refused(request, mistake)
            if not begun:
                await response(scope, receive, sending)

    def admit(self, request: Request) -> None:
        path = request.url.path
        limited = path not in UNLIMITED and not path.startswith("/static/")
        if limited and not self.asking.spend(address(request)):
            raise Denied("too_fast", status=429)
        if request.method not in ("GET", "HEAD"):
            self.need_origin(request)

    def refused(self, request: Request, mistake: Exception) -> Response:
        """Every mistake as a clear answer, with no inner word in it."""
        found = not isinstance(mistake, HTTPException)
        headers = None if found else mistake.headers  # type: ignore[attr-defined]
        denied = as_denied(mistake)
        self.house.counted.refused += isinstance(mistake, Denied)
        request.scope.get("state", {}).pop(
            "known_from_now_on", None
        )  # nobody becomes somebody by what they are refused
        try:
            response = self.refusal(request, denied, found)
        except Exception as another:  # the page that should say so fails too
            log("error", mistake=another)
            response = refusal(Denied("internal", status=500), language_of(request))
        response.headers.update(headers or {})
        return response

    def refusal(self, request: Request, denied: Denied, found: bool) -> Response:
        """A page for who looks at pages; at an address that leads nowhere, for who says that they want one."""
        looks = found or "text/html" in request.headers.get("accept", "")
        if self.sorry is not None and looks and not request.url.path.startswith(FOR_PROGRAMS):
            return self.sorry(request, denied)
        return refusal(denied, language_of(request))

    def add_headers(self, request: Request, headers: MutableHeaders) -> None:
        for name, value in HEADERS.items():
            headers.setdefault(name, value)
        person = request.scope.get("state", {}).get("known_from_now_on")
        if person is not None:
            headers.append("set-cookie", self.cookie(request, person))

    def need_origin(self, connection: HTTPConnection) -> None:
        """A page of another site must not act for somebody who is known here. Programs send no origin."""
        origin = connection.headers.get("origin")
        if origin is None:
            return
        host = connection.headers.get("host", "")
        homes = [self.house.public_url] if self.house.public_url else [f"http://{host}", f"https://{host}"]
        if origin.lower() not in [home.lower() for home in homes]:
            raise Denied("wrong_origin", status=403)

    # Who is asking.

    def identify(self, connection: HTTPConnection) -> Person | None:
        """The person behind a request, by token or cookie."""
        signer, now = self.house.signer, self.house.clock.now()
        authorization = connection.headers.get("authorization")
        if authorization is not None:
            kind, _, token = authorization.partition(" ")
            person = signer.read(token.strip(), "token", now)
            if kind.lower() != "bearer" or person is None:
                raise Denied("bad_token", status=401)
            return person
        cookie = connection.cookies.get(COOKIE)
        return signer.read(cookie, "guest", now) if cookie else None

    def person(self, connection: HTTPConnection) -> Person | None:
        """Who is asking, if it is not a program that knows only one seat."""
        person = self.identify(connection)
        return None if person is None or person.one_seat else person

    def somebody(self, request: Request) -> Person:
        """Who is asking; a new guest where nobody is known, who gets a cookie with the answer."""
        person = self.identify(request)
        if person is not None:
            return person
        self.need_making(request)
        word = server_words(language_of(request)).template("word", "guest")
        return self.remember(request, new_person(f"{word} {secrets.randbelow(9000) + 1000}"))

    def remember(self, request: Request, person: Person) -> Person:
        """From the answer on, whoever asks is known as this person."""
        request.scope.setdefault("state", {})["known_from_now_on"] = person
        return person

    def cookie(self, request: Request, person: Person) -> str:
        made = Response()
        made.set_cookie(
            COOKIE,
            self.house.signer.sign(person, "guest"),
            max_age=COOKIE_SECONDS,
            path="/",
            httponly=True,
            samesite="lax",
            secure=request.scope["scheme"] == "https" or self.house.public_url.startswith("https:"),
        )
        return made.headers["set-cookie"]

    def maker(self, request: Request) -> Person:
        """Who is asking, and may make something: a new guest makes one thing of their own with themselves."""
        known = self.identify(request) is not None
        person = self.somebody(request)
        if known:
            self.need_making(request)
        return person

    def need_making(self, request: Request) -> None:
        if not self.making.spend(address(request)):
            raise Denied("too_fast", status=429)

    def need_guessing(self, request: Request) -> None:
        if not self.guessing.spend(address(request)):
            raise Denied("too_fast", status=429)

    def table_id(self, connection: HTTPConnection) -> str:
        table_id: str = connection.path_params["table"]
        if not TABLE_ID.fullmatch(table_id):
            raise Denied("no_such_table", status=404)
        return table_id

    # Sockets.

    async def take_socket(self, websocket: WebSocket, dialect: Dialect, language: str) -> None:
        """A client at a table. Who may not come in gets an HTTP answer that says why."""
        where, limits = address(websocket), self.house.limits
        try:
            self.house.need_open()
            self.need_origin(websocket)
            if sum(self.sockets.values()) >= limits.sockets or self.sockets.get(where, 0) >= limits.address_sockets:
                raise Denied("too_many_lines", status=503)
            person = self.identify(websocket)
            live = await self.tables.visit(self.table_id(websocket))
            if sockets_of(live, person, where) >= limits.person_sockets:
                raise Denied("too_many_lines", status=429)
        except Denied as denied:
            await websocket.send_denial_response(refusal(denied, language))
            return
        await websocket.accept()
        self.sockets[where] = self.sockets.get(where, 0) + 1
        try:
            await Connection(websocket, self.house, live, person, where, language, dialect).run()
        except Denied:
            await websocket.close(TRY_AGAIN, "store_down")
        finally:
            self.sockets[where] -= 1
            if not self.sockets[where]:
                del self.sockets[where]


def sockets_of(live: LiveTable, person: Person | None, where: str) -> int:
    """How many one person has at a table; of those whom nobody knows, how many an address has."""
    if person is not None:
        return sum(one.person is not None and one.person.id == person.id for one in live.presence.viewers)
    return sum(one.person is None and one.address == where for one in live.presence.viewers)


def as_denied(mistake: Exception) -> Denied:
    if isinstance(mistake, Denied):
        return mistake
    if isinstance(mistake, HTTPException) and mistake.status_code in (404, 405):
        return Denied({404: "no_such_page", 405: "wrong_method"}[mistake.status_code], status=mistake.status_code)
    log("error", mistake=mistake)
    return Denied("internal", status=500)


def reply(answer: object, status: int = 200) -> Response:
    return Response(JSON(answer), status, headers=HEADERS, media_type="application/json")


def refusal(denied: Denied, language: str) -> Response:
    return reply(say.Refused(denied.command, denied.reason(language)), denied.status)


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


async def read_bytes(request: Request, most: int) -> bytes:
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > most:
            raise Denied("too_large", {"most": most}, 413)
        parts.append(part)
    return b"".join(parts)


def need_json(request: Request) -> None:
    """Forms of other sites can not send JSON."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Denied("not_json", status=415)
