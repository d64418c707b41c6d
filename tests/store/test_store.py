"""What every store promises, whatever it is made of."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from polikarp.store import (
    REMEMBERED,
    Change,
    CodeTaken,
    Conflict,
    Loaded,
    Outage,
    StoreDown,
    StoreError,
)
from tests.store.rows import line, opened, outcomes, step, table, turn, whole

DAY = 86400.0


async def test_what_was_written_is_read_back_exactly(place: str) -> None:
    change = Change(
        row=table(
            "tĄble-1",
            code="KRAK",
            public=False,
            changed=0.1 + 0.2,
            due=1e300,
            body=bytes(range(256)) * 5000,
            state=b"",
        ),
        steps=[
            step(0, seat=-1, move="", drawn=[], sealed=True),
            step(1, move=None, drawn=[0, -1, 2**62], events=b"\0\xff", mark="„żółw” 🐢"),
            step(2, strip=b"\0strip"),
            step(3, thoughts=b"thoughts\xff"),
        ],
        chat=[line(0, seat=None, text="line\none\ttwo 𝄞"), line(1, text="")],
        sitters=["ola", "ola", "jan"],
    )
    async with opened(place) as store:
        await store.commit(change)
        loaded = await store.read(change.row.id)
    assert loaded == Loaded(row=change.row, steps=change.steps, chat=change.chat)
    assert type(loaded.row.public) is type(loaded.steps[0].sealed) is bool


async def test_written_is_there_for_others_at_once_and_after_opening_again(place: str) -> None:
    async with opened(place) as store:
        await store.commit(turn("a", 1))
        await store.commit(turn("a", 2))
        async with opened(place, reading=True) as other:
            assert whole(seen := await other.read("a"))
            assert seen == await store.read("a")
    async with opened(place) as store:
        assert await store.read("a") == seen
        assert await store.read("b") is None


async def test_reading_from_a_number_on(place: str) -> None:
    async with opened(place) as store:
        for version in range(1, 13):
            await store.commit(turn("a", version))
        loaded = await store.read("a", steps_from=9, chat_from=11)
        assert loaded is not None
        assert [step.number for step in loaded.steps] == [9, 10, 11]
        assert [line.number for line in loaded.chat] == [11]


async def test_another_version_than_the_next_is_a_conflict(place: str) -> None:
    async with opened(place) as store:
        await store.commit(Change(row=table("a"), sitters=["ola"]))
        await store.commit(Change(row=table("a", 2)))
        for version in (-1, 0, 1, 2, 4, 5):
            stray = table("a", version, stage="over", body=b"other")
            with pytest.raises(Conflict):
                await store.commit(Change(row=stray, steps=[step(7)], chat=[line(7)], sitters=["jan"]))
        assert await store.read("a") == Loaded(row=table("a", 2), steps=[], chat=[])
        assert await store.list_of("jan", 9) == []
        assert [row.id for row in await store.list_of("ola", 9)] == ["a"]


async def test_a_name_that_no_table_can_have_is_not_there(place: str) -> None:
    async with opened(place) as store:
        for name in ("", "\0", "a\0b", "\ud83d", "\udcff"):
            assert await store.read(name) is None
            assert await store.find_code(name) is None
            assert await store.list_of(name, 9) == []


async def test_a_table_that_is_not_there_can_not_be_changed(place: str) -> None:
    async with opened(place) as store:
        with pytest.raises(Conflict):
            await store.commit(turn("a", 2))
        assert await store.read("a") is None


async def test_conflicts_in_a_group_leave_the_others_and_nothing_of_their_own(place: str) -> None:
    names = [f"t{number:02}" for number in range(60)]
    async with opened(place) as store:
        assert set(await outcomes(store, *(turn(name, 1) for name in names[:50]))) == {None}
        group = [turn(name, 2) for name in names]  # the last ten are not there yet: conflicts
        group[20:30] = [turn(name, 3) for name in names[20:30]]  # and these are ahead
        group[30:40] = [turn(name, 1) for name in names[30:40]]  # and these are there already
        came = await outcomes(store, *group)
        conflicts = [name for name, outcome in zip(names, came, strict=True) if outcome is not None]
        assert {type(outcome) for outcome in came} == {type(None), Conflict}
        assert conflicts == names[20:40] + names[50:]
        for name in names[:50]:
            loaded = await store.read(name)
            assert whole(loaded)
            assert loaded is not None
            assert loaded.row.version == (1 if name in conflicts else 2)
        assert await store.list_ids("", 100) == names[:50]


UNWRITABLE: dict[str, dict[str, Any]] = {
    "a step whose number is there": {"steps": [step(1), step(0)]},
    "a line whose number is there": {"chat": [line(1), line(0)]},
    "a NUL in the chat": {"chat": [line(1, text="a\0b")]},
    "a NUL in a name": {"chat": [line(1, name="\0")]},
    "a NUL in a move": {"steps": [step(1, move="\0")]},
    "a NUL in a mark": {"steps": [step(1, mark="\0")]},
    "half a character": {"chat": [line(1, text="\ud83d")]},
    "a number beyond all bounds": {"steps": [step(2**70)]},
    "no time": {"chat": [line(1, at=None)]},
}


async def test_what_can_not_be_written_fails_alone_and_whole(place: str) -> None:
    good = [f"good {number}" for number in range(len(UNWRITABLE))]
    async with opened(place) as store:
        await outcomes(store, *(turn(name, 1) for name in [*UNWRITABLE, *good]))
        group = [turn("not there", 2)]
        for name, bad in zip(good, UNWRITABLE, strict=True):
            group += [turn(name, 2), Change(row=table(bad, 2), sitters=["ola"], **UNWRITABLE[bad])]
        conflict, *came = await outcomes(store, *group)
        assert isinstance(conflict, Conflict)
        assert came[::2] == [None] * len(good)
        for bad, outcome in zip(UNWRITABLE, came[1::2], strict=True):
            assert isinstance(outcome, ValueError), bad
            loaded = await store.read(bad)
            assert whole(loaded), bad
            assert loaded is not None
            assert loaded.row.version == 1, bad
        assert all([whole(await store.read(name)) for name in good])
        assert await store.list_of("ola", 9) == []


async def test_changes_of_one_table_that_wait_together_are_written_in_their_order(place: str) -> None:
    async with opened(place) as store:
        assert await outcomes(store, *(turn("a", version) for version in range(1, 30))) == [None] * 29
        assert whole(await store.read("a"))
        came = await outcomes(store, *[turn("a", 30)] * 5)
        assert sorted(type(outcome).__name__ for outcome in came) == ["Conflict"] * 4 + ["NoneType"]


async def test_a_thousand_changes_at_once(place: str) -> None:
    names = [f"t{number:04}" for number in range(1000)]
    async with opened(place) as store:
        assert set(await outcomes(store, *(turn(name, 1) for name in names))) == {None}
        assert set(await outcomes(store, *(turn(name, 2) for name in names))) == {None}
        assert await store.list_ids("", 2000) == names
        loaded = await asyncio.gather(*map(store.read, names))
        assert all(map(whole, loaded))
        assert {table.row.version for table in loaded if table} == {2}


async def test_no_change_is_lost_between_many_who_change_the_same(place: str) -> None:
    async with opened(place) as store:
        await store.commit(turn("a", 1))
        conflicts = 0

        async def add_turns(count: int) -> None:
            nonlocal conflicts
            while count:
                loaded = await store.read("a")
                assert loaded is not None
                try:
                    await store.commit(turn("a", loaded.row.version + 1))
                    count -= 1
                except Conflict:
                    conflicts += 1

        await asyncio.gather(*(add_turns(10) for _ in range(8)))
        loaded = await store.read("a")
        assert whole(loaded)
        assert loaded is not None
        assert loaded.row.version == 81
        assert conflicts > 0


async def test_readings_are_of_one_moment_while_writing_goes_on(place: str) -> None:
    async with opened(place) as store, opened(place, reading=True) as other:
        await store.commit(turn("a", 1))
        writing = True

        async def write() -> None:
            nonlocal writing
            for version in range(2, 120):
                await store.commit(turn("a", version))
            writing = False

        async def read() -> set[int]:
            seen = set()
            while writing:
                for reader in (store, other):
                    loaded = await reader.read("a")
                    assert whole(loaded)
                    assert loaded is not None
                    seen.add(loaded.row.version)
            return seen

        _, *seen = await asyncio.gather(write(), read(), read(), read())
        assert len(set.union(*seen)) > 20, "the readings fell between the writings"


async def test_a_code_belongs_to_one_table(place: str) -> None:
    async with opened(place) as store:
        await store.commit(turn("a", 1, code="WAWEL"))
        assert await store.find_code("WAWEL") == "a"
        assert await store.find_code("wawel") is None
        with pytest.raises(CodeTaken):
            await store.commit(turn("b", 1, code="WAWEL"))
        assert await store.read("b") is None
        await store.commit(turn("b", 1, code="SMOK"))
        came = await outcomes(store, turn("b", 2, code="WAWEL"), turn("c", 1), turn("a", 2, code="WAWEL"))
        assert [type(outcome) for outcome in came] == [CodeTaken, type(None), type(None)]
        assert whole(await store.read("b"))
        with pytest.raises(Conflict) as again:
            await store.commit(turn("a", 1, code="WAWEL"))
        assert type(again.value) is Conflict, "its own code is not taken from it"
        await store.commit(turn("a", 3))
        assert await store.find_code("WAWEL") is None
        await store.commit(turn("d", 1, code="WAWEL"))
        assert await store.find_code("WAWEL") == "d"


async def test_two_new_tables_with_one_code_at_once(place: str) -> None:
    async with opened(place) as store:
        came = await outcomes(store, turn("a", 1, code="SMOK"), turn("b", 1, code="SMOK"), turn("c", 1))
        assert sorted(type(outcome).__name__ for outcome in came) == ["CodeTaken", "NoneType", "NoneType"]
        assert len(await store.list_ids("", 9)) == 2


async def test_tables_of_a_stage_the_newest_first(place: str) -> None:
    async with opened(place) as store:
        for name, changed, public in (("a", 3.0, True), ("b", 1.0, False), ("c", 2.0, True), ("d", 4.0, False)):
            await store.commit(turn(name, 1, changed=changed, public=public, stage="open"))
        await store.commit(turn("e", 1, changed=9.0, stage="playing"))
        assert [row.id for row in await store.list_stage("open", None, 9)] == ["d", "a", "c", "b"]
        assert [row.id for row in await store.list_stage("open", True, 9)] == ["a", "c"]
        assert [row.id for row in await store.list_stage("open", False, 1)] == ["d"]
        assert await store.list_stage("playing", True, 9) == [table("e", changed=9.0, stage="playing")]
        await store.commit(turn("b", 2, changed=5.0))
        await store.commit(turn("d", 2, changed=6.0, stage="playing"))
        assert [row.id for row in await store.list_stage("open", None, 2)] == ["b", "a"]
        assert await store.list_stage("over", None, 9) == []


async def test_tables_of_a_person_the_newest_first(place: str) -> None:
    async with opened(place) as store:
        await store.commit(Change(row=table("a", changed=1.0), sitters=["ola", "jan"]))
        await store.commit(Change(row=table("b", changed=3.0), sitters=["ola"]))
        await store.commit(Change(row=table("c", changed=2.0), sitters=["ola", "ewa"]))
        assert [row.id for row in await store.list_of("ola", 9)] == ["b", "c", "a"]
        assert [row.id for row in await store.list_of("ola", 2)] == ["b", "c"]
        await store.commit(Change(row=table("a", 2, changed=4.0)))
        assert [row.id for row in await store.list_of("jan", 9)] == ["a"]
        await store.commit(Change(row=table("a", 3, changed=5.0), sitters=["jan"]))
        await store.commit(Change(row=table("b", 2, changed=6.0), sitters=[]))
        assert await store.list_of("jan", 9) == [table("a", 3, changed=5.0)]
        assert [row.id for row in await store.list_of("ola", 9)] == ["c"]


async def test_tables_whose_time_has_come(place: str) -> None:
    async with opened(place) as store:
        for name, due in (("a", 30.0), ("b", 10.0), ("c", None), ("d", 20.0), ("e", 10.0)):
            await store.commit(turn(name, 1, due=due))
        assert await store.list_due(9.9, 9) == []
        assert await store.list_due(20.0, 9) == ["b", "e", "d"]
        assert await store.list_due(99.0, 3) == ["b", "e", "d"]
        await store.commit(turn("b", 2, due=None))
        assert await store.list_due(99.0, 9) == ["e", "d", "a"]


async def test_all_ids_in_parts(place: str) -> None:
    names = ["Zebra", "_", "aard", "a b", "żuk", "ABC", "abc", "ab-c"]
    async with opened(place) as store:
        await outcomes(store, *(turn(name, 1) for name in names))
        found: list[str] = []
        while part := await store.list_ids(found[-1] if found else "", 3):
            assert len(part) <= 3
            found += part
    assert found == sorted(names), "byte by byte, in every store"


async def test_a_fact_of_the_house_is_written_once(place: str) -> None:
    async with opened(place) as store:
        assert await store.keep("key", "first") == "first"
        assert await store.keep("key", "second") == "first"
        assert await asyncio.gather(*(store.keep("other", value) for value in "abcd")) in [[v] * 4 for v in "abcd"]
    async with opened(place) as store:
        assert await store.keep("key", "third") == "first"


async def test_a_first_beat_finds_no_outage(place: str) -> None:
    async with opened(place) as store:
        assert (await store.beat("one", 100.0)).outages == []
        beat = await store.beat("one", 104.9)
        assert (beat.alive, beat.outages) == (["one"], [])


async def test_a_server_that_slept_notes_an_outage(place: str) -> None:
    async with opened(place) as store:
        await store.beat("one", 100.0)
        assert (await store.beat("one", 105.0)).outages == []
        assert (await store.beat("one", 110.1)).outages == [Outage(105.0, 110.1)]
        assert (await store.beat("one", 111.0)).outages == [Outage(105.0, 110.1)]


async def test_from_the_leaving_to_the_next_beginning_is_an_outage(place: str) -> None:
    async with opened(place) as store:
        await store.beat("one", 100.0)
        await store.leave("one", 102.0)
    async with opened(place) as store:
        beat = await store.beat("two", 103.0)
        assert (beat.alive, beat.outages) == (["two"], [Outage(102.0, 103.0)])


async def test_after_a_crash_the_outage_begins_with_the_last_beat(place: str) -> None:
    async with opened(place) as store:
        await store.beat("one", 100.0)
        await store.beat("one", 101.0)
    async with opened(place) as store:
        beat = await store.beat("two", 200.0)
        assert (beat.alive, beat.outages) == (["two"], [Outage(101.0, 200.0)])


async def test_a_clock_set_back_makes_no_outage(place: str) -> None:
    async with opened(place) as store:
        await store.beat("one", 1000.0)
        assert (await store.beat("one", 100.0)).outages == []
        assert (await store.beat("one", 101.0)).outages == []
        assert (await store.beat("one", 200.0)).outages == [Outage(101.0, 200.0)]
    async with opened(place) as store:
        assert (await store.beat("two", 50.0)).outages == [Outage(101.0, 200.0)]


async def test_old_outages_are_forgotten(place: str) -> None:
    async with opened(place) as store:
        await store.beat("one", 0.0)
        await store.beat("one", 10.0)
        old, recent = Outage(0.0, 10.0), Outage(10.0, REMEMBERED)
        assert (await store.beat("one", REMEMBERED)).outages == [old, recent]
        beat = await store.beat("one", REMEMBERED + DAY)
        assert beat.outages == [recent, Outage(REMEMBERED, REMEMBERED + DAY)]


async def test_closing_finishes_what_was_begun(place: str) -> None:
    async with opened(place) as store:
        begun = [asyncio.ensure_future(store.commit(turn(f"t{number:03}", 1))) for number in range(300)]
        await asyncio.sleep(0)  # they have asked, and nothing more
    await asyncio.gather(*begun)
    with pytest.raises(StoreDown):
        await store.commit(turn("late", 1))
    with pytest.raises(StoreDown):
        await store.read("t000")
    async with opened(place) as store:
        assert len(await store.list_ids("", 999)) == 300


async def test_closing_twice_is_no_harm(place: str) -> None:
    async with opened(place) as store:
        await store.close()


async def test_who_stops_waiting_stops_nobody_else(place: str) -> None:
    async with opened(place) as store:
        waiting = [asyncio.ensure_future(store.commit(turn(name, 1))) for name in "abcdef"]
        await asyncio.sleep(0)
        for future in waiting[::2]:
            future.cancel()
        came = await asyncio.gather(*waiting, return_exceptions=True)
        assert came[1::2] == [None] * 3
        await store.commit(turn("g", 1))


async def test_for_reading_only(place: str) -> None:
    async with opened(place) as store:
        await store.commit(turn("a", 1))
        async with opened(place, reading=True) as reading:
            for writing in (
                reading.commit(turn("b", 1)),
                reading.beat("one", 1.0),
                reading.leave("one", 1.0),
                reading.keep("key", "value"),
                reading.fill([]),
            ):
                with pytest.raises(StoreError, match="open for reading only"):
                    await writing
            assert await reading.list_ids("", 9) == ["a"]
            await store.commit(turn("b", 1))
            assert await reading.list_ids("", 9) == ["a", "b"]


async def test_a_store_can_be_started_again(place: str) -> None:
    async with opened(place) as store:
        await store.commit(turn("a", 1))
        await store.close()
        await store.start()
        await store.commit(turn("a", 2))
        assert whole(await store.read("a"))
