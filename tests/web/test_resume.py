"""Stories without a browser: after a break only what is missing is sent, and who lacks too much begins anew."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.server.house import aside, open_house, run
from tests.server.playing import Guest, ServerProcess, serving
from tests.web.at_table import started
from tests.web.reading import NOWHERE, PageReader, kinds, play_a_move


def test_after_a_break_only_what_is_missing_is_sent(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo = await house.guests(2)
            table = await aside(started, ana, bo)
            page = await PageReader(ana, table).connect()
            whole = sum(map(len, page.received))
            await page.leave()
            for _ in range(2):
                await aside(play_a_move, table, [ana, bo])
            page.received.clear()
            await page.connect()
            assert set(kinds(page)) == {"step"}
            assert len(page.received) == 2
            assert max(map(len, page.received)) < whole / 2
            fresh = await PageReader(ana, table).connect()
            assert (page.page, page.told, page.chat) == (fresh.page, fresh.told, fresh.chat)
            await page.leave()
            page.received.clear()
            await page.connect()
            assert page.received == [], "nothing happened meanwhile"
            for one in (page, fresh):
                await one.leave()

    run(story())


def test_who_was_away_for_long_begins_anew(tmp_path: Path) -> None:
    """More happened than is remembered."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            ana, bo = await house.guests(2)
            table = await aside(started, ana, bo)
            page = await PageReader(ana, table).connect()
            await page.leave()
            for number in range(70):
                await aside(bo.do, table, "chat", text=f"line {number}")
            page.received.clear()
            await page.connect()
            assert kinds(page) == ["start"]
            assert len(page.chat) == 70
            await page.leave()

    run(story())


def test_after_a_restart_a_page_is_sent_everything(tmp_path: Path) -> None:
    async def first(server: ServerProcess) -> tuple[PageReader, Guest, str]:
        ana, bo = await aside(Guest, server.url), await aside(Guest, server.url)
        table = await aside(started, ana, bo)
        for _ in range(2):
            await aside(play_a_move, table, [ana, bo])
        page = await PageReader(ana, table).connect()
        await page.leave()
        return page, bo, table

    async def again(page: PageReader, bo: Guest, table: str) -> None:
        had = page.page, page.told
        assert page.place != NOWHERE
        page.received.clear()
        await page.connect()
        assert kinds(page)[0] == "start"
        assert (page.page["view"], page.told) == (had[0]["view"], had[1])
        await aside(play_a_move, table, [page.guest, bo])
        await page.settled()
        assert kinds(page)[-1] == "step"
        await page.leave()

    with serving(tmp_path / "data") as server:
        page, bo, table = asyncio.run(first(server))
        assert server.stop() == 0
        server.start()
        asyncio.run(again(page, bo, table))
        for guest in (page.guest, bo):
            guest.close()
