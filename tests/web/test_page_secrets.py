"""The leak test on the page's socket: two tables that differ only in what a viewer may not know send it the same story.

As on the wire of programs (`tests/server/test_secrets.py`) one draw of the deal, or a secret choice of somebody else,
is altered and the rest is played alike. As long as a viewer was told the same, number, order and bytes of all messages
are the same. Only a story's name is random.
"""

from __future__ import annotations

import contextlib
import random
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.server.house import GENEROUS, WITHOUT_END, OpenHouse, aside, open_house, run
from tests.server.playing import Guest
from tests.server.test_melee_secrets import PRELUDE, TO_ATTACK, TO_CARDS, TO_NAMING, play
from tests.server.test_secrets import Dealer, Twin, altered_deals, begin, dealt_with, flip, settle, sit_down
from tests.web.reading import STORY, PageReader, kinds

__all__ = ["dealt_with"]

GAMES = 4
LIMITS = replace(GENEROUS, messages=WITHOUT_END)  # pages ask often here whether anything is on its way
LIVE = {"kind": "live", "seconds": 60, "reserve": 60}


class Twins:
    """Two tables that are played alike, with a page for everybody there."""

    def __init__(self, house: OpenHouse) -> None:
        self.house = house
        self.tables: list[Twin] = []
        self.pages: list[dict[int | None, PageReader]] = []
        self.kinds: set[str] = set()
        self.compared = 0

    async def add(self, twin: Twin, people: Sequence[Guest]) -> None:
        """`people`: one for each seat, and who watches."""
        viewers: list[int | None] = [*range(len(people) - 1), None]
        self.tables.append(twin)
        self.pages.append(
            {
                viewer: await PageReader(guest, twin.table).connect()
                for viewer, guest in zip(viewers, people, strict=True)
            }
        )

    async def settle(self) -> None:
        for twin, pages in zip(self.tables, self.pages, strict=True):
            await settle(twin)
            for page in pages.values():
                await page.settled()

    def stories(self, viewer: int | None) -> list[list[str]]:
        """What a viewer was sent at each of the tables, without the names of table and story."""
        found = []
        for twin, pages in zip(self.tables, self.pages, strict=True):
            texts = [twin.nameless(text) for text in pages[viewer].received]
            found.append([re.sub(r'"story":"[0-9a-f]+"', '"story":"?"', text) for text in texts])
            self.kinds |= set(kinds(pages[viewer]))
        return found

    def told_alike(self, viewer: int | None) -> bool:
        one, other = (pages[viewer].told for pages in self.pages)
        return one == other

    def compare(self, viewer: int | None, when: object) -> None:
        one, other = self.stories(viewer)
        assert one == other, f"viewer {viewer}, {when}"
        self.compared += 1

    async def everywhere(self, by: int, kind: str, **fields: Any) -> None:
        """The same at both tables."""
        for twin in self.tables:
            prompt = {"prompt": twin.players[by].seen[by].update["prompt"]} if kind == "move" else {}
            await twin.players[by].do(kind, **prompt, **fields)
        await self.settle()

    async def leave(self) -> None:
        for twin, pages in zip(self.tables, self.pages, strict=True):
            for page in pages.values():
                await page.leave()
            for player in twin.players.values():
                await player.leave()


@contextlib.asynccontextmanager
async def twins_in(house: OpenHouse) -> AsyncIterator[Twins]:
    twins = Twins(house)
    yield twins
    await twins.leave()


async def play_alike(twins: Twins, chance: random.Random) -> None:
    """The same moves, and now and then a line of chat or a muted seat, while anybody there was told the same."""
    one, other = twins.tables
    viewers = set(one.players)
    for step in range(25):
        viewers = {viewer for viewer in viewers if twins.told_alike(viewer)}  # the others may know from now on
        for viewer in viewers:
            twins.compare(viewer, f"after {step} moves")
        view = one.players[0].view(0)
        if not viewers or view["result"]:
            return
        if step % 5 == 0:
            await twins.everywhere(0, "chat", text=f"{step} moves")
            await twins.everywhere(0, "mute", seat=1, muted=step % 2 == 0)
        seat = view["waiting"][0]
        move = chance.choice(one.players[seat].view(seat)["moves"])
        if seat not in other.players[0].view(0)["waiting"] or move not in other.players[seat].view(seat)["moves"]:
            return
        await twins.everywhere(seat, "move", seat=seat, move=move)


@pytest.mark.parametrize("name", ["crypt", "gold"])
def test_hidden_cards_do_not_show_on_the_page_socket(tmp_path: Path, dealt_with: Dealer, name: str) -> None:
    compared = 0
    seen: set[str] = set()

    async def story() -> None:
        nonlocal compared
        async with open_house(tmp_path, limits=LIMITS) as house:
            game = house.services.games[name]
            for number in range(GAMES):
                chance = random.Random(number)
                seats = max(2, game.seats[0]) + number % 2
                people = await house.guests(seats + 1)
                async with twins_in(house) as twins:
                    for deal in (None, next(altered_deals(game, seats, chance))):
                        dealt_with(house, deal)
                        twin = await sit_down(house, people[:seats], people[-1], name, seats)
                        await begin(twin)
                        await twins.add(twin, people)
                    await play_alike(twins, chance)
                compared += twins.compared
                seen.update(twins.kinds)

    run(story())
    assert compared > 60, "there was something to compare"
    assert seen == set(STORY)


def test_cards_to_come_do_not_show_on_the_page_socket(tmp_path: Path, dealt_with: Dealer) -> None:
    """hunters.32: of both players and who watches, before each card and after it."""
    compared = 0

    async def story() -> None:
        nonlocal compared
        async with open_house(tmp_path, limits=LIMITS) as house:
            for number in range(GAMES):
                people = await house.guests(3)
                async with twins_in(house) as twins:
                    for deal in (None, next(altered_deals(house.services.games["hunters"], 2, random.Random(number)))):
                        dealt_with(house, deal)
                        table = await aside(people[0].table, game="hunters", seats=2, options={"pace": 5})
                        await aside(people[1].do, table, "sit")
                        await aside(people[0].do, table, "start", id="start")
                        await twins.add(Twin(table, "hunters", {}), people)
                    await turn_up_alike(twins, people)
                compared += twins.compared

    run(story())
    assert compared > 60, "there was something to compare"


async def turn_up_alike(twins: Twins, people: list[Guest]) -> None:
    """Card after card at both tables, as long as the cards are the same."""
    for card in range(30):
        for twin, pages in zip(twins.tables, twins.pages, strict=True):
            await twins.house.clock.move(0.2)  # until all may see the newest card
            for page in pages.values():
                await page.settled()
        if not twins.told_alike(None):
            return
        for viewer in (0, 1, None):
            twins.compare(viewer, f"before card {card + 1}")
        for twin in twins.tables:
            seat = (await aside(people[0].get, f"/api/tables/{twin.table}"))["updates"][0]["view"]["board"]["turn"]
            if seat is None:
                return
            update = (await aside(people[seat].get, f"/api/tables/{twin.table}"))["updates"][0]
            fields = {"seat": seat, "prompt": update["prompt"], "move": "flip"}
            await flip(twins.house, people[seat], twin.table, id=f"flip {card}", **fields)


@pytest.mark.parametrize(
    ("moves", "place", "choices"),
    [
        (PRELUDE, 1, ("bid 0", "bid 7")),
        (TO_CARDS, 1, ("choose tax", "choose recruit")),
        (TO_ATTACK, 0, ("stake 1", "stake 4")),
        (TO_NAMING, 1, ("name 2", "name 5")),
    ],
    ids=["bid", "card", "stake", "guess"],
)
def test_a_secret_choice_in_melee_does_not_show_on_the_page_socket(
    tmp_path: Path, dealt_with: Dealer, moves: list[tuple[int, str]], place: int, choices: tuple[str, str]
) -> None:
    """melee.80"""

    async def story() -> None:
        async with open_house(tmp_path, limits=LIMITS) as house:
            dealt_with(house, None)
            people = await house.guests(3)
            async with twins_in(house) as twins:
                for choice in choices:
                    twin = await sit_down(house, people[:2], people[2], "melee", 2)
                    await begin(twin)
                    await twins.add(twin, people)
                    first = twin.players[0].view(0)["waiting"][0]
                    await play(twin, [*moves, (place, choice)], first)
                await twins.settle()
                chooser = (place + first) % 2
                one, other = twins.stories(chooser)
                assert one != other, "who chose knows"
                for viewer in (1 - chooser, None):
                    twins.compare(viewer, choices)
                assert "step" in twins.kinds

    run(story())


@pytest.mark.parametrize("pace", [{"kind": "none"}, LIVE], ids=["no clocks", "clocks"])
def test_secret_choices_do_not_show_on_the_page_socket(
    tmp_path: Path, dealt_with: Dealer, pace: dict[str, Any]
) -> None:
    """What others chose, whether they have, how often they changed their mind: no page gets anything of it."""

    async def story() -> None:
        async with open_house(tmp_path, limits=LIMITS) as house:
            dealt_with(house, None)
            people = await house.guests(4)
            for number in range(GAMES):
                chance = random.Random(number)
                async with twins_in(house) as twins:
                    for _ in range(2):
                        twin = await sit_down(house, people[:3], people[3], "bids", 3)
                        await twin.players[0].do("settings", id="settings", pace=pace)
                        await begin(twin)
                        await twins.add(twin, people)
                    await house.clock.move(70.0)  # into the reserve: what is left of it is a secret too
                    for twin in twins.tables:
                        for step in range(chance.randrange(6)):
                            await bid(twin, 1 if step else chance.choice((1, 2)), chance.randrange(10))
                    await twins.everywhere(0, "chat", text="well?")
                    for viewer in (0, None):
                        twins.compare(viewer, f"game {number}")
                        assert kinds(twins.pages[0][viewer])[-1] == "chat"

    run(story())


async def bid(twin: Twin, seat: int, coins: int) -> None:
    player = twin.players[seat]
    prompt = player.seen[seat].update["prompt"]
    await player.do("move", seat=seat, prompt=prompt, move=f"bid {coins}")
    await player.until(lambda update: update["prompt"] > prompt, seat)


def test_who_chose_last_does_not_show_on_the_page_socket(tmp_path: Path, dealt_with: Dealer) -> None:
    """All bids are shown with the last one. Whose that was, is nobody else's business."""

    async def story() -> None:
        async with open_house(tmp_path, limits=LIMITS) as house:
            dealt_with(house, None)
            people = await house.guests(4)
            async with twins_in(house) as twins:
                for order in ((0, 1, 2), (0, 2, 1)):
                    twin = await sit_down(house, people[:3], people[3], "bids", 3)
                    await begin(twin)
                    await twins.add(twin, people)
                    for seat in order:
                        await bid(twin, seat, seat)
                await twins.settle()
                for viewer in (0, None):
                    twins.compare(viewer, "all have bid")
                    assert twins.pages[0][viewer].page["view"]["board"]["round"] == 1, "the bids were shown"

    run(story())


def test_a_watchers_page_has_no_seed_no_shares_and_no_hand(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path, limits=LIMITS) as house:
            people = await house.guests(3)
            async with twins_in(house) as twins:
                twin = await sit_down(house, people[:2], people[2], "crypt", 2)
                await begin(twin)
                await twins.add(twin, people)
                document = (await house.tables.find(twin.table)).document
                assert document.seed is not None
                for _ in range(12):
                    seat = twin.players[0].view(0)["waiting"][0]
                    await twins.everywhere(seat, "move", seat=seat, move=twin.players[seat].view(seat)["moves"][0])
                    everything = " ".join(text for page in twins.pages[0].values() for text in page.received)
                    watched = " ".join(twins.pages[0][None].received)
                    assert document.seed.hex() not in everything
                    for one in document.seats:
                        assert one.share == "" or one.share not in everything
                        assert one.person == "" or one.person not in everything
                    assert twins.pages[0][None].page["view"] == twin.players[None].view(None)
                    assert '"moves":[]' in watched
                    for other in (0, 1):
                        assert twins.pages[0][other].page["view"] == twin.players[other].view(other)

    run(story())


def test_who_sits_down_reads_no_longer_what_watchers_read(tmp_path: Path) -> None:
    async def story() -> None:
        async with open_house(tmp_path, limits=LIMITS) as house:
            ana, bo, carol = await house.guests(3)
            table = await aside(ana.table, game="crypt", seats=2)
            watching = [await PageReader(guest, table).connect() for guest in (bo, carol)]
            assert watching[0].place["story"] == watching[1].place["story"], "watchers share one"
            await aside(bo.do, table, "sit")
            for page in watching:
                await page.settled()
            assert watching[0].place["story"] != watching[1].place["story"]
            assert kinds(watching[0]) == ["start", "start"]
            assert kinds(watching[1]) == ["start", "change"]
            await aside(ana.do, table, "start")
            for page in watching:
                await page.settled()
            seated, watcher = watching
            assert (seated.page["viewer"], seated.page["mine"]) == (1, [1])
            assert (watcher.page["viewer"], watcher.page["mine"], watcher.page["view"]["moves"]) == (-1, [], [])
            assert watcher.page["view"] == (await aside(carol.get, f"/api/tables/{table}"))["updates"][0]["view"]
            for page in watching:
                await page.leave()

    run(story())


def test_under_the_curtain_the_socket_has_the_watchers_page(tmp_path: Path) -> None:
    """Two seats at one screen: nothing of either comes before it is asked for, and nothing once it has decided."""

    async def story() -> None:
        async with open_house(tmp_path, limits=LIMITS) as house:
            ana, watcher = await house.guests(2)
            table = await aside(ana.table, game="crypt", seats=2)
            await aside(ana.do, table, "sit")
            await aside(ana.do, table, "start")
            screen = await PageReader(ana, table).connect()
            watched = await PageReader(watcher, table).connect()
            curtains = 0
            for _ in range(12):
                assert screen.page["view"] == watched.page["view"]
                assert screen.told == watched.told
                assert (screen.page["viewer"], screen.page["curtain"], screen.page["seat"]) == (-1, True, None)
                seat = screen.page["next"]
                await screen.send({"seat": str(1 - seat)}, "show")
                await screen.settled()
                assert screen.page["viewer"] == -1, "only who is to decide can be looked at"
                await screen.send({"seat": str(seat)}, "show")
                await screen.settled()
                assert (screen.page["viewer"], screen.page["curtain"]) == (seat, False)
                assert msgspec.json.decode(screen.received[-1])["type"] == "start", "another viewer has another story"
                lifted = len(screen.received)
                while screen.page["viewer"] == seat:
                    prompt, move = str(screen.page["prompt_id"]), screen.page["view"]["moves"][0]
                    await screen.send({"id": prompt, "seat": str(seat), "prompt": prompt, "move": move}, "move")
                    await screen.settled()
                    assert screen.said[-1]["type"] == "done"
                    await watched.settled()
                curtains += 1
                assert kinds(screen)[lifted:][-1] == "start", "with the curtain all begins anew"
            assert curtains == 12
            for page in (screen, watched):
                await page.leave()

    run(story())
