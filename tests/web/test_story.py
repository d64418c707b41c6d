"""Stories: a page that was sent once and then only what differs, in steps and their beats, is the page that is made
directly. Followed by the client's own code, in Node.js, over whole recorded games, for every seat and a watcher.

Some games of each kind are followed; with `--long` it is all of them.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as any_of
from msgspec.structs import replace

from polikarp.engine.game import Played
from polikarp.engine.phrase import Phrase
from polikarp.engine.record import Record, RecordedMove
from polikarp.engine.state import WATCHER, bit
from polikarp.games import all_games
from polikarp.server import messages as say
from polikarp.server.bots.pool import BotWorkers
from polikarp.server.house import House
from polikarp.server.identity import Person, Signer, house_key
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.live import LiveTable
from polikarp.server.table.moves import dealt, parsed, played, prepared, taken_back
from polikarp.server.table.opening import new_document, open_table
from polikarp.store.opening import open_store
from polikarp.web.shown import plainly
from polikarp.web.story import Stories, changed, plain
from polikarp.web.table_page import TablePage
from tests.test_playthroughs import RECORDS, load
from tests.web.node import answers, bundled
from tests.web.reading import applied

FOLLOWED = ("crypt-1-A", "crypt-3-B", "gold-4-both", "hunters-3-calm", "melee-3-advanced", "melee-ending-castle")

# Of numbers and truths that Python takes for equal a page has only one kind in each place.
ATOMS = any_of.none() | any_of.booleans() | any_of.integers(2, 9) | any_of.text("ab[]{}", max_size=3)
DATA = any_of.recursive(
    ATOMS,
    lambda inner: (
        any_of.lists(inner, max_size=3) | any_of.dictionaries(any_of.text("xy0", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bundled("story.ts", tmp_path_factory.mktemp("story"))


@given(DATA, DATA)
def test_what_differs_makes_new_data_of_old(old: Any, new: Any) -> None:
    difference = changed(old, new)
    assert (difference is None) == (old == new)
    assert difference is None or applied(old, difference) == new


def like(chance: random.Random, data: Any) -> Any:
    """The same with something changed, or lost."""
    if isinstance(data, dict) and data and chance.random() < 0.8:
        return {**data, (name := chance.choice(list(data))): like(chance, data[name])}
    if isinstance(data, list) and data and chance.random() < 0.8:
        at = chance.randrange(len(data))
        return [*data[:at], *([like(chance, data[at])] if chance.random() < 0.8 else []), *data[at + 1 :]]
    return chance.choice([None, True, 7, "ż</script>", [], [[]], {"0": [1]}, {}])


def test_browsers_make_the_same_of_it(client: Path) -> None:
    chance = random.Random(1)
    data: Any = {"view": {"board": [[1, {"a": None}], "x", [2, 3]], "0": {"1": [True]}}, "moves": ["a", "b"]}
    cases, right = [], []
    for _ in range(500):
        new = like(chance, data)
        difference = changed(data, new)
        if difference is not None:
            cases.append({"old": data, "difference": difference})
            right.append(new)
        data = new if isinstance(new, dict) and len(msgspec.json.encode(new)) > 30 else data
    assert len(cases) > 200
    assert answers("story.mjs", [client], cases) == right


def hash_of(data: Any) -> str:
    """As `story.mjs` has it."""
    return hashlib.sha256(msgspec.json.encode(written(plain(data)))).hexdigest()


def written(data: Any) -> Any:
    """A browser knows one kind of numbers: 1.0 is written 1. Fields have no order."""
    if isinstance(data, dict):
        return [[name, written(data[name])] for name in sorted(data)]
    if isinstance(data, list | tuple):
        return [written(value) for value in data]
    return int(data) if isinstance(data, float) and data.is_integer() else data


class Expected(NamedTuple):
    """What a viewer's page must be made of after a message; `beats`: what is told, and the page then."""

    page: str
    told: list[Any]
    beats: list[dict[str, Any]]


class Reader:
    """Somebody at the table, who gets what their story lacks and knows what must come of it."""

    def __init__(self, stories: Stories, live: LiveTable, viewer: int, person: Person | None) -> None:
        self.live, self.viewer, self.person = live, viewer, person
        self.story = stories.read(live, person, None, "")[1]
        self.messages: list[dict[str, Any]] = []
        self.expected: list[Expected] = []
        self.begin()

    def begin(self) -> None:
        """The whole page, for who has nothing."""
        self.serial = self.story.serial
        self.before = self.page().shown()
        self.messages.append(msgspec.json.decode(self.story.start()))
        self.expected.append(Expected(hash_of(self.before), spoken(self.page().told()), []))

    def page(self) -> TablePage:
        return TablePage(self.live, self.person, "")

    def hear(self) -> None:
        """Something was done. Who sees and hears nothing of it gets no message."""
        made = self.story.since(self.story.id, self.serial)
        self.serial = self.story.serial
        page = self.page()
        now, told = page.shown(), page.told()
        known = self.expected[-1].told
        fresh = spoken(told)[len(known) :]
        last = {"told": fresh, "page": hash_of(now)}
        beats = self.beats_until(fresh, last) if self.live.history and self.live.cuts else [last]
        self.before = now
        if not fresh and last["page"] == self.expected[-1].page:
            assert made == []
            return
        assert len(made) == 1
        self.messages.append(msgspec.json.decode(made[0]))
        self.expected.append(Expected(hash_of(now), spoken(told), beats))

    def beats_until(self, fresh: list[Any], last: dict[str, Any]) -> list[dict[str, Any]]:
        """The cuts of the last move through this viewer's eyes, but for those with nothing new, and its end."""
        table, before, may = self.live.table, self.before, bit(self.viewer)
        assert table is not None
        assert before.view is not None
        beats, heard, board = [], 0, before.view.board
        for cut in self.live.cuts:
            sight = table.game.load(table.seats, cut.state, table.options).sight(self.viewer)
            seen = table.game.seen_board(sight, self.viewer, table.factions)
            count = sum(bool(event.audience & may) for event in self.live.history[-1].events[: cut.told])
            if count > heard or seen != board:
                view = replace(before.view, board=seen, moves=[])
                more = table.game.shown(view, [], Played([]))
                shown = replace(before, view=view, more=more, your_turn=False, can_undo=False, next=None)
                beats.append({"told": fresh[heard:count], "page": hash_of(shown)})
                heard, board = count, seen
        return [*beats, {**last, "told": fresh[heard:]}]


def spoken(told: list[Phrase]) -> list[Any]:
    return [[one.key, plainly(one.args)] for one in told]


@asynccontextmanager
async def seated(record: Record, place: Path) -> AsyncIterator[tuple[LiveTable, list[Reader]]]:
    """A table for the people of a record, and with its seed; everybody reads, and a watcher. Nobody is connected, so
    that in a race no card turns up by itself.
    """
    store = open_store(place / "tables.sqlite")
    await store.start()
    house = House(store, all_games(), BotWorkers(count=1), Signer(house_key(place)))
    document = new_document(all_games()[record.game], dict(record.options), len(record.players), house.clock.now())
    document.seed = bytes.fromhex(record.seed or "")
    people = [Person(f"p{number}", f"<{number}>") for number in range(len(record.players))]
    for seat, person in zip(document.seats, people, strict=True):
        seat.person, seat.name = person.id, person.name
    loaded = await store.read(await open_table(house, document))
    assert loaded is not None
    live, stories = LiveTable(house, loaded), Stories()
    viewers = [(WATCHER, None), *enumerate(people)]
    try:
        yield live, [Reader(stories, live, viewer, person) for viewer, person in viewers]
    finally:
        live.close()
        await store.close()


def move_of(one: RecordedMove) -> Callable[[Moment], TableChange]:
    return lambda moment: played(moment, prepared(moment, one.seat, parsed(moment.game, one.move)))


def back(seat: int) -> Callable[[Moment], TableChange]:
    return lambda moment: taken_back(moment, moment.draft(), seat, say.Done("back"))


def hear(readers: list[Reader]) -> None:
    for reader in readers:
        reader.hear()


async def followed(record: Record, place: Path) -> list[Reader]:
    """A whole game, some of whose moves are taken back and made again."""
    async with seated(record, place) as (live, readers):
        works = [lambda moment: dealt(moment, moment.draft()), *map(move_of, record.moves)]
        for number, work in enumerate(works):
            await live.change(work)
            hear(readers)
            seat = record.moves[number - 1].seat
            if number % 3 == 0 and live.table is not None and live.table.can_undo(seat):
                await live.change(back(seat))
                hear(readers)
                await live.change(work)
                hear(readers)
        assert live.table is not None
        assert live.table.over
        return readers


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_steps_and_beats_alone_make_every_page(
    path: Path, client: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if path.stem not in FOLLOWED and not request.config.getoption("--long"):
        pytest.skip("followed with --long")
    record = load(path)
    readers = asyncio.run(followed(record, tmp_path))
    cases = [{"viewer": one.viewer, "message": message} for one in readers for message in one.messages]
    made = iter(answers("story.mjs", [client], cases))
    for reader in readers:
        steps = 0
        for message, expected in zip(reader.messages, reader.expected, strict=True):
            page = next(made)
            assert page["fits"]
            assert (page["page"], page["told"]) == (expected.page, expected.told), message
            steps += message["type"] == "step"
            assert page["step"] == steps
            if message["type"] == "step":
                assert page["beats"] == expected.beats, message
                assert ("beats" in message) == (len(expected.beats) > 1)
        cut = sum("beats" in message for message in reader.messages)
        assert cut > 3 if record.game != "hunters" else cut == 0


def test_a_part_that_does_not_fit_changes_nothing(client: Path) -> None:
    start = {"type": "start", "story": "s", "serial": 4, "step": 2, "page": {"a": 1}, "told": [], "told_from": 0}
    step = {"type": "step", "serial": 5, "step": 3}
    fits = {"told": [["x", {}]], "page": {"a": [2]}}
    cases: list[dict[str, Any]] = [
        {**start, "chat": []},
        {**step, "beats": [fits, {"page": {"b": [1]}}]},
        {**step, "serial": 6, "beats": [fits]},
        {**step, "beats": [fits, {"page": {"a": [3]}}]},
    ]
    pages = answers("story.mjs", [client], [{"viewer": 0, "message": message} for message in cases])
    assert [page["fits"] for page in pages] == [True, False, False, True]
    assert pages[0] == {**pages[1], "fits": True} == {**pages[2], "fits": True}
    assert pages[3]["told"] == [["x", {}]]
    assert [beat["page"] for beat in pages[3]["beats"]] == [hash_of({"a": 2}), hash_of({"a": 3})]
