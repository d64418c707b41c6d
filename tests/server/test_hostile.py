"""What people do who do not mean well. All of it happens over real sockets to a real server, while two honest clients
play one game after the other at the next table: each must end, and its record must hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import logging
import random
import re
import socket
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import msgspec
import pytest
from websockets.asyncio.client import connect
from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response as Handshake
from websockets.uri import parse_uri

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from polikarp.server.denied import server_words
from polikarp.server.identity import COOKIE
from polikarp.server.logs import JsonLines
from tests.server.playing import PATIENCE, Guest, Player, Refusal, ServerProcess, playing, serving, wait_until

CRYPT = all_games()["crypt"]
INSIDE = re.compile(rb'Traceback|File "|\.py\b|site-packages|/src/|/tmp/|/home/|/root/')
JSON_TYPE = {"Content-Type": "application/json"}
MEGABYTE = 1024 * 1024


# The honest, the rest, and the house that they share.


ADDRESSES = itertools.count()
OPENED = contextlib.ExitStack()  # what is closed when a test has ended


def fresh_address() -> str:
    """A loopback address from which nobody has asked for anything yet."""
    number = next(ADDRESSES)
    return f"127.1.{number // 250}.{number % 250 + 1}"


def look_at(response: httpx2.Response) -> None:
    """Whatever was asked: the answer is JSON that no browser mistakes, and tells nothing of the code."""
    response.read()
    assert not INSIDE.search(response.content), response.content
    assert response.headers["x-content-type-options"] == "nosniff"
    if response.request.url.path != "/metrics":
        assert response.headers["content-type"] == "application/json"


class Visitor(Guest):
    """A guest with an address of their own, so that what one does uses up nobody else's permits."""

    def __init__(self, url: str, *, token: str = "", cookie: str | None = None, address: str = "") -> None:
        self.url = url
        self.token = token
        self.count = 0
        self.address = address or fresh_address()
        self.http = httpx2.Client(
            base_url=url,
            timeout=PATIENCE,
            headers=self.headers(),
            transport=httpx2.HTTPTransport(verify=False, local_address=self.address),
            event_hooks={"response": [look_at]},
        )
        OPENED.callback(self.close)
        if cookie is not None:
            self.http.cookies.set(COOKIE, cookie)
        elif not token:
            self.name = self.get("/api/me")["name"]

    def ask(self) -> httpx2.Client:
        """From this address, however much is asked."""
        return self.http

    def cookie(self) -> str:
        return self.http.cookies[COOKIE]

    def again(self) -> Visitor:
        """The same person at another address."""
        return Visitor(self.url, token=self.token, cookie=None if self.token else self.cookie())

    def send(self, table: str, command: dict[str, Any], **more: Any) -> httpx2.Response:
        return self.http.post(f"/api/tables/{table}", json=command, **more)


class HonestTable(threading.Thread):
    """Two clients that play game after game until they are asked to stop."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self.people = Visitor(url), Visitor(url)
        self.stopping = False
        self.finished = 0
        self.failed: BaseException | None = None
        self.changed = threading.Condition()

    def run(self) -> None:
        try:
            asyncio.run(self.play_on())
        except BaseException as mistake:
            self.failed = mistake
        with self.changed:
            self.changed.notify_all()

    async def play_on(self) -> None:
        first, second = self.people
        table = first.table()
        second.do(table, "sit")
        while not self.stopping:
            first.do(table, "start")
            async with playing((first, table), (second, table)) as players, asyncio.timeout(PATIENCE):
                await asyncio.gather(*(one.play(seat, random.Random(seat)) for seat, one in enumerate(players)))
                following = (await players[0].do("rematch"))["table"]
            verify(CRYPT, read_record(first.http.get(f"/api/tables/{table}/record").content))
            table = following
            with self.changed:
                self.finished += 1
                self.changed.notify_all()

    def finish_a_game(self) -> None:
        """Waits for the end of the game that goes on now."""
        with self.changed:
            wanted = self.finished + 1
            self.changed.wait_for(lambda: self.finished >= wanted or self.failed, PATIENCE)
        if self.failed is not None:
            raise AssertionError("the honest game did not go on") from self.failed
        assert self.finished >= wanted, "the honest game stands still"

    def end(self) -> None:
        self.stopping = True
        self.join()
        assert self.failed is None


class BesiegedHouse:
    """A server, the honest table, and what nobody else may learn about people."""

    def __init__(self, server: ServerProcess, honest: HonestTable) -> None:
        self.server = server
        self.honest = honest
        self.url = server.url
        self.private: set[str] = {one.name for one in honest.people}

    def visitor(self) -> Visitor:
        visitor = Visitor(self.url)
        self.private.add(visitor.name)
        return visitor

    def table(self, owner: Visitor, **wanted: Any) -> str:
        table = owner.table(**wanted)
        self.private.add(table)
        return table

    def memory(self) -> int:
        """Bytes of memory that the server has."""
        assert self.server.process is not None
        status = Path(f"/proc/{self.server.process.pid}/status").read_text()
        return int(re.findall(r"VmRSS:\s+(\d+) kB", status)[0]) * 1024

    def figures(self) -> dict[str, float]:
        with httpx2.Client(base_url=self.url, timeout=PATIENCE) as client:
            return figures_in(client.get("/metrics").text)


def send_raw(server: ServerProcess, data: bytes, address: str = "") -> bytes:
    """What comes back for these bytes until the server ends the line."""
    parts = []
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE, (address or fresh_address(), 0)) as line:
        line.sendall(data)
        with contextlib.suppress(ConnectionResetError):
            while part := line.recv(65536):
                parts.append(part)
    return b"".join(parts)


def statuses_in(answer: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answer)]


def request(line: str, *headers: str, body: Any = None, last: bool = False) -> bytes:
    """One of many requests on a line, sent without waiting for answers: no machine is too slow for that."""
    content = b"" if body is None else msgspec.json.encode(body)
    more = [f"Content-Length: {len(content)}", "Content-Type: application/json", *(["Connection: close"] * last)]
    return "\r\n".join([f"{line} HTTP/1.1", "Host: x", *headers, *more, "", ""]).encode() + content


@contextlib.contextmanager
def house_at(folder: Path) -> Iterator[BesiegedHouse]:
    with serving(folder / "data") as server:
        honest = HonestTable(server.url)
        with OPENED.pop_all():
            honest.start()
            try:
                yield BesiegedHouse(server, honest)
            finally:
                honest.end()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BesiegedHouse]:
    with house_at(tmp_path_factory.mktemp("house")) as house:
        yield house


@pytest.fixture(scope="module", autouse=True)
def silent(house: BesiegedHouse) -> Iterator[RawSocket]:
    """A line on which nothing is ever said: opened early, so that by the time it is looked at it was given up."""
    line = RawSocket(house, house.table(house.visitor()), hello=False)
    with OPENED.pop_all():
        yield line


@pytest.fixture(autouse=True)
def honest_game(house: BesiegedHouse) -> Iterator[None]:
    """Whatever happens in a test, the honest game goes on to its end."""
    with OPENED:
        yield
        house.honest.finish_a_game()


class Scene:
    """A game in which one seat is to move. The owner sits on seat 0, another player on seat 1, an outsider nowhere."""

    def __init__(self, house: BesiegedHouse) -> None:
        self.house = house
        self.owner, self.player, self.outsider = house.visitor(), house.visitor(), house.visitor()
        self.table = house.table(self.owner)
        self.player.do(self.table, "sit")
        self.program = Visitor(house.url, token=self.owner.do(self.table, "make_token", seat=0)["token"])
        self.owner.do(self.table, "start")
        update = self.owner.get(f"/api/tables/{self.table}")["updates"][0]
        self.turn: int = update["view"]["waiting"][0]
        self.prompt: int = update["prompt"]
        self.names = [seat["name"] for seat in update["table"]["seats"]]

    def person(self, role: str) -> Visitor:
        seated = [self.owner, self.player]
        named = {
            "owner": self.owner,
            "player": self.player,
            "outsider": self.outsider,
            "program": self.program,
            "mover": seated[self.turn],
            "other": seated[1 - self.turn],
        }
        return named[role]

    def fields(self, given: dict[str, Any]) -> dict[str, Any]:
        """The fields of a command with numbers for the words that stand for them."""
        seats = {"mine": self.turn, "theirs": 1 - self.turn}
        prompts = {"now": self.prompt, "old": self.prompt - 1, "later": self.prompt + 1}
        filled = {"id": f"{random.getrandbits(64):x}", **given}
        if filled.get("seat") in seats:
            filled["seat"] = seats[filled["seat"]]
        if "prompt" in filled:
            filled["prompt"] = prompts[filled["prompt"]]
        return filled

    def position(self) -> list[bytes]:
        """The table as everybody sees it, byte for byte."""
        people = (self.owner, self.player, self.outsider)
        return [one.again().http.get(f"/api/tables/{self.table}").content for one in people]

    def check_refusal(self, reason: dict[str, Any], act: Act, language: str) -> None:
        assert (reason["key"], reason["rule"]) == (act.key, act.rule), act
        words = CRYPT.words(language) if act.rule else server_words(language)
        assert reason["text"] == words.say("refusal", act.key, reason["args"], self.names)
        assert reason["text"].endswith((".", "take E")), "a sentence, or examples"


class Act(NamedTuple):
    """Something that is refused, by whom, and why. `mine` is the seat that is to move."""

    role: str
    kind: str
    given: dict[str, Any]
    key: str
    status: int
    rule: str = ""


OWNERS: dict[str, dict[str, Any]] = {
    "kick": {"seat": 1},
    "start": {},
    "mute": {"seat": 1},
    "settings": {"public": True},
    "add_bot": {},
}
LEGAL = {"prompt": "now", "move": "recover"}
REFUSED = [
    Act("outsider", "move", {"seat": "mine", **LEGAL}, "not_your_seat", 403),
    Act("other", "move", {"seat": "mine", **LEGAL}, "not_your_seat", 403),
    Act("other", "move", {"seat": "theirs", **LEGAL}, "not_your_turn", 409, "crypt.12"),
    Act("mover", "move", {"seat": "mine", "prompt": "old", "move": "recover"}, "old_prompt", 409),
    Act("mover", "move", {"seat": "mine", "prompt": "later", "move": "recover"}, "old_prompt", 409),
    Act("mover", "move", {"seat": "mine", "prompt": "now", "move": "sing a song"}, "not_a_move", 422),
    Act("mover", "move", {"seat": "mine", "prompt": "now", "move": ""}, "not_a_move", 422),
    Act("mover", "move", {"seat": "mine", "prompt": "now", "move": "\0\x1b[2J\u202e{seat}"}, "not_a_move", 422),
    Act("mover", "move", {"seat": "mine", "prompt": "now", "move": "done"}, "nothing_sent", 409, "crypt.13"),
    Act("mover", "move", {"seat": "mine", "prompt": "now", "move": "send 1x1 at F"}, "no_treasure", 409, "crypt.13"),
    Act("mover", "move", {"seat": 9, **LEGAL}, "no_such_seat", 422),
    Act("mover", "move", {"seat": 16, **LEGAL}, "malformed", 422),
    Act("mover", "move", {"seat": -1, **LEGAL}, "malformed", 422),
    Act("mover", "move", {"seat": "mine", "prompt": "now", "move": "x" * 2001}, "malformed", 422),
    Act("mover", "move", {"seat": "mine", "prompt": "now"}, "malformed", 422),
    Act("mover", "move", {"seat": "mine", **LEGAL, "id": ""}, "malformed", 422),
    Act("mover", "move", {"seat": "mine", **LEGAL, "id": "x" * 41}, "malformed", 422),
    Act("mover", "move", {"seat": "mine", **LEGAL, "hurry": True}, "malformed", 422),
    Act("mover", "cheat", {}, "malformed", 422),
    Act("mover", "undo", {"seat": "mine", "prompt": "now"}, "no_undo", 409),
    Act("outsider", "undo", {"seat": "mine", "prompt": "now"}, "not_your_seat", 403),
    Act("other", "undo", {"seat": "mine", "prompt": "now"}, "not_your_seat", 403),
    Act("outsider", "why", {"seat": "mine", "move": "done"}, "not_your_seat", 403),
    Act("outsider", "take_back", {"seat": "mine"}, "not_your_seat", 403),
    Act("outsider", "hand_over", {"seat": "mine"}, "not_the_owner", 403),
    Act("player", "hand_over", {"seat": 0}, "not_the_owner", 403),
    Act("owner", "hand_over", {"seat": 9}, "no_such_seat", 422),
    Act("outsider", "make_token", {"seat": "mine", "renew": True}, "not_your_seat", 403),
    Act("player", "make_token", {"seat": 0, "renew": True}, "not_your_seat", 403),
    Act("outsider", "leave", {}, "not_seated", 403),
    Act("player", "leave", {"seat": 0}, "not_your_seat", 403),
    Act("outsider", "chat", {"text": "let me in"}, "not_seated", 403),
    Act("outsider", "rematch", {}, "stage_playing", 409),
    Act("outsider", "sit", {}, "stage_playing", 409),
    *(
        Act(role, kind, given, "not_the_owner", 403)
        for role in ("player", "outsider", "program")
        for kind, given in OWNERS.items()
    ),
    Act("program", "leave", {}, "token_for_one_seat", 403),
    Act("program", "sit", {}, "token_for_one_seat", 403),
    Act("program", "make_token", {"seat": 0, "renew": True}, "token_for_one_seat", 403),
    Act("program", "rematch", {}, "token_for_one_seat", 403),
    Act("program", "move", {"seat": 1, **LEGAL}, "not_your_seat", 403),
    Act("owner", "kick", {"seat": 1}, "stage_playing", 409),
    Act("owner", "start", {}, "stage_playing", 409),
    Act("owner", "settings", {"seats": 4}, "stage_playing", 409),
    Act("owner", "add_bot", {"seat": 1}, "stage_playing", 409),
    Act("owner", "commit", {"seat": 0, "commitment": "0" * 64}, "stage_playing", 409),
    Act("owner", "reveal", {"seat": 0, "share": "0" * 32}, "stage_playing", 409),
    Act("owner", "rematch", {}, "stage_playing", 409),
    Act("owner", "mute", {"seat": 9}, "no_such_seat", 422),
]


# Who may do what.


@pytest.mark.parametrize("language", ["en", "pl"])
def test_what_is_refused_over_http_is_told_in_the_readers_language_and_changes_nothing(
    house: BesiegedHouse, language: str
) -> None:
    scene = Scene(house)
    before = scene.position()
    people: dict[str, Visitor] = {}
    for act in REFUSED:
        people.setdefault(act.role, scene.person(act.role).again())
        command = {"type": act.kind, **scene.fields(act.given)}
        for asked in ({"headers": {"Accept-Language": f"{language}-XX, de;q=0.5"}}, {"params": {"language": language}}):
            response = people[act.role].send(scene.table, command, **asked)
            assert response.status_code == act.status, (act, response.text)
            refused = response.json()
            assert refused["type"] == "refused"
            scene.check_refusal(refused["reason"], act, language)
    assert scene.position() == before


@pytest.mark.parametrize("language", ["en", "pl"])
def test_what_is_refused_on_a_socket_is_told_in_the_readers_language_and_changes_nothing(
    house: BesiegedHouse, language: str
) -> None:
    scene = Scene(house)

    async def refused() -> None:
        players = {
            role: await Player(scene.person(role), scene.table).connect(False, **{"Accept-Language": language})
            for role in ("owner", "player", "outsider", "program")
        }
        players["mover"], players["other"] = players["owner"], players["player"]
        if scene.turn == 1:
            players["mover"], players["other"] = players["other"], players["mover"]
        for role, seat in ("owner", 0), ("player", 1):
            await players[role].until(
                lambda update: [one["status"] for one in update["table"]["seats"]] == ["present", "present"], seat
            )
        before = scene.position()
        for act in REFUSED:
            if "id" in act.given:
                continue  # the answer has no id by which to know it
            with pytest.raises(Refusal) as refusal:
                await players[act.role].do(act.kind, **scene.fields(act.given))
            scene.check_refusal(refusal.value.reason, act, language)
        assert scene.position() == before
        for player in players.values():
            await player.leave()

    asyncio.run(refused())


def test_nobody_can_command_anything_until_the_server_knows_them(house: BesiegedHouse) -> None:
    scene = Scene(house)
    before = scene.position()
    stranger = Visitor(house.url, cookie="")
    line = RawSocket(house, scene.table)
    for act in REFUSED:
        command = {"type": act.kind, **scene.fields(act.given)}
        if act.key == "malformed":
            continue
        line.say(command)
        refused = line.hear("refused")
        assert (refused["id"], refused["reason"]["key"]) == (command["id"], "nobody")
        if act.kind != "move" or command["seat"] == scene.turn:
            response = stranger.again().send(scene.table, command)
            assert response.status_code in (403, 409, 422), response.text
            assert "set-cookie" not in response.headers, "nobody becomes somebody by what they are refused"
    assert scene.position() == before


def test_who_was_sent_away_can_not_come_back(house: BesiegedHouse) -> None:
    owner, guest = house.visitor(), house.visitor()
    table = house.table(owner, seats=3)
    guest.do(table, "sit", seat=1)
    guest.do(table, "sit", seat=2)
    token = guest.do(table, "make_token", seat=1)["token"]

    async def kicked() -> None:
        async with playing((guest, table)) as [player]:
            await player.until(lambda update: update["you"]["seats"] == [1, 2], 1)
            owner.do(table, "kick", seat=1)
            update = await player.until(lambda update: update["you"]["seats"] == [], None)
            assert [seat["status"] for seat in update["table"]["seats"]] == ["away", "free", "free"]
            before = owner.again().http.get(f"/api/tables/{table}").content
            for kind, fields, key in (
                ("sit", {}, "barred"),
                ("sit", {"seat": 2}, "barred"),
                ("chat", {"text": "I was here"}, "not_seated"),
                ("leave", {}, "not_seated"),
                ("make_token", {"seat": 1}, "not_your_seat"),
                ("commit", {"seat": 1, "commitment": "0" * 64}, "not_your_seat"),
            ):
                with pytest.raises(Refusal) as refusal:
                    await player.do(kind, **fields)
                assert refusal.value.key == key
                refused = guest.again().send(table, {"type": kind, "id": "again", **fields})
                assert (refused.status_code, refused.json()["reason"]["key"]) == (403, key)
            assert owner.again().http.get(f"/api/tables/{table}").content == before

    asyncio.run(kicked())
    with_token = Visitor(house.url, token=token)
    assert with_token.get(f"/api/tables/{table}")["updates"][0]["seat"] is None
    assert with_token.do(table, "chat", 403, text="still here")["reason"]["key"] == "not_seated"


def test_before_the_start_nothing_of_the_game_can_be_done(house: BesiegedHouse) -> None:
    owner, guest = house.visitor(), house.visitor()
    table = house.table(owner)
    guest.do(table, "sit")
    before = owner.http.get(f"/api/tables/{table}").content
    for kind, fields in (
        ("move", {"prompt": 0, "move": "recover"}),
        ("undo", {"prompt": 0}),
        ("why", {"move": "recover"}),
        ("hand_over", {}),
        ("reveal", {"share": "0" * 32}),
    ):
        assert guest.do(table, kind, 409, seat=1, **fields)["reason"]["key"] == "stage_open"
    assert guest.do(table, "rematch", 409)["reason"]["key"] == "stage_open"
    for kind, fields in (("start", {}), ("kick", {"seat": 0}), ("settings", {"seats": 4}), ("add_bot", {})):
        assert guest.do(table, kind, 403, **fields)["reason"]["key"] == "not_the_owner"
    for wanted in (
        {"seats": 16},
        {"options": {"no such": 1}},
        {"options": {"collectors": "Q"}},
        {"pace": {"kind": "live", "seconds": 1}},
        {"pace": {"kind": "none", "reserve": 5}},
        {"stand_in": "nobody"},
    ):
        assert owner.do(table, "settings", 422, public=True, **wanted)["type"] == "refused"
    assert owner.http.get(f"/api/tables/{table}").content == before


def test_a_share_in_the_chance_is_written_in_one_way_only(house: BesiegedHouse) -> None:
    owner = house.visitor()
    table = house.table(owner, seats=1)
    for wrong in ("0" * 64 + "\n", "0" * 63, "0" * 65, "A" * 64, " " + "0" * 64):
        assert owner.do(table, "commit", 422, seat=0, commitment=wrong)["reason"]["key"] == "malformed"
    owner.do(table, "commit", seat=0, commitment=hashlib.sha256(bytes(16)).hexdigest())
    owner.do(table, "start")
    for wrong in ("0" * 32 + "\n", "0" * 33, "0" * 30, "0" * 66, "0 " * 32):
        assert owner.do(table, "reveal", 422, seat=0, share=wrong)["reason"]["key"] == "malformed"
    assert owner.do(table, "reveal", 422, seat=0, share="1" * 32)["reason"]["key"] == "wrong_share"


def test_after_the_end_nothing_can_be_changed(house: BesiegedHouse) -> None:
    owner, guest = house.visitor(), house.visitor()
    table = house.table(owner)
    guest.do(table, "sit")
    owner.do(table, "start")

    async def play() -> None:
        async with playing((owner, table), (guest, table)) as players:
            await asyncio.gather(*(one.play(seat, random.Random(seat)) for seat, one in enumerate(players)))

    asyncio.run(play())
    record = owner.http.get(f"/api/tables/{table}/record").content
    verify(CRYPT, read_record(record))
    for kind, fields in (
        ("move", {"seat": 0, "prompt": 0, "move": "recover"}),
        ("undo", {"seat": 0, "prompt": 0}),
        ("hand_over", {"seat": 1}),
        ("leave", {}),
        ("kick", {"seat": 1}),
        ("settings", {"seats": 4}),
        ("start", {}),
        ("sit", {}),
        ("reveal", {"seat": 0, "share": "0" * 32}),
    ):
        assert owner.do(table, kind, 409, **fields)["reason"]["key"] == "stage_over"
    assert guest.do(table, "mute", 403, seat=0)["reason"]["key"] == "not_the_owner"
    assert owner.http.get(f"/api/tables/{table}/record").content == record


# Sockets.


class RawSocket:
    """A socket by hand: it can send what no decent client sends, and need not read."""

    def __init__(
        self, house: BesiegedHouse, table: str, person: Guest | None = None, *, hello: bool = True, buffer: int = 0
    ) -> None:
        self.socket = OPENED.enter_context(socket.socket())
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(PATIENCE)
        self.socket.connect(("127.0.0.1", house.server.port))
        self.protocol = ClientProtocol(parse_uri(f"{house.url.replace('http', 'ws')}/api/tables/{table}/socket"))
        request = self.protocol.connect()
        if person is not None:
            request.headers.update(person.headers())
        self.protocol.send_request(request)
        self.flush()
        self.events: list[Frame | Handshake] = []
        while not self.events:
            self.read()
        answer = self.events.pop(0)
        assert isinstance(answer, Handshake)
        assert answer.status_code == 101
        if hello:
            self.say({"type": "hello"})

    def flush(self) -> None:
        for part in self.protocol.data_to_send():
            if part:
                self.socket.sendall(part)

    def read(self) -> bool:
        """Take in what has come; says whether the line still holds."""
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        if data:
            self.protocol.receive_data(data)
        else:
            self.protocol.receive_eof()
        self.events += [event for event in self.protocol.events_received() if isinstance(event, Frame | Handshake)]
        with contextlib.suppress(OSError):
            self.flush()
        return bool(data)

    def put(self, data: bytes | str, opcode: Opcode = Opcode.TEXT, fin: bool = True) -> None:
        body = data.encode() if isinstance(data, str) else data
        self.socket.sendall(Frame(opcode, body, fin).serialize(mask=True))

    def say(self, message: dict[str, Any]) -> None:
        self.put(msgspec.json.encode(message))

    def hear(self, kind: str) -> dict[str, Any]:
        """The next message of a kind."""
        while True:
            while self.events:
                event = self.events.pop(0)
                if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                    message: dict[str, Any] = msgspec.json.decode(bytes(event.data))
                    if message["type"] == kind:
                        return message
            assert self.read(), f"the line ended with {self.protocol.close_rcvd}"

    def end(self) -> tuple[list[dict[str, Any]], int | None]:
        """All messages till the server ends the line, and the code with which it does."""
        patience = time.monotonic() + PATIENCE
        while self.read():
            assert time.monotonic() < patience, "the line goes on"
        self.socket.close()
        frames = [event for event in self.events if isinstance(event, Frame) and event.opcode is Opcode.TEXT]
        closing = self.protocol.close_rcvd
        return [msgspec.json.decode(bytes(frame.data)) for frame in frames], closing.code if closing else None


CHAT = '{"type":"chat","id":"a","text":"x"}'
MOVE = '{"type":"move","id":"a","seat":0,"prompt":%s,"move":"recover"}'
UNREADABLE: dict[str, bytes | str] = {
    "nothing": "",
    "not JSON": "let me in",
    "cut short": CHAT[:-1],
    "more after the end": CHAT + CHAT,
    "a list": f"[{CHAT}]",
    "null": "null",
    "no type": '{"id":"a","text":"x"}',
    "an unknown type": '{"type":"become_owner","id":"a"}',
    "a hello": '{"type":"hello"}',
    "an answer": '{"type":"done","id":"a"}',
    "an unknown field": '{"type":"chat","id":"a","text":"x","seat":1}',
    "no id": '{"type":"chat","text":"x"}',
    "an id that is a number": '{"type":"chat","id":1,"text":"x"}',
    "an id of a megabyte's part": '{"type":"chat","id":"%s","text":"x"}' % ("a" * 60_000),
    "two types": '{"type":"chat","type":"start","id":"a","text":"x"}',
    "brackets": "[" * 65_000,
    "brackets in a field": '{"type":"chat","id":"a","text":' + "[" * 65_000,
    "brackets in an unknown field": '{"type":"chat","x":' + '{"x":' * 13_000,
    "a lone surrogate": '{"type":"chat","id":"a","text":"\\ud800 and more text"}',
    "surrogates in the wrong order": '{"type":"chat","id":"a","text":"\\udc00\\ud800"}',
    "a number that is not one": MOVE % "NaN",
    "infinity": MOVE % "Infinity",
    "a number with a fraction": MOVE % "1.5",
    "a number with a large exponent": MOVE % "1e400",
    "a number of sixty thousand digits": MOVE % ("9" * 60_000),
    "a seat out of range": '{"type":"sit","id":"a","seat":99999999999999999999}',
    "an option out of range": '{"type":"settings","id":"a","options":{"collectors":1e999}}',
    "a raw control character": '{"type":"chat","id":"a","text":"\x00"}',
    "a byte order mark": "\ufeff" + CHAT,
}


def test_messages_that_can_not_be_read_are_refused_one_by_one_and_the_line_holds(house: BesiegedHouse) -> None:
    owner = house.visitor()
    table = house.table(owner)
    line = RawSocket(house, table, owner)
    line.hear("update")
    wait_until(lambda: b'"present"' in owner.http.get(f"/api/tables/{table}").content)
    before = owner.http.get(f"/api/tables/{table}").content
    for name, message in UNREADABLE.items():
        line.put(message)
        refused = line.hear("refused")
        assert refused["reason"]["key"] == "malformed", (name, refused)
        assert len(refused["reason"]["text"]) < 300
        assert not INSIDE.search(refused["reason"]["text"].encode())
    line.put(CHAT, Opcode.BINARY)
    assert line.hear("refused")["reason"]["key"] == "not_text"
    assert owner.http.get(f"/api/tables/{table}").content == before
    line.say({"type": "why", "id": "still here", "seat": 0, "move": "recover"})
    assert line.hear("refused")["id"] == "still here"


BREAKS = {
    "text that is not UTF-8": (Frame(Opcode.TEXT, b"\xff\xfe").serialize(mask=True), 1007),
    "too large": (Frame(Opcode.TEXT, b"x" * (64 * 1024 + 1)).serialize(mask=True), 1009),
    "too large in parts": (
        b"".join(
            Frame(opcode, b" " * 40_000, fin).serialize(mask=True)
            for opcode, fin in ((Opcode.TEXT, False), (Opcode.CONT, True))
        ),
        1009,
    ),
    "not masked": (Frame(Opcode.TEXT, CHAT.encode()).serialize(mask=False), 1002),
    "a part of nothing": (Frame(Opcode.CONT, b"x").serialize(mask=True), 1002),
    "reserved bits": (b"\xc1\x80\0\0\0\0", 1002),
    "an unknown kind of frame": (b"\x83\x80\0\0\0\0", 1002),
    "a large ping": (b"\x89\xfe\0\x7e" + b"\0" * 130, 1002),
    "a wrong code": (b"\x88\x82\0\0\0\0\0\1", 1002),
}


def test_a_line_that_breaks_the_protocol_is_cut(house: BesiegedHouse) -> None:
    table = house.table(house.visitor())
    for name, (frame, code) in BREAKS.items():
        line = RawSocket(house, table)
        line.hear("update")
        line.socket.sendall(frame)
        assert line.end()[1] == code, name


def test_who_does_not_say_hello_is_not_let_in(house: BesiegedHouse, silent: RawSocket) -> None:
    table = house.table(house.visitor())
    for length in range(1, 200):
        half_open(house, table, length)
    for hello in (
        "",
        "hello",
        "null",
        "[" * 65_000,
        CHAT,
        '{"type":"hello","name":"x"}',
        '{"type":"hello","seen":{}}',
        '{"type":"hello","seen":[{"seat":16}]}',
        '{"type":"hello","seen":[{"log":-1}]}',
        '{"type":"hello","seen":[{"chat":1e9}]}',
        '{"type":"hello","seen":[{"number":1e400}]}',
        '{"type":"hello","seen":[' + ",".join(["{}"] * 18) + "]}",
        b"{}",
    ):
        line = RawSocket(house, table, hello=False)
        line.put(hello, Opcode.BINARY if isinstance(hello, bytes) else Opcode.TEXT)
        assert line.end() == ([], 4400), hello
    assert silent.end() == ([], 4400)


def half_open(house: BesiegedHouse, table: str, length: int) -> None:
    """A line on which only the beginning of a handshake is ever sent."""
    line = OPENED.enter_context(socket.create_connection(("127.0.0.1", house.server.port), PATIENCE))
    handshake = f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    line.sendall(handshake[:length].encode())


def test_who_says_to_have_seen_what_never_was_gets_everything_anew(house: BesiegedHouse) -> None:
    scene = Scene(house)
    for seen in (
        {"seat": scene.turn, "number": 2**62, "log": 0, "chat": 0},
        {"seat": scene.turn, "number": -(2**62), "log": 2**62, "chat": 0},
        {"seat": scene.turn, "number": 0, "log": 0, "chat": 2**62},
        {"seat": 1 - scene.turn, "number": 0, "log": 0, "chat": 0},
        {"seat": 15, "number": 0, "log": 0, "chat": 0},
        {"seat": None, "number": 0, "log": 1, "chat": 0},
    ):
        line = RawSocket(house, scene.table, scene.person("mover"), hello=False)
        line.say({"type": "hello", "seen": [seen]})
        update = line.hear("update")
        assert (update["seat"], update["log_from"], update["chat_from"]) == (scene.turn, 0, 0)


def test_who_sends_thousands_of_messages_is_refused_and_then_cut(house: BesiegedHouse) -> None:
    owner = house.visitor()
    table = house.table(owner)
    messages = {
        "commands": '{"type":"take_back","id":"a%d","seat":0}',
        "moves": '{"type":"move","id":"%d","seat":0,"prompt":0,"move":"recover"}',
        "nonsense": "nonsense %d",
    }
    for name, message in messages.items():
        line = RawSocket(house, table, owner)
        frames = [Frame(Opcode.TEXT, (message % number).encode()).serialize(mask=True) for number in range(5000)]
        with contextlib.suppress(ConnectionError):
            line.socket.sendall(b"".join(frames))
        heard, code = line.end()
        assert code == 4429, name
        refused = [one["reason"]["key"] for one in heard if one["type"] == "refused"]
        assert refused.count("too_fast") > 10, name
        answered = [one for one in heard if one["type"] in ("done", "refused")]
        assert len(answered) < 1000, name


LINUX = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")


@LINUX
def test_clients_that_never_read_cost_little_and_hold_nobody_up(house: BesiegedHouse) -> None:
    """What the system itself takes for a client, some two megabytes, comes on top for each."""
    owner, guest = house.visitor(), house.visitor()
    table = house.table(owner, seats=4)
    guest.do(table, "sit", seat=3)
    for _ in range(2):
        owner.do(table, "sit")  # three seats: three updates for every change
    owner.do(table, "start")
    lines, changes = 10, 50
    deaf = [RawSocket(house, table, owner, buffer=2048) for _ in range(lines)]
    for line in deaf:
        line.hear("update")
    before = house.memory()

    async def look_on() -> None:
        async with playing((guest, table)) as [player]:
            first = await player.until(lambda update: update["you"]["seats"] == [3], 3)
            for line, number in itertools.product(deaf, range(changes)):
                line.say({"type": "mute", "id": f"{id(line)} {number}", "seat": 3, "muted": number % 2 == 0})
            await player.until(lambda update: update["number"] >= first["number"] + lines * changes, 3)

    asyncio.run(look_on())
    size = len(owner.http.get(f"/api/tables/{table}").content)
    assert lines * (lines * changes * size - 2 * MEGABYTE) > 32 * MEGABYTE, "enough to tell"
    assert house.memory() - before < 16 * MEGABYTE


def test_hundreds_of_lines_that_come_and_go_at_once_leave_nothing_behind(house: BesiegedHouse) -> None:
    owner = house.visitor()
    table = house.table(owner)
    before = house.figures()["polikarp_connections"]

    async def come_and_go(number: int) -> None:
        where = f"{house.url.replace('http', 'ws')}/api/tables/{table}/socket"
        headers = owner.headers() if number % 10 == 0 else {}
        async with connect(where, additional_headers=headers, open_timeout=PATIENCE, close_timeout=PATIENCE) as line:
            if number % 3:
                await line.send('{"type":"hello"}')
            if number % 3 == 2:
                await line.recv()
            if number % 2:
                line.transport.abort()

    async def storm() -> None:
        await asyncio.gather(*(come_and_go(number) for number in range(300)))

    asyncio.run(storm())
    wait_until(lambda: house.figures()["polikarp_connections"] <= before)


def test_one_person_can_not_take_all_the_lines(house: BesiegedHouse) -> None:
    owner, other = house.visitor(), house.visitor()
    table = house.table(owner)
    lines = [RawSocket(house, table, owner) for _ in range(64)]
    for line in lines:
        line.hear("update")
    owner.http.put("/api/me", json={"name": "Somebody else"})
    with pytest.raises(AssertionError):
        RawSocket(house, table, owner)
    RawSocket(house, table, other).hear("update")


def test_a_head_that_goes_on_and_on_is_not_read_to_its_end(house: BesiegedHouse) -> None:
    for head in (b"X: " + b"a" * MEGABYTE, b"X: y\r\n" * (MEGABYTE // 6), b"Cookie: polikarp=" + b"a." * MEGABYTE):
        answer = send_raw(house.server, b"GET /healthz HTTP/1.0\r\n" + head + b"\r\n\r\n")
        assert not answer.startswith(b"HTTP/1.1 200 ")


def test_who_pings_without_end_or_sends_endless_parts_is_cut(house: BesiegedHouse) -> None:
    table = house.table(house.visitor())
    parts = Frame(Opcode.CONT, b"", False).serialize(mask=True) * 2000 + Frame(Opcode.CONT, b"").serialize(mask=True)
    for flood in (
        Frame(Opcode.PING, b"a" * 125).serialize(mask=True) * 2000,
        Frame(Opcode.TEXT, b"", False).serialize(mask=True) + parts,
    ):
        line = RawSocket(house, table)
        line.hear("update")
        with contextlib.suppress(ConnectionError):
            line.socket.sendall(flood)
            line.put("")
        with pytest.raises(AssertionError, match="the line ended with 1008"):
            line.hear("refused")


POST = b"POST /api/tables HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n"
GARBAGE = {
    "noise": bytes(range(256)) * 4,
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 512,
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no such method": b"GIVE /api/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
    "a path that is not ASCII": b"GET /\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
    "a query that is not ASCII": b"GET /api/me?\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "two lengths": POST + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "a length and chunks": POST + b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /",
    "chunks of no size": POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n",
    "chunks that nobody wants": b"GET /api/no HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "a negative length": POST + b"Content-Length: -1\r\n\r\n{}",
    "a broken header": b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
    "half a handshake": b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
    "a proxy": b"CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n",
}


def test_what_is_not_http_gets_no_more_than_a_short_answer(house: BesiegedHouse) -> None:
    for name, data in GARBAGE.items():
        answer = send_raw(house.server, data)
        assert re.match(rb"HTTP/1\.1 4\d\d ", answer), (name, answer)
        assert len(answer) < 1000, name
        assert not INSIDE.search(answer), name
    assert Visitor(house.url, cookie="").get("/healthz")["ok"] is True


# Requests.


def test_bodies_that_are_too_large_are_not_read(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    table = house.table(visitor)
    for method, path, most in (
        ("PUT", "/api/me", 64 * 1024),
        ("POST", "/api/tables", 64 * 1024),
        ("POST", f"/api/tables/{table}", 64 * 1024),
        ("POST", "/api/records", 256 * 1024),
    ):
        right = visitor.http.request(method, path, content=b" " * most, headers=JSON_TYPE)
        assert right.status_code == 422, right.text
        for body in (b" " * (most + 1), itertools.repeat(b" " * 4096, most // 4096 + 1)):
            response = visitor.http.request(method, path, content=body, headers=JSON_TYPE)
            assert response.status_code == 413
            assert response.json()["reason"]["args"] == {"most": most}


def test_only_json_is_taken(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    table = house.table(visitor)
    before = visitor.http.get(f"/api/tables/{table}").content
    for method, path, body in (
        ("PUT", "/api/me", {"name": "Eve"}),
        ("POST", "/api/tables", {"game": "crypt"}),
        ("POST", f"/api/tables/{table}", {"type": "start", "id": "a"}),
        ("POST", "/api/records", {}),
    ):
        content = msgspec.json.encode(body)
        for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", ""):
            response = visitor.http.request(method, path, content=content, headers={"Content-Type": kind})
            assert (response.status_code, response.json()["reason"]["key"]) == (415, "not_json")
        for wrong in (
            b"",
            b"{",
            b"\xff",
            b"null",
            b"[]",
            b'{"name":"\\ud800"}',
            b"[" * 60_000,
            b"\xef\xbb\xbf{}",
            b"NaN",
        ):
            response = visitor.http.request(method, path, content=wrong, headers=JSON_TYPE)
            assert (response.status_code, response.json()["type"]) == (422, "refused"), (path, wrong)
    assert visitor.get("/api/me")["name"] == visitor.name
    assert visitor.http.get(f"/api/tables/{table}").content == before


TRICKS = (
    "..", "../../etc/passwd", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%2f..%2fkey", "%252e%252e", "%00", "a%00b",
    "%0d%0aX:%20y", "%ff", "%f0%9f%92%a9", "%d9%a1", "%ef%bc%8e%ef%bc%8e", "%", "%zz", "%25s%25n", "*", ";", "a;b=c",
    "'%20or%201=1--", "${jndi:ldap:x}", "\\\\server", "C:%5c", ".polikarp", "A" * 22, "A" * 23, "_" * 22, "A" * 60_000,
)  # fmt: skip


def test_no_id_or_code_leads_anywhere_but_to_a_table(house: BesiegedHouse) -> None:
    for trick in TRICKS:
        for path in ("/api/tables/%s", "/api/tables/%s/record", "/api/tables/%s/replay", "/api/codes/%s"):
            answer = send_raw(house.server, f"GET {path % trick} HTTP/1.0\r\n\r\n".encode())
            assert not INSIDE.search(answer)
            if answer.startswith(b"HTTP/1.1 400 "):
                continue  # no address at all
            head, _, body = answer.partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 404 "), (path, trick[:80], answer)
            assert msgspec.json.decode(body)["reason"]["key"] in ("no_such_table", "no_such_code", "no_such_page")


def test_addresses_and_methods_that_do_not_exist_are_refused_in_json(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    table = house.table(visitor)
    for path in ("/api", "/api/", "/api/nothing", "/api/me/", "//api/me", "/API/me", f"/api/tables/{table}/"):
        for method in ("GET", "POST", "DELETE"):
            response = visitor.http.request(method, path, headers={"Accept-Language": "pl"})
            assert response.status_code == 404
            assert response.json()["reason"]["text"] == "Pod tym adresem nic nie ma."
    for path, allowed in (
        ("/api/me", {"GET", "HEAD", "PUT"}),
        ("/api/tables", {"GET", "HEAD", "POST"}),
        (f"/api/tables/{table}", {"GET", "HEAD", "POST"}),
        (f"/api/tables/{table}/record", {"GET", "HEAD"}),
        ("/api/records", {"POST"}),
        ("/healthz", {"GET", "HEAD"}),
    ):
        for method in {"DELETE", "PATCH", "OPTIONS", "PUT", "POST", "GET"} - allowed:
            response = visitor.http.request(method, path, json={})
            assert (response.status_code, response.json()["reason"]["key"]) == (405, "wrong_method")
            assert set(response.headers["allow"].split(", ")) == allowed


def test_a_query_that_makes_no_sense_is_refused(house: BesiegedHouse) -> None:
    scene = Scene(house)
    for path in ("record", "replay"):
        for text in ("-1", "1.5", "", "NaN", "9" * 10, "9" * 10_000, "٣", "\0", "0x1", " 1", "1;2"):
            response = scene.owner.again().http.get(f"/api/tables/{scene.table}/{path}", params={"seat": text})
            assert response.status_code == (422 if path == "record" else 409), response.text
    assert scene.player.get(f"/api/tables/{scene.table}/record", 403, seat=0)["reason"]["key"] == "not_your_seat"
    assert scene.outsider.get(f"/api/tables/{scene.table}/record", 403, seat=0)["reason"]["key"] == "not_your_seat"
    assert scene.owner.get(f"/api/tables/{scene.table}/replay", 409)["reason"]["key"] == "record_not_yet"


# What people write.

MARKUP = "<script>alert(1)</script>"
STEERING = "\u202e\u2066\u200f\u061c\u200b\ufeff\u2028\x1b[31m\x07\x00\x85\x9b\U000e0041"


def test_names_come_back_as_one_line_of_plain_text(house: BesiegedHouse) -> None:
    visitor = house.visitor()
    for given, kept in {
        MARKUP: MARKUP[:24],
        f"Ali{STEERING}ce": "Ali [31m ce",
        "Eve\r\nSet-Cookie: polikarp=1": "Eve Set-Cookie: polikarp",
        "\"';--": "\"';--",
        "{seat} {0} %s $HOME": "{seat} {0} %s $HOME",
        "  a \t b  ": "a b",
        "z" * 200: "z" * 24,
        "e\u0301": "é",
        "\U0001f600": "\U0001f600",
        "\u3164a\u2800": "a",
        "null": "null",
        "../../etc/passwd": "../../etc/passwd",
    }.items():
        response = visitor.http.put("/api/me", json={"name": given})
        assert (response.status_code, response.json()["name"]) == (200, kept), repr(given)
        assert [header for header in response.headers if header.startswith("set-")] == ["set-cookie"]
        assert visitor.get("/api/me")["name"] == kept
    for nothing in (
        "",
        " ",
        "\u200b",
        STEERING[:8],
        "\u3164",
        "\u2800\u115f\u1160\uffa0",
        "\u0301\u0301",
        "\ufe0f",
        "\u00ad",
    ):
        response = visitor.http.put("/api/me", json={"name": nothing})
        assert (response.status_code, response.json()["reason"]["key"]) == (422, "no_name"), repr(nothing)
    assert visitor.http.put("/api/me", json={"name": "z" * 201}).status_code == 422
    table = house.table(visitor)
    assert visitor.get(f"/api/tables/{table}")["updates"][0]["you"]["name"] == "../../etc/passwd"


def test_chat_comes_back_as_one_line_of_plain_text(house: BesiegedHouse) -> None:
    given = f"{MARKUP}{STEERING} <img src=x onerror=alert(1)> \r\n{{seat}} javascript:alert(1)"
    owner = house.visitor()
    table = house.table(owner)
    owner.do(table, "chat", text=given)
    [line] = owner.get(f"/api/tables/{table}")["updates"][0]["chat"]
    assert line["text"] == f"{MARKUP} [31m <img src=x onerror=alert(1)> {{seat}} javascript:alert(1)"
    watching = RawSocket(house, table)
    assert watching.hear("update")["chat"] == [line]
    for nothing in ("\u200b", " ", "\0", "\u2800"):
        assert owner.do(table, "chat", 422, text=nothing)["reason"]["key"] == "empty_chat"
    for wrong in ("", "x" * 501, 5, None):
        assert owner.do(table, "chat", 422, text=wrong)["reason"]["key"] == "malformed"
    assert owner.get(f"/api/tables/{table}")["updates"][0]["chat"] == [line]
    house.private |= {line["text"], given}


def test_who_writes_too_fast_or_was_muted_is_not_heard(house: BesiegedHouse) -> None:
    owner, guest = house.visitor(), house.visitor()
    table = house.table(owner)
    guest.do(table, "sit")
    answers = [guest.send(table, {"type": "chat", "id": str(number), "text": f"spam {number}"}) for number in range(20)]
    assert [answer.status_code for answer in answers[:5]] == [200] * 5
    assert {answer.status_code for answer in answers} == {200, 429}
    assert answers[-1].json()["reason"]["key"] == "chat_too_fast"
    heard = sum(answer.status_code == 200 for answer in answers)
    assert len(owner.get(f"/api/tables/{table}")["updates"][0]["chat"]) == heard
    owner.do(table, "mute", seat=1)
    assert guest.do(table, "chat", 403, text="let me speak")["reason"]["key"] == "muted"
    assert guest.do(table, "mute", 403, seat=1, muted=False)["reason"]["key"] == "not_the_owner"
    guest.do(table, "leave")
    guest.do(table, "sit")
    assert guest.do(table, "chat", 403, text="I am somebody else")["reason"]["key"] == "muted"
    assert len(owner.get(f"/api/tables/{table}")["updates"][0]["chat"]) == heard


# How much one address may ask for.


def test_one_address_can_not_open_tables_without_end(house: BesiegedHouse) -> None:
    greedy = f"Cookie: {COOKIE}={house.visitor().cookie()}"
    wanted = [
        request("POST /api/tables", greedy, f"X-Forwarded-For: 10.0.0.{number}", body={"game": "crypt"})
        for number in range(60)
    ]
    answer = send_raw(house.server, b"".join(wanted) + request("GET /api/me", last=True))
    *made, guest = statuses_in(answer)
    assert made[:30] == [201] * 30
    assert set(made) == {201, 429}
    assert guest == 429, "nor can it have new guests"
    assert b'"key":"too_fast"' in answer
    house.table(house.visitor())
    house.private |= {found.decode() for found in re.findall(rb'"table":"([^"]+)"', answer)}


def test_one_address_can_not_ask_without_end(house: BesiegedHouse) -> None:
    address = fresh_address()
    wanted = request("GET /api/mine", "X-Forwarded-For: 10.0.0.1") * 600 + request("GET /healthz", last=True)
    *answers, health = statuses_in(send_raw(house.server, wanted, address))
    assert answers[:200] == [200] * 200
    assert set(answers) == {200, 429}
    assert health == 200
    assert Visitor(house.url, cookie="").http.get("/api/mine").status_code == 200


def test_codes_can_not_be_tried_out(house: BesiegedHouse) -> None:
    owner = house.visitor()
    made = owner.post("/api/tables", {"game": "crypt"})
    assert owner.get(f"/api/codes/{made['code'].lower()}")["table"] == made["table"]
    wanted = [request(f"GET /api/codes/GUESS{number}", last=number == 59) for number in range(60)]
    answers = statuses_in(send_raw(house.server, b"".join(wanted)))
    assert answers[:20] == [404] * 20
    assert answers[-1] == 429
    house.private.add(made["table"])


# What the server tells about itself.

SAMPLE = re.compile(r'(?P<name>polikarp_[a-z_]+)(\{le="(?P<bound>[0-9.]+|\+Inf)"\})? (?P<value>-?[0-9]+(\.[0-9]+)?)')


def figures_in(text: str) -> dict[str, float]:
    """Prometheus' text format, as far as the server writes it. Whatever else stands there is a mistake."""
    figures: dict[str, float] = {}
    kinds: dict[str, str] = {}
    bounds: list[tuple[float, float]] = []
    assert text.endswith("\n")
    for line in text.splitlines():
        if line.startswith("# HELP "):
            continue
        if line.startswith("# TYPE "):
            name, kind = line.removeprefix("# TYPE ").split()
            assert kind in ("counter", "gauge", "histogram")
            assert kinds.setdefault(name, kind) == kind
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample is not None, line
        name = re.sub("_(bucket|sum|count)$", "", sample["name"]) if sample["name"] not in kinds else sample["name"]
        assert name in kinds
        if sample["bound"]:
            bounds.append((float(sample["bound"]), float(sample["value"])))
        else:
            assert sample["name"] not in figures
            figures[sample["name"]] = float(sample["value"])
    assert bounds == sorted(bounds)
    assert bounds[-1] == (float("inf"), figures["polikarp_command_seconds_count"])
    return figures


def test_figures_count_what_happens_and_name_nobody(house: BesiegedHouse) -> None:
    before = house.figures()
    scene = Scene(house)
    scene.outsider.do(scene.table, "start", 403)
    house.honest.finish_a_game()
    after = house.figures()
    assert after["polikarp_refused_total"] > before["polikarp_refused_total"]
    assert after["polikarp_tables_total"] > before["polikarp_tables_total"]
    assert after["polikarp_moves_total"] > before["polikarp_moves_total"]
    assert after["polikarp_command_seconds_count"] > before["polikarp_command_seconds_count"]
    text = scene.owner.http.get("/metrics").text
    assert not [word for word in house.private if word in text]
    assert "127." not in text


def test_a_mistake_is_logged_without_what_was_in_it() -> None:
    try:
        raise ValueError("Alice wrote: hello")
    except ValueError:
        mistake = sys.exc_info()
    record = logging.LogRecord("asyncio", logging.ERROR, "/x.py", 1, "It broke\nfuture: <Alice>", None, mistake)
    line = JsonLines().format(record)
    assert msgspec.json.decode(line)["event"] == "It broke"
    assert "ValueError in test_a_mistake" in line
    assert "(server.test_hostile:" in line
    assert "Alice" not in line
    assert "\n" not in line


def test_the_log_has_no_names_no_contents_and_no_mistakes(house: BesiegedHouse) -> None:
    """Comes last: by now all sorts of things have happened."""
    visitor = house.visitor()
    visitor.http.put("/api/me", json={"name": "Bartholomew Quux"})
    table = house.table(visitor)
    visitor.do(table, "chat", text="a word to the wise")
    visitor.do(table, "move", 409, seat=0, prompt=0, move="xyzzy plugh")
    visitor.http.put("/api/me", json={"name": "a" * 201})
    house.private |= {"Bartholomew", "a word to the wise", "xyzzy", visitor.cookie(), visitor.address}
    text = house.server.log.read_text()
    lines = [msgspec.json.decode(line) for line in text.splitlines()]
    assert not [line for line in lines if line["event"] == "error"]
    assert not INSIDE.search(text.encode())
    assert not [word for word in house.private if word in text]
