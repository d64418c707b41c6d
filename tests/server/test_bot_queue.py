"""Whose bot thinks next: in the queue by itself, and at tables with real workers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import pytest

from polikarp.server.bots.queue import REMEMBERED, BotQueue
from polikarp.server.table.live import LiveTable
from polikarp.store import Change
from tests.server.house import House, aside, open_house, run
from tests.server.playing import PATIENCE, Guest, Player, playing


@dataclass
class Asked:
    number: int
    person: str
    table: str
    searching: bool = True
    again: bool = False


def queue_of(*questions: Asked) -> BotQueue[Asked]:
    queue: BotQueue[Asked] = BotQueue()
    for question in questions:
        queue.add(question)
    return queue


def order(queue: BotQueue[Asked]) -> list[int]:
    """One worker takes them all, one after the other."""
    taken = []
    while (question := queue.take()) is not None:
        queue.done(question)
        taken.append(question.number)
    return taken


def many(person: str, tables: int, first: int = 1) -> list[Asked]:
    return [Asked(first + number, person, f"{person}{number}") for number in range(tables)]


def test_who_asks_for_one_table_does_not_wait_for_somebodys_many() -> None:
    queue = queue_of(*many("ann", 25), Asked(26, "bob", "b"), Asked(27, "cid", "c"))
    assert order(queue) == [1, 26, 27, *range(2, 26)]


def test_people_take_turns_and_so_do_the_tables_of_each() -> None:
    ann = [Asked(1, "ann", "a"), Asked(2, "ann", "a"), Asked(3, "ann", "a"), Asked(4, "ann", "A")]
    bob = [Asked(5, "bob", "b"), Asked(6, "bob", "b"), Asked(7, "bob", "B")]
    assert order(queue_of(*ann, *bob)) == [1, 5, 4, 7, 2, 6, 3]


def test_who_has_fewer_bots_thinking_comes_first() -> None:
    queue = queue_of(*many("ann", 3), Asked(4, "bob", "b"), Asked(5, "bob", "B"))
    taken = [queue.take() for _ in range(3)]
    assert [one.number for one in taken if one is not None] == [1, 4, 2]
    assert taken[1] is not None
    queue.done(taken[1])
    assert order(queue) == [5, 3], "two of ann's are still thinking"


def test_quick_bots_go_before_those_that_search() -> None:
    queue = queue_of(*many("ann", 3), Asked(4, "bob", "b", searching=False), Asked(5, "ann", "a", searching=False))
    assert order(queue) == [4, 5, 1, 2, 3]


def test_a_question_that_lost_its_worker_is_asked_next() -> None:
    queue = queue_of(*many("ann", 2), Asked(3, "bob", "b", again=True), Asked(4, "cid", "c", searching=False))
    assert order(queue) == [4, 3, 1, 2]


def test_who_asks_again_and_again_does_not_come_before_who_waits() -> None:
    """Each of two has one worker's time in turn, although one asks anew only when it is answered."""
    queue = queue_of(*many("ann", 40))
    numbers = itertools.count(100)
    queue.add(Asked(next(numbers), "bob", "b"))
    served: Counter[str] = Counter()
    for _turn in range(40):
        question = queue.take()
        assert question is not None
        queue.done(question)
        served[question.person] += 1
        if question.person == "bob":
            queue.add(Asked(next(numbers), "bob", "b"))
    assert served == {"ann": 20, "bob": 20}


def test_what_nobody_wants_any_more_is_gone_and_nothing_is_remembered_for_ever() -> None:
    questions = many("ann", 3)
    queue = queue_of(*questions)
    queue.drop(questions[0])
    queue.drop(questions[0])
    assert order(queue) == [2, 3]
    for number in range(REMEMBERED + 100):
        queue.add(Asked(number, f"guest {number}", "t"))
        assert order(queue) == [number]
    assert not queue.thinking
    assert len(queue.served) == REMEMBERED


# At tables.

TABLES = 16  # of one guest, all with searching bots
WAITS = 8  # more of that guest's moves for each of somebody else's would be waiting in line


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.01)


async def bots_only(house: House, guest: Guest, level: str, **wanted: object) -> LiveTable:
    """A table at which only bots play, for somebody who looks on."""
    table = await aside(guest.table, seats=2, stand_in=level, **wanted)
    await aside(guest.do, table, "add_bot", level=level)
    await aside(guest.do, table, "start")
    await aside(guest.do, table, "hand_over", seat=0)
    return await house.tables.find(table)


@contextlib.asynccontextmanager
async def looking_on(guest: Guest, lanes: list[LiveTable]) -> AsyncIterator[list[Player]]:
    async with playing(*((guest, lane.id) for lane in lanes)) as players:
        yield players


@pytest.mark.parametrize(("level", "moves"), [("greedy", 6), ("strong", 3)])
def test_one_guests_many_tables_do_not_make_everybodys_bots_wait(tmp_path: Path, level: str, moves: int) -> None:
    async def live() -> None:
        async with open_house(tmp_path) as house:
            greedy, honest = await house.guests(2)
            many = [await bots_only(house, greedy, "strong") for _ in range(TABLES)]
            async with looking_on(greedy, many):
                await until(lambda: all(lane.step_count > 1 for lane in many))
                one = await bots_only(house, honest, level)
                async with looking_on(honest, [one]):
                    await until(lambda: one.step_count > 1)
                    before, had = sum(lane.step_count for lane in many), one.step_count
                    await until(lambda: one.step_count >= had + moves or one.document.stage == "over")
                    others = sum(lane.step_count for lane in many) - before
                    assert others < WAITS * (one.step_count - had)

    run(live())


# With nobody there.


def thinks(lane: LiveTable) -> bool:
    """A bot thinks here, or is to be asked without anybody coming."""
    return bool(lane.thinking.asked) or lane.due is not None


@pytest.fixture
def short_visits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who keeps no line is gone at once."""
    monkeypatch.setattr("polikarp.server.table.presence.VISIT_SECONDS", 0.3)


@pytest.mark.usefixtures("short_visits")
def test_bots_do_not_think_where_nobody_is_and_go_on_when_somebody_comes(tmp_path: Path) -> None:
    async def live() -> None:
        async with open_house(tmp_path) as house:
            guest, watcher = await house.guests(2)
            lane = await bots_only(house, guest, "strong")
            async with looking_on(guest, [lane]) as (player,):
                await player.until(lambda update: update["prompt"] > 1, 0)
            await until(lambda: not lane.document.seats[0].servers and not thinks(lane))
            assert lane.document.stage == "playing"
            had = lane.step_count
            async with looking_on(watcher, [lane]):  # also for who only watches
                await until(lambda: lane.step_count > had)
            await until(lambda: not thinks(lane))
            had = lane.step_count
            await house.tables.sweep()
            assert not thinks(lane)
            await aside(guest.http.get, f"/t/{lane.id}")  # also for a page without scripts
            await until(lambda: lane.step_count > had)

    run(live())


def test_a_server_where_nobody_is_does_not_put_the_bots_of_another_to_rest(tmp_path: Path) -> None:
    """It may have taken the other for dead, after an outage; then it writes that nothing is due."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            (guest,) = await house.guests(1)
            lane = await bots_only(house, guest, "strong")
            async with looking_on(guest, [lane]):
                await until(lambda: bool(lane.document.seats[0].servers and lane.thinking.asked))
                async with lane.lock:
                    had = lane.step_count
                    lane.thinking.rest()  # the store did not answer when the bot did
                    loaded = await house.services.store.read(lane.id)
                    assert loaded is not None
                    row = msgspec.structs.replace(loaded.row, version=loaded.row.version + 1, due=None)
                    await house.services.store.commit(Change(row=row))
                house.tables.heard(lane.id, row.version)
                await until(lambda: lane.step_count > had)

    run(live())


@pytest.mark.usefixtures("short_visits")
def test_where_a_clock_was_agreed_the_game_goes_on_without_anybody(tmp_path: Path) -> None:
    """A decision whose time is up is made, and the bot after it plays, so that the next clock runs."""

    async def live() -> None:
        async with open_house(tmp_path) as house:
            (guest,) = await house.guests(1)
            pace = {"kind": "live", "seconds": 5, "reserve": 0}
            table = await aside(guest.table, seats=2, pace=pace, absence=0, stand_in="random")
            await aside(guest.do, table, "add_bot", level="random")
            await aside(guest.do, table, "start")
            lane = await house.tables.find(table)

            def movers() -> set[int]:
                assert lane.table is not None
                return {step.seat for step in lane.table.steps}

            await until(lambda: movers() == {0, 1} and lane.document.seats[0].ticking)
            assert not lane.presence.viewers

    run(live())


@pytest.mark.usefixtures("short_visits")
def test_where_a_clock_was_agreed_and_bots_hold_all_seats_they_wait_too(tmp_path: Path) -> None:
    async def live() -> None:
        async with open_house(tmp_path) as house:
            (guest,) = await house.guests(1)
            lane = await bots_only(house, guest, "strong", pace={"kind": "live", "seconds": 5, "reserve": 0})
            await until(lambda: not thinks(lane))
            assert lane.document.stage == "playing"

    run(live())
