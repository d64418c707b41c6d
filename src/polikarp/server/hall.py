"""All tables of one server process (lobby): opening, finding and closing them, signs of life, and what is due.

Tables live in the store; here are those that somebody looks at or that have something going on. Any number of
servers may share one store.
"""

from __future__ import annotations

import asyncio
import gc
import secrets
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol

import msgspec

from polikarp.engine.game import Game
from polikarp.engine.option import OptionValue
from polikarp.engine.record import Record, RecordError, replay, verify
from polikarp.engine.table import Table, commitment
from polikarp.server import messages as say
from polikarp.server.acts import (
    BOT_NAMES,
    checked_level,
    checked_options,
    checked_pace,
    checked_seats,
    refit,
    take_seat,
    usual_stand_in,
)
from polikarp.server.bot_worker import BotAnswer
from polikarp.server.checking import DoesNotHold, state_again
from polikarp.server.clocks import start_clock
from polikarp.server.denied import Denied, record_denied
from polikarp.server.identity import Person, Signer, clean_name
from polikarp.server.lane import OPEN_HOURS, PACK, Lane, make_row, sitters
from polikarp.server.limits import Buckets
from polikarp.server.logs import log
from polikarp.server.metrics import Counted
from polikarp.server.seating import (
    DECODE,
    HALTED,
    HOUR,
    OPEN,
    OVER,
    PLAYING,
    Body,
    Seat,
    default_absence,
    faction_choices,
)
from polikarp.server.showing import listed
from polikarp.store import GAP, Change, CodeTaken, Conflict, Outage, StepRow, Store, StoreDown, StoreError

CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ23456789"  # none that are mistaken for each other, and no words
CODE_LENGTH = 6
BEAT_SECONDS = 1.0
SWEEP_SECONDS = 1.0
TIDY_SECONDS = 60.0
SWEPT = 500  # tables looked after in one sweep
LISTED = 100
GRACE_SECONDS = 4.0  # for a line that was lost, before others are told


class Workers(Protocol):
    """Where bots think."""

    async def choose(
        self,
        game_id: str,
        seats: int,
        options: Mapping[str, OptionValue],
        sight: bytes,
        seat: int,
        bot: str,
        volunteer: bool = False,
        *,
        person: str = "",
        table: str = "",
    ) -> BotAnswer | None: ...


class Hall:
    """The tables of this process."""

    def __init__(
        self,
        store: Store,
        games: Mapping[str, Game],
        workers: Workers,
        signer: Signer,
        public_url: str = "",
        round_trip_header: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        self.store = store
        self.games = games
        self.workers = workers
        self.signer = signer
        self.public_url = public_url.rstrip("/")
        self.round_trip_header = round_trip_header
        self.now = now
        self.server = secrets.token_hex(6)
        self.lanes: dict[str, Lane] = {}
        self.opening: dict[str, asyncio.Future[Lane]] = {}
        self.alive: set[str] = {self.server}
        self.noted_outages: list[Outage] = []
        self.chatting = Buckets(rate=0.5, burst=5)
        self.counted = Counted()
        self.draining = False
        self.idle_seconds = 30.0
        self.tasks: set[asyncio.Task[None]] = set()
        self.loops: list[asyncio.Task[None]] = []
        self.beaten = 0.0  # when the store last answered

    # The life of the process.

    async def start(self) -> None:
        """Everything that must be right before the first client comes."""
        kept = await self.store.keep("key", self.signer.fingerprint())
        if kept != self.signer.fingerprint():
            raise StoreError(
                "the key in the data folder is not the one this database was made with;"
                " copy the file `key` from the machine that has it"
            )
        await self.beat()
        await self.store.listen(self.heard, self.missed)
        await self.take_over()
        self.loops = [
            asyncio.create_task(self.every(BEAT_SECONDS, self.beat)),
            asyncio.create_task(self.every(SWEEP_SECONDS, self.sweep)),
            asyncio.create_task(self.every(TIDY_SECONDS, self.tidy)),
        ]

    async def take_over(self) -> None:
        """Tables that were dealt under other rules are played again first; those that do not hold are halted until
        they do."""
        for stage in (PLAYING, HALTED):
            for row in await self.store.list_stage(stage, None, 1_000_000):
                game = self.games.get(row.game)
                if stage == HALTED or game is None or row.rules != game.rules:
                    await self.adopt(row.id)

    async def adopt(self, table_id: str) -> None:
        loaded = await self.store.read(table_id)
        if loaded is None or loaded.row.stage not in (PLAYING, HALTED):
            return
        body: Body = DECODE(loaded.row.body)
        state, reason = loaded.row.state, None
        try:
            state = state_again(loaded, self.games)
        except DoesNotHold as mistake:
            reason = str(mistake)
        if reason is None:
            body.rules, body.stage, body.halted = self.games[body.game].rules, PLAYING, ""
        else:
            log("halted", table=short(table_id), reason=reason)
            if (body.stage, body.halted) == (HALTED, reason):
                return
            body.stage, body.halted = HALTED, reason
        body.watch_number += 1  # everybody who comes back is told
        for seat in body.seats:
            seat.number += 1
            seat.lines, seat.away = [], self.now() if seat.person else None
        row = msgspec.structs.replace(
            loaded.row,
            version=loaded.row.version + 1,
            rules=body.rules,
            stage=body.stage,
            changed=self.now(),
            due=self.now() if reason is None else None,
            body=msgspec.msgpack.encode(body),
            state=state,
        )
        try:
            await self.store.commit(Change(row=row))
        except Conflict:
            await self.adopt(table_id)

    async def stop(self) -> None:
        """Refuse what is new, finish what was begun, and tell everybody to come back."""
        self.draining = True
        for loop in self.loops:
            loop.cancel()
        await asyncio.gather(*self.loops, return_exceptions=True)
        for lane in list(self.lanes.values()):
            async with lane.lock:
                lane.close()
            for connection in list(lane.connections):
                connection.farewell()
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
        try:
            await self.store.leave(self.server, self.now())
        except StoreDown:
            log("store_down")

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Let something go on beside the rest; it is remembered until it ends."""
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.finished)
        return task

    def finished(self, task: asyncio.Task[None]) -> None:
        self.tasks.discard(task)
        if not task.cancelled() and (mistake := task.exception()) is not None:
            log("error", mistake=mistake)

    async def every(self, seconds: float, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
            except StoreDown:
                log("store_down")

    @property
    def outages(self) -> list[Outage]:
        """When nobody could play: no server ran, or the store did not answer, up to now if that goes on."""
        now = self.now()
        going_on = [Outage(self.beaten, now)] if now - self.beaten > GAP else []
        return self.noted_outages + going_on

    async def beat(self) -> None:
        """A sign of life, and news of the others."""
        beat = await self.store.beat(self.server, self.now())
        self.alive = {*beat.alive, self.server}
        self.noted_outages = beat.outages
        self.beaten = self.now()
        for lane in list(self.lanes.values()):
            if lane.lines_differ():
                self.spawn(self.clear_lines(lane))

    async def clear_lines(self, lane: Lane) -> None:
        """People whose server is gone are away until they come back through another."""
        await lane.note_line(Person("", ""), False)

    async def sweep(self) -> None:
        """See to tables whose time has come, and let go of those that nobody needs here."""
        for table_id in await self.store.list_due(self.now(), SWEPT):
            try:
                lane = await self.lane(table_id)
            except Denied:
                continue
            if not lane.lock.locked():
                self.spawn(lane.tick())
        for table_id, lane in list(self.lanes.items()):
            for connection in list(lane.connections):
                if connection.stuck():
                    connection.drop()
            if lane.idle():
                lane.close()
                del self.lanes[table_id]

    async def tidy(self) -> None:
        """Collects reference cycles of closed sockets (garbage collection), once a minute: nobody feels the pause."""
        gc.collect()

    def heard(self, table_id: str, version: int) -> None:
        """Another server (or this one) changed a table."""
        lane = self.lanes.get(table_id)
        if lane is not None and version > lane.version:
            self.spawn(self.refresh(lane, version))

    def missed(self) -> None:
        """News may have been lost: look at everything again."""
        for lane in self.lanes.values():
            self.spawn(self.refresh(lane, lane.version + 1))

    async def refresh(self, lane: Lane, version: int) -> None:
        """Take in what another server wrote, unless that has happened meanwhile."""
        async with lane.lock:
            if lane.version < version:
                lane.stale = True
                try:
                    await lane.fresh()
                except (StoreDown, Denied):
                    log("not_read", table=short(lane.id))

    # Finding and opening tables.

    async def lane(self, table_id: str) -> Lane:
        """The table of that id. Raises `Denied` if there is none."""
        lane = self.lanes.get(table_id)
        if lane is not None:
            lane.used = self.now()
            return lane
        if (opening := self.opening.get(table_id)) is not None:
            return await asyncio.shield(opening)
        future: asyncio.Future[Lane] = asyncio.get_running_loop().create_future()
        self.opening[table_id] = future
        try:
            loaded = await self.store.read(table_id)
            if loaded is None or loaded.row.game not in self.games:
                raise Denied("no_such_table", status=404)
            lane = self.lanes[table_id] = Lane(self, loaded)
            future.set_result(lane)
            return lane
        except StoreDown:
            future.set_exception(Denied("store_down", status=503))
            raise Denied("store_down", status=503) from None
        except BaseException as mistake:
            future.set_exception(mistake)
            raise
        finally:
            del self.opening[table_id]
            if not future.cancelled() and future.done():
                future.exception()  # nobody may have waited

    async def visit(self, table_id: str) -> Lane:
        """The same for somebody who looks at it: its bots think now."""
        lane = await self.lane(table_id)
        lane.visit()
        return lane

    def find_game(self, name: str) -> Game:
        game = self.games.get(name)
        if game is None or not game.offered:
            known = ", ".join(game.id for game in self.games.values() if game.offered)
            raise Denied("no_such_game", {"text": name, "known": known}, 422)
        return game

    async def create(self, who: Person, wanted: say.NewTable) -> say.Made:
        """A new table, owned by who asked for it."""
        if self.draining:
            raise Denied("restarting", status=503)
        if not who.whole():
            raise Denied("token_for_one_seat", status=403)
        game = self.find_game(wanted.game)
        usual = max(game.seats[0], min(2, game.seats[-1]))
        seats = checked_seats(game, usual if wanted.seats is None else wanted.seats)
        pace = checked_pace(wanted.pace)
        stand_in = checked_level(game, wanted.stand_in or usual_stand_in(game))
        body = self.new_body(game, checked_options(game, seats, wanted.options), seats)
        body.public, body.pace, body.stand_in, body.owner = wanted.public, pace, stand_in, who.id
        body.absence = default_absence(pace) if wanted.absence is None else wanted.absence
        if wanted.sit:
            take_seat(body.seats[0], who, who.name, [], self.now())
        return await self.open(body)

    def new_body(self, game: Game, options: dict[str, OptionValue], seats: int) -> Body:
        seed = secrets.token_bytes(32)
        return Body(
            game=game.id,
            options=options,
            rules=game.rules,
            seats=[Seat() for _ in range(seats)],
            made=self.now(),
            seed=seed,
            commitment=commitment(seed),
        )

    async def open(self, body: Body) -> say.Made:
        """Write a new table down."""
        table_id = secrets.token_urlsafe(16)
        now = self.now()
        while True:
            body.code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
            row = make_row(table_id, 1, body, None, now, now + OPEN_HOURS * HOUR)
            try:
                await self.commit(Change(row=row, sitters=sitters(body)))
                break
            except CodeTaken:
                continue
        self.counted.tables += 1
        return say.Made(table_id, self.link(table_id), body.code)

    async def commit(self, change: Change) -> None:
        try:
            await self.store.commit(change)
        except StoreDown:
            raise Denied("store_down", status=503) from None

    async def find_code(self, code: str) -> str | None:
        try:
            return await self.store.find_code(code.strip().upper())
        except StoreDown:
            raise Denied("store_down", status=503) from None

    async def open_again(self, old: Body) -> str:
        """A table with the same people, bots and settings, as far as the installed rules know them."""
        game = self.games[old.game]
        body = self.new_body(game, old.options, checked_seats(game, len(old.seats)))
        body.public, body.pace, body.stand_in = old.public, old.pace, old.stand_in
        body.absence, body.owner, body.muted = old.absence, old.owner, old.muted
        for seat, before in zip(body.seats, old.seats, strict=True):
            seat.person, seat.name, seat.bot = before.person, before.name, before.bot
            seat.faction = before.faction
            seat.away = self.now() if seat.person else None
        refit(game, body)
        return (await self.open(body)).table

    def deal(self, game: Game, body: Body, shares: list[bytes]) -> Table:
        """The dealt game of a table."""
        return Table(game, len(body.seats), body.options, body.seed, shares=shares, factions=faction_choices(body))

    def link(self, table_id: str) -> str:
        return f"{self.public_url}/t/{table_id}"

    # Lists.

    async def open_tables(self, who: Person | None) -> list[say.Listed]:
        try:
            rows = await self.store.list_stage(OPEN, True, LISTED)
        except StoreDown:
            raise Denied("store_down", status=503) from None
        return [listed(self, row, who) for row in rows if row.game in self.games]

    async def tables_of(self, who: Person) -> list[say.Listed]:
        try:
            rows = await self.store.list_of(who.id, LISTED)
        except StoreDown:
            raise Denied("store_down", status=503) from None
        return [listed(self, row, who) for row in rows if row.game in self.games]

    # Records from elsewhere.

    async def take_record(self, record: Record) -> say.Made:
        """Keep a finished game from a file as a table that everybody with the link can look at."""
        game = self.games.get(record.game)
        if game is None or not game.offered:
            raise Denied("no_such_game", {"text": record.game[:40], "known": ", ".join(self.games)}, 422)
        if len(record.moves) > game.longest:
            raise Denied("record_fails", {"text": f"it has {len(record.moves)} moves"}, 422)
        try:
            table = await asyncio.to_thread(replay, game, record)
            if record.result is None:
                raise RecordError("the game was not finished")
            if record.seed is not None:
                await asyncio.to_thread(verify, game, record)
            seats = [share.seat for share in record.shares]
            if seats != sorted({seat for seat in seats if 0 <= seat < table.seats}):
                raise RecordError("its shares are not of different seats, in their order")
        except RecordError as mistake:
            raise record_denied(mistake) from None
        body = self.new_body(game, table.options, table.seats)
        body.seed = bytes.fromhex(record.seed) if record.seed is not None else None
        body.commitment, body.stage, body.imported, body.began = record.commitment, OVER, True, self.now()
        body.result = record.result
        for seat, name in zip(body.seats, record.players, strict=True):
            seat.name = clean_name(name or "?")
        keep_factions(body, record)
        for share in record.shares:
            body.seats[share.seat].commitment = share.commitment
            body.seats[share.seat].share = share.secret or ""
        table_id = secrets.token_urlsafe(16)
        now = body.began or 0.0
        times = [-1.0 if move.at is None else now + move.at / 1000 for move in record.moves]
        steps = step_rows(table, now, times)
        row = make_row(table_id, 1, body, table.state.to_bytes(), now, None)
        await self.commit(Change(row=row, steps=steps, sitters=[]))
        return say.Made(table_id, self.link(table_id), None)

    async def go_on(self, who: Person, record: Record, at: int, seat: int) -> say.Made:
        """A table that goes on from a moment of a finished game: who asks on that seat, bots on the others.

        Chance up to there is as it was written down, all later chance follows from a fresh seed.
        """
        if self.draining:
            raise Denied("restarting", status=503)
        if not who.whole():
            raise Denied("token_for_one_seat", status=403)
        game = self.find_game(record.game)
        if seat >= len(record.players):
            raise Denied("no_such_seat", {"number": seat, "seats": len(record.players)}, 422)
        try:
            table = await asyncio.to_thread(replay, game, record, at)
        except RecordError as mistake:
            raise record_denied(mistake) from None
        if table.over:
            raise Denied("stage_over")
        now = self.now()
        body = self.new_body(game, table.options, table.seats)
        body.stage, body.continued, body.began, body.owner = PLAYING, True, now, who.id
        body.stand_in, body.absence = usual_stand_in(game), default_absence(body.pace)
        take_seat(body.seats[seat], who, who.name, [], now)
        keep_factions(body, record)
        names = iter([name for name in BOT_NAMES if name != who.name])
        for number, one in enumerate(body.seats):
            one.prompt = 1
            if number != seat:
                one.bot, one.name = body.stand_in, next(names)
        for number in table.waiting:
            start_clock(body.seats[number], now)
        steps = step_rows(table, now, [-1.0] * len(table.steps))
        steps[-1] = msgspec.structs.replace(steps[-1], sealed=True)  # what was played there is not to be taken back
        table_id = secrets.token_urlsafe(16)
        row = make_row(table_id, 1, body, table.state.to_bytes(), now, now)
        await self.commit(Change(row=row, steps=steps, sitters=sitters(body)))
        self.counted.tables += 1
        await self.visit(table_id)
        return say.Made(table_id, self.link(table_id), None)


def keep_factions(body: Body, record: Record) -> None:
    """Whoever sits down at a recorded game has the faction of that seat there."""
    for seat, faction in zip(body.seats, record.factions, strict=False):
        seat.faction = faction


def step_rows(table: Table, dealt: float, times: Sequence[float]) -> list[StepRow]:
    """The deal and the moves of a table as a store keeps them; a time of -1 is not known."""
    deal = StepRow(
        number=0,
        seat=-1,
        move="",
        drawn=table.dealt,
        events=PACK(table.dealt_events),
        sealed=True,
        at=dealt,
        mark="",
    )
    moves = [
        StepRow(
            number=number,
            seat=step.seat,
            move=table.game.text(step.move),
            drawn=step.drawn,
            events=PACK(step.events),
            sealed=step.sealed,
            at=at,
            mark="",
            strip=None if step.strip is None else PACK(step.strip),
            thoughts=None if step.thoughts is None else PACK(step.thoughts),
        )
        for number, (step, at) in enumerate(zip(table.steps, times, strict=True), 1)
    ]
    return [deal, *moves]


def short(table_id: str) -> str:
    """A table's name for logs: nobody can come in with it."""
    return commitment(table_id.encode())[:12]
