"""Factions: chosen when sitting down, changed until the start, kept in rematches and records (gold.6)."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from polikarp.store import Change
from tests.server.house import OpenHouse, aside, open_house, run
from tests.server.playing import Guest, Player, Refusal, playing
from tests.store.postgres_server import PostgresServer, running_postgres

USUAL = ["dragons", "insects", "trolls", "beasts", "undead", "demons"]


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


async def refused(player: Player, kind: str, **fields: Any) -> dict[str, Any]:
    with pytest.raises(Refusal) as caught:
        await player.do(kind, **fields)
    return caught.value.reason


async def table_now(guest: Guest, table: str) -> dict[str, Any]:
    update: dict[str, Any] = (await aside(guest.get, f"/api/tables/{table}"))["updates"][0]
    return update


async def factions(guest: Guest, table: str) -> list[str]:
    """What the seats of a table are, as everybody is told; once it is dealt, as its board says too."""
    update = await table_now(guest, table)
    seats = [seat["faction"] for seat in update["table"]["seats"]]
    if update["view"] is not None:
        assert [player["faction"] for player in update["view"]["board"]["players"]] == seats
    return seats


async def open_gold(guest: Guest, **wanted: Any) -> str:
    table: str = await aside(guest.table, game="gold", **{"seats": 4, **wanted})
    return table


def test_a_faction_is_chosen_when_sitting_down_and_changed_until_the_start(tmp_path: Path) -> None:
    """gold.6: whoever does not mind gets what is left, bots too."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo, cy = await house.guests(3)
            table = await open_gold(ana)
            assert await factions(ana, table) == ["dragons", "", "", ""]
            async with playing((ana, table), (bo, table), (cy, table)) as (a, b, c):
                await b.do("sit", faction="dragons")
                assert await factions(ana, table) == ["insects", "dragons", "", ""], "Ana did not choose hers"
                await c.do("sit")
                await a.do("choose_faction", seat=0, faction="demons")
                assert await factions(cy, table) == ["demons", "dragons", "trolls", ""]
                await b.do("choose_faction", seat=1, faction="trolls")
                assert await factions(cy, table) == ["demons", "trolls", "dragons", ""]
                await a.do("choose_faction", seat=0)
                await a.do("add_bot")
                assert await factions(cy, table) == ["dragons", "trolls", "insects", "beasts"]
                await a.do("choose_faction", seat=0, faction="beasts")
                assert await factions(cy, table) == ["beasts", "trolls", "dragons", "insects"]
                assert (await refused(a, "choose_faction", seat=1, faction="undead"))["key"] == "not_your_seat"
                assert (await refused(c, "choose_faction", seat=9))["key"] == "no_such_seat"
                await a.do("start")
                assert await factions(cy, table) == ["beasts", "trolls", "dragons", "insects"]
                assert (await refused(a, "choose_faction", seat=0, faction="undead"))["key"] == "stage_playing"
            listed = await aside(bo.get, "/api/mine")
            assert [seat["faction"] for seat in listed[0]["seats"]] == ["beasts", "trolls", "dragons", "insects"]

    run(story())


def test_whoever_gets_up_leaves_the_faction_too(tmp_path: Path) -> None:
    """gold.6: and who is sent away, and seats that are gone."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo = await house.guests(2)
            table = await open_gold(ana)
            async with playing((ana, table), (bo, table)) as (a, b):
                await b.do("sit", seat=3, faction="undead")
                await b.do("leave")
                await a.do("choose_faction", seat=0, faction="undead")
                await b.do("sit", seat=3, faction="demons")
                await a.do("kick", seat=3)
                await a.do("settings", seats=3)
                await a.do("sit", faction="demons")
                assert await factions(ana, table) == ["undead", "demons", ""]

    run(story())


def test_a_faction_that_is_taken_or_unknown_is_refused_in_both_languages(tmp_path: Path) -> None:
    """gold.6: nobody has one that another has. The reason names who has it, or all that there are."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo = await house.guests(2)
            await aside(ana.http.put, "/api/me", json={"name": "Ana"})
            table = await open_gold(ana)
            await aside(ana.do, table, "choose_faction", seat=0, faction="beasts")

            async def reason(language: str, status: int, where: str, **fields: Any) -> dict[str, Any]:
                wanted = {"type": "sit", "id": secrets.token_hex(4), **fields}
                headers = {"Accept-Language": language}
                answer = await aside(bo.http.post, f"/api/tables/{where}", json=wanted, headers=headers)
                assert answer.status_code == status, answer.text
                told: dict[str, Any] = answer.json()["reason"]
                return told

            for language, taken, unknown in (
                (
                    "en",
                    "Ana has chosen this faction already: ocean beasts. Choose another one.",
                    "There is no faction called wolves?; there are: dragons, insects, trolls, ocean beasts, undead,"
                    " demons.",
                ),
                (
                    "pl",
                    "Ana ma już tę frakcję: bestie oceaniczne. Wybierz inną.",
                    "Nie ma frakcji o nazwie wolves?; są: smoki, insekty, trolle, bestie oceaniczne, nieumarli,"
                    " demony.",
                ),
            ):
                told = await reason(language, 409, table, faction="beasts")
                assert (told["key"], told["args"]) == ("faction_taken", {"seat": 0, "faction": "beasts"})
                assert told["text"] == taken
                told = await reason(language, 422, table, faction="wolves\n")
                assert (told["key"], told["text"]) == ("no_such_faction", unknown)
                assert told["args"]["faction"].split() == USUAL
                crypt = await aside(ana.table)
                assert (await reason(language, 422, crypt, faction="beasts"))["key"] == "no_factions"
            assert (await reason("en", 422, table, faction="x" * 41))["key"] == "malformed"
            assert await factions(ana, table) == ["beasts", "", "", ""], "nobody sat down"
            await aside(ana.do, table, "choose_faction", seat=0, faction="beasts")  # one's own is not taken

    run(story())


def test_two_who_want_the_same_faction_at_once_do_not_both_get_it(tmp_path: Path) -> None:
    """gold.6"""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            guests = await house.guests(4)
            table = await open_gold(guests[0])
            async with playing(*((guest, table) for guest in guests)) as players:
                for player in players[1:]:
                    await player.do("sit")
                asked = [
                    (player, await player.send("choose_faction", seat=seat, faction="trolls"))
                    for seat, player in enumerate(players)
                ]
                keys = []
                for player, name in asked:
                    try:
                        keys.append((await player.answer(name))["type"])
                    except Refusal as refusal:
                        keys.append(refusal.key)
                assert sorted(keys) == ["done", "faction_taken", "faction_taken", "faction_taken"]
                shown = await factions(guests[0], table)
                assert sorted(shown) == sorted(set(shown))

    run(story())


async def played(house: OpenHouse, ana: Guest, bo: Guest) -> str:
    """A finished game of two people and a bot, two of whom chose."""
    table = await open_gold(ana, seats=3)
    async with playing((ana, table), (bo, table)) as (a, b):
        await a.do("choose_faction", seat=0, faction="undead")
        await b.do("sit", faction="dragons")
        await a.do("add_bot", level="random")
        await a.do("start")
        while True:
            for player, seat in ((a, 0), (b, 1)):
                update = await player.until(lambda update: update["view"], seat)
                if update["view"]["result"]:
                    return table
                if seat in update["view"]["waiting"]:
                    await player.move(seat)
            update = await a.until(lambda update: update["view"]["waiting"] != [2], 0)


def test_a_rematch_a_record_and_what_goes_on_from_it_keep_the_factions(tmp_path: Path) -> None:
    """gold.6: those that were chosen, and those that were left."""
    chosen = ["undead", "dragons", "trolls"]

    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo = await house.guests(2)
            table = await played(house, ana, bo)
            assert await factions(ana, table) == chosen
            again = (await aside(ana.do, table, "rematch"))["table"]
            assert await factions(bo, again) == chosen
            await aside(bo.do, again, "choose_faction", seat=1, faction="beasts")
            assert await factions(bo, again) == ["undead", "beasts", "trolls"], "until the start it can be changed"
            data = (await aside(ana.http.get, f"/api/tables/{table}/record")).content
            record = read_record(data)
            assert (record.polikarp, record.factions) == (5, chosen)
            assert verify(all_games()["gold"], record) > 0
            moment = await aside(ana.get, f"/api/tables/{table}/replay", until=4, seat=1)
            assert [player["faction"] for player in moment["view"]["board"]["players"]] == chosen
            headers = {"Content-Type": "application/json"}
            kept = (await aside(bo.http.post, "/api/records", content=data, headers=headers)).json()["table"]
            assert await factions(bo, kept) == chosen
            assert read_record((await aside(bo.http.get, f"/api/tables/{kept}/record")).content).factions == chosen
            bo.http.follow_redirects = False
            went = await aside(bo.http.post, f"/t/{kept}/go-on", data={"at": "3", "seat": "2"})
            assert await factions(bo, went.headers["location"].rsplit("/", 1)[1]) == chosen

    run(story())


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_tables_that_were_stored_before_factions_could_be_chosen_open_as_before(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    """gold.6: with the faction of each seat, whether the game goes on or nobody has started it; and what is chosen
    is kept by every kind of store."""
    place = request.getfixturevalue("postgres").new_database() if kind == "postgresql" else None

    async def story() -> None:
        async with open_house(tmp_path, place) as house:
            ana, bo = await house.guests(2)
            running, waiting, new = [await open_gold(ana, seats=3) for _ in range(3)]
            for table in (running, new):
                await aside(bo.do, table, "sit", faction="undead" if table == new else "")
                await aside(bo.do, table, "sit")
                await aside(ana.do, table, "start")
            for table in (running, waiting):
                await store_as_before(house, table)
            for table in (running, waiting, new):
                house.tables.live.pop(table, None)
            assert await factions(ana, running) == ["dragons", "insects", "trolls"]
            assert await factions(ana, waiting) == ["dragons", "", ""]
            assert await factions(ana, new) == ["dragons", "undead", "trolls"]
            async with playing((ana, running), (bo, running)) as (a, b):
                update = await a.until(lambda update: update["view"], 0)
                seat = update["view"]["waiting"][0]
                await b.until(lambda update: update["view"], 1)
                await b.until(lambda update: update["view"], 2)
                await (a if seat == 0 else b).move(seat, "place")
            await aside(bo.do, waiting, "sit", faction="dragons")
            assert await factions(ana, waiting) == ["insects", "dragons", ""]

    run(story())


async def store_as_before(house: OpenHouse, table: str) -> None:
    """Write a table as it was written when seats had no factions."""
    loaded = await house.services.store.read(table)
    assert loaded is not None
    body = msgspec.msgpack.decode(loaded.row.body)
    for seat in body["seats"]:
        del seat["faction"]
    row = msgspec.structs.replace(loaded.row, version=loaded.row.version + 1, body=msgspec.msgpack.encode(body))
    await house.services.store.commit(Change(row=row))


def test_what_a_table_tells_of_factions_has_words(tmp_path: Path) -> None:
    """`GET /api/games` lists what can be chosen, and nothing where nothing can."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            (ana,) = await house.guests(1)
            listed = {game["id"]: game["factions"] for game in await aside(ana.get, "/api/games")}
            assert listed["gold"] == USUAL
            assert [listed[game] for game in ("crypt", "hunters", "melee")] == [[], [], []]
            table = await aside(ana.table)
            assert [seat["faction"] for seat in (await table_now(ana, table))["table"]["seats"]] == ["", ""]

    run(story())
