"""The leak test on the wire: two tables that differ only in what a seat may not know send it the same bytes.

One draw of the deal, or one move of somebody else, is altered; the rest is played alike. As long as a viewer's log
tells the same, every byte must be the same: updates, answers, refusals, the record so far, lists of tables.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from polikarp.engine.game import Game
from polikarp.engine.rng import ScriptError
from polikarp.engine.table import Table, make_seed
from polikarp.server.table import moves
from polikarp.server.table.document import Document
from tests.server.house import OpenHouse, aside, open_house, run
from tests.server.playing import Guest, Player, Refusal

SEED = make_seed("the same for both")
GAMES = 6
Dealer = Callable[[OpenHouse, list[list[int]] | None], None]


class Twin:
    """One of two tables that are played alike."""

    def __init__(self, table: str, game: str, players: dict[int | None, Player]) -> None:
        self.table = table
        self.game = game
        self.players = players
        self.asked: dict[int | None, list[str]] = {viewer: [] for viewer in players}

    def received(self, viewer: int | None) -> list[str]:
        """Everything that a viewer got, without the names of the table itself."""
        player = self.players[viewer]
        return [self.nameless(text) for text in (*player.received, *self.asked[viewer])]

    def nameless(self, text: str) -> str:
        text = re.sub(r'"(code|commitment)":"[A-Z0-9a-f]+"', '"name":"?"', text.replace(self.table, "?"))
        return re.sub(r'value="[0-9a-f]{8}-', 'value="', text)  # forms of a page have names of their own


async def sit_down(house: OpenHouse, guests: list[Guest], watcher: Guest, game: str, seats: int) -> Twin:
    table = await aside(guests[0].table, game=game, seats=seats)
    players: dict[int | None, Player] = {}
    for seat in range(seats):
        players[seat] = await Player(guests[seat], table).connect()
        if seat:
            await players[seat].do("sit", id="sit", seat=seat)
        await players[seat].until(lambda update: True, seat)
    players[None] = await Player(watcher, table).connect()
    await players[None].until(lambda update: True, None)
    return Twin(table, game, players)


async def begin(twin: Twin) -> None:
    """Start, and let everybody have the deal as one whole update: how updates fall together before is no matter."""
    await twin.players[0].do("start", id="start")
    for viewer, player in twin.players.items():
        await player.until(lambda update: update["view"], viewer)
        await player.connect(fresh=True)
        await player.until(lambda update: True, viewer)
    await settle(twin)
    for player in twin.players.values():
        player.received = player.received[-1:]


async def ask_everything(twin: Twin, viewer: int | None, guest: Guest) -> None:
    """What a viewer can also get: over HTTP, by asking, and by trying what is not allowed."""
    where = f"/api/tables/{twin.table}"
    page = f"/t/{twin.table}" if has_pages(twin) else where
    for path in (page, where, f"{where}/record", f"{where}/replay", f"{where}/replay?until=1&seat=0"):
        answer = await aside(guest.http.get, path)
        assert answer.status_code == (409 if "replay" in path else 200), answer.text[:300]
        twin.asked[viewer].append(answer.text)
    mine = (await aside(guest.http.get, "/api/mine")).json()
    about = [one | {"made": 0} for one in mine if one["id"] == twin.table]
    twin.asked[viewer].append(msgspec.json.encode(about).decode())
    player = twin.players[viewer]
    seat = 0 if viewer is None else viewer
    for number, move in enumerate(
        ("send 3x6 at A", "send 1x1 at D", "recover", "bid 12", "done", "look", "place 5 at 1a")
    ):
        for kind in ("why", "move"):
            with contextlib.suppress(Refusal):
                await player.do(
                    kind, id=f"try {kind} {number}", seat=seat, move=move, **({"prompt": -1} if kind == "move" else {})
                )


def has_pages(twin: Twin) -> bool:
    """Whether the game has pages; the game of bids has none."""
    return twin.game != "bids"


async def settle(twin: Twin) -> None:
    """Wait until everybody has the last update."""
    for viewer, player in twin.players.items():
        updates = (await aside(player.guest.get, f"/api/tables/{twin.table}"))["updates"]
        last = next(update["number"] for update in updates if update["seat"] == viewer)
        await player.until(lambda update, last=last: update["number"] >= last, viewer)


def told(twin: Twin, viewer: int | None) -> list[Any]:
    return twin.players[viewer].seen[viewer].log


@pytest.fixture
def dealt_with(monkeypatch: pytest.MonkeyPatch) -> Dealer:
    """Makes a house deal from the known seed, with the draws of the deal given or not."""

    def use(house: OpenHouse, script: list[list[int]] | None) -> None:
        def dealt_table(game: Game, draft: Document) -> Table:
            return Table(game, len(draft.seats), draft.options, SEED, script=script)

        monkeypatch.setattr(moves, "dealt_table", dealt_table)

    return use


def altered_deals(game: Game, seats: int, chance: random.Random) -> Iterator[list[list[int]]]:
    """Deals that differ from the seed's in one draw."""
    drawn = Table(game, seats, {}, SEED).dealt
    while True:
        at = chance.randrange(len(drawn))
        other = [*drawn[:at], chance.randrange(40), *drawn[at + 1 :]]
        try:
            Table(game, seats, {}, SEED, script=[other])
        except ScriptError:
            continue
        if other != drawn:
            yield [other]


@pytest.mark.parametrize(("name", "games"), [("crypt", GAMES), ("gold", GAMES // 2)])
def test_hidden_cards_do_not_show_in_any_byte(tmp_path: Path, dealt_with: Dealer, name: str, games: int) -> None:
    compared = 0

    async def story() -> None:
        nonlocal compared
        async with open_house(tmp_path) as house:
            game = house.services.games[name]
            for number in range(games):
                chance = random.Random(number)
                seats = max(2, game.seats[0]) + number % 2
                people = await house.guests(seats + 1)
                script = next(altered_deals(game, seats, chance))
                twins = []
                for deal in (None, script):
                    dealt_with(house, deal)
                    twin = await sit_down(house, people[:seats], people[-1], name, seats)
                    await begin(twin)
                    twins.append(twin)
                compared += await play_alike(twins, people, chance)
                for twin in twins:
                    for player in twin.players.values():
                        await player.leave()

    run(story())
    assert compared > 100, "there was something to compare"


def test_cards_that_are_still_to_come_do_not_show_in_any_byte(tmp_path: Path, dealt_with: Dealer) -> None:
    """hunters.32: page, update and record, for both players and who watches, before each card and after it."""
    compared = 0

    async def story() -> None:
        nonlocal compared
        async with open_house(tmp_path) as house:
            for number in range(GAMES // 2):
                people = await house.guests(3)
                script = next(altered_deals(house.services.games["hunters"], 2, random.Random(number)))
                tables = []
                for deal in (None, script):
                    dealt_with(house, deal)
                    tables.append(await aside(people[0].table, game="hunters", seats=2))
                    await aside(people[1].do, tables[-1], "sit")
                    await aside(people[0].do, tables[-1], "start", id="start")
                compared += await turn_up_alike(house, tables, people)

    run(story())
    assert compared > 20, "there was something to compare"


async def turn_up_alike(house: OpenHouse, tables: list[str], people: list[Guest]) -> int:
    """Card after card at both tables, as long as the cards are the same. Says how often all that was got was equal."""
    for card in range(30):
        await house.clock.move(0.2)  # until all may see the newest card
        got: list[list[str]] = [[], []]
        open_cards = []
        for twin, table in enumerate(tables):
            where = f"/api/tables/{table}"
            named = Twin(table, "hunters", {})
            for guest in people:
                for path in (where, f"/t/{table}", f"{where}/record"):
                    got[twin].append(named.nameless((await aside(guest.http.get, path)).text))
            update = (await aside(people[0].get, where))["updates"][0]
            open_cards.append(update["log"])
        if open_cards[0] != open_cards[1]:
            return card
        assert got[0] == got[1], f"before card {card + 1}"
        for table in tables:
            seat = (await aside(people[0].get, f"/api/tables/{table}"))["updates"][0]["view"]["board"]["turn"]
            if seat is None:
                return card
            update = (await aside(people[seat].get, f"/api/tables/{table}"))["updates"][0]
            fields = {"seat": seat, "prompt": update["prompt"], "move": "flip"}
            await flip(house, people[seat], table, id=f"flip {card}", **fields)
    return 30


async def flip(house: OpenHouse, guest: Guest, table: str, **fields: Any) -> None:
    """Somebody presses for the next card, which comes when its time has come."""
    referee = house.tables.live[table].referee
    assert referee is not None
    pressing = asyncio.create_task(aside(guest.do, table, "move", **fields))
    while referee.pressed is None and not pressing.done():
        await asyncio.sleep(0)
    await house.clock.move(0.6)
    await pressing


async def play_alike(twins: list[Twin], people: list[Guest], chance: random.Random) -> int:
    """Play the same moves at both tables and compare what everybody gets, as long as they were told the same."""
    one, other = twins
    viewers = set(one.players)
    compared = 0
    for step in range(25):
        for viewer in sorted(viewers, key=str):
            if told(one, viewer) != told(other, viewer):
                viewers.discard(viewer)  # from now on they may know
                continue
            for twin in twins:
                if step % 5 == 0:
                    await ask_everything(twin, viewer, people[-1 if viewer is None else viewer])
            assert one.received(viewer) == other.received(viewer), f"viewer {viewer} after {step} moves"
            compared += 1
        view = one.players[0].view(0)
        if not viewers or view["result"]:
            break
        seat = view["waiting"][0]
        move = chance.choice(one.players[seat].view(seat)["moves"])
        if seat not in other.players[0].view(0)["waiting"] or move not in other.players[seat].view(seat)["moves"]:
            break
        for twin in twins:
            prompt = twin.players[seat].seen[seat].update["prompt"]
            await twin.players[seat].do("move", id=f"move {step}", seat=seat, prompt=prompt, move=move)
            await settle(twin)
    return compared


def test_secret_choices_do_not_show_in_any_byte(tmp_path: Path, dealt_with: Dealer) -> None:
    """What others chose, whether they have, how often they changed their mind: nobody gets anything of it."""
    compared = 0

    async def story() -> None:
        nonlocal compared
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(4)
            for number in range(GAMES):
                chance = random.Random(number)
                twins = []
                for _ in range(2):
                    twin = await sit_down(house, people[:3], people[3], "bids", 3)
                    pace = {"kind": "live", "seconds": 60, "reserve": 60} if number % 2 else {"kind": "none"}
                    await twin.players[0].do("settings", id="settings", pace=pace)
                    await begin(twin)
                    twins.append(twin)
                # Seats 1 and 2 act differently at the two tables, and not all of them choose: nothing is shown yet.
                await house.clock.move(70)  # into the reserve: what is left of it is a secret too
                for twin in twins:
                    for step in range(chance.randrange(6)):
                        seat = 1 if step else chance.choice((1, 2))
                        player = twin.players[seat]
                        prompt = player.seen[seat].update["prompt"]
                        await player.do("move", seat=seat, prompt=prompt, move=f"bid {chance.randrange(10)}")
                        await player.until(lambda update, prompt=prompt: update["prompt"] > prompt, seat)
                    await twin.players[0].do("chat", id="chat", text="well?")
                    await settle(twin)
                for viewer in (0, None):
                    for twin in twins:
                        await ask_everything(twin, viewer, people[3 if viewer is None else viewer])
                    assert twins[0].received(viewer) == twins[1].received(viewer)
                    compared += 1
                for twin in twins:
                    for player in twin.players.values():
                        await player.leave()

    run(story())
    assert compared == 2 * GAMES


def test_the_comparison_can_fail(tmp_path: Path, dealt_with: Dealer) -> None:
    """A view that shows one hidden thing is found out."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            dealt_with(house, None)
            people = await house.guests(3)
            twins = []
            for bid in (3, 4):
                twin = await sit_down(house, people[:2], people[2], "bids", 2)
                await begin(twin)
                prompt = twin.players[1].seen[1].update["prompt"]
                await twin.players[1].do("move", id="bid", seat=1, prompt=prompt, move=f"bid {bid}")
                await settle(twin)
                twins.append(twin)
            assert twins[0].received(0) == twins[1].received(0)
            assert twins[0].received(1) != twins[1].received(1), "who bid knows"
            for twin in twins:
                for player in twin.players.values():
                    await player.leave()

    run(story())


def test_chance_is_not_foretold(tmp_path: Path) -> None:
    """The seed, and draws to come, are nowhere in what anybody gets before the end."""

    async def story() -> None:
        async with open_house(tmp_path) as house:
            people = await house.guests(3)
            twin = await sit_down(house, people[:2], people[2], "crypt", 2)
            await begin(twin)
            lane = await house.tables.find(twin.table)
            assert lane.document.seed is not None
            for viewer in twin.players:
                await ask_everything(twin, viewer, people[2 if viewer is None else viewer])
                everything = " ".join(twin.received(viewer))
                assert lane.document.seed.hex() not in everything
                assert '"drawn"' not in everything
                assert '"dealt"' not in everything
            for player in twin.players.values():
                await player.leave()

    run(story())
