"""Time at a table: when it is up a bot decides once, and who is away for too long is stood in for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from polikarp.server.table import clocks
from polikarp.server.table.document import Document, Pace, Seat
from polikarp.store import Outage
from tests.server.playing import (
    Guest,
    Player,
    Refusal,
    ServerProcess,
    frozen_bots,
    guests_at,
    playing,
    serving,
    wait_until,
)

LIVE = {"kind": "live", "seconds": 5}  # the least there is


# The arithmetic, with outages that are made up.


@pytest.mark.parametrize(
    ("outages", "passed"),
    [
        ([], 100),
        ([(0, 50)], 100),  # before
        ([(50, 130)], 70),  # it had begun before
        ([(120, 150)], 70),
        ([(120, 150), (160, 170)], 60),
        ([(190, 250)], 90),  # it goes on
        ([(200, 250)], 100),  # after
        ([(50, 250)], 0),
        ([(100, 200)], 0),
    ],
)
def test_time_in_which_no_server_ran_does_not_count(outages: list[tuple[float, float]], passed: float) -> None:
    assert clocks.elapsed(100.0, 200.0, [Outage(*outage) for outage in outages]) == passed


@given(some.sets(some.integers(0, 60)), some.integers(0, 60), some.integers(0, 60))
def test_what_passed_are_the_seconds_in_which_a_server_ran(down: set[int], since: int, now: int) -> None:
    outages = [Outage(float(second), float(second + 1)) for second in sorted(down)]
    ran = [second for second in range(since, now) if second not in down]
    assert clocks.elapsed(float(since), float(now), outages) == len(ran)


def test_a_deadline_moves_with_an_outage_and_not_before() -> None:
    body, seat = a_table("live", 30, 10)
    clocks.start_clock(seat, 1000.0)
    assert clocks.deadline(body, seat, 1001.0, []) == 1040.0
    assert clocks.deadline(body, seat, 1039.0, []) == 1040.0
    assert not clocks.time_is_up(body, seat, 1039.9, [])
    assert clocks.time_is_up(body, seat, 1040.0, [])
    outages = [Outage(1005.0, 1105.0)]
    assert clocks.deadline(body, seat, 1105.0, outages) == 1140.0
    assert not clocks.time_is_up(body, seat, 1139.9, outages)
    assert clocks.time_is_up(body, seat, 1140.0, outages)


def test_without_a_pace_there_is_no_deadline() -> None:
    body, seat = a_table("none", 0, 0)
    clocks.start_clock(seat, 1000.0)
    assert clocks.deadline(body, seat, 1e12, []) is None
    assert not clocks.time_is_up(body, seat, 1e12, [])


def test_what_a_decision_takes_beyond_its_seconds_comes_out_of_the_reserve() -> None:
    body, seat = a_table("live", 30, 10)
    clocks.start_clock(seat, 1000.0)
    clocks.stop_clock(body, seat, 1029.0, [])
    assert (seat.reserve, seat.ticking) == (10.0, False)
    assert not clocks.time_is_up(body, seat, 9999.0, [])
    clocks.start_clock(seat, 1100.0)
    clocks.stop_clock(body, seat, 1136.0, [Outage(1110.0, 1112.0)])
    assert seat.reserve == 6.0
    clocks.start_clock(seat, 1200.0)
    assert clocks.deadline(body, seat, 1200.0, []) == 1236.0
    clocks.stop_clock(body, seat, 1240.0, [])
    assert seat.reserve == 0.0


def test_who_takes_a_decision_back_has_the_time_that_was_left_before_it() -> None:
    body, seat = a_table("live", 30, 10)
    clocks.start_clock(seat, 1000.0)
    clocks.stop_clock(body, seat, 1035.0, [])
    clocks.resume_clock(seat)
    assert clocks.deadline(body, seat, 1036.0, []) == 1040.0
    clocks.stop_clock(body, seat, 1037.0, [])
    assert seat.reserve == 3.0


def test_absence_ends_after_the_seconds_that_a_server_ran() -> None:
    body, seat = a_table("none", 0, 0)
    body.absence, seat.person, seat.away = 60, "somebody", 1000.0
    assert clocks.absence_ends(body, seat, 1030.0, []) == 1060.0
    assert clocks.absence_ends(body, seat, 1200.0, [Outage(1010.0, 1190.0)]) == 1240.0
    present, free = Seat(person="somebody"), Seat(away=1000.0)
    held = Seat(person="somebody", away=1000.0, held="random")
    for other in (present, free, held):
        assert clocks.absence_ends(body, other, 1030.0, []) is None
    body.absence = 0
    assert clocks.absence_ends(body, seat, 1030.0, []) is None


def a_table(kind: Any, seconds: int, reserve: int) -> tuple[Document, Seat]:
    """A table, and a seat that has all of its reserve."""
    seat = Seat(reserve=float(reserve))
    pace = Pace(kind, seconds, reserve)
    return Document(
        game="crypt", options={}, rules="", seats=[seat], made=0.0, seed=None, commitment="", pace=pace
    ), seat


# Real servers.


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with serving(tmp_path_factory.mktemp("clocks") / "house") as server:
        yield server


@pytest.fixture
def guests(server: ServerProcess) -> Iterator[list[Guest]]:
    with guests_at(server.url, server.url) as guests:
        yield guests


def open_table(guests: list[Guest], **wanted: Any) -> str:
    """A table at which the guests sit in this order; the first is its owner."""
    table = guests[0].table(seats=len(guests), **wanted)
    for guest in guests[1:]:
        guest.do(table, "sit")
    return table


def clock(update: dict[str, Any], seat: int) -> dict[str, Any]:
    shown: dict[str, Any] = update["table"]["seats"][seat]["clock"]
    return shown


def status(update: dict[str, Any], seat: int) -> str:
    told: str = update["table"]["seats"][seat]["status"]
    return told


def waits_for(seat: int) -> Any:
    return lambda update: update["view"] and seat in update["view"]["waiting"]


def own_moves(guest: Guest, table: str, seat: int) -> list[str]:
    moves: list[str] = guest.get(f"/api/tables/{table}/record", seat=seat)["moves"]
    return moves


async def start(players: list[Player]) -> tuple[int, dict[str, Any]]:
    """Start the game when all are there: says which seat it waits for first, and what that seat sees."""
    for viewer, player in enumerate(players):
        await player.until(lambda update: {status(update, seat) for seat in range(len(players))} == {"present"}, viewer)
    await players[0].do("start")
    update = await players[0].until(lambda update: update["view"], 0)
    seat: int = update["view"]["waiting"][0]
    return seat, await players[seat].until(waits_for(seat), seat)


async def undo(player: Player, seat: int) -> dict[str, Any]:
    update = player.seen[seat].update
    await player.do("undo", seat=seat, prompt=update["prompt"])
    return await player.until(lambda now: now["prompt"] > update["prompt"], seat)


async def move_until(players: list[Player], seat: int) -> dict[str, Any]:
    """The others move until the game waits for this seat."""
    while seat not in (update := players[seat].seen[seat].update)["view"]["waiting"]:
        (other,) = update["view"]["waiting"]
        await players[other].until(waits_for(other), other)
        prompt = update["prompt"]
        await players[other].move(other)
        await players[seat].until(lambda now, prompt=prompt: now["prompt"] > prompt, seat)
    return update


def test_when_time_is_up_the_stand_in_makes_this_one_decision(guests: list[Guest]) -> None:
    table = open_table(guests, pace={**LIVE, "reserve": 1}, absence=0)
    untimed = open_table(guests)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests), *((guest, untimed) for guest in guests)) as players:
            players, others = players[:2], players[2:]
            first, waiting = await start(others)
            assert clock(waiting, first) is None
            began = time.time()
            seat, asked = await start(players)
            assert began + 5.9 < clock(asked, seat)["until"] < asked["now"] + 6.1
            assert clock(asked, seat)["reserve"] == 1.0
            assert clock(asked, 1 - seat) == {"reserve": 1.0, "until": None}
            assert own_moves(guests[seat], table, seat) == []

            decided = await players[seat].until(lambda update: seat not in update["view"]["waiting"], seat)
            assert decided["now"] > clock(asked, seat)["until"] - 0.1
            assert clock(decided, seat) == {"reserve": 0.0, "until": None}
            assert status(decided, seat) == "present"
            made = own_moves(guests[seat], table, seat)
            assert made

            again = await move_until(players, seat)
            assert 0 < clock(again, seat)["until"] - again["now"] < 5.1
            await players[seat].move(seat)
            assert len(own_moves(guests[seat], table, seat)) == len(made) + 1
            assert others[first].view(first) == waiting["view"]  # meanwhile nothing happened without a pace
            assert own_moves(guests[first], untimed, first) == []

    asyncio.run(live())


def test_the_reserve_is_used_and_shown(guests: list[Guest]) -> None:
    table = open_table(guests, pace={**LIVE, "reserve": 20}, absence=0)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as players:
            began = time.time()
            seat, asked = await start(players)
            end = clock(asked, seat)["until"]
            assert began + 24.9 < end < asked["now"] + 25.1
            await asyncio.sleep(end - 19 - asked["now"])  # a second more than it has without the reserve
            await players[seat].decide(seat)
            for viewer in (0, 1):
                update = await players[viewer].until(lambda update: seat not in update["view"]["waiting"], viewer)
                left = clock(update, seat)["reserve"]
                assert end - update["now"] - 0.2 < left <= 19.1
            again = await move_until(players, seat)
            assert clock(again, seat)["reserve"] == left
            assert left < clock(again, seat)["until"] - again["now"] < left + 5.1

    asyncio.run(live())


def test_taking_back_wins_no_time(guests: list[Guest]) -> None:
    table = open_table(guests, pace={"kind": "live", "seconds": 60, "reserve": 60}, absence=0)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as players:
            seat, asked = await start(players)
            end = clock(asked, seat)["until"]
            await asyncio.sleep(0.3)
            sent = await players[seat].move(seat, "send")
            assert clock(sent, seat)["until"] == pytest.approx(end, abs=0.11)
            await undo(players[seat], seat)
            await asyncio.sleep(0.3)
            await players[seat].move(seat, "send")
            await asyncio.sleep(0.3)
            done = await players[seat].move(seat, "done")
            assert clock(done, seat)["until"] is None
            assert 100 < clock(done, 1 - seat)["until"] - done["now"] < 120.1
            await asyncio.sleep(0.3)
            back = await undo(players[seat], seat)
            assert clock(back, seat)["until"] == pytest.approx(end, abs=0.11)
            assert clock(back, 1 - seat)["until"] is None

    asyncio.run(live())


def test_time_in_which_the_server_is_down_does_not_count(tmp_path: Path) -> None:
    with serving(tmp_path / "house") as server, guests_at(server.url, server.url) as guests:
        quick, slow = {"kind": "live", "seconds": 8}, {"kind": "relaxed", "seconds": 3600}
        tables = [open_table(guests, pace=pace, absence=0) for pace in (quick, quick, slow, {})]
        seats, ends = [], []
        for table in tables:
            guests[0].do(table, "start")
            (update,) = guests[0].get(f"/api/tables/{table}")["updates"]
            seats.append(update["view"]["waiting"][0])
            ends.append((clock(update, seats[-1]) or {"until": 0.0})["until"])
        server.kill()
        ended = time.time()
        time.sleep(ends[1] + 0.5 - ended)  # everybody's time would be up
        started = time.time()
        server.start()
        ready = time.time()

        def look(number: int) -> dict[str, Any]:
            update: dict[str, Any] = guests[seats[number]].get(f"/api/tables/{tables[number]}")["updates"][0]
            return update

        def moves(number: int) -> list[str]:
            return own_moves(guests[seats[number]], tables[number], seats[number])

        async def live() -> None:
            """Both are back at the first table, and nobody at the others."""
            async with playing(*((guest, tables[0]) for guest in guests)) as players:
                seat = seats[0]
                update = await players[seat].until(waits_for(seat), seat)
                end = clock(update, seat)["until"]
                assert moves(0) == []
                assert started - ended - 0.2 < end - ends[0] < ready - ended + 5
                decided = await players[seat].until(lambda update: seat not in update["view"]["waiting"], seat)
                assert decided["now"] > end - 0.1

        asyncio.run(live())
        wait_until(lambda: moves(1))  # also where nobody looks on, a stand-in decides in the end
        assert time.time() > ends[1] + started - ended - 0.2
        for _restart in range(2):
            later = clock(look(2), seats[2])["until"]
            assert started - ended - 0.2 < later - ends[2] < ready - ended + 5
            assert moves(2) == []
            assert clock(look(3), seats[3]) is None
            assert moves(3) == []
            ends[2] = later
            assert server.stop() == 0  # in good order it is the same
            ended = time.time()
            time.sleep(1)
            started = time.time()
            server.start()
            ready = time.time()


# Seats that bots hold.


def test_a_late_answer_of_a_bot_is_dropped_once_the_seat_was_taken_back(
    server: ServerProcess, guests: list[Guest]
) -> None:
    table = open_table(guests)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as players:
            seat, asked = await start(players)
            wait_until(lambda: not guests[0].bots_asked())
            with frozen_bots(server):
                await players[seat].do("hand_over", seat=seat)
                held = await players[seat].until(lambda update: status(update, seat) == "held", seat)
                assert held["table"]["seats"][seat]["level"] == held["table"]["stand_in"]
                wait_until(lambda: guests[0].bots_asked())
                await players[seat].do("take_back", seat=seat)
                await players[seat].until(lambda update: status(update, seat) == "present", seat)
            wait_until(lambda: not guests[0].bots_asked())
            assert own_moves(guests[seat], table, seat) == []
            update = await players[seat].move(seat)
            assert update["prompt"] == asked["prompt"] + 1

    asyncio.run(live())


def test_a_move_takes_the_seat_back_from_a_bot_that_still_thinks(server: ServerProcess, guests: list[Guest]) -> None:
    table = open_table(guests)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as players:
            seat, _ = await start(players)
            wait_until(lambda: not guests[0].bots_asked())
            with frozen_bots(server):
                await players[seat].do("hand_over", seat=seat)
                await players[seat].until(lambda update: status(update, seat) == "held", seat)
                wait_until(lambda: guests[0].bots_asked())
                moved = await players[seat].move(seat)
                assert status(moved, seat) == "present"
            wait_until(lambda: not guests[0].bots_asked())
            assert len(own_moves(guests[seat], table, seat)) == 1

    asyncio.run(live())


def test_a_seat_is_handed_over_by_its_person_or_for_who_is_away_by_the_owner(guests: list[Guest]) -> None:
    """Somebody who is there plays: else the owner could choose a weak bot for whoever is about to win."""
    table = open_table(guests, stand_in="random")

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as (owner, other):
            await start([owner, other])
            with pytest.raises(Refusal) as refused:
                await other.do("hand_over", seat=0)
            assert refused.value.key == "not_the_owner"
            with pytest.raises(Refusal) as refused:
                await owner.do("hand_over", seat=1)
            assert refused.value.key == "person_present"
            assert "is here" in refused.value.reason["text"]
            answer = guests[0].http.post(
                f"/api/tables/{table}",
                json={"type": "hand_over", "id": "again", "seat": 1},
                headers={"Accept-Language": "pl"},
            )
            assert (answer.status_code, "jest przy stole" in answer.text) == (403, True)
            assert status(owner.seen[0].update, 1) == "present"
            await other.leave()
            await owner.until(lambda update: status(update, 1) == "away", 0)
            await owner.do("hand_over", seat=1)
            await other.connect()
            await other.until(lambda update: status(update, 1) == "held", 1)
            with pytest.raises(Refusal) as refused:
                await owner.do("take_back", seat=1)
            assert refused.value.key == "not_your_seat"
            with pytest.raises(Refusal) as refused:
                await owner.do("hand_over", seat=1)
            assert refused.value.key == "held_already"
            await other.do("take_back", seat=1)
            await other.do("hand_over", seat=1)
            await owner.do("hand_over", seat=0)  # now two bots play to the end
            update = await owner.until(lambda update: update["view"]["result"], 0)
            assert [status(update, seat) for seat in (0, 1)] == ["held", "held"]

    asyncio.run(live())


def test_a_bot_stands_in_for_who_is_away_for_too_long_until_they_come_back(guests: list[Guest]) -> None:
    table = open_table(guests, absence=1)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as players:
            await start(players)
            stayed, left = players
            await left.leave()
            away = await stayed.until(lambda update: status(update, 1) == "away", 0)
            assert own_moves(guests[1], table, 1) == []
            assert away["view"]["result"] is None
            await stayed.until(lambda update: status(update, 1) == "held", 0)
            while not own_moves(guests[1], table, 1):  # the bot plays when it is its turn
                await stayed.until(waits_for(0), 0)
                await stayed.move(0)
            await left.connect()
            await left.until(lambda update: status(update, 1) == "held", 1)  # coming back alone changes nothing
            await left.do("take_back", seat=1)
            await left.until(lambda update: status(update, 1) == "present", 1)
            await stayed.until(lambda update: status(update, 1) == "present", 0)

    asyncio.run(live())


def test_a_table_that_everybody_left_is_played_to_its_end_while_somebody_looks_at_it(guests: list[Guest]) -> None:
    table = open_table(guests, absence=1)

    async def live() -> None:
        async with playing(*((guest, table) for guest in guests)) as players:
            await start(players)

    asyncio.run(live())
    wait_until(lambda: guests[0].get(f"/api/tables/{table}")["updates"][0]["table"]["stage"] == "over")


def test_who_does_not_come_back_after_a_kill_is_away_and_then_stood_in_for(tmp_path: Path) -> None:
    with serving(tmp_path / "house") as server, guests_at(server.url, server.url) as guests:
        table = open_table(guests, absence=1)

        async def live() -> None:
            async with playing(*((guest, table) for guest in guests)) as (stayed, left):
                await start([stayed, left])
                server.kill()
                await asyncio.to_thread(server.start)
                await stayed.connect()
                await stayed.until(lambda update: status(update, 1) == "away", 0)
                await stayed.until(lambda update: status(update, 1) == "held", 0)
                await left.connect()
                await left.do("take_back", seat=1)
                await stayed.until(lambda update: status(update, 1) == "present", 0)

        asyncio.run(live())


def test_who_plays_without_a_line_has_a_whole_absence_from_their_last_command_on(guests: list[Guest]) -> None:
    table = open_table(guests, absence=2)
    guests[0].do(table, "start")

    def held() -> bool:
        return status(guests[1].get(f"/api/tables/{table}")["updates"][0], 1) == "held"

    wait_until(held)
    taken_back = time.monotonic()
    guests[1].do(table, "take_back", seat=1)
    wait_until(held)
    assert time.monotonic() - taken_back > 1.5
