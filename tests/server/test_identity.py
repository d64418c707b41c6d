"""Who the server takes somebody for: signed cookies and tokens, the house's key, pages of other sites, and names. All
of it against a real server, beside an honest game.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import socket
import stat
import string
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.http11 import Response

from polikarp.server.denied import Denied
from polikarp.server.identity import (
    COOKIE,
    KEY_BYTES,
    KeyFileError,
    Person,
    Signer,
    clean_chat,
    clean_name,
    house_key,
    new_person,
)
from tests.server.playing import COMMAND, PATIENCE, Guest, Refusal, ServerProcess, playing
from tests.server.test_hostile import OPENED, BesiegedHouse, Scene, Visitor, house_at

ALPHABET = string.ascii_letters + string.digits + "-_+/=. %\t"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BesiegedHouse]:
    with house_at(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture
def honest_game(house: BesiegedHouse) -> Iterator[None]:
    with OPENED:
        yield
        house.honest.finish_a_game()


beside_an_honest_game = pytest.mark.usefixtures("honest_game")


def signer_of(house: BesiegedHouse) -> Signer:
    return Signer(house_key(house.server.data))


def known(house: BesiegedHouse, cookie: str) -> bool:
    """Whether the server knows whose cookie this is. Everybody who is asked about here sits at some table."""
    headers = {b"Cookie": f"{COOKIE}={cookie}".encode("latin-1")}
    return bool(Visitor(house.url, cookie="").http.get("/api/mine", headers=headers).json())


def accepted(house: BesiegedHouse, token: str) -> bool:
    visitor = Visitor(house.url, cookie="")
    response = visitor.http.get("/api/me", headers={"Authorization": f"Bearer {token}"})
    assert response.status_code == 200 or response.json()["reason"]["key"] == "bad_token"
    assert response.status_code in (200, 401)
    return response.status_code == 200


# Names. (Hypothesis minds when others use chance: so this comes before the honest game begins.)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_whatever_is_given_a_name_is_one_short_line_that_can_be_seen(text: str) -> None:
    try:
        name = clean_name(text)
    except Denied:
        return
    assert 1 <= len(name) <= 24
    assert name == " ".join(name.split())
    assert not [letter for letter in name if unicodedata.category(letter)[0] == "C"]
    assert [letter for letter in name if unicodedata.category(letter)[0] in "LNPS"]
    assert clean_name(name) == name


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_whatever_is_said_a_line_of_chat_is_one_line(text: str) -> None:
    try:
        line = clean_chat(text)
    except Denied:
        return
    assert line
    assert line == " ".join(line.split())
    assert not [letter for letter in line if unicodedata.category(letter)[0] == "C"]
    assert clean_chat(line) == line


# Signatures.


def test_a_token_is_read_as_it_was_signed_and_no_change_of_any_letter_goes_unnoticed() -> None:
    signer = Signer(b"k" * KEY_BYTES)
    for person in (Person("a" * 24, "Alice"), Person("b" * 24, "Zażółć", 2000, "t" * 22, 3, 1)):
        token = signer.sign(person, "token")
        assert signer.read(token, "token", 1000.0) == person
        for place, right in enumerate(token):
            for wrong in ALPHABET:
                if wrong != right:
                    assert signer.read(token[:place] + wrong + token[place + 1 :], "token", 1000.0) is None
            assert signer.read(token[:place], "token", 1000.0) is None
            assert signer.read(token[:place] + token[place + 1 :], "token", 1000.0) is None
        for longer in (token + "A", "A" + token, token + "=", token + ".", f" {token}", token + "\n", token * 2):
            assert signer.read(longer, "token", 1000.0) is None


def test_a_token_holds_for_its_purpose_its_house_and_its_time_only() -> None:
    signer, other = Signer(b"k" * KEY_BYTES), Signer(b"o" * KEY_BYTES)
    person = Person("a" * 24, "Alice", 2000)
    token = signer.sign(person, "token")
    assert signer.read(token, "token", 1999.9) == person
    assert signer.read(token, "token", 2000.0) is None
    assert signer.read(token, "guest", 1000.0) is None
    assert other.read(token, "token", 1000.0) is None
    assert signer.fingerprint() != other.fingerprint()
    assert signer.key.hex() not in signer.fingerprint()


@settings(deadline=None)
@given(st.text())
def test_no_other_text_is_a_token(text: str) -> None:
    assert Signer(b"k" * KEY_BYTES).read(text, "guest", 0.0) is None


def test_people_differ_even_if_their_names_do_not() -> None:
    assert len({new_person("Alice").id for _ in range(100)}) == 100


# Cookies and tokens at the door.


@beside_an_honest_game
def test_an_altered_cookie_belongs_to_nobody(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    house.table(visitor)
    cookie = visitor.cookie()
    assert known(house, cookie)
    for place, letter in enumerate(cookie):
        other = "A" if letter != "A" else "B"
        assert not known(house, cookie[:place] + other + cookie[place + 1 :]), place
        assert not known(house, cookie[:place]), place
    body, _, signature = cookie.partition(".")
    person = msgspec.msgpack.decode(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    forgeries: list[object] = [
        [person[0], "Owner"],
        [person[0], "x" * 600],
        ["0" * 24, person[1]],
        [],
        [1, 2],
        {},
        None,
    ]
    for wanted in forgeries:
        forged = base64.urlsafe_b64encode(msgspec.msgpack.encode(wanted)).rstrip(b"=").decode()
        assert not known(house, f"{forged}.{signature}"), wanted
        assert not known(house, f"{forged}."), wanted
    for nothing in (
        "",
        ".",
        "..",
        "=",
        "null",
        '""',
        "\xff",
        "a" * 1001,
        "a." * 30_000,
        "a" * 60_000 + "." + signature,
    ):
        assert not known(house, nothing), nothing[:20]


@beside_an_honest_game
def test_a_cookie_or_token_signed_under_another_key_belongs_to_nobody(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    house.table(visitor)
    person = signer_of(house).read(visitor.cookie(), "guest", time.time())
    assert person is not None
    for key in (bytes(KEY_BYTES), b"k" * KEY_BYTES, b"", signer_of(house).key[:-1]):
        assert not known(house, Signer(key).sign(person, "guest"))
        assert not accepted(house, Signer(key).sign(person, "token"))
    assert known(house, signer_of(house).sign(person, "guest"))
    assert accepted(house, signer_of(house).sign(person, "token"))


@beside_an_honest_game
def test_a_cookie_is_no_token_and_a_token_no_cookie(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    table = house.table(visitor)
    token = visitor.do(table, "make_token", seat=0)["token"]
    assert accepted(house, token)
    assert not accepted(house, visitor.cookie())
    assert known(house, visitor.cookie())
    assert not known(house, token)
    for header in (f"Basic {token}", token, "Bearer", f"Bearer {token} {token}", f"Bearer {token}x", "\xff"):
        response = visitor.http.get("/api/mine", headers={b"Authorization": header.encode("latin-1")})
        assert response.status_code == 401, "a wrong token is not made good by a cookie"


@beside_an_honest_game
def test_a_token_that_has_run_out_is_refused(house: BesiegedHouse) -> None:
    signer = signer_of(house)
    now = int(time.time())
    assert accepted(house, signer.sign(new_person("Robot", now + 600), "token"))
    for expired in (now - 1, 1, -1):
        token = signer.sign(new_person("Robot", expired), "token")
        assert not accepted(house, token)
        program = Visitor(house.url, token=token)
        assert program.post("/api/tables", {"game": "crypt"}, 401)["reason"]["key"] == "bad_token"
        assert line_refused(house, "x" * 22, Authorization=f"Bearer {token}") == 401


@beside_an_honest_game
def test_a_token_is_good_for_its_own_seat_at_its_own_table_only(house: BesiegedHouse) -> None:
    scene = Scene(house)
    owner, player = scene.owner, scene.player
    elsewhere = house.table(owner)
    tokens = [
        owner.do(elsewhere, "make_token", seat=0)["token"],
        player.do(scene.table, "make_token", seat=1)["token"],
    ]
    before = scene.position()
    for token in tokens:
        program = Visitor(house.url, token=token)
        for kind, fields in (
            ("move", {"prompt": scene.prompt, "move": "recover"}),
            ("undo", {"prompt": scene.prompt}),
            ("why", {"move": "recover"}),
            ("take_back", {}),
        ):
            assert program.do(scene.table, kind, 403, seat=0, **fields)["reason"]["key"] == "not_your_seat"
        assert program.do(scene.table, "hand_over", 403, seat=0)["reason"]["key"] == "not_the_owner"
        assert program.get(f"/api/tables/{scene.table}/record", 403, seat=0)["reason"]["key"] == "not_your_seat"
        assert program.post("/api/tables", {"game": "crypt"}, 403)["reason"]["key"] == "token_for_one_seat"
        renamed = program.http.put("/api/me", json={"name": "Somebody"})
        assert (renamed.status_code, renamed.json()["reason"]["key"]) == (403, "token_keeps_name")
        assert program.get("/api/mine") == []
    assert Visitor(house.url, token=tokens[0]).get(f"/api/tables/{scene.table}")["updates"][0]["seat"] is None
    assert scene.position() == before


@beside_an_honest_game
def test_a_token_does_not_tell_where_else_its_person_sits(house: BesiegedHouse) -> None:
    owner = house.visitor()
    table = house.table(owner)
    public = house.table(owner, public=True)
    program = Visitor(house.url, token=owner.do(table, "make_token", seat=0)["token"])

    def seats(asking: Visitor) -> list[int]:
        [yours] = [listed["yours"] for listed in asking.get("/api/tables") if listed["id"] == public]
        return list(yours)

    assert seats(owner) == [0]
    assert seats(program) == []


@beside_an_honest_game
def test_a_token_does_not_speak_for_its_person_at_other_tables(house: BesiegedHouse) -> None:
    owner = house.visitor()
    table, elsewhere = house.table(owner), house.table(owner)
    program = Visitor(house.url, token=owner.do(elsewhere, "make_token", seat=0)["token"])
    assert program.do(table, "chat", 403, text="I am the owner")["reason"]["key"] == "not_seated"


@beside_an_honest_game
def test_renewing_ends_earlier_tokens_even_on_lines_that_are_open(house: BesiegedHouse) -> None:
    scene = Scene(house)
    mover = scene.person("mover")
    old = mover.do(scene.table, "make_token", seat=scene.turn)["token"]
    again = mover.do(scene.table, "make_token", seat=scene.turn)["token"]

    async def renewed() -> None:
        programs = [Visitor(house.url, token=token) for token in (old, again)]
        async with playing(*((program, scene.table) for program in programs)) as players:
            for player in players:
                await player.until(lambda update: update["you"]["seats"] == [scene.turn], scene.turn)
            new = mover.do(scene.table, "make_token", seat=scene.turn, renew=True)["token"]
            move: dict[str, Any] = {"seat": scene.turn, "prompt": scene.prompt, "move": "recover"}
            before = scene.position()
            for player in players:
                update = await player.until(lambda update: update["you"]["seats"] == [], None)
                assert update["view"]["moves"] == []
                with pytest.raises(Refusal, match="not_your_seat"):
                    await player.do("move", **move)
            for program in programs:
                assert program.do(scene.table, "move", 403, **move)["reason"]["key"] == "not_your_seat"
            assert scene.position() == before
            Visitor(house.url, token=new).do(scene.table, "move", **move)

    asyncio.run(renewed())


@beside_an_honest_game
def test_a_cookie_can_not_be_read_by_scripts_nor_sent_by_other_sites(house: BesiegedHouse) -> None:
    response = Visitor(house.url, cookie="").http.get("/api/me")
    parts = response.headers["set-cookie"].lower().split("; ")
    assert {"httponly", "path=/", "samesite=lax"} <= set(parts)
    assert "secure" not in parts, "this house has no https"


# Pages of other sites.


def line_refused(house: BesiegedHouse, table: str, **headers: str) -> int | None:
    """The status with which a socket is refused; None if it is not."""

    async def knock() -> Response | None:
        where = f"{house.url.replace('http', 'ws')}/api/tables/{table}/socket"
        try:
            async with connect(where, additional_headers=headers, open_timeout=PATIENCE):
                return None
        except InvalidStatus as refused:
            return refused.response

    answer = asyncio.run(knock())
    if answer is None:
        return None
    assert msgspec.json.decode(bytes(answer.body or b""))["type"] == "refused"
    return answer.status_code


@beside_an_honest_game
def test_a_page_of_another_site_can_not_act_for_anybody(house: BesiegedHouse) -> None:
    scene = Scene(house)
    cookie = scene.owner.headers()["Cookie"]
    host = house.url.removeprefix("http://")
    before = scene.position()
    for origin in (
        "http://evil.example",
        "https://evil.example",
        f"http://{host}.evil.example",
        f"http://evil.example/{host}",
        f"http://{host}@evil.example",
        f"http://{host}/",
        f"ftp://{host}",
        f"//{host}",
        host,
        "http://127.0.0.1",
        "http://127.0.0.1:1",
        "http://[",
        "http://[::1]:80",
        "null",
        "",
        "\xff",
    ):
        visitor = scene.owner.again()
        headers = {b"Origin": origin.encode("latin-1")}
        for method, path, body in (
            ("POST", f"/api/tables/{scene.table}", {"type": "hand_over", "id": "a", "seat": 1}),
            ("POST", "/api/tables", {"game": "crypt"}),
            ("PUT", "/api/me", {"name": "Eve"}),
            ("POST", "/api/records", {}),
        ):
            response = visitor.http.request(method, path, json=body, headers=headers)
            assert (response.status_code, response.json()["reason"]["key"]) == (403, "wrong_origin"), origin
        seen = visitor.http.get(f"/api/tables/{scene.table}", headers=headers)
        assert not [name for name in seen.headers if name.startswith("access-control-")], "pages can not read it"
        if origin.isascii():
            assert line_refused(house, scene.table, Origin=origin, Cookie=cookie) == 403, origin
    assert scene.position() == before
    for home in (house.url, house.url.upper().replace("HTTP", "http"), f"https://{host}"):
        done = scene.owner.again().http.post("/api/tables", json={"game": "crypt"}, headers={"Origin": home})
        assert done.status_code == 201
        assert line_refused(house, scene.table, Origin=home, Cookie=cookie) is None


def test_a_house_with_a_public_address_knows_only_pages_from_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    public, inside = f"https://play.example.org:{port}", f"http://127.0.0.1:{port}"
    server = ServerProcess(tmp_path / "data", command=(*COMMAND, "--public-url", public), port=port).start()
    with OPENED:
        visitor = Visitor(inside)
        for origin, status in ((public, 201), (inside, 403), (public.replace("https", "http"), 403), ("null", 403)):
            for host in (f"127.0.0.1:{port}", f"play.example.org:{port}", "evil.example"):
                headers = {"Origin": origin, "Host": host}
                made = visitor.http.post("/api/tables", json={"game": "crypt"}, headers=headers)
                assert made.status_code == status, (origin, host)
        assert made.json()["type"] == "refused"
        assert visitor.post("/api/tables", {"game": "crypt"})["link"].startswith(f"{public}/t/")
        cookie = Visitor(inside, cookie="").http.get("/api/me").headers["set-cookie"]
        assert "secure" in cookie.lower().split("; ")
    assert server.stop() == 0


# The key of the house.


def test_only_the_owner_can_read_the_key_and_it_stays_the_same(tmp_path: Path) -> None:
    data = tmp_path / "data"
    server = ServerProcess(data).start()
    with contextlib.closing(Guest(server.url)) as guest:
        table = guest.table()
        token = guest.do(table, "make_token", seat=0)["token"]
        key = (data / "key").read_text()
        assert stat.S_IMODE((data / "key").stat().st_mode) == 0o600
        assert stat.S_IMODE(data.stat().st_mode) == 0o700
        assert server.stop() == 0
        server.start()
        assert (data / "key").read_text() == key
        assert [listed["id"] for listed in guest.get("/api/mine")] == [table]
        with contextlib.closing(Guest(server.url, token)) as program:
            assert program.get("/api/me")["seat"] == 0
        assert server.stop() == 0
    assert key not in server.log.read_text()
    (data / "key").write_text("0" * 64)
    with pytest.raises(RuntimeError, match="the key in the data folder is not the one"):
        server.start()


@pytest.mark.parametrize("text", ["", "not a key", "0" * 63, "0" * 62, "0" * 66, "ż" * 64])
def test_a_file_that_is_no_key_is_not_taken_for_one(tmp_path: Path, text: str) -> None:
    (tmp_path / "key").write_text(text, "utf-8")
    with pytest.raises(KeyFileError, match="is not a key; put the right one there, or remove it"):
        house_key(tmp_path)


def test_the_key_is_made_once_and_nothing_is_left_lying_about(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "data"
    key = house_key(folder)
    assert len(key) == KEY_BYTES
    assert house_key(folder) == key
    assert [path.name for path in folder.iterdir()] == ["key"]
