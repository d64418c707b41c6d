"""A server starts with newer rules than its tables were dealt under: nothing is lost without a word.

Everything runs here as it does in a house: servers in processes of their own, the older one with an older Crypt
(`older_rules.py`), one after the other on the same store.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from polikarp.games import all_games
from tests.conftest import Command, assert_refused
from tests.server.older_rules import TOLD, VERSION
from tests.server.playing import Guest, Player, ServerProcess, guests_at, playing, wait_until
from tests.store.postgres_server import PostgresServer, running_postgres
from tests.web.forms import PageForms

NEW = all_games()["crypt"].rules
OLD = f"{VERSION}+{NEW.partition('+')[2]}"


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[UpgradedHouse]:
    kept = "" if request.param == "sqlite" else request.getfixturevalue("postgres").new_database()
    house = UpgradedHouse(tmp_path / "data", kept)
    yield house
    if house.server is not None:
        house.close()


class UpgradedHouse:
    """One store, and whichever server runs on it."""

    def __init__(self, data: Path, database: str) -> None:
        self.data = data
        self.database = database
        self.server: ServerProcess | None = None
        self.port = 0

    def open(self, kind: str = "") -> str:
        """Starts the server of today, or an older one; says its address, which is always the same."""
        if self.server is not None:
            self.close()
        older = (sys.executable, "-m", "tests.server.older_rules", kind, "serve")
        command = older if kind else (sys.executable, "-m", "polikarp.cli", "serve")
        self.server = ServerProcess(self.data, self.database, command, self.port).start()
        self.port = self.server.port
        return self.server.url

    def close(self) -> None:
        server, self.server = self.server, None
        assert server is not None
        assert server.stop() == 0
        log = server.log.read_text()
        assert '"event":"error"' not in log, log[-2000:]
        assert "Traceback" not in log, log[-2000:]


def update_of(guest: Guest, table: str) -> dict[str, Any]:
    update: dict[str, Any] = guest.get(f"/api/tables/{table}")["updates"][0]
    return update


def page(guest: Guest, path: str, language: str = "en") -> str:
    answer = guest.http.get(path, headers={"Accept": "text/html", "Accept-Language": language})
    assert answer.status_code == 200, answer.text[:300]
    return answer.text


def waits_for(seat: int) -> Any:
    return lambda update: update["view"] and seat in update["view"]["waiting"]


def dealt(ana: Guest, bo: Guest, **wanted: Any) -> str:
    """A table of two people and a bot, at which some moves were made; it waits for one of the people."""
    table = ana.table(seats=3, **wanted)
    bo.do(table, "sit")
    ana.do(table, "add_bot", level="random")
    ana.do(table, "start")

    async def to_move(players: list[Player]) -> int:
        """Which of them the game waits for, as soon as it waits for one."""
        asked = [asyncio.create_task(one.until(waits_for(seat), seat)) for seat, one in enumerate(players)]
        done, others = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        for other in others:
            other.cancel()
        return asked.index(done.pop())

    async def some_moves() -> None:
        async with playing((ana, table), (bo, table)) as players:
            for _ in range(6):
                seat = await to_move(players)
                await players[seat].move(seat)
            await to_move(players)

    asyncio.run(some_moves())
    return table


def finished(guest: Guest) -> str:
    table = guest.table(seats=2, stand_in="random")
    guest.do(table, "add_bot", level="random")
    guest.do(table, "start")
    guest.do(table, "hand_over", seat=0)
    wait_until(lambda: update_of(guest, table)["table"]["stage"] == "over")
    return table


def test_a_game_that_new_rules_do_not_understand_is_halted_and_its_people_are_told(house: UpgradedHouse) -> None:
    """They find it, read what happened, and play again; no bot goes on, and the old game is still there for old
    rules."""
    with guests_at(*[house.open("other")] * 2) as (ana, bo):
        table = dealt(ana, bo)
        before = update_of(ana, table)
        moves = own_moves(ana, table, 0) + own_moves(bo, table, 1)
        assert len(moves) == 6
        assert before["table"]["rules"] == OLD
        assert TOLD in [line["key"] for line in before["log"]]
        house.open()

        after = update_of(ana, table)
        assert (after["table"]["stage"], after["view"]) == ("halted", None)
        assert OLD in after["table"]["halted"]
        assert NEW in after["table"]["halted"]
        assert after["log"] == before["log"]
        assert [seat["status"] for seat in after["table"]["seats"]] == ["away", "away", "bot"]
        assert after["number"] > before["number"], "whoever comes back to it gets news"
        refused = ana.do(table, "move", 409, seat=0, prompt=after["prompt"], move="done")
        assert refused["reason"]["key"] == "stage_halted"
        assert [(one["id"], one["stage"]) for one in ana.get("/api/mine")] == [(table, "halted")]
        assert own_moves(ana, table, 0) + own_moves(bo, table, 1) == moves

        told = {"en": ("was dealt under older rules", "Can not go on: older rules"), "pl": ("według dawnych", "dawne")}
        for language, (sentence, listed) in told.items():
            html = page(ana, f"/t/{table}", language)
            assert sentence in html
            assert OLD in html
            assert html.count('<li id="line-') == len(before["log"])
            assert TOLD in html, "also what the words no longer know"
            assert listed in page(bo, "/", language)
        assert PageForms(html).of("hand_over") == PageForms(html).of("move") == []

        ana.do(table, "chat", text="What a pity.")
        (form,) = PageForms(page(bo, f"/t/{table}")).of("rematch")
        answer = bo.http.post(f"/t/{table}", data=form.sends())
        assert answer.status_code == 303
        again = answer.headers["location"].removeprefix("/t/")
        assert update_of(ana, table)["table"]["following"] == again
        fresh = update_of(ana, again)["table"]
        assert (fresh["stage"], fresh["rules"]) == ("open", NEW)
        assert [seat["name"] for seat in fresh["seats"]] == [seat["name"] for seat in before["table"]["seats"]]
        ana.do(again, "start")
        assert update_of(ana, again)["view"]["moves"] is not None
        assert "Can not go on" not in page(ana, "/").partition('<ul class="games">')[0], "its people play again"

        house.open("other")
        back = update_of(ana, table)
        assert (back["table"]["stage"], back["table"]["rules"]) == ("playing", OLD)
        assert back["view"] == before["view"]
        assert [line["text"] for line in back["chat"]] == ["What a pity."]


def own_moves(guest: Guest, table: str, seat: int) -> list[str]:
    moves: list[str] = guest.get(f"/api/tables/{table}/record", seat=seat)["moves"]
    return moves


def test_bots_do_not_go_on_with_a_game_that_was_halted(house: UpgradedHouse) -> None:
    with guests_at(house.open("other")) as (ana,):
        table = ana.table(seats=2, stand_in="strong")
        ana.do(table, "add_bot", level="strong")
        ana.do(table, "start")
        ana.do(table, "hand_over", seat=0)
        wait_until(lambda: len(update_of(ana, table)["log"]) > 4)
        house.open()
        had = update_of(ana, table)
        assert had["table"]["stage"] == "halted"
        page(ana, f"/t/{table}")
        assert (ana.bots_asked(), ana.figure("moves_total")) == (0, 0)
        assert update_of(ana, table)["log"] == had["log"]


def test_who_is_connected_through_the_upgrade_sees_what_became_of_the_game(house: UpgradedHouse) -> None:
    with guests_at(*[house.open("other")] * 2) as (ana, bo):
        table = dealt(ana, bo)

        async def live() -> None:
            player = await Player(ana, table).connect()
            await player.until(lambda update: update["table"]["stage"] == "playing", 0)
            await asyncio.to_thread(house.open)
            await player.connect()  # with what it has seen
            update = await player.until(lambda update: update["table"]["stage"] == "halted", 0)
            assert update["log"] == [], "it has the log already"
            await player.leave()

        asyncio.run(live())


def test_a_game_that_leads_to_the_very_same_goes_on_under_the_new_rules(house: UpgradedHouse) -> None:
    with guests_at(*[house.open("alike")] * 2) as (ana, bo):
        table = dealt(ana, bo)
        before = update_of(ana, table)
        house.open()
        after = update_of(ana, table)
        assert (before["table"]["rules"], after["table"]["rules"]) == (OLD, NEW)
        assert (after["table"]["stage"], after["view"], after["log"]) == ("playing", before["view"], before["log"])

        async def on() -> None:
            async with playing((ana, table), (bo, table)) as players:
                await asyncio.gather(*(one.play(seat, random.Random(2)) for seat, one in enumerate(players)))

        asyncio.run(on())
        assert ana.get(f"/api/tables/{table}/record")["rules"] == NEW


def test_a_table_that_was_open_just_goes_on(house: UpgradedHouse) -> None:
    with guests_at(*[house.open("other")] * 2) as (ana, bo):
        table = ana.table(seats=2, options={"collectors": "ABABAB"})
        house.open()
        bo.do(table, "sit")
        ana.do(table, "start")
        update = update_of(ana, table)
        assert (update["table"]["stage"], update["table"]["rules"]) == ("playing", NEW)
        assert update["table"]["options"] == {"collectors": "ABABAB", "first": "random"}


def test_a_finished_game_still_shows_how_it_ended(house: UpgradedHouse, tmp_path: Path, run: Command) -> None:
    """Its result, its log and its record; that it can not be replayed is said in one sentence."""
    with guests_at(house.open("other")) as (ana,):
        table = finished(ana)
        before = update_of(ana, table)
        record = ana.get(f"/api/tables/{table}/record")
        house.open()
        after = update_of(ana, table)
        assert (after["table"]["stage"], after["log"]) == ("over", before["log"])
        assert ana.get(f"/api/tables/{table}/record") == record
        assert record["rules"] == OLD
        for language, sentence in (("en", "played under older rules"), ("pl", "rozegrano według dawnych")):
            html = page(ana, f"/t/{table}", language)
            assert sentence in html
            assert html.count('<li id="line-') == len(before["log"])
            for place, score in zip(record["result"]["places"], record["result"]["scores"], strict=True):
                assert f"<b>{place}.</b>" in html
                assert f"<span>{score}</span>" in html
            assert f"/t/{table}/replay" not in html
            assert f"/api/tables/{table}/record" in html
        assert table in page(ana, "/")

        refused = {"en": "was played under rules", "pl": "rozegrano według zasad"}
        for language, sentence in refused.items():
            spoken = {"Accept-Language": language}
            replay = ana.http.get(f"/api/tables/{table}/replay", headers=spoken)
            brought = ana.http.post("/api/records", json=record, headers=spoken)
            looked = ana.http.get(f"/t/{table}/replay", headers=spoken)
            for answer in (replay, brought):
                reason = answer.json()["reason"]
                assert (answer.status_code, reason["key"]) == (409, "other_rules")
                assert sentence in reason["text"]
                assert OLD in reason["text"]
                assert NEW in reason["text"]
            assert looked.status_code == 409
            assert sentence in looked.text
        (tmp_path / "old.json").write_text(json.dumps(record))
        for command in ("replay", "verify"):
            assert_refused(run(command, str(tmp_path / "old.json")), 1, OLD, NEW)
        again = ana.do(table, "rematch")["table"]
        assert update_of(ana, again)["table"]["rules"] == NEW
        house.open("other")
        assert update_of(ana, table)["view"] == before["view"], "nothing of it was lost meanwhile"


def test_a_finished_game_that_leads_to_the_very_same_is_shown_as_ever(house: UpgradedHouse) -> None:
    with guests_at(house.open("alike")) as (ana,):
        table = finished(ana)
        before = update_of(ana, table)
        house.open()
        assert update_of(ana, table)["view"] == before["view"]
        assert ana.get(f"/api/tables/{table}/replay", until=1)["at"] == 1
        assert httpx2.get(f"{ana.url}/t/{table}/replay?at=1").status_code == 200
        assert ana.get(f"/api/tables/{table}/record")["rules"] == NEW


def test_check_says_under_which_rules_a_table_was_dealt(house: UpgradedHouse, run: Command) -> None:
    with guests_at(*[house.open("other")] * 2) as (ana, bo):
        table = dealt(ana, bo)
        house.close()
        place = ("--database", house.database) if house.database else ("--data", str(house.data))
        outcome = run("check", *place)
        assert outcome.returncode == 1
        first, last = outcome.stdout.splitlines()
        assert first.startswith(f"{table}: dealt under rules {OLD}, installed are {NEW}: ")
        assert last == "1 tables, 0 hold, 1 do not"


def test_settings_that_the_new_rules_do_not_know_are_replaced(tmp_path: Path) -> None:
    """At a table that waits for its people, and at the one at which they play again."""
    from polikarp.server.table.document import Document, Seat
    from polikarp.server.table.settings import refit, usual_stand_in

    game = all_games()["crypt"]
    body = Document(
        game="crypt",
        options={"collectors": "Z", "weather": "rain"},
        rules=OLD,
        stand_in="oracle",
        seats=[Seat(bot="oracle"), Seat(bot="greedy"), Seat(person="ana")],
        made=0.0,
        seed=None,
        commitment="",
    )
    refit(game, body)
    assert body.options == {"collectors": "A", "first": "random"}
    assert (body.rules, body.stand_in) == (NEW, usual_stand_in(game))
    assert [seat.bot for seat in body.seats] == [usual_stand_in(game), "greedy", ""]
    assert msgspec.msgpack.encode(body)
