"""Records of tables, and tables from records: the record of a game so far and at the end, the one replay of a finished
game, taking in a file, and going on from a moment.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence

import msgspec

from polikarp.engine.game import Game, View
from polikarp.engine.phrase import Event
from polikarp.engine.record import Record, RecordError, Share, format_of, recorded_factions, verify
from polikarp.engine.record import replay as replay_record
from polikarp.engine.rng import Rng
from polikarp.engine.state import WATCHER, State, bit
from polikarp.engine.strip import Strip
from polikarp.engine.table import Table
from polikarp.server import messages as say
from polikarp.server.denied import Denied, record_denied
from polikarp.server.house import House
from polikarp.server.identity import Person, clean_name
from polikarp.server.table.authority import need_person
from polikarp.server.table.clocks import start_clock
from polikarp.server.table.commands import BOT_NAMES, take_seat
from polikarp.server.table.document import OVER, PLAYING, Document, default_absence, sitters
from polikarp.server.table.history import log_from
from polikarp.server.table.live import LiveTable
from polikarp.server.table.opening import new_document, open_played
from polikarp.server.table.rows import step_rows
from polikarp.server.table.settings import usual_stand_in
from polikarp.server.table.updates import game_view

KEPT = 32  # replays that are held ready


# The record of a table.


def player_names(document: Document) -> list[str]:
    return [f"{seat.name} ({seat.bot})" if seat.bot else seat.name or "?" for seat in document.seats]


def whole_record(live: LiveTable) -> Record:
    """The record of a game that is over: everything, the shares too, and the seed if all chance follows from it."""
    document, table = live.document, live.table
    if document.stage != OVER:
        raise Denied("record_not_yet")
    seed = None if document.continued else document.seed
    moves = live.moves()
    factions = recorded_factions(table) if table is not None else []
    return Record(
        polikarp=format_of(moves, factions),
        game=document.game,
        rules=document.rules,
        options=document.options,
        players=player_names(document),
        factions=factions,
        commitment=document.commitment,
        seed=seed.hex() if seed is not None else None,
        shares=[
            Share(number, seat.commitment, seat.share or None)
            for number, seat in enumerate(document.seats)
            if seat.commitment
        ],
        dealt=table.dealt if table is not None else live.unread[0].drawn,
        moves=moves,
        result=table.result if table is not None else document.result,
    )


def seat_record(live: LiveTable, viewer: int) -> say.SeatRecord:
    """A game so far, as one viewer may know it."""
    document = live.document
    return say.SeatRecord(
        game=document.game,
        rules=document.rules,
        options=document.options,
        players=player_names(document),
        commitment=document.commitment,
        seat=None if viewer == WATCHER else viewer,
        moves=[move.move for move in live.moves() if move.seat == viewer],
        log=log_from(live.history, viewer, 0),
        view=game_view(live, viewer),
    )


# Looking at a finished game.


class NotingRng(Rng):
    """Repeats draws that were written down, and notes below which bound the rules asked for each."""

    def __init__(self, draws: Sequence[int]) -> None:
        self.draws = draws
        self.bounds: list[int] = []

    def below(self, bound: int) -> int:
        draw = self.draws[len(self.bounds)]
        self.bounds.append(int(bound))
        return draw


class Replay:
    """A whole game, played again once: each of its positions is at hand. Raises `RecordError` if it does not hold."""

    def __init__(self, game: Game, record: Record) -> None:
        self.game = game
        self.table = replay_record(game, record)

    @property
    def last(self) -> int:
        return len(self.table.steps)

    def state(self, at: int) -> State:
        """The position after so many moves."""
        if at >= self.last:
            return self.table.state
        before = self.table.steps[at].before
        assert before is not None
        return self.game.load(self.table.seats, before, self.table.options)

    def view(self, at: int, viewer: int) -> View:
        return self.game.view(self.state(at), None if viewer == WATCHER else viewer, self.table.factions)

    def told(self, at: int, viewer: int) -> list[Event]:
        """What the viewer had been told by then."""
        later = [event for step in self.table.steps[:at] for event in step.events]
        return [event for event in (*self.table.dealt_events, *later) if event.audience & bit(viewer)]

    def strip(self, at: int) -> Strip | None:
        """The photo of the last race by then."""
        return next((step.strip for step in reversed(self.table.steps[:at]) if step.strip is not None), None)

    def bounds(self) -> list[list[int]]:
        """Below which bound each draw was, for the deal and for each move: all that checking chance needs of rules."""
        table = self.table
        rng = NotingRng(table.dealt)
        state = self.game.start(table.seats, table.options, rng)
        noted = [rng.bounds]
        for step in table.steps:
            rng = NotingRng(step.drawn)
            state.play(step.seat, step.move, rng)
            noted.append(rng.bounds)
        return noted


class Replays:
    """The replays that people look at, so that a step costs no playing from the deal on."""

    def __init__(self) -> None:
        self.kept: OrderedDict[str, Replay] = OrderedDict()

    async def of(self, live: LiveTable) -> Replay:
        """A table's replay. Raises `Denied` before the end, and if the game was played under other rules."""
        made = self.kept.get(live.id)
        if made is None:
            try:
                made = await asyncio.to_thread(Replay, live.game, whole_record(live))
            except RecordError as mistake:
                raise record_denied(mistake) from None
            self.kept[live.id] = made
            if len(self.kept) > KEPT:
                self.kept.popitem(last=False)
        self.kept.move_to_end(live.id)
        return made


# Tables from records.


async def take_record(house: House, record: Record) -> say.Made:
    """Keep a finished game from a file as a table that everybody with the link can look at."""
    game = house.find_game(record.game)
    if len(record.moves) > game.longest:
        raise Denied("record_fails", {"text": f"it has {len(record.moves)} moves"}, 422)
    try:
        table = await asyncio.to_thread(replay_record, game, record)
        if record.result is None:
            raise RecordError("the game was not finished")
        if record.seed is not None:
            await asyncio.to_thread(verify, game, record)
        seats = [share.seat for share in record.shares]
        if seats != sorted({seat for seat in seats if 0 <= seat < table.seats}):
            raise RecordError("its shares are not of different seats, in their order")
    except RecordError as mistake:
        raise record_denied(mistake) from None
    now = house.clock.now()
    document = new_document(game, table.options, table.seats, now)
    document.seed = bytes.fromhex(record.seed) if record.seed is not None else None
    document.commitment, document.stage, document.imported, document.began = record.commitment, OVER, True, now
    document.result = record.result
    for seat, name in zip(document.seats, record.players, strict=True):
        seat.name = clean_name(name or "?")
    keep_factions(document, record)
    for share in record.shares:
        document.seats[share.seat].commitment = share.commitment
        document.seats[share.seat].share = share.secret or ""
    times = [-1.0 if move.at is None else now + move.at / 1000 for move in record.moves]
    steps = step_rows(table, now, times)
    table_id = await open_played(house, document, table.state.to_bytes(), steps, people=[], due=None)
    return say.Made(table_id, house.link(table_id), None)


async def go_on(house: House, who: Person, record: Record, at: int, seat: int) -> say.Made:
    """A table that goes on from a moment of a finished game: who asks on that seat, bots on the others.

    Chance up to there is as it was written down, all later chance follows from a fresh seed.
    """
    house.need_open()
    need_person(who)
    game = house.find_game(record.game)
    if seat >= len(record.players):
        raise Denied("no_such_seat", {"number": seat, "seats": len(record.players)}, 422)
    try:
        table = await asyncio.to_thread(replay_record, game, record, at)
    except RecordError as mistake:
        raise record_denied(mistake) from None
    if table.over:
        raise Denied("stage_over")
    document = continued(table, who, seat, house.clock.now())
    keep_factions(document, record)
    now = document.began or 0.0
    steps = step_rows(table, now, [-1.0] * len(table.steps))
    steps[-1] = msgspec.structs.replace(steps[-1], sealed=True)  # what was played there is not to be taken back
    table_id = await open_played(house, document, table.state.to_bytes(), steps, sitters(document), due=now)
    house.counted.tables += 1
    return say.Made(table_id, house.link(table_id), None)


def continued(table: Table, who: Person, seat: int, now: float) -> Document:
    """A table in the middle of a game, with one person and bots."""
    document = new_document(table.game, table.options, table.seats, now)
    document.stage, document.continued, document.began, document.owner = PLAYING, True, now, who.id
    document.stand_in, document.absence = usual_stand_in(table.game), default_absence(document.pace)
    take_seat(document.seats[seat], who, who.name, [], now)
    names = iter([name for name in BOT_NAMES if name != who.name])
    for number, one in enumerate(document.seats):
        one.prompt = 1
        if number != seat:
            one.bot, one.name = document.stand_in, next(names)
    for number in table.waiting:
        start_clock(document.seats[number], now)
    return document


def keep_factions(document: Document, record: Record) -> None:
    """Whoever sits down at a recorded game has the faction of that seat there."""
    for seat, faction in zip(document.seats, record.factions, strict=False):
        seat.faction = faction
