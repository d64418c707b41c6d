"""The HTTP part of the API as an OpenAPI document, made from the very types that are checked."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from polikarp import __version__
from polikarp.engine.record import Record
from polikarp.server import messages as say

TABLE = {
    "name": "table",
    "in": "path",
    "required": True,
    "description": "the id at the end of the table's link",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9_-]{22}$"},
}
CODE = {
    "name": "code",
    "in": "path",
    "required": True,
    "description": "the short code that a table has until its game begins",
    "schema": {"type": "string", "pattern": "^[A-Za-z0-9]{1,12}$"},
}
REFUSALS = {
    401: "the token does not hold",
    403: "you may not do this, or the page that asked is another site's",
    404: "there is nothing there",
    409: "it can not be done now; where a rule of the game is the reason, its number says which",
    413: "the body is too large",
    415: "the body is not JSON",
    422: "it can not be understood, or there is no such thing",
    429: "too many requests from this address",
    503: "the server can not do this now; try again soon",
}


def number_parameter(name: str, words: str) -> dict[str, Any]:
    schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
    return {"name": name, "in": "query", "required": False, "description": words, "schema": schema}


@cache
def openapi() -> dict[str, Any]:
    from polikarp.server.app import GameInfo, Replayed, Snapshot

    types: list[Any] = [
        say.Commands, say.NewTable, say.NewName, say.Me, say.Made, say.Listed, say.Done, say.Refused, say.SeatRecord,
        say.TableInfo, GameInfo, Record, Replayed, Snapshot,
    ]  # fmt: skip
    schemas, written = msgspec.json.schema_components(types, ref_template="#/components/schemas/{name}")
    components = msgspec.json.decode(msgspec.json.encode(written).replace(rb"\\Z", b"$"))  # JSON Schema knows no \Z
    named: dict[Any, dict[str, Any]] = dict(zip(map(str, types), schemas, strict=True))

    def of(kind: Any) -> dict[str, Any]:
        return named[str(kind)]

    def content(schema: dict[str, Any]) -> dict[str, Any]:
        return {"application/json": {"schema": schema}}

    def operation(
        words: str,
        answer: dict[str, Any],
        refusals: tuple[int, ...],
        body: dict[str, Any] | None = None,
        parameters: list[dict[str, Any]] | None = None,
        status: int = 200,
    ) -> dict[str, Any]:
        responses: dict[str, Any] = {str(status): {"description": "done", "content": content(answer)}}
        for number in refusals:
            responses[str(number)] = {"description": REFUSALS[number], "content": content(of(say.Refused))}
        made: dict[str, Any] = {"summary": words, "responses": responses}
        if body is not None:
            made["requestBody"] = {"required": True, "content": content(body)}
        if parameters:
            made["parameters"] = parameters
        return made

    def many(schema: dict[str, Any]) -> dict[str, Any]:
        return {"type": "array", "items": schema}

    writing = (401, 403, 413, 415, 422, 429, 503)
    seat = number_parameter("seat", "which seat's knowledge")
    components["Update"]["properties"]["table"] = of(say.TableInfo)
    well = {"type": "object", "properties": {"ok": {"type": "boolean"}, "version": {"type": "string"}}}
    health = operation("Is the server well?", well, ())
    health["responses"]["503"] = {"description": "it is not", "content": content(well)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Polikarp", "version": __version__, "license": {"name": "MIT"}},
        "components": {
            "schemas": components,
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "polikarp"},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
        "security": [{}, {"cookie": []}, {"token": []}],
        "paths": {
            "/healthz": {"get": health},
            "/api/games": {"get": operation("The games", many(of(GameInfo)), (429,))},
            "/api/me": {
                "get": operation("Who am I? Makes a guest of who is not known.", of(say.Me), (401, 429)),
                "put": operation("Change my name", of(say.Me), (401, 403, 413, 415, 422, 429), of(say.NewName)),
            },
            "/api/tables": {
                "get": operation("Public tables with free seats", many(of(say.Listed)), (401, 429, 503)),
                "post": operation("Open a table", of(say.Made), writing, of(say.NewTable), status=201),
            },
            "/api/mine": {"get": operation("Tables at which I sit", many(of(say.Listed)), (401, 429, 503))},
            "/api/codes/{code}": {
                "get": operation("The table with a short code", of(say.Made), (404, 429, 503), parameters=[CODE])
            },
            "/api/tables/{table}": {
                "get": operation(
                    "A table now, as I may see it", of(Snapshot), (401, 404, 429, 503), parameters=[TABLE]
                ),
                "post": operation(
                    "Do something at a table", of(say.Done), (*writing, 404, 409), of(say.Commands), [TABLE]
                ),
            },
            "/api/tables/{table}/record": {
                "get": operation(
                    "The record of a finished game; of a running one, what I may know",
                    {"anyOf": [of(Record), of(say.SeatRecord)]},
                    (401, 403, 404, 422, 429, 503),
                    parameters=[TABLE, seat],
                )
            },
            "/api/tables/{table}/replay": {
                "get": operation(
                    "A moment of a finished game",
                    of(Replayed),
                    (404, 409, 422, 429, 503),
                    parameters=[TABLE, number_parameter("until", "after so many moves"), seat],
                )
            },
            "/api/records": {
                "post": operation("Keep a record and get a link to it", of(say.Made), writing, of(Record), status=201)
            },
        },
    }
