"""What somebody sends is small, and so is the work that it makes: nothing grows before its size is known."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from polikarp.bots import make_bot
from polikarp.bots.seated import next_move
from polikarp.engine.record import make_record, record_json
from polikarp.engine.rng import FastRng
from polikarp.engine.strip import Finish, Strip, judge, move_of
from polikarp.engine.table import Table
from polikarp.games import all_games
from tests.server.playing import ServerProcess, guests_at
from tests.web.at_table import started

MEGABYTE = 1024 * 1024
ALLOWED = 64 * MEGABYTE  # that a request may make the server grow; an attack takes hundreds
SECONDS = 1.0  # that a request may keep the server thinking
TOO_LONG = {
    "en": "This is too long for a move: moves have at most 2000 letters.",
    "pl": "To za długie jak na ruch: ruch ma najwyżej 2000 znaków.",
}
GROWING = {  # each part is put into the one before it: 300 megabytes
    "pattern": "(a)" * 1000,
    "part_a": "(b)" * 1000,
    "part_b": "x" * 300,
}


class Cost:
    """What a server takes of the machine from here on."""

    def __init__(self, server: ServerProcess) -> None:
        assert server.process is not None
        self.folder = Path(f"/proc/{server.process.pid}")
        (self.folder / "clear_refs").write_text("5")  # the highest memory so far is forgotten
        self.memory_before, self.seconds_before = self.memory(), self.seconds()

    def memory(self) -> int:
        return int(re.findall(r"VmHWM:\s+(\d+) kB", (self.folder / "status").read_text())[0]) * 1024

    def seconds(self) -> float:
        """Of the processor, so that it does not matter who else uses the machine."""
        fields = (self.folder / "stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_small(self) -> None:
        assert self.memory() - self.memory_before < ALLOWED
        assert self.seconds() - self.seconds_before < SECONDS


@pytest.fixture
def cost(site: ServerProcess) -> Cost:
    return Cost(site)


@pytest.fixture
def table(site: ServerProcess) -> Iterator[str]:
    """A game that goes on."""
    with guests_at(site.url, site.url) as guests:
        yield started(*guests)


ADDRESSES = itertools.count(1)


def ask(url: str, path: str, content: bytes | None = None, kind: str = "", language: str = "en") -> httpx2.Response:
    """A request from an address that has asked for nothing yet, so that it is answered whatever was asked before."""
    transport = httpx2.HTTPTransport(local_address=f"127.2.0.{next(ADDRESSES)}")
    headers = {"Accept-Language": language, "Accept": "text/html", "Content-Type": kind}
    with httpx2.Client(base_url=url, timeout=60, transport=transport, headers=headers) as client:
        return client.get(path) if content is None else client.post(path, content=content)


def form(url: str, path: str, fields: dict[str, str], language: str = "en") -> httpx2.Response:
    """Letters are sent as they are, which makes the longest forms."""
    content = "&".join(f"{name}={value}" for name, value in fields.items()).encode()
    return ask(url, path, content, "application/x-www-form-urlencoded", language)


def bring(url: str, record: dict[str, Any]) -> httpx2.Response:
    return ask(url, "/api/records", msgspec.json.encode(record), "application/json")


@contextlib.contextmanager
def page_line(url: str, table: str, language: str = "en", host: str = "") -> Iterator[ClientConnection]:
    """A page's line, of somebody whom the server does not know."""
    name, port = url.removeprefix("http://").split(":")
    with connect(
        f"ws://{host or name}:{port}/t/{table}/socket",
        sock=socket.create_connection((name, int(port))),
        additional_headers={"Accept-Language": language},
        max_size=None,
    ) as line:
        line.send('{"type":"hello","seen":{}}')
        yield line


def hear(line: ClientConnection, kind: str) -> dict[str, Any]:
    while True:
        message: dict[str, Any] = msgspec.json.decode(line.recv(60))
        if message["type"] == kind:
            return message


@pytest.mark.parametrize("language", ["en", "pl"])
def test_parts_that_are_put_into_each_other_are_refused_before_they_grow(
    site: ServerProcess, table: str, cost: Cost, language: str
) -> None:
    command = {"type": "move", "id": "1", "seat": "0", "prompt": "1"}
    for fields in (GROWING, {"pattern": "(a)" * 600, "part_a": "x" * 12_000}, {"pattern": "x" * 12_000}):
        answer = form(site.url, f"/t/{table}", {**command, **fields}, language)
        assert answer.status_code == 422
        assert TOO_LONG[language] in answer.text
    cost.is_small()


@pytest.mark.parametrize("language", ["en", "pl"])
def test_nor_do_they_grow_on_a_pages_line_of_somebody_unknown(
    site: ServerProcess, table: str, cost: Cost, language: str
) -> None:
    with page_line(site.url, table, language) as line:
        for kind in ("move", "why"):
            line.send(msgspec.json.encode({"type": kind, "id": "1", "seat": "0", "prompt": "1", **GROWING}).decode())
            assert hear(line, "refused")["reason"]["text"] == TOO_LONG[language]
        many = {f"part_{number}": "x" for number in range(2000)}
        line.send(msgspec.json.encode({"type": "move", "id": "y" * 9000, "pattern": "(1)", **many}).decode())
        refused = hear(line, "refused")
        assert refused["reason"]["key"] == "malformed"
        assert refused["id"] == "y" * 40
    cost.is_small()


def test_a_part_that_looks_like_another_part_is_left_as_it_is(site: ServerProcess) -> None:
    """What a part says is a value, and nothing in it is looked for."""
    with guests_at(site.url, site.url) as (guest, other):
        table = started(guest, other)
        fields = {"type": "why", "id": "1", "seat": "0", "pattern": "send (dice) at (slot)"}
        answer = guest.http.post(f"/t/{table}", data={**fields, "part_dice": "(slot)", "part_slot": "C"})
        assert "“send (slot) at C” is not a move" in answer.text


ACCENTS = "a" + "\u0301" * 16_000 + "\u0327" * 16_000  # which have to be put in order


def test_a_name_of_many_accents_is_cut_before_they_are_put_in_order(site: ServerProcess, cost: Cost) -> None:
    assert form(site.url, "/name", {"name": ACCENTS}).status_code == 303
    record = finished("crypt")
    record["players"] = [ACCENTS, ACCENTS]
    assert bring(site.url, record).status_code == 201
    cost.is_small()


def test_a_camera_is_not_drawn_a_name_that_no_site_has(site: ServerProcess, cost: Cost) -> None:
    with guests_at(site.url) as (guest,):
        table = guest.table()
    for length, drawn in ((20, True), (200, False), (2000, False), (6000, False)):
        with page_line(site.url, table, host="a" * length) as line:
            assert bool(hear(line, "start")["page"]["qr"]) == drawn
    cost.is_small()


def finished(game: str, time: float | None = None) -> dict[str, Any]:
    """The record of a finished game; with a time, of one that was decided by a slap after so many milliseconds."""
    rules = all_games()[game]
    table = Table(rules, 2, seed="bounds")
    bots = {seat: make_bot(rules, "random") for seat in range(2)}
    chance = {seat: FastRng(seat) for seat in bots}
    while chosen := next_move(table.state, bots, chance):
        race = rules.race(table.state)
        step = table.play_move(*chosen)
        text = rules.text(step.move)
        if race is not None and time is not None:
            for target in (at for at, one in enumerate(race.targets) if one.moves and one.moves[0] == text):
                slap = Finish(step.seat, target, race.round, 1, None, 1, True, 0, time, 5, "", "seen")
                strip = Strip(race.round, race.card, False, judge(race, [slap], False)[0])
                assert move_of(race, strip.finishes[0]) == text
                table.steps[-1] = step._replace(strip=strip)
    record: dict[str, Any] = msgspec.json.decode(record_json(make_record(table, ["Ala", "Bo"])))
    return record


def test_a_photo_of_years_has_as_many_marks_as_any(site: ServerProcess, cost: Cost) -> None:
    record = finished("hunters", time=1e11)
    at = next(number for number, move in enumerate(record["moves"], 1) if len(move) > 4)
    answer = bring(site.url, record)
    assert answer.status_code == 201, answer.text
    page = ask(site.url, f"/t/{answer.json()['table']}/replay?at={at}")
    assert page.status_code == 200
    assert len(page.content) < MEGABYTE
    cost.is_small()


def test_times_that_no_clock_has_and_seals_that_no_seed_has_are_in_no_record(site: ServerProcess) -> None:
    for time in (1e300, -1e300):
        record = finished("hunters", time=500.0)
        next(move[4] for move in record["moves"] if len(move) > 4)["finishes"][0]["time"] = time
        assert "does not fit the table" in bring(site.url, record).json()["reason"]["text"]
    assert bring(site.url, {**finished("crypt"), "seed": None, "commitment": "0" * 64}).status_code == 201
    assert bring(site.url, {**finished("crypt"), "seed": None, "commitment": "0" * 65}).status_code == 422
