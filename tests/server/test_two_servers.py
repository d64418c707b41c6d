"""Several servers on one database: people at the same tables, whichever one they come through."""

from __future__ import annotations

import asyncio
import contextlib
import random
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from polikarp.engine.record import read_record, verify
from polikarp.games import all_games
from polikarp.server.identity import house_key
from tests.server.company import Company, company
from tests.server.hasty import HASTY
from tests.server.playing import (
    PATIENCE,
    Guest,
    Player,
    Refusal,
    ServerProcess,
    eventually,
    frozen_bots,
    guests_at,
    playing,
    wait_until,
)
from tests.server.racing import Racer, at_table, card_of
from tests.store.postgres_server import PostgresServer, running_postgres

SILENCE = 6.0  # seconds after which a server is taken for dead


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


class Servers:
    """Servers of one house: one database, one key."""

    def __init__(self, folder: Path, database: str) -> None:
        self.folder = folder
        self.database = database
        self.all: list[ServerProcess] = []

    def start(self, count: int) -> None:
        """So many more."""
        names = [f"server{len(self.all) + more}" for more in range(count)]
        fresh = [ServerProcess(self.folder / name, self.database, HASTY) for name in names]
        for server in fresh:
            server.data.mkdir()
            shutil.copy(self.folder / "key", server.data / "key")
        with ThreadPoolExecutor() as threads:
            self.all += threads.map(ServerProcess.start, fresh)

    def stop(self) -> None:
        for server in self.all:
            if server.process is not None:
                server.process.send_signal(signal.SIGCONT)
                assert server.stop() == 0
            log = server.log.read_text()
            assert '"event":"error"' not in log, log[-2000:]
            assert "Traceback" not in log, log[-2000:]


@pytest.fixture
def servers(postgres: PostgresServer, tmp_path: Path) -> Iterator[Servers]:
    house_key(tmp_path)
    servers = Servers(tmp_path, postgres.new_database())
    servers.start(2)
    try:
        yield servers
    finally:
        servers.stop()


def seat_told(update: dict[str, Any], seat: int, name: str = "status") -> Any:
    return update["table"]["seats"][seat][name]


def waits_for(seat: int) -> Any:
    return lambda update: seat in update["view"]["waiting"]


@contextlib.asynccontextmanager
async def seated(*servers: ServerProcess, bots: int = 0, **wanted: Any) -> AsyncIterator[tuple[list[Player], str]]:
    """A table that has begun, with somebody from each of these servers, and some bots."""
    with guests_at(*(server.url for server in servers)) as guests:
        table = guests[0].table(seats=len(guests) + bots, **wanted)
        for guest in guests[1:]:
            guest.do(table, "sit")
        if bots:
            guests[0].do(table, "add_bot", level="random")
        async with playing(*((guest, table) for guest in guests)) as players:
            await all_present(players)
            await players[0].do("start")
            for seat, player in enumerate(players):
                await player.until(lambda update: update["view"], seat)
            yield players, table


async def all_present(players: list[Player]) -> None:
    """Wait till everybody sees that all are there."""
    people = range(len(players))
    for viewer, player in enumerate(players):
        await player.until(lambda update: {seat_told(update, seat) for seat in people} == {"present"}, viewer)


async def play_to_the_end(players: list[Player]) -> None:
    await asyncio.gather(*(player.play(seat, random.Random(seat)) for seat, player in enumerate(players)))


def verified_moves(guest: Guest, table: str) -> int:
    """How many moves the record of a finished game has; it holds."""
    response = guest.http.get(f"/api/tables/{table}/record")
    assert response.status_code == 200, response.text
    record = read_record(response.content)
    assert verify(all_games()[record.game], record) > 0
    return len(record.moves)


def moves_counted(servers: Servers) -> int:
    """The moves that the servers say they have played."""
    with guests_at(*(server.url for server in servers.all)) as guests:
        return sum(guest.figure("moves_total") for guest in guests)


def test_what_happens_through_one_server_is_seen_through_the_other(servers: Servers) -> None:
    async def live(here: Guest, there: Guest) -> None:
        made = here.post("/api/tables", {"game": "crypt", "seats": 3, "public": True})
        table = made["table"]
        assert there.get(f"/api/codes/{made['code']}")["table"] == table
        assert table in [listed["id"] for listed in there.get("/api/tables")]
        async with playing((here, table), (there, table)) as (owner, other):
            await other.do("sit", seat=1)
            await owner.until(lambda update: seat_told(update, 1) == "present", 0)
            assert seat_told(owner.seen[0].update, 1, "name") == there.name
            await owner.do("add_bot", level="random")
            await other.until(lambda update: seat_told(update, 2) == "bot", 1)
            await owner.do("chat", text="Welcome.")
            await other.do("chat", text="Thank you.")
            for seat, player in enumerate((owner, other)):
                await player.until(lambda update, player=player, seat=seat: len(player.seen[seat].chat) == 2, seat)
            assert owner.seen[0].chat == other.seen[1].chat
            assert [line["text"] for line in owner.seen[0].chat] == ["Welcome.", "Thank you."]
            await owner.do("start")
            await play_to_the_end([owner, other])
            assert owner.view(0)["result"] == other.view(1)["result"]
            assert moves_counted(servers) == verified_moves(here, table) == verified_moves(there, table)

    with guests_at(*(server.url for server in servers.all)) as guests:
        asyncio.run(live(*guests))


def test_a_message_that_comes_again_through_the_other_server_is_carried_out_once(servers: Servers) -> None:
    async def live() -> None:
        async with seated(*servers.all) as (players, table):
            seat = players[0].view(0)["waiting"][0]
            player, other = players[seat], players[1 - seat]
            update = await player.until(waits_for(seat), seat)
            move = {"id": "a move", "seat": seat, "prompt": update["prompt"], "move": update["view"]["moves"][0]}
            line = {"id": "a line", "text": "Here I am."}
            await player.do("move", **move)
            await player.do("chat", **line)
            await other.until(lambda update: other.seen[1 - seat].chat, 1 - seat)
            player.guest.move_to(other.guest.url)
            player.guest.do(table, "move", **move)
            player.guest.do(table, "chat", **line)
            assert player.guest.get(f"/api/tables/{table}/record", seat=seat)["moves"] == [move["move"]]
            chat = player.guest.get(f"/api/tables/{table}")["updates"][0]["chat"]
            assert [said["text"] for said in chat] == [line["text"]]

    asyncio.run(live())


def test_when_a_server_is_killed_its_people_go_on_through_the_other(servers: Servers) -> None:
    first, second = servers.all

    async def live() -> None:
        async with company([first.url, second.url] * 3, random.Random("two servers")) as people:
            people.open_tables(6)
            for killed, other in ((second, first), (first, second)):
                await people.play_some(80)
                killed.kill()
                for guest in people.guests:
                    if guest.url == killed.url:
                        guest.move_to(other.url)
                people.compare(PATIENCE)
                people.open_tables(4)
                await people.play_some(40)
                await asyncio.to_thread(killed.start)
                divide(people, [first.url, second.url])
            await people.finish()

    asyncio.run(live())


def divide(people: Company, urls: list[str]) -> None:
    """From their next line on, people come through these servers by turns."""
    for number, guest in enumerate(people.guests):
        guest.move_to(urls[number % len(urls)])


def test_who_came_through_a_server_that_died_is_away_until_they_come_back(servers: Servers) -> None:
    first, second = servers.all

    async def live() -> None:
        async with seated(first, second, bots=1) as (players, table):
            stayed, lost = players
            second.kill()
            await stayed.until(lambda update: seat_told(update, 1) == "away", 0)
            lost.guest.move_to(first.url)
            await lost.connect()
            await stayed.until(lambda update: seat_told(update, 1) == "present", 0)
            await play_to_the_end(players)
            assert verified_moves(stayed.guest, table) > 0

    asyncio.run(live())


def test_nobody_hands_over_the_seat_of_somebody_who_came_through_another_server(servers: Servers) -> None:
    """Not even when one of several lines is lost; only when the last one is."""
    first, second = servers.all

    async def live() -> None:
        async with seated(first, second) as (players, table):
            owner, other = players
            with pytest.raises(Refusal) as refused:
                await owner.do("hand_over", seat=1)
            assert refused.value.key == "person_present"
            other.guest.move_to(first.url)
            async with playing((other.guest, table)) as (again,):
                await again.until(lambda update: seat_told(update, 1) == "present", 1)
                second.kill()
                await other.lost.wait()
                with pytest.raises(Refusal) as refused:
                    await owner.do("hand_over", seat=1)
                assert refused.value.key == "person_present"
            await owner.until(lambda update: seat_told(update, 1) == "away", 0)
            await owner.do("hand_over", seat=1)
            await owner.until(lambda update: seat_told(update, 1) == "held", 0)

    asyncio.run(live())


def test_bots_play_on_when_the_server_that_asked_them_died(servers: Servers) -> None:
    first, second = servers.all

    async def live() -> None:
        async with seated(second, bots=2) as (players, table):
            (player,) = players
            with frozen_bots(second):
                await player.until(waits_for(0), 0)
                await player.decide(0)
                second.kill()
            player.guest.move_to(first.url)
            wait_until(lambda: waits_for(0)(player.guest.get(f"/api/tables/{table}")["updates"][0]))
            await player.connect()
            await play_to_the_end(players)
            verified_moves(player.guest, table)

    asyncio.run(live())


def test_a_bot_that_does_not_answer_one_server_is_asked_by_the_other_and_moves_once(servers: Servers) -> None:
    first, second = servers.all

    async def live() -> None:
        async with seated(second, first, bots=2) as (players, table):
            theirs, ours = (player.guest for player in players)
            with frozen_bots(first):
                playing_on = asyncio.create_task(play_to_the_end(players))
                await eventually(ours.bots_asked)
                asked = await players[1].until(lambda update: not {0, 1} & {*update["view"]["waiting"]}, 1)
                played = theirs.figure("moves_total")
                await players[1].until(lambda update: update["number"] > asked["number"], 1)
                assert theirs.figure("moves_total") > played
            await playing_on
            await eventually(lambda: not ours.bots_asked())
            assert moves_counted(servers) == verified_moves(ours, table)

    asyncio.run(live())


def test_bots_that_both_servers_ask_move_once(servers: Servers) -> None:
    async def live() -> None:
        async with seated(*servers.all, bots=2) as (players, table):

            async def stir(seat: int) -> None:
                """Every change makes a server look whose decision it is."""
                while not players[seat].view(seat)["result"]:
                    with contextlib.suppress(Refusal):  # the other server may be busy at the table
                        await players[seat].do("take_back", seat=seat)
                    await asyncio.sleep(0.1)  # not so often that nobody else comes to move

            await asyncio.gather(play_to_the_end(players), *(stir(seat) for seat in range(2)))
            await eventually(lambda: not any(player.guest.bots_asked() for player in players))
            assert moves_counted(servers) == verified_moves(players[0].guest, table)

    asyncio.run(live())


def test_who_comes_through_a_server_that_was_silent_for_a_while_is_not_away_for_good(servers: Servers) -> None:
    first, second = servers.all

    async def live() -> None:
        async with seated(first, second) as (players, _):
            assert second.process is not None
            second.process.send_signal(signal.SIGSTOP)
            await players[0].until(lambda update: seat_told(update, 1) == "away", 0)
            second.process.send_signal(signal.SIGCONT)
            await players[0].until(lambda update: seat_told(update, 1) == "present", 0)

    asyncio.run(live())


def test_who_comes_through_a_server_that_has_just_started_is_present(servers: Servers) -> None:
    first, second = servers.all

    async def live() -> None:
        async with seated(first, second) as (players, table):
            servers.start(1)
            third = servers.all[-1]
            await players[1].leave()
            players[1].guest.move_to(third.url)
            await players[1].connect()
            await players[1].until(lambda update: seat_told(update, 1) == "present", 1)
            async with playing((players[0].guest, table)):  # one more line through a server that may not know the third
                await eventually(lambda: players[0].guest.figure("servers_alive") == 3)
            await players[0].until(lambda update: seat_told(update, 1) == "present", 0)

    asyncio.run(live())


def test_play_goes_on_when_postgresql_comes_back(servers: Servers, postgres: PostgresServer) -> None:
    first, second = servers.all

    async def live() -> None:
        async with (
            company([first.url, second.url] * 3, random.Random("PostgreSQL")) as people,
            seated(first, second) as (idle, table),
        ):
            people.open_tables(4)
            await people.play_some(60)
            postgres.stop()
            await asyncio.sleep(SILENCE)  # the outage itself: by the clocks of real servers
            postgres.start()
            assert sum(player.sent_again for player in people.players) > 0
            await people.finish()
            await all_present(idle)
            await play_to_the_end(idle)
            verified_moves(idle[0].guest, table)

    asyncio.run(live())


def test_time_in_which_postgresql_is_down_does_not_count(servers: Servers, postgres: PostgresServer) -> None:
    async def live() -> None:
        async with seated(*servers.all, pace={"kind": "live", "seconds": 5}) as (players, table):
            (seat,) = players[0].view(0)["waiting"]
            guest = players[seat].guest
            end = seat_told(players[seat].seen[seat].update, seat, "clock")["until"]

            def moved_on() -> bool:
                now = guest.get(f"/api/tables/{table}")["updates"][0]
                assert seat in now["view"]["waiting"]
                return bool(seat_told(now, seat, "clock")["until"] > end + SILENCE - 1)

            postgres.stop()
            await asyncio.sleep(SILENCE)  # the outage itself: by the clocks of real servers
            postgres.start()
            await eventually(moved_on)
            assert guest.get(f"/api/tables/{table}/record", seat=seat)["moves"] == []

    asyncio.run(live())


@contextlib.asynccontextmanager
async def hunting(servers: Servers, **options: Any) -> AsyncIterator[tuple[list[Racer], str]]:
    """Monster Hunters, with somebody from each of two servers."""
    with guests_at(*(server.url for server in servers.all)) as guests:
        table = guests[0].table(game="hunters", seats=2, options={"pace": 0.8, **options})
        guests[1].do(table, "sit")
        racers = [await Racer(guest, table).come() for guest in guests]
        try:
            guests[0].do(table, "start")
            yield racers, table
        finally:
            for racer in racers:
                await racer.leave()


def test_a_race_through_two_servers_takes_one_monster(servers: Servers) -> None:
    """hunters.16: each server decides by what it has heard, and what is written first counts."""

    async def live() -> None:
        async with hunting(servers) as (racers, table):
            for number in range(7):
                for seat, racer in enumerate(racers):
                    await racer.until(lambda update, number=number: at_table(update, number) and card_of(update), seat)
                await asyncio.sleep(0.12)  # a reaction, by the clocks of real servers
                cards = [racer.view(seat)["board"]["card"] for seat, racer in enumerate(racers)]
                slaps = (racer.slap(seat, number, cards[seat], 110.0) for seat, racer in enumerate(racers))
                answers = await asyncio.gather(*slaps, return_exceptions=True)
                assert sum(isinstance(answer, dict) for answer in answers) == 1, answers
                [refused] = [answer for answer in answers if isinstance(answer, Refusal)]
                assert refused.key in ("slap_old", "slap_later", "slap_order", "stage_over")
            for seat, racer in enumerate(racers):
                update = await racer.until(lambda update: update["view"]["result"], seat)
                assert len(update["view"]["board"]["answers"]) == 2
            assert verified_moves(racers[0].guest, table) >= 14

    asyncio.run(live())


def test_a_calm_race_through_two_servers(servers: Servers) -> None:
    """hunters.35: an answer at another server counts, and leaves no trace there or here."""

    async def live() -> None:
        async with hunting(servers, calm=3) as (racers, _table):
            for number in range(2):
                first = number  # once from the server that keeps the time, once from the other
                for seat, racer in enumerate(racers):
                    await racer.until(lambda update, number=number: at_table(update, number) and card_of(update), seat)
                await asyncio.sleep(0.12)  # a reaction, by the clocks of real servers
                card = racers[first].view(first)["board"]["card"]
                racers[first].target, racers[1 - first].target = 0, 1
                await racers[first].slap(first, number, card, 110.0)
                await racers[1 - first].until(lambda update: update["view"]["board"]["race"], 1 - first)
                await racers[1 - first].slap(1 - first, number, card, 110.0)
                update = await racers[0].until(lambda update, number=number: at_table(update, number + 1), 0)
                assert update["view"]["board"]["answers"][first] == "slap 1"
                assert update["view"]["board"]["answers"][1 - first] == "slap 2"

    asyncio.run(live())
