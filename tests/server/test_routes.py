"""Every address once: routes and the OpenAPI document both follow from the table."""

from __future__ import annotations

import re
from typing import Any, cast

from starlette.routing import Route, WebSocketRoute

from polikarp.server.http.api import Api
from polikarp.server.http.guard import Guard
from polikarp.server.http.openapi import REFUSALS
from polikarp.server.http.routes import ADDRESSES, document, router
from polikarp.server.records import Replays
from polikarp.server.tables import Tables
from tests.server.moments import a_house


def routes() -> dict[str, set[str]]:
    """The methods of every address."""
    house = a_house()
    api = Api(Guard(house, Tables(house)), Replays(), dict)
    found: dict[str, set[str]] = {}
    for route in router(api).routes:
        if isinstance(route, Route):
            found[route.path] = set(route.methods or ()) - {"HEAD"}
        else:
            assert isinstance(route, WebSocketRoute)
            found[route.path] = {"socket"}
    return found


def test_every_address_of_the_table_is_served_and_no_other() -> None:
    wanted: dict[str, set[str]] = {"/api/openapi.json": {"GET"}, "/api/tables/{table}/socket": {"socket"}}
    for one in ADDRESSES:
        wanted.setdefault(one.path, set()).add(one.method)
    assert routes() == wanted
    assert len({(one.method, one.path) for one in ADDRESSES}) == len(ADDRESSES)


def test_every_answer_of_the_api_has_an_address() -> None:
    answers = {one.answer.__name__ for one in ADDRESSES}
    asked = {name for name in vars(Api) if not name.startswith("_")} - {"socket"}
    assert answers == asked


def test_the_document_has_every_address_that_has_words() -> None:
    described = {(method.upper(), path) for path, ways in document()["paths"].items() for method in ways}
    assert described == {(one.method, one.path) for one in ADDRESSES if one.about is not None}
    assert {one.path for one in ADDRESSES if one.about is None} == {"/", "/t/{table}", "/metrics"}


def test_what_an_address_takes_is_what_the_document_says() -> None:
    for one in ADDRESSES:
        if one.takes is not None:
            assert one.about is not None
            assert one.about.takes == one.takes


def test_parts_of_a_path_are_described_and_refusals_explained() -> None:
    for one in ADDRESSES:
        if one.about is None:
            continue
        named = [parameter.name for parameter in one.about.parameters if parameter.pattern]
        assert named == re.findall(r"\{(\w+)\}", one.path)
        assert set(one.about.refusals) <= set(REFUSALS)
        described = document()["paths"][one.path][one.method.lower()]
        statuses = {str(one.about.status), *map(str, one.about.refusals)}
        assert set(described["responses"]) - {str(one.about.failing)} == statuses
        assert described["summary"] == one.about.words


def test_every_reference_of_the_document_leads_somewhere() -> None:
    known = {f"#/components/schemas/{name}" for name in document()["components"]["schemas"]}

    def references(part: Any) -> set[str]:
        if isinstance(part, dict):
            own = {cast(str, part["$ref"])} if "$ref" in part else set()
            return own.union(*(references(inside) for inside in part.values()))
        return set().union(*map(references, part)) if isinstance(part, list) else set()

    assert references(document()) <= known
