"""A table in play, over real sockets and by a clock that the test moves: when time is up a bot decides once, who is
away for too long is stood in for, and what a bot answers too late is dropped.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from polikarp.server.table.presence import VISIT_SECONDS
from polikarp.store import GAP
from tests.server.hand_clock import HandClock
from tests.server.house import OpenHouse, aside, open_house, run
from tests.server.playing import Guest, Player, Refusal, playing

LIVE = {"kind": "live", "seconds": 5}  # the least there is
GRACE = 4.0  # seconds before somebody who lost their connection is away


class TwoAtTable:
    """Two people who are connected to a table in an open house."""

    def __init__(self, house: OpenHouse, guests: list[Guest], table: str, players: list[Player]) -> None:
        self.house = house
        self.clock = house.clock
        self.guests = guests
        self.table = table
        self.players = players

    async def start(self) -> tuple[int, dict[str, Any]]:
        """Start the game when all are there: says which seat it waits for first, and what that seat sees."""
        for viewer, player in enumerate(self.players):
            await player.until(lambda update: {status(update, seat) for seat in (0, 1)} == {"present"}, viewer)
        await self.players[0].do("start")
        update = await self.players[0].until(lambda update: update["view"], 0)
        seat: int = update["view"]["waiting"][0]
        return seat, await self.players[seat].until(waits_for(seat), seat)

    async def moves_of(self, seat: int) -> list[str]:
        return await own_moves(self.guests[seat], self.table, seat)

    async def move_until(self, seat: int) -> dict[str, Any]:
        """The others move until the game waits for this seat."""
        while seat not in (update := self.players[seat].seen[seat].update)["view"]["waiting"]:
            (other,) = update["view"]["waiting"]
            await self.players[other].until(waits_for(other), other)
            prompt = update["prompt"]
            await self.players[other].move(other)
            await self.players[seat].until(lambda now, prompt=prompt: now["prompt"] > prompt, seat)
        return update


async def open_table(guests: list[Guest], **wanted: Any) -> str:
    """A table at which the guests sit in this order; the first is its owner."""
    table: str = await aside(guests[0].table, seats=len(guests), **wanted)
    for guest in guests[1:]:
        await aside(guest.do, table, "sit")
    return table


@contextlib.asynccontextmanager
async def two_at_table(house: OpenHouse, **wanted: Any) -> AsyncIterator[TwoAtTable]:
    guests = await house.guests(2)
    table = await open_table(guests, **wanted)
    async with playing(*((guest, table) for guest in guests)) as players:
        yield TwoAtTable(house, guests, table, players)


def seat_clock(update: dict[str, Any], seat: int) -> dict[str, Any]:
    shown: dict[str, Any] = update["table"]["seats"][seat]["clock"]
    return shown


def status(update: dict[str, Any], seat: int) -> str:
    told: str = update["table"]["seats"][seat]["status"]
    return told


def waits_for(seat: int) -> Any:
    return lambda update: update["view"] and seat in update["view"]["waiting"]


async def own_moves(guest: Guest, table: str, seat: int) -> list[str]:
    moves: list[str] = (await aside(guest.get, f"/api/tables/{table}/record", seat=seat))["moves"]
    return moves


async def undo(player: Player, seat: int) -> dict[str, Any]:
    update = player.seen[seat].update
    await player.do("undo", seat=seat, prompt=update["prompt"])
    return await player.until(lambda now: now["prompt"] > update["prompt"], seat)


# Time that is up.


def test_when_time_is_up_the_stand_in_makes_this_one_decision(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            open_house(tmp_path) as house,
            two_at_table(house, pace={**LIVE, "reserve": 1}, absence=0) as at,
            two_at_table(house) as untimed,
        ):
            first, waiting = await untimed.start()
            assert seat_clock(waiting, first) is None
            seat, asked = await at.start()
            assert seat_clock(asked, seat) == {"reserve": 1.0, "until": house.clock.now() + 6}
            assert seat_clock(asked, 1 - seat) == {"reserve": 1.0, "until": None}
            await house.clock.move(5.9)
            assert await at.moves_of(seat) == []

            await house.clock.move(0.1)
            decided = await at.players[seat].until(lambda update: seat not in update["view"]["waiting"], seat)
            assert seat_clock(decided, seat) == {"reserve": 0.0, "until": None}
            assert status(decided, seat) == "present"
            made = await at.moves_of(seat)
            assert made

            again = await at.move_until(seat)
            assert seat_clock(again, seat)["until"] == again["now"] + 5
            await at.players[seat].move(seat)
            assert len(await at.moves_of(seat)) == len(made) + 1
            assert untimed.players[first].view(first) == waiting["view"]  # meanwhile nothing happened without a pace
            assert await untimed.moves_of(first) == []

    run(story())


def test_the_reserve_is_used_and_shown(tmp_path: Path) -> None:
    async def story() -> None:
        async with (
            open_house(tmp_path) as house,
            two_at_table(house, pace={**LIVE, "reserve": 20}, absence=0) as at,
        ):
            seat, asked = await at.start()
            assert seat_clock(asked, seat)["until"] == asked["now"] + 25
            await house.clock.move(6)  # a second more than it has without the reserve
            await at.players[seat].decide(seat)
            for viewer in (0, 1):
                update = await at.players[viewer].until(lambda update: seat not in update["view"]["waiting"], viewer)
                assert seat_clock(update, seat)["reserve"] == 19
            again = await at.move_until(seat)
            assert seat_clock(again, seat) == {"reserve": 19, "until": again["now"] + 24}

    run(story())


def test_taking_back_wins_no_time(tmp_path: Path) -> None:
    async def story() -> None:
        pace = {"kind": "live", "seconds": 60, "reserve": 60}
        async with open_house(tmp_path) as house, two_at_table(house, pace=pace, absence=0) as at:
            seat, asked = await at.start()
            player, end = at.players[seat], seat_clock(asked, seat)["until"]
            await house.clock.move(3)
            sent = await player.move(seat, "send")
            assert seat_clock(sent, seat)["until"] == end
            await undo(player, seat)
            await house.clock.move(3)
            await player.move(seat, "send")
            await house.clock.move(3)
            done = await player.move(seat, "done")
            assert seat_clock(done, seat)["until"] is None
            assert seat_clock(done, 1 - seat)["until"] == done["now"] + 120
            await house.clock.move(3)
            back = await undo(player, seat)
            assert seat_clock(back, seat)["until"] == end
            assert seat_clock(back, 1 - seat)["until"] is None

    run(story())


def test_time_in_which_no_server_runs_does_not_count(tmp_path: Path) -> None:
    """Those who are back and those who are not: a live game, one by letter, and one without a clock."""
    clock, down = HandClock(), 100.0
    people: list[Guest] = []
    tables: list[str] = []
    seats: list[int] = []
    ends: list[float] = []

    async def look(number: int) -> dict[str, Any]:
        update: dict[str, Any] = (await aside(people[seats[number]].get, f"/api/tables/{tables[number]}"))["updates"][0]
        return update

    async def moves(number: int) -> list[str]:
        return await own_moves(people[seats[number]], tables[number], seats[number])

    async def before() -> None:
        async with open_house(tmp_path, clock=clock) as house:
            people.extend(await house.guests(2))
            house.known.clear()  # they stay
            live, letters = {"kind": "live", "seconds": 8}, {"kind": "relaxed", "seconds": 3600}
            for pace in (live, live, letters, {}):
                tables.append(await open_table(people, pace=pace, absence=0))
                await aside(people[0].do, tables[-1], "start")
                (update,) = (await aside(people[0].get, f"/api/tables/{tables[-1]}"))["updates"]
                seats.append(update["view"]["waiting"][0])
                ends.append((seat_clock(update, seats[-1]) or {"until": 0.0})["until"])
            await clock.move(2)

    async def after(since: float) -> None:
        async with open_house(tmp_path, clock=clock) as house:
            for guest in people:
                await aside(guest.move_to, house.url)
            async with playing(*((guest, tables[0]) for guest in people)) as players:
                update = await players[seats[0]].until(waits_for(seats[0]), seats[0])
                later = seat_clock(update, seats[0])["until"] - ends[0]
                assert since <= later <= since + GAP, "the time between two signs of life may count or not"
                await clock.move(8 - 2 - GAP)
                assert [await moves(number) for number in range(4)] == [[]] * 4
                await clock.move(2 * GAP + 1)
                assert await moves(0)
                assert await moves(1), "also where nobody looks on, a stand-in decides in the end"
            assert since <= seat_clock(await look(2), seats[2])["until"] - ends[2] <= since + GAP
            assert await moves(2) == []
            assert seat_clock(await look(3), seats[3]) is None
            assert await moves(3) == []
            for guest in people:
                guest.close()

    run(before())
    clock = moved_on(clock, down)
    run(after(down))


def moved_on(clock: HandClock, seconds: float) -> HandClock:
    """The same time and so much more, for another loop."""
    later = HandClock()
    later.passed = clock.passed + seconds
    return later


def test_while_the_store_does_not_answer_clocks_stand(tmp_path: Path) -> None:
    """What a house takes for an outage that goes on."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            assert house.services.outages == []
            await house.clock.move(30)
            assert house.services.outages == [], "it gave signs of life"
            house.services.beaten -= GAP + 1
            [outage] = house.services.outages
            assert (outage.began, outage.ended) == (house.services.beaten, house.clock.now())

    run(story())


# Seats that bots hold.


def test_a_late_answer_of_a_bot_is_dropped_once_the_seat_was_taken_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house, two_at_table(house) as at:
            seat, asked = await at.start()
            player = at.players[seat]
            house.bots.let(0)
            await player.do("hand_over", seat=seat)
            held = await player.until(lambda update: status(update, seat) == "held", seat)
            assert held["table"]["seats"][seat]["level"] == held["table"]["stand_in"]
            assert house.bots.thinking
            await player.do("take_back", seat=seat)
            await player.until(lambda update: status(update, seat) == "present", seat)
            house.bots.let(math.inf)
            await house.clock.settle()
            assert not house.bots.thinking
            assert await at.moves_of(seat) == []
            update = await player.move(seat)
            assert update["prompt"] == asked["prompt"] + 1

    run(story())


def test_a_move_takes_the_seat_back_from_a_bot_that_still_thinks(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house, two_at_table(house) as at:
            seat, _ = await at.start()
            player = at.players[seat]
            house.bots.let(0)
            await player.do("hand_over", seat=seat)
            await player.until(lambda update: status(update, seat) == "held", seat)
            assert house.bots.thinking
            moved = await player.move(seat)
            assert status(moved, seat) == "present"
            house.bots.let(math.inf)
            await house.clock.settle()
            assert len(await at.moves_of(seat)) == 1

    run(story())


def test_a_seat_is_handed_over_by_its_person_or_for_who_is_away_by_the_owner(tmp_path: Path) -> None:
    """Somebody who is there plays: else the owner could choose a weak bot for whoever is about to win."""

    async def story() -> None:
        async with open_house(tmp_path) as house, two_at_table(house, stand_in="random") as at:
            await at.start()
            owner, other = at.players
            with pytest.raises(Refusal) as refused:
                await other.do("hand_over", seat=0)
            assert refused.value.key == "not_the_owner"
            with pytest.raises(Refusal) as refused:
                await owner.do("hand_over", seat=1)
            assert refused.value.key == "person_present"
            assert "is here" in refused.value.reason["text"]
            answer = await aside(
                at.guests[0].http.post,
                f"/api/tables/{at.table}",
                json={"type": "hand_over", "id": "again", "seat": 1},
                headers={"Accept-Language": "pl"},
            )
            assert (answer.status_code, "jest przy stole" in answer.text) == (403, True)
            assert status(owner.seen[0].update, 1) == "present"
            await other.leave()
            await house.clock.move(GRACE)
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

    run(story())


# People who are away.


def test_who_loses_their_connection_and_is_back_at_once_was_never_away(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house, two_at_table(house) as at:
            await at.start()
            stayed, left = at.players
            await left.leave()
            await house.clock.move(GRACE - 0.1)
            await left.connect()
            await house.clock.move(GRACE)
            assert status(stayed.seen[0].update, 1) == "present"
            await left.leave()
            await house.clock.move(GRACE - 0.1)
            assert status(stayed.seen[0].update, 1) == "present"
            await house.clock.move(0.1)
            await stayed.until(lambda update: status(update, 1) == "away", 0)

    run(story())


def test_a_bot_stands_in_for_who_is_away_for_too_long_until_they_come_back(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house, two_at_table(house, absence=10) as at:
            await at.start()
            stayed, left = at.players
            await left.leave()
            await house.clock.move(GRACE + 9.9)
            assert status(stayed.seen[0].update, 1) == "away"
            assert await at.moves_of(1) == []
            await house.clock.move(0.1)
            await stayed.until(lambda update: status(update, 1) == "held", 0)
            while not await at.moves_of(1):  # the bot plays when it is its turn
                await stayed.until(waits_for(0), 0)
                await stayed.move(0)
            await left.connect()
            await left.until(lambda update: status(update, 1) == "held", 1)  # coming back alone changes nothing
            await left.do("take_back", seat=1)
            await left.until(lambda update: status(update, 1) == "present", 1)
            await stayed.until(lambda update: status(update, 1) == "present", 0)

    run(story())


def test_a_table_that_everybody_left_is_played_to_its_end_while_somebody_looks_at_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            async with two_at_table(house, absence=int(VISIT_SECONDS)) as at:
                await at.start()
            await house.clock.move(GRACE + VISIT_SECONDS)
            live = await house.tables.find(at.table)
            assert [seat.held for seat in live.document.seats] == ["greedy", "greedy"]
            assert live.document.stage == "playing"
            await aside(at.guests[0].get, f"/api/tables/{at.table}")
            async with asyncio.timeout(60):
                while live.document.stage != "over":
                    await house.clock.settle()

    run(story())


def test_who_does_not_come_back_after_their_server_died_is_away_and_then_stood_in_for(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house, two_at_table(house, absence=10) as at:
            await at.start()
            stayed, left = at.players
            lose_server(at)
            await house.clock.move(1.0)
            await stayed.until(lambda update: status(update, 1) == "away", 0)
            await house.clock.move(10)
            await stayed.until(lambda update: status(update, 1) == "held", 0)
            await left.connect()
            await left.do("take_back", seat=1)
            await stayed.until(lambda update: status(update, 1) == "present", 0)

    def lose_server(at: TwoAtTable) -> None:
        """The second came through another, which is not there any more."""
        live = at.house.tables.live[at.table]
        live.document.seats[1].servers = ["another"]
        for viewer in list(live.presence.viewers):
            if viewer.person is not None and viewer.person.id == live.document.seats[1].person:
                live.presence.viewers.discard(viewer)

    run(story())


def test_who_plays_without_a_connection_has_a_whole_absence_from_their_last_command_on(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            guests = await house.guests(2)
            table = await open_table(guests, absence=10)
            house.bots.let(0)  # else both would be held, and the game over
            await aside(guests[0].do, table, "start")

            async def held() -> bool:
                return status((await aside(guests[1].get, f"/api/tables/{table}"))["updates"][0], 1) == "held"

            await house.clock.move(9.9)
            assert not await held()
            await house.clock.move(1.1)
            assert await held()
            await aside(guests[1].do, table, "take_back", seat=1)
            await house.clock.move(9.9)
            assert not await held()
            await house.clock.move(1.1)
            assert await held()

    run(story())


# Tables that nobody needs.


def test_a_table_stays_in_memory_for_as_long_as_somebody_may_need_it(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            async with two_at_table(house) as at:
                await house.clock.move(40)
                assert at.table in house.tables.live, "somebody looks on"
            await house.clock.move(29)
            assert at.table in house.tables.live
            await house.clock.move(3)
            assert at.table not in house.tables.live
            await aside(at.guests[0].get, f"/api/tables/{at.table}")
            assert at.table in house.tables.live

    run(story())
