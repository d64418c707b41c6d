"""Requests made up from the API's own document, right ones and wrong ones, against a real server: whatever is asked,
the answer is one that the document knows, and every answer that the document knows can be had.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from requests.adapters import HTTPAdapter
from schemathesis.checks import positive_data_acceptance

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from polikarp.server.http.routes import document
from tests.server.playing import ServerProcess, playing, serving
from tests.server.test_hostile import INSIDE, JSON_TYPE, OPENED, Visitor, fresh_address, request, send_raw, statuses_in

DOCUMENT: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document()))
SCHEMA = schemathesis.openapi.from_dict(DOCUMENT)


class Hosts:
    """People at tables in all stages, at which strangers may ask for anything."""

    def __init__(self, server: ServerProcess) -> None:
        self.server = server
        self.owner, self.player = Visitor(server.url), Visitor(server.url)
        self.fresh = self.seated(public=True)
        self.code = self.owner.get(f"/api/tables/{self.fresh}")["updates"][0]["table"]["code"]
        self.running, self.over = self.seated(), self.seated()
        self.owner.do(self.running, "start")
        self.play(self.over)
        self.tables = [self.fresh, self.running, self.over]
        self.token = self.owner.do(self.running, "make_token", seat=0)["token"]
        self.record = self.owner.get(f"/api/tables/{self.over}/record")
        self.sessions = Sessions()

    def seated(self, **wanted: Any) -> str:
        table = self.owner.table(**wanted)
        self.player.do(table, "sit")
        return table

    def play(self, table: str) -> None:
        """Play a game to its end, and see that its record holds."""

        async def both() -> None:
            async with playing((self.owner, table), (self.player, table)) as players:
                await asyncio.gather(*(one.play(seat, random.Random(seat)) for seat, one in enumerate(players)))

        self.owner.do(table, "start")
        asyncio.run(both())
        verify(all_games()["crypt"], read_record(self.owner.http.get(f"/api/tables/{table}/record").content))


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with serving(tmp_path_factory.mktemp("fuzz") / "data") as server, OPENED:
        yield Hosts(server)


class FromAddress(HTTPAdapter):
    """Asks from a loopback address of its own, so that no request uses up another's permits."""

    def init_poolmanager(self, *args: Any, **more: Any) -> None:
        super().init_poolmanager(*args, **more, source_address=(fresh_address(), 0))


class Sessions:
    """A session for some requests, then one from another address."""

    def __init__(self) -> None:
        self.count = 0

    def next(self) -> requests.Session:
        if self.count % 20 == 0:
            self.session = OPENED.enter_context(requests.Session())
            self.session.mount("http://", FromAddress())
        self.session.cookies.clear()
        self.count += 1
        return self.session


@SCHEMA.parametrize()
@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.function_scoped_fixture],
)
def test_whatever_is_asked_the_answer_is_one_that_the_document_knows(
    case: schemathesis.Case[Any], hosts: Hosts
) -> None:
    chance = random.Random(repr((case.path_parameters, case.query, case.body)))
    if len(case.path_parameters.get("table", "")) == 22:
        case.path_parameters["table"] = chance.choice([case.path_parameters["table"], *hosts.tables])
    if isinstance(case.body, dict) and isinstance(case.body.get("game"), str):
        case.body["game"] = chance.choice([case.body["game"], "crypt"])
    people: list[dict[str, str]] = [{}, hosts.owner.headers(), hosts.player.headers()]
    for headers in people if case.method == "GET" else [chance.choice(people)]:
        response = case.call_and_validate(
            base_url=hosts.server.url,
            session=hosts.sessions.next(),
            headers=headers,
            excluded_checks=[positive_data_acceptance],  # there is more to a right move than its form
        )
        assert not INSIDE.search(response.content)
        assert response.headers["x-content-type-options"] == ["nosniff"]


def test_the_document_is_served_as_it_is_tested(hosts: Hosts) -> None:
    assert Visitor(hosts.server.url, cookie="").get("/api/openapi.json") == DOCUMENT
    references = set(re.findall(r"#/components/schemas/(\w+)", str(DOCUMENT)))
    assert references <= set(DOCUMENT["components"]["schemas"])


GOOD_BODIES: dict[str, Any] = {
    "PUT /api/me": {"name": "Alice"},
    "POST /api/tables": {"game": "crypt"},
    "POST /api/tables/{table}": {"type": "settings", "id": "a", "public": True},
}


def test_every_answer_that_the_document_knows_can_be_had(hosts: Hosts) -> None:
    """All but 503, which takes a server in trouble."""
    untouched = Hosts(hosts.server)
    greedy = refused_in_haste(hosts.server)
    for path, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            documented = {int(status) for status in operation["responses"]} - {503}
            seen = statuses(untouched, method.upper(), path)
            if (method, path) in greedy:
                seen.add(429)
            assert seen == documented, (method, path)


def refused_in_haste(server: ServerProcess) -> set[tuple[str, str]]:
    """The operations that are refused with 429 to who has asked for too much already."""
    asked = [(method, path) for path, operations in DOCUMENT["paths"].items() for method in operations] * 5
    wanted = [request("GET /api/mine")] * 400 + [request(f"{method.upper()} {path}") for method, path in asked]
    *answers, _ = statuses_in(send_raw(server, b"".join(wanted) + request("GET /healthz", last=True)))
    return {one for one, status in zip(asked, answers[400:], strict=True) if status == 429}


def statuses(hosts: Hosts, method: str, path: str) -> set[int]:
    """The statuses of the answers to all sorts of requests."""
    places = [path.replace("{table}", table).replace("{code}", hosts.code) for table in hosts.tables]
    places.append(path.replace("{table}", "A" * 22).replace("{code}", "NOSUCH"))
    wrong = {"Authorization": "Bearer wrong"}
    asked: list[dict[str, Any]] = [{"headers": hosts.owner.headers()}, {"headers": wrong}]
    if method == "GET":
        asked += [{"headers": hosts.owner.headers(), "params": {"seat": seat}} for seat in ("1", "x")]
    else:
        right = {**GOOD_BODIES, "POST /api/records": hosts.record}[f"{method} {path}"]
        asked = [{**request, "json": right} for request in asked]
        asked += [{"json": right, "headers": {"Origin": "http://evil.example"}}, {"json": {}}, {"content": b"{}"}]
        asked += [{"content": b" " * 300_000, "headers": JSON_TYPE}]
    asking = [Visitor(hosts.server.url, cookie="") for _ in places]
    return {
        one.http.request(method, place, **request).status_code
        for one, place in zip(asking, places, strict=True)
        for request in asked
    }


def test_a_record_that_was_tampered_with_is_refused(hosts: Hosts) -> None:
    record = hosts.record
    move = record["moves"][0]
    changed: list[dict[str, Any]] = [
        {"polikarp": 99},
        {"polikarp": 0},
        {"polikarp": 1},
        {"game": "no such game"},
        {"game": "leduc"},
        {"rules": "0+other"},
        {"options": {"collectors": "B"}},
        {"options": {"no such": 1}},
        {"players": []},
        {"players": ["Alice"]},
        {"players": ["Alice"] * 16},
        {"players": ["\u200b", "Bob"]},
        {"commitment": "0" * 64},
        {"seed": "0" * 64},
        {"seed": "not hexadecimal"},
        {"seed": ""},
        {"shares": [[0, "0" * 64, "0" * 64]]},
        {"shares": [[9, "0" * 64, None]]},
        {"shares": [[-1, "0" * 64, None]]},
        {"dealt": []},
        {"dealt": [2**31 - 1] * len(record["dealt"])},
        {"dealt": record["dealt"] + [0] * 1000},
        {"moves": []},
        {"moves": record["moves"][1:]},
        {"moves": record["moves"][:-1]},
        {"moves": record["moves"] * 10},
        {"moves": [[9, *move[1:]], *record["moves"][1:]]},
        {"moves": [[-1, *move[1:]], *record["moves"][1:]]},
        {"moves": [[move[0], "sing", *move[2:]], *record["moves"][1:]]},
        {"result": None},
        {"result": {"scores": [0, 0], "places": [1, 1]}},
        {"result": {"scores": [], "places": []}},
        {"unknown": 1},
    ]
    for changes in changed:
        asking = Visitor(hosts.server.url, cookie="")
        response = asking.http.post("/api/records", json={**record, **changes})
        status = 409 if "rules" in changes else 422  # a right record, but of other rules
        assert (response.status_code, response.json()["type"]) == (status, "refused"), (changes, response.text)


def test_a_record_without_a_seed_can_not_name_seats_that_do_not_exist(hosts: Hosts) -> None:
    for seat in (9, -1):
        record = {**hosts.record, "seed": None, "shares": [[seat, "0" * 64, None]]}
        response = Visitor(hosts.server.url, cookie="").http.post("/api/records", json=record)
        assert response.status_code == 422


def test_what_a_record_says_does_not_get_into_the_name_of_a_file(hosts: Hosts) -> None:
    for commitment in ("\r\nX-Injected: 1", '"; x="', "../../x", "\u0142", ""):
        asking = Visitor(hosts.server.url, cookie="")
        made = asking.post("/api/records", {**hosts.record, "seed": None, "commitment": commitment}, 201)
        response = asking.http.get(f"/api/tables/{made['table']}/record")
        assert response.json()["commitment"] == commitment
        assert re.fullmatch(r'attachment; filename="polikarp-crypt-\w+\.json"', response.headers["content-disposition"])
        assert "x-injected" not in response.headers


def test_after_all_that_a_game_goes_well(hosts: Hosts) -> None:
    hosts.play(hosts.seated())
