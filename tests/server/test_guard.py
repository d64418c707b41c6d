"""The one way in: how often an address may ask, pages of other sites, who asks and with which cookie, and what becomes
of every mistake. Requests are made by hand, with no server around the guard."""

from __future__ import annotations

import asyncio
import re
from typing import Any, cast

import msgspec
import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from polikarp.server.denied import Denied
from polikarp.server.http.guard import HEADERS, Guard, address, number_in, read_bytes
from polikarp.server.identity import COOKIE, Person
from polikarp.server.limits import Limits, Rate
from polikarp.server.tables import Tables
from tests.server.hand_clock import HandClock
from tests.server.moments import a_house


def a_guard(limits: Limits | None = None, public_url: str = "") -> Guard:
    house = a_house(limits, public_url)
    return Guard(house, Tables(house))


def request(
    method: str = "GET", path: str = "/api/me", client: str = "192.0.2.1", body: bytes = b"", **headers: str
) -> Request:
    named = {"host": "play.example", **{name.replace("_", "-"): value for name, value in headers.items()}}
    path, _, query = path.partition("?")
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "query_string": query.encode(),
        "scheme": "http",
        "server": ("play.example", 80),
        "client": (client, 1234),
        "headers": [(name.encode(), value.encode()) for name, value in named.items()],
    }
    parts = [body[start : start + 10] for start in range(0, len(body), 10)] or [b""]

    async def receive() -> dict[str, Any]:
        part = parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(parts)}

    return Request(scope, cast(Any, receive))


def answer(guard: Guard, asked: Request, mistake: Exception | None = None) -> tuple[int, dict[str, str], bytes]:
    """What comes back, where the answer behind the guard is `well`, or a mistake."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if mistake is not None:
            raise mistake
        await PlainTextResponse("well")(scope, receive, send)

    async def send(message: Any) -> None:
        sent.append(message)

    guard.app = app
    asyncio.run(guard(asked.scope, asked.receive, send))
    start, *parts = sent
    headers = {name.decode(): value.decode() for name, value in start["headers"]}
    return start["status"], headers, b"".join(part.get("body", b"") for part in parts)


def key_in(body: bytes) -> str:
    key: str = msgspec.json.decode(body)["reason"]["key"]
    return key


# How often.


def test_an_address_that_asks_too_often_is_refused_until_time_has_passed() -> None:
    guard = a_guard(Limits(asking=Rate(1.0, 2.0)))
    assert [answer(guard, request())[0] for _ in range(3)] == [200, 200, 429]
    assert answer(guard, request(client="192.0.2.2"))[0] == 200, "another address"
    cast(HandClock, guard.house.clock).passed += 1
    assert [answer(guard, request())[0] for _ in range(2)] == [200, 429]
    for path in ("/healthz", "/metrics", "/static/page.css"):
        assert answer(guard, request(path=path))[0] == 200, "machines ask here"


def test_guests_tables_and_codes_have_limits_of_their_own() -> None:
    guard = a_guard(Limits(making=Rate(0.0, 2.0), guessing=Rate(0.0, 1.0)))
    guard.need_guessing(request())
    with pytest.raises(Denied, match="too_fast"):
        guard.need_guessing(request())
    guard.maker(request())
    guard.somebody(request())
    with pytest.raises(Denied, match="too_fast"):
        guard.somebody(request())
    cookie = guard.house.signer.sign(Person("ana", "Ana"), "guest")
    assert guard.somebody(request(cookie=f"{COOKIE}={cookie}")).id == "ana", "who is known is not made"
    with pytest.raises(Denied, match="too_fast"):
        guard.maker(request(cookie=f"{COOKIE}={cookie}"))


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("nonsense:", "nonsense:"),
    ],
)
def test_a_home_is_one_address(host: str, known: str) -> None:
    assert address(request(client=host)) == known


# Pages of other sites.


@pytest.mark.parametrize(
    ("origin", "public_url", "status"),
    [
        ("http://play.example", "", 200),
        ("https://PLAY.example", "", 200),
        ("http://evil.example", "", 403),
        ("null", "", 403),
        ("https://home.example", "https://home.example/", 200),
        ("http://home.example", "https://home.example", 403),
        ("http://play.example", "https://home.example", 403),
    ],
)
def test_a_page_of_another_site_can_not_act(origin: str, public_url: str, status: int) -> None:
    guard = a_guard(public_url=public_url)
    for method in ("POST", "PUT", "DELETE"):
        assert answer(guard, request(method, origin=origin))[0] == status
    assert answer(guard, request("GET", origin=origin))[0] == 200, "looking is no acting"
    assert answer(guard, request("POST"))[0] == 200, "programs send no origin"


# Who asks.


def test_somebody_is_known_by_cookie_or_token_and_neither_is_the_other() -> None:
    guard = a_guard()
    ana, seat = Person("ana", "Ana"), Person("bo", "Bo", 0, "t", 1, 0)
    sign = guard.house.signer.sign
    assert guard.identify(request()) is None
    assert guard.identify(request(cookie=f"{COOKIE}={sign(ana, 'guest')}")) == ana
    assert guard.identify(request(authorization=f"Bearer {sign(seat, 'token')}")) == seat
    assert guard.person(request(authorization=f"Bearer {sign(seat, 'token')}")) is None
    assert guard.identify(request(cookie=f"{COOKIE}={sign(seat, 'token')}")) is None
    for wrong in (f"Bearer {sign(ana, 'guest')}", f"Basic {sign(seat, 'token')}", "Bearer", ""):
        with pytest.raises(Denied, match="bad_token"):
            guard.identify(request(authorization=wrong))


@pytest.mark.parametrize("public_url", ["", "https://home.example"])
def test_a_new_guest_gets_a_cookie_that_no_script_reads_and_no_other_site_sends(public_url: str) -> None:
    guard = a_guard(public_url=public_url)
    asked = request()
    person = guard.somebody(asked)
    _, headers, _ = answer(guard, asked)
    cookie = headers["set-cookie"]
    assert {"HttpOnly", "Path=/", "SameSite=lax"} <= set(cookie.split("; "))
    assert ("Secure" in cookie.split("; ")) == bool(public_url)
    (value,) = re.findall(rf"{COOKIE}=([^;]+)", cookie)
    assert guard.identify(request(cookie=f"{COOKIE}={value}")) == person
    assert "set-cookie" not in answer(guard, request())[1]


# Mistakes.


def test_every_mistake_is_a_clear_answer_with_no_inner_word() -> None:
    guard = a_guard()
    for mistake, status, key in (
        (Denied("not_your_seat", {"number": 1}, 403), 403, "not_your_seat"),
        (HTTPException(404), 404, "no_such_page"),
        (HTTPException(405), 405, "wrong_method"),
        (ValueError("the secret seed"), 500, "internal"),
    ):
        got, headers, body = answer(guard, request(), mistake)
        assert (got, key_in(body)) == (status, key)
        assert b"secret" not in body
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


def test_who_looks_at_a_page_gets_a_page_and_programs_get_json() -> None:
    guard = a_guard()
    guard.sorry = lambda asked, denied: Response("a page", denied.status)
    denied = Denied("no_such_table", status=404)
    assert answer(guard, request(path="/t/x"), denied)[2] == b"a page"
    assert key_in(answer(guard, request(path="/api/x"), denied)[2]) == "no_such_table"
    assert key_in(answer(guard, request(path="/nowhere"), HTTPException(404))[2]) == "no_such_page"
    assert answer(guard, request(path="/nowhere", accept="text/html"), HTTPException(404))[2] == b"a page"


def test_headers_keep_pages_and_answers_to_themselves() -> None:
    _, headers, _ = answer(a_guard(), request(), Denied("nobody", status=401))
    for name in ("Referrer-Policy", "X-Content-Type-Options"):
        assert headers[name.lower()] == HEADERS[name]


def test_numbers_and_bodies_have_bounds() -> None:
    assert number_in(request(path="/?seat=12"), "seat") == 12
    assert number_in(request(), "seat") is None
    for wrong in ("-1", "x", "1e3", "", "1234567890", "%D9%A1"):
        with pytest.raises(Denied, match="not_a_number"):
            number_in(request(path=f"/?seat={wrong}"), "seat")
    assert asyncio.run(read_bytes(request(body=b"x" * 30), 30)) == b"x" * 30
    with pytest.raises(Denied, match="too_large"):
        asyncio.run(read_bytes(request(body=b"x" * 31), 30))
