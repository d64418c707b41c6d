"""Every address of the API, once: how it is asked, what it takes and gives, and in words what it is for. The routes of
the server and the OpenAPI document both follow from this table.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, Router, WebSocketRoute

from polikarp.engine.record import Record
from polikarp.server import messages as say
from polikarp.server.connection import NOT_JSON
from polikarp.server.denied import Denied
from polikarp.server.http.api import Api
from polikarp.server.http.guard import need_json, read_bytes, reply
from polikarp.server.http.openapi import Operation, Parameter, openapi

SEAT = Parameter("seat", "which seat's knowledge")
UNTIL = Parameter("until", "after so many moves")
TABLE = Parameter("table", "the id at the end of the table's link", "^[A-Za-z0-9_-]{22}$")
CODE = Parameter("code", "the short code that a table has until its game begins", "^[A-Za-z0-9]{1,12}$")
WRITING = (401, 403, 413, 415, 422, 429, 503)


class Address(NamedTuple):
    """One way to ask. `takes`: the type of the body, read before the answer is made. Without words it is for machines,
    and not in the document.
    """

    method: str
    path: str
    answer: Callable[..., Awaitable[object]]
    about: Operation | None = None
    takes: Any = None


AT_TABLE = "/api/tables/{table}"
WELL = {"ok": bool, "version": str}
ADDRESSES = (
    Address("GET", "/", Api.front),
    Address("GET", "/t/{table}", Api.link),
    Address("GET", "/metrics", Api.metrics),
    Address("GET", "/healthz", Api.health, Operation("Is the server well?", WELL, (), failing=503)),
    Address("GET", "/api/games", Api.games, Operation("The games", list[say.GameInfo], (429,))),
    Address("GET", "/api/me", Api.me, Operation("Who am I? Makes a guest of who is not known.", say.Me, (401, 429))),
    Address(
        "PUT",
        "/api/me",
        Api.rename,
        Operation("Change my name", say.Me, (401, 403, 413, 415, 422, 429), takes=say.NewName),
        say.NewName,
    ),
    Address(
        "GET",
        "/api/tables",
        Api.open_tables,
        Operation("Public tables with free seats", list[say.Listed], (401, 429, 503)),
    ),
    Address(
        "POST",
        "/api/tables",
        Api.create,
        Operation("Open a table", say.Made, WRITING, takes=say.NewTable, status=201),
        say.NewTable,
    ),
    Address("GET", "/api/mine", Api.mine, Operation("Tables at which I sit", list[say.Listed], (401, 429, 503))),
    Address(
        "GET",
        "/api/codes/{code}",
        Api.code,
        Operation("The table with a short code", say.Made, (404, 429, 503), parameters=(CODE,)),
    ),
    Address(
        "POST",
        "/api/records",
        Api.take_record,
        Operation("Keep a record and get a link to it", say.Made, WRITING, takes=Record, status=201),
    ),
    Address(
        "GET",
        AT_TABLE,
        Api.table,
        Operation("A table now, as I may see it", say.Snapshot, (401, 404, 429, 503), parameters=(TABLE,)),
    ),
    Address(
        "POST",
        AT_TABLE,
        Api.command,
        Operation("Do something at a table", say.Done, (*WRITING, 404, 409), takes=say.Commands, parameters=(TABLE,)),
        say.Commands,
    ),
    Address(
        "GET",
        f"{AT_TABLE}/record",
        Api.record,
        Operation(
            "The record of a finished game; of a running one, what I may know",
            (Record, say.SeatRecord),
            (401, 403, 404, 422, 429, 503),
            parameters=(TABLE, SEAT),
        ),
    ),
    Address(
        "GET",
        f"{AT_TABLE}/replay",
        Api.replay,
        Operation(
            "A moment of a finished game",
            say.Replayed,
            (404, 409, 422, 429, 503),
            parameters=(TABLE, UNTIL, SEAT),
        ),
    ),
)


@cache
def document() -> dict[str, Any]:
    """The OpenAPI document."""
    return openapi([(one.method, one.path, one.about) for one in ADDRESSES if one.about is not None])


async def show_document(api: Api, request: Request) -> object:
    return document()


def router(api: Api, pages: Sequence[BaseRoute] = ()) -> Router:
    """Everything under its address; pages, where there are any, come first."""
    by_path: dict[str, dict[str, Address]] = {}
    for one in (*ADDRESSES, Address("GET", "/api/openapi.json", show_document)):
        by_path.setdefault(one.path, {})[one.method] = one
    routes = [Route(path, endpoint(api, ways), methods=list(ways)) for path, ways in by_path.items()]
    socket = WebSocketRoute("/api/tables/{table}/socket", api.socket)
    return Router([*pages, *routes, socket], redirect_slashes=False)


def endpoint(api: Api, ways: dict[str, Address]) -> Callable[[Request], Awaitable[Response]]:
    """Reads what an address takes, and writes what it gives."""

    async def answer(request: Request) -> Response:
        one = ways["GET" if request.method == "HEAD" else request.method]
        taken = [] if one.takes is None else [await read_body(request, one.takes, api.house.limits.body_bytes)]
        given = await one.answer(api, request, *taken)
        if isinstance(given, Response):
            return given
        return reply(given, one.about.status if one.about is not None else 200)

    return answer


async def read_body(request: Request, wanted: Any, most: int) -> Any:
    need_json(request)
    data = await read_bytes(request, most)
    try:
        return msgspec.json.decode(data, type=wanted)
    except NOT_JSON as mistake:
        raise Denied("malformed", {"text": str(mistake)[:200]}, 422) from None
