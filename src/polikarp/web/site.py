"""The pages of the site and their addresses."""

from __future__ import annotations

import asyncio
import gzip
import mimetypes
import secrets
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, quote

import msgspec
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from starlette.websockets import WebSocket

from polikarp.engine.game import Game
from polikarp.engine.languages import language_name
from polikarp.engine.words import FALLBACK, house_languages
from polikarp.games import spoken_languages
from polikarp.server import messages as say
from polikarp.server.denied import Denied
from polikarp.server.http.guard import HEADERS, Guard, language_of, number_in, read_bytes, reply
from polikarp.server.identity import Person, clean_name
from polikarp.server.records import Replays, go_on, whole_record
from polikarp.server.table.document import Pace
from polikarp.web.options import OWN, choice_words, option_words, options_in
from polikarp.web.page_socket import PageDialect
from polikarp.web.render import BUILT, Look, Speaker, built_files, fixed_data, game_part, look_of, render
from polikarp.web.replay_page import ReplayPage, eyes_of
from polikarp.web.rulebook import rulebook_html
from polikarp.web.scripts import Script, Scripts
from polikarp.web.story import Stories
from polikarp.web.table_page import MOST_FIELDS, TablePage, command_of, small_number

PAGE_HEADERS = {
    **HEADERS,
    "Referrer-Policy": "same-origin",  # without one, browsers do not even tell us that a form is ours
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}
KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
LOOKS = ("light", "dark")
LOOK_SECONDS = 400 * 86400
SQUEEZED_BYTES = 1000  # and more of a page are compressed
PACES = {
    "none": Pace(),
    "quick": Pace("live", 30, 120),
    "calm": Pace("live", 180, 600),
    "day": Pace("relaxed", 86400),
    "days": Pace("relaxed", 3 * 86400),
}
Handler = Callable[[Request], Awaitable[Response]]


def takes_gzip(connection: HTTPConnection) -> bool:
    return "gzip" in connection.headers.get("accept-encoding", "")


def squeeze(request: Request, response: Response) -> None:
    """A page goes over the wire compressed."""
    if len(response.body) > SQUEEZED_BYTES and takes_gzip(request):
        response.body = gzip.compress(response.body, 5, mtime=0)
        response.headers["Content-Encoding"] = "gzip"
        response.headers["Content-Length"] = str(len(response.body))
    response.headers["Vary"] = "Accept-Encoding"


class BuiltFiles(StaticFiles):
    """Names of built files change with their contents, so browsers may keep them. Scripts that are made of templates
    and words when the server starts lie among them."""

    def __init__(self, scripts: Mapping[str, Script]) -> None:
        super().__init__(directory=BUILT)
        self.scripts = scripts

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(KEPT)
        return response

    def script_response(self, script: Script, packed: bool) -> Response:
        response = Response(script.packed if packed else script.body, media_type="text/javascript")
        response.headers.update({**KEPT, "Vary": "Accept-Encoding"})
        if packed:
            response.headers["Content-Encoding"] = "gzip"
        return response

    async def get_response(self, path: str, scope: Scope) -> Response:
        if path in self.scripts:
            return self.script_response(self.scripts[path], takes_gzip(HTTPConnection(scope)))
        if path not in built_files().values() and not path.endswith(".woff2"):
            raise HTTPException(404)
        packed = takes_gzip(HTTPConnection(scope)) and (BUILT / f"{path}.gz").is_file()
        response = await super().get_response(f"{path}.gz" if packed else path, scope)
        response.headers["Vary"] = "Accept-Encoding"
        if packed:
            response.headers["Content-Type"] = f"{mimetypes.guess_type(path)[0]}; charset=utf-8"
            response.headers["Content-Encoding"] = "gzip"
        return response


class Site:
    """The pages, for people; what they do goes the way of every other client."""

    def __init__(self, guard: Guard, replays: Replays) -> None:
        built_files()  # says at once if they are missing
        self.guard = guard
        self.house = guard.house
        self.tables = guard.tables
        self.replays = replays
        self.scripts = Scripts(self.house.games)
        self.stories = Stories()
        guard.sorry = self.sorry

    def routes(self) -> list[BaseRoute]:
        return [
            Route("/", self.page(self.home), methods=["GET"]),
            Route("/look", self.page(self.look), methods=["POST"]),
            Route("/name", self.page(self.name), methods=["POST"]),
            Route("/play/{game}", self.page(self.play), methods=["POST"]),
            Route("/new/{game}", self.page(self.new), methods=["GET"]),
            Route("/new/{game}", self.page(self.create), methods=["POST"]),
            Route("/join", self.page(self.join), methods=["GET"]),
            Route("/rules/{game}", self.page(self.rules), methods=["GET"]),
            Route("/about", self.page(self.about), methods=["GET"]),
            Route("/t/{table}", self.page(self.table), methods=["GET"]),
            Route("/t/{table}", self.page(self.command), methods=["POST"]),
            WebSocketRoute("/t/{table}/socket", self.socket),
            Route("/t/{table}/replay", self.page(self.replay), methods=["GET"]),
            Route("/t/{table}/replay/part", self.page(self.replay_part), methods=["GET"]),
            Route("/t/{table}/bounds", self.page(self.bounds), methods=["GET"]),
            Route("/t/{table}/go-on", self.page(self.go_on), methods=["POST"]),
            Route("/import", self.page(self.take_file), methods=["GET"]),
            Mount("/static", BuiltFiles(self.scripts.files)),
        ]

    def page(self, answer: Handler) -> Handler:
        """What all pages have that are sent."""

        async def answered(request: Request) -> Response:
            return self.dressed(request, await answer(request))

        return answered

    def dressed(self, request: Request, response: Response) -> Response:
        response.headers.update({name: value for name, value in PAGE_HEADERS.items() if name != "Cache-Control"})
        response.headers.setdefault("Cache-Control", "no-store")
        squeeze(request, response)
        return response

    # What all pages have in common.

    def language(self, request: HTTPConnection) -> str:
        chosen = request.cookies.get("language", "")
        return chosen if chosen in spoken_languages() else language_of(request)

    def languages(self, language: str, game: Game | None) -> dict[str, str]:
        """The languages that a page lets people choose, by their names: those of the house; about a game, also those
        in which it has all its words; and the one that was chosen."""
        codes = [*house_languages(), *(game.languages() if game is not None else []), language]
        return {code: language_name(code) for code in codes}

    def person(self, request: HTTPConnection) -> Person | None:
        """Who looks at a page. A token is for programs."""
        try:
            return self.guard.identify(request)
        except Denied:
            return None

    def render(
        self, request: Request, name: str, status: int = 200, about: Game | None = None, **context: Any
    ) -> Response:
        """A page; `about` is the game that it is about, if it is about one."""
        language = self.language(request)
        look = request.cookies.get("look", "")
        person = self.person(request)
        speaker = Speaker(language)
        shared = {
            "t": speaker.page,
            "language": language,
            "page_language": language if language in house_languages() else FALLBACK,
            "languages": self.languages(language, about),
            "look": look if look in LOOKS else "",
            "person": person,
            "here": request.url.path,
            "games": [game for game in self.house.games.values() if game.offered],
            "titles": {game.id: game.title(language) for game in self.house.games.values()},
            "look_at": self.look_at,
        }
        html = render(name, self.house.games, **{**shared, **context})
        return Response(html, status, media_type="text/html")

    def look_at(self, table: say.Listed, number: int) -> Look:
        """What a seat of a listed table is known by."""
        return look_of(self.house.games[table.game], len(table.seats), number, table.seats[number].faction)

    def sorry(self, request: Request, denied: Denied) -> Response:
        """A refusal in the reader's language."""
        reason = denied.reason(self.language(request))
        return self.dressed(request, self.render(request, "sorry.html", denied.status, reason=reason.text))

    async def form(self, request: Request) -> dict[str, str]:
        """The fields of a form. The last of several with one name counts."""
        data = await read_bytes(request, self.house.limits.body_bytes)
        kind = request.headers.get("content-type", "").split(";")[0].strip()
        if data and kind != "application/x-www-form-urlencoded":
            raise Denied("malformed", {"text": "form"}, 415)
        try:
            return dict(parse_qsl(data.decode("utf-8"), keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError:
            raise Denied("malformed", {"text": "form"}, 422) from None

    def go(self, where: str) -> Response:
        return RedirectResponse(where, 303)

    def back(self, request: Request, fields: dict[str, str]) -> Response:
        """To the page that a form came from, if it is one of ours."""
        wanted = fields.get("here", "/")
        safe = wanted.startswith("/") and not wanted.startswith("//") and "\\" not in wanted
        return self.go(quote(wanted, safe="/?=&") if safe else "/")

    # Pages.

    async def home(self, request: Request) -> Response:
        person = self.person(request)
        mine = await self.tables.tables_of(person) if person is not None else []
        halted = [table for table in mine if table.stage == "halted"]
        going = [table for table in mine if table.stage in ("open", "dealing", "playing")]
        going += [table for table in halted if not table.following]  # till its people play again
        language = self.language(request)
        offers = [offer(game, language) for game in self.house.games.values() if game.offered]
        return self.render(
            request,
            "home.html",
            offers=offers,
            open_tables=[table for table in await self.tables.open_tables(person) if not table.yours],
            my_tables=sorted(going, key=lambda table: not table.your_turn),
            finished=[table for table in mine if table.stage == "over" or (table in halted and table.following)][:10],
        )

    async def look(self, request: Request) -> Response:
        fields = await self.form(request)
        response = self.back(request, fields)
        for name, allowed in (("language", spoken_languages()), ("look", (*LOOKS, "system"))):
            if fields.get(name) in allowed:
                response.set_cookie(name, fields[name], max_age=LOOK_SECONDS, path="/", samesite="lax", httponly=True)
        return response

    async def name(self, request: Request) -> Response:
        fields = await self.form(request)
        person = self.guard.somebody(request)
        self.guard.remember(request, msgspec.structs.replace(person, name=clean_name(fields.get("name", ""))))
        return self.back(request, fields)

    def game(self, request: Request) -> Game:
        game = self.house.games.get(request.path_params["game"])
        if game is None or not game.offered:
            raise Denied("no_such_page", status=404)
        return game

    async def play(self, request: Request) -> Response:
        """A table with bots, and the game begins."""
        game = self.game(request)
        fields = await self.form(request)
        seats = small_number(fields.get("seats"))
        if seats is None:
            seats = min(3, game.seats[-1])
        person = self.guard.somebody(request)
        self.guard.need_making(request)
        made = await self.tables.create(person, say.NewTable(game=game.id, seats=seats))
        live = await self.tables.visit(made.table)
        if seats > 1:
            await live.do(person, say.AddBot(id=secrets.token_hex(4), level=fields.get("level", "")[:40]))
        await live.do(person, say.Start(id=secrets.token_hex(4)))
        return self.go(f"/t/{made.table}")

    async def new(self, request: Request) -> Response:
        game = self.game(request)
        language = self.language(request)
        words = {option.name: option_words(game, option, language) for option in game.options}
        said = partial(choice_words, game, speaker=Speaker(language))
        asked: dict[str, Any] = {"option_words": words, "said": said, "own": OWN, "paces": PACES}
        return self.render(request, "new.html", about=game, game=game, **asked)

    async def create(self, request: Request) -> Response:
        game = self.game(request)
        fields = await self.form(request)
        wanted = say.NewTable(
            game=game.id,
            seats=small_number(fields.get("seats")),
            options=options_in(game, fields),
            pace=PACES.get(fields.get("pace", ""), Pace()),
            public=fields.get("public") == "on",
        )
        person = self.guard.somebody(request)
        self.guard.need_making(request)
        made = await self.tables.create(person, wanted)
        return self.go(f"/t/{made.table}")

    async def join(self, request: Request) -> Response:
        code = request.query_params.get("code", "").replace("-", "").replace(" ", "")
        self.guard.need_guessing(request)
        table_id = await self.tables.find_code(code) if code.isalnum() and len(code) < 13 else None
        if table_id is None:
            raise Denied("no_such_code", status=404)
        return self.go(f"/t/{table_id}")

    async def rules(self, request: Request) -> Response:
        game = self.game(request)
        html = rulebook_html(game, self.language(request))
        return self.render(request, "rules.html", about=game, game=game, rulebook=html)

    async def about(self, request: Request) -> Response:
        return self.render(request, "about.html")

    async def table(self, request: Request) -> Response:
        return await self.show_table(request)

    async def show_table(self, request: Request, notice: str = "", status: int = 200) -> Response:
        live = await self.tables.visit(self.guard.table_id(request))
        await live.until_shown()
        chosen = small_number(request.query_params.get("seat"))
        page = TablePage(live, self.guard.somebody(request), self.language(request), chosen)
        context = {**page.context(), "live": page.html(notice), "track": page.track(), "title": page.title()}
        game, seats = live.game, len(live.document.seats)
        drawn = {"pages": self.scripts.pages[game.id, seats].name, "words": self.words_of(game, page.language).name}
        return self.render(request, "table.html", status, game, **context, drawn=drawn)

    def words_of(self, game: Game, language: str) -> Script:
        """The words with which a browser draws a game's table."""
        words = self.scripts.words
        return words.get((game.id, language)) or words[game.id, FALLBACK]

    async def command(self, request: Request) -> Response:
        """A form without the client: the same command, and the page again."""
        fields = await self.form(request)
        live = await self.tables.visit(self.guard.table_id(request))
        person = self.guard.somebody(request)
        try:
            done = await live.do(person, command_of(fields))
        except Denied as denied:
            return await self.show_table(request, denied.reason(self.language(request)).text, denied.status)
        return self.go(f"/t/{done.table or live.id}")

    # Finished games.

    async def moment(self, request: Request) -> ReplayPage:
        """The moment of a finished game that an address names; the first one if it names none."""
        live = await self.tables.visit(self.guard.table_id(request))
        replay = await self.replays.of(live)
        person = self.person(request)
        at = min(number_in(request, "at") or 0, replay.last)
        viewer = eyes_of(request.query_params.get("seat"), len(live.document.seats), live.seats_of(person))
        return ReplayPage(live, replay, person, self.language(request), at, viewer)

    async def replay(self, request: Request) -> Response:
        page = await self.moment(request)
        here = f"{request.url.path}?{request.url.query}"
        shown = {"live": page.html(), "track": page.track(), "title": page.title(), "here": here}
        return self.render(request, "replay.html", 200, page.live.game, **{**page.context(), **page.bar(), **shown})

    async def replay_part(self, request: Request) -> Response:
        """The table alone, for the client to put in the place of another moment's."""
        return Response((await self.moment(request)).part(), media_type="text/html")

    async def bounds(self, request: Request) -> Response:
        """What the rules say about each draw, for those who recompute the chance themselves."""
        replay = await self.replays.of(await self.tables.visit(self.guard.table_id(request)))
        return reply(await asyncio.to_thread(replay.bounds))

    async def go_on(self, request: Request) -> Response:
        fields = await self.form(request)
        live = await self.tables.visit(self.guard.table_id(request))
        record = whole_record(live)
        at, seat = (fields.get(name, "") for name in ("at", "seat"))
        for name, text in (("at", at), ("seat", seat)):
            if not (text.isascii() and text.isdigit() and len(text) < 10):
                raise Denied("not_a_number", {"name": name, "text": text[:20]}, 422)
        person = self.guard.somebody(request)
        self.guard.need_making(request)
        made = await go_on(self.house, person, record, int(at), int(seat))
        await self.tables.visit(made.table)
        return self.go(f"/t/{made.table}")

    async def take_file(self, request: Request) -> Response:
        return self.render(request, "import.html")

    async def socket(self, websocket: WebSocket) -> None:
        url = websocket.url
        origin = f"{'https' if url.scheme == 'wss' else 'http'}://{url.netloc}"
        await self.guard.take_socket(websocket, PageDialect(self.stories, origin), self.language(websocket))


class Offer(msgspec.Struct, frozen=True):
    """A game on the home page."""

    game: Game
    title: str
    tagline: str
    players: str
    minutes: str  # how long it takes, if somebody said so
    minutes_ours: bool  # it is an estimate of ours
    picture: Markup
    acts: Markup  # more ways to begin, where a game has them


def offer(game: Game, language: str) -> Offer:
    speaker, words = Speaker(language), game.words(language)
    low, high = game.seats[0], game.seats[-1]
    several = speaker.page("players", low=low, high=high)
    context = {**Speaker(language, game).functions(), **fixed_data(game, low)}
    return Offer(
        game,
        game.title(language),
        game.tagline(language),
        several if low < high else speaker.page("players_exactly", count=low),
        words.find("facts", "minutes") or "",
        "minutes" in (words.find("facts", "ours") or "").split(),
        game_part("picture.html", game, **context),
        game_part("home_acts.html", game, **context),
    )
