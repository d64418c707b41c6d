"""Bots at tables: whose think, and that none does where nobody is."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest

from polikarp.server.table.live import LiveTable
from polikarp.server.table.presence import VISIT_SECONDS
from polikarp.store import Change
from tests.server.house import OpenHouse, aside, open_house, run
from tests.server.playing import Guest, Player, eventually, playing

TABLES = 16  # of one guest, all with searching bots


WAITS = 8  # more of that guest's moves for each of somebody else's would be waiting in line


async def bots_only(house: OpenHouse, guest: Guest, level: str, **wanted: object) -> LiveTable:
    """A table at which only bots play, for somebody who looks on."""
    table = await aside(guest.table, seats=2, stand_in=level, **wanted)
    await aside(guest.do, table, "add_bot", level=level)
    await aside(guest.do, table, "start")
    await aside(guest.do, table, "hand_over", seat=0)
    return await house.tables.find(table)


@contextlib.asynccontextmanager
async def looking_on(guest: Guest, tables: list[LiveTable]) -> AsyncIterator[list[Player]]:
    async with playing(*((guest, live.id) for live in tables)) as players:
        yield players


@pytest.mark.parametrize(("level", "moves"), [("greedy", 6), ("strong", 3)])
def test_one_guests_many_tables_do_not_make_everybodys_bots_wait(tmp_path: Path, level: str, moves: int) -> None:
    async def story() -> None:
        async with open_house(tmp_path, bot_processes=True) as house:
            greedy, honest = await house.guests(2)
            many = [await bots_only(house, greedy, "strong") for _ in range(TABLES)]
            async with looking_on(greedy, many):
                await eventually(lambda: all(live.step_count > 1 for live in many))
                one = await bots_only(house, honest, level)
                async with looking_on(honest, [one]):
                    await eventually(lambda: one.step_count > 1)
                    before, had = sum(live.step_count for live in many), one.step_count
                    await eventually(lambda: one.step_count >= had + moves or one.document.stage == "over")
                    others = sum(live.step_count for live in many) - before
                    assert others < WAITS * (one.step_count - had)

    run(story())


def thinks(live: LiveTable) -> bool:
    """A bot thinks here, or is to be asked without anybody coming."""
    return bool(live.thinking.asked) or live.due is not None


def test_bots_do_not_think_where_nobody_is_and_go_on_when_somebody_comes(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            house.bots.let(0)
            guest, watcher = await house.guests(2)
            live = await bots_only(house, guest, "greedy")
            async with looking_on(guest, [live]) as (player,):
                house.bots.let(1)
                await player.until(lambda update: update["prompt"] > 1, 0)
                await house.clock.move(2 * VISIT_SECONDS)
                assert thinks(live), "somebody looks on"
            await house.clock.move(VISIT_SECONDS)
            assert not live.document.seats[0].servers
            assert not thinks(live)
            assert not house.bots.thinking
            assert live.document.stage == "playing"
            live = await house.tables.find(live.id)
            had = live.step_count
            async with looking_on(watcher, [live]) as (player,):  # also for who only watches
                house.bots.let(1)
                await eventually(lambda: live.step_count > had)
            await house.clock.move(VISIT_SECONDS + 1)
            live = await house.tables.find(live.id)
            assert not thinks(live)
            had = live.step_count
            house.bots.let(1)
            await house.clock.move(5)
            assert live.step_count == had
            await aside(guest.http.get, f"/t/{live.id}")  # also for a page without scripts
            await eventually(lambda: live.step_count > had)

    run(story())


def test_a_server_where_nobody_is_does_not_put_the_bots_of_another_to_rest(tmp_path: Path) -> None:
    """It may have taken the other for dead, after an outage; then it writes that nothing is due."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            house.bots.let(0)
            (guest,) = await house.guests(1)
            live = await bots_only(house, guest, "greedy")
            async with looking_on(guest, [live]):
                await eventually(lambda: live.document.seats[0].servers and live.thinking.asked)
                async with live.lock:
                    had = live.step_count
                    live.thinking.rest()  # the store did not answer when the bot did
                    loaded = await house.services.store.read(live.id)
                    assert loaded is not None
                    row = msgspec.structs.replace(loaded.row, version=loaded.row.version + 1, due=None)
                    await house.services.store.commit(Change(row=row))
                house.bots.let(1)
                house.tables.heard(live.id, row.version)
                await eventually(lambda: live.step_count > had)

    run(story())


def test_where_a_clock_was_agreed_the_game_goes_on_without_anybody(tmp_path: Path) -> None:
    """A decision whose time is up is made, and the bot after it plays, so that the next clock runs."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            (guest,) = await house.guests(1)
            pace = {"kind": "live", "seconds": 45, "reserve": 0}
            table = await aside(guest.table, seats=2, pace=pace, absence=0, stand_in="random")
            await aside(guest.do, table, "add_bot", level="random")
            await aside(guest.do, table, "start")
            await house.clock.move(VISIT_SECONDS)  # nobody has looked for a while
            had = (await house.tables.find(table)).step_count
            await house.clock.move(100)
            live = await house.tables.find(table)
            assert live.table is not None
            assert not live.presence.viewers
            assert {step.seat for step in live.table.steps[had - 1 :]} == {0, 1}

    run(story())


def test_where_a_clock_was_agreed_and_bots_hold_all_seats_they_wait_too(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            house.bots.let(0)
            (guest,) = await house.guests(1)
            live = await bots_only(house, guest, "greedy", pace={"kind": "live", "seconds": 5, "reserve": 0})
            assert thinks(live)
            await house.clock.move(VISIT_SECONDS + 6)
            assert not thinks(live)
            assert live.document.stage == "playing"

    run(story())
