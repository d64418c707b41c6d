"""The HTTP part of the API as an OpenAPI document, made from the very types that are checked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, get_args, get_origin

import msgspec

from polikarp import __version__
from polikarp.server import messages as say

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


class Parameter(NamedTuple):
    """Part of an address: with a pattern a piece of its path, without one a number in its query."""

    name: str
    words: str
    pattern: str = ""


class Operation(NamedTuple):
    """What asking one address does. `gives` is a type, a list of one, a tuple of several, or a dict of plain fields;
    `failing`: the status with which it gives the same when all is not well.
    """

    words: str
    gives: Any
    refusals: tuple[int, ...]
    takes: Any = None
    parameters: tuple[Parameter, ...] = ()
    status: int = 200
    failing: int = 0


class Types:
    """The types of a document, and where each is described in it."""

    def __init__(self, types: list[Any]) -> None:
        kinds = {str(kind): kind for kind in types}
        schemas, written = msgspec.json.schema_components(kinds.values(), ref_template="#/components/schemas/{name}")
        self.components = msgspec.json.decode(msgspec.json.encode(written).replace(rb"\\Z", b"$"))  # there is no \Z
        self.named = dict(zip(kinds, schemas, strict=True))
        self.components["Update"]["properties"]["table"] = self.of(say.TableInfo)

    def of(self, kind: Any) -> dict[str, Any]:
        if isinstance(kind, dict):
            fields = {name: {"type": {bool: "boolean", str: "string"}[plain]} for name, plain in kind.items()}
            return {"type": "object", "properties": fields}
        if isinstance(kind, tuple):
            return {"anyOf": [self.of(one) for one in kind]}
        if get_origin(kind) is list:
            return {"type": "array", "items": self.of(get_args(kind)[0])}
        return self.named[str(kind)]

    def content(self, kind: Any) -> dict[str, Any]:
        return {"application/json": {"schema": self.of(kind)}}

    def operation(self, about: Operation) -> dict[str, Any]:
        given = self.content(about.gives)
        responses: dict[str, Any] = {str(about.status): {"description": "done", "content": given}}
        if about.failing:
            responses[str(about.failing)] = {"description": "it is not", "content": given}
        for number in about.refusals:
            responses[str(number)] = {"description": REFUSALS[number], "content": self.content(say.Refused)}
        made: dict[str, Any] = {"summary": about.words, "responses": responses}
        if about.takes is not None:
            made["requestBody"] = {"required": True, "content": self.content(about.takes)}
        if about.parameters:
            made["parameters"] = [described(parameter) for parameter in about.parameters]
        return made


def described(parameter: Parameter) -> dict[str, Any]:
    name, words, pattern = parameter
    if pattern:
        schema: dict[str, Any] = {"type": "string", "pattern": pattern}
    else:
        schema = {"type": "integer", "minimum": 0, "maximum": 999_999_999}
    return {
        "name": name,
        "in": "path" if pattern else "query",
        "required": bool(pattern),
        "description": words,
        "schema": schema,
    }


def plain_types(kind: Any) -> list[Any]:
    """The types that have to be described for one."""
    if kind is None or isinstance(kind, dict):
        return []
    if isinstance(kind, tuple):
        return list(kind)
    return plain_types(get_args(kind)[0]) if get_origin(kind) is list else [kind]


def openapi(operations: Iterable[tuple[str, str, Operation]]) -> dict[str, Any]:
    """The document of these: method, path, and what it does."""
    known = list(operations)
    named = [kind for _, _, about in known for one in (about.takes, about.gives) for kind in plain_types(one)]
    types = Types([*named, say.Refused, say.TableInfo])
    paths: dict[str, dict[str, Any]] = {}
    for method, path, about in known:
        paths.setdefault(path, {})[method.lower()] = types.operation(about)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Polikarp", "version": __version__, "license": {"name": "MIT"}},
        "components": {
            "schemas": types.components,
            "securitySchemes": {
                "cookie": {"type": "apiKey", "in": "cookie", "name": "polikarp"},
                "token": {"type": "http", "scheme": "bearer"},
            },
        },
        "security": [{}, {"cookie": []}, {"token": []}],
        "paths": paths,
    }
