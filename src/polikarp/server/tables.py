"""All tables of one server process (lobby): finding and opening them, lists, signs of life, and what is due.

Tables live in the store; here are those that somebody looks at or that have something going on. Any number of servers
may share one store.
"""

from __future__ import annotations

import asyncio
import gc

import msgspec

from polikarp.server import messages as say
from polikarp.server.checking import DoesNotHold, state_again
from polikarp.server.denied import Denied
from polikarp.server.house import House
from polikarp.server.identity import Person
from polikarp.server.logs import log, short
from polikarp.server.table.authority import need_person
from polikarp.server.table.commands import take_seat
from polikarp.server.table.document import HALTED, OPEN, PLAYING, default_absence
from polikarp.server.table.live import LiveTable
from polikarp.server.table.opening import new_document, open_table
from polikarp.server.table.rows import PACK, document_of
from polikarp.server.table.settings import checked_options, checked_seats, settle, usual_stand_in
from polikarp.server.table.updates import listed
from polikarp.store import Change, Conflict, StoreDown, StoreError, TableRow

BEAT_SECONDS = 1.0
SWEEP_SECONDS = 1.0
TIDY_SECONDS = 60.0
SWEPT = 500  # tables looked after in one sweep
LISTED = 100


class Tables:
    """The tables of this process."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.live: dict[str, LiveTable] = {}  # by id
        self.opening: dict[str, asyncio.Future[LiveTable]] = {}
        self.loops: list[asyncio.Task[None]] = []

    # The life of the process.

    async def start(self) -> None:
        """Everything that must be right before the first client comes."""
        house = self.house
        kept = await house.store.keep("key", house.signer.fingerprint())
        if kept != house.signer.fingerprint():
            raise StoreError(
                "the key in the data folder is not the one this database was made with;"
                " copy the file `key` from the machine that has it"
            )
        await self.beat()
        await house.store.listen(self.heard, self.missed)
        await self.adopt_all()
        self.loops = [
            asyncio.create_task(house.every(BEAT_SECONDS, self.beat)),
            asyncio.create_task(house.every(SWEEP_SECONDS, self.sweep)),
            asyncio.create_task(house.every(TIDY_SECONDS, self.tidy)),
        ]

    async def adopt_all(self) -> None:
        """Tables that were dealt under other rules are played again first; those that do not hold are halted until
        they do."""
        for stage in (PLAYING, HALTED):
            for row in await self.house.store.list_stage(stage, None, 1_000_000):
                game = self.house.games.get(row.game)
                if stage == HALTED or game is None or row.rules != game.rules:
                    await self.adopt(row.id)

    async def adopt(self, table_id: str) -> None:
        loaded = await self.house.store.read(table_id)
        if loaded is None or loaded.row.stage not in (PLAYING, HALTED):
            return
        document, now = document_of(loaded.row), self.house.clock.now()
        state, reason = loaded.row.state, None
        try:
            state = state_again(loaded, self.house.games)
        except DoesNotHold as mistake:
            reason = str(mistake)
        if reason is None:
            document.rules, document.stage, document.halted = self.house.games[document.game].rules, PLAYING, ""
        else:
            log("halted", table=short(table_id), reason=reason)
            if (document.stage, document.halted) == (HALTED, reason):
                return
            document.stage, document.halted = HALTED, reason
        document.watch_number += 1  # everybody who comes back is told
        for seat in document.seats:
            seat.number += 1
            seat.servers, seat.away = [], now if seat.person else None
        row = msgspec.structs.replace(
            loaded.row,
            version=loaded.row.version + 1,
            rules=document.rules,
            stage=document.stage,
            changed=now,
            due=now if reason is None else None,
            body=PACK(document),
            state=state,
        )
        try:
            await self.house.store.commit(Change(row=row))
        except Conflict:
            await self.adopt(table_id)

    async def stop(self) -> None:
        """Refuse what is new, finish what was begun, and tell everybody to come back."""
        self.house.draining = True
        for loop in self.loops:
            loop.cancel()
        await asyncio.gather(*self.loops, return_exceptions=True)
        for live in list(self.live.values()):
            async with live.lock:
                live.close()
            for viewer in list(live.presence.viewers):
                viewer.farewell()
        await self.house.end_tasks()
        try:
            await self.house.store.leave(self.house.server, self.house.clock.now())
        except StoreDown:
            log("store_down")

    async def beat(self) -> None:
        """A sign of life. People whose server is gone are away until they come back through another."""
        await self.house.beat()
        for live in list(self.live.values()):
            if live.presence.differs(live.document):
                self.house.spawn(live.note_presence())

    async def sweep(self) -> None:
        """See to tables whose time has come, and let go of those that nobody needs here."""
        for table_id in await self.house.store.list_due(self.house.clock.now(), SWEPT):
            try:
                live = await self.find(table_id)
            except Denied:
                continue
            if not live.lock.locked():
                self.house.spawn(live.tick())
        for table_id, live in list(self.live.items()):
            for viewer in list(live.presence.viewers):
                if viewer.stuck():
                    viewer.drop()
            if live.idle():
                live.close()
                del self.live[table_id]

    async def tidy(self) -> None:
        """Collects reference cycles of closed sockets (garbage collection), once a minute: nobody feels the pause."""
        gc.collect()

    def heard(self, table_id: str, version: int) -> None:
        """Another server (or this one) changed a table."""
        live = self.live.get(table_id)
        if live is not None and version > live.version:
            self.house.spawn(live.refresh(version))

    def missed(self) -> None:
        """News may have been lost: look at everything again."""
        for live in self.live.values():
            self.house.spawn(live.refresh(live.version + 1))

    # Finding and opening tables.

    async def find(self, table_id: str) -> LiveTable:
        """The table of that id. Raises `Denied` if there is none."""
        live = self.live.get(table_id)
        if live is not None:
            live.used = self.house.clock.now()
            return live
        if (opening := self.opening.get(table_id)) is not None:
            return await asyncio.shield(opening)
        future: asyncio.Future[LiveTable] = asyncio.get_running_loop().create_future()
        self.opening[table_id] = future
        try:
            loaded = await self.house.asked(self.house.store.read(table_id))
            if loaded is None or loaded.row.game not in self.house.games:
                raise Denied("no_such_table", status=404)
            live = self.live[table_id] = LiveTable(self.house, loaded)
            future.set_result(live)
            return live
        except BaseException as mistake:
            future.set_exception(mistake)
            raise
        finally:
            del self.opening[table_id]
            if not future.cancelled() and future.done():
                future.exception()  # nobody may have waited

    async def visit(self, table_id: str) -> LiveTable:
        """The same for somebody who looks at it: its bots think now."""
        live = await self.find(table_id)
        live.visit()
        return live

    async def create(self, who: Person, wanted: say.NewTable) -> say.Made:
        """A new table, owned by who asked for it."""
        house = self.house
        house.need_open()
        need_person(who)
        game = house.find_game(wanted.game)
        usual = max(game.seats[0], min(2, game.seats[-1]))
        seats = checked_seats(game, usual if wanted.seats is None else wanted.seats)
        options = checked_options(game, seats, wanted.options or {})
        document = new_document(game, options, seats, house.clock.now())
        document.owner, document.stand_in = who.id, usual_stand_in(game)
        document.absence = default_absence(document.pace)
        settle(game, document, wanted)
        if wanted.sit:
            take_seat(document.seats[0], who, who.name, [], house.clock.now())
        table_id = await open_table(house, document)
        return say.Made(table_id, house.link(table_id), document.code)

    async def find_code(self, code: str) -> str | None:
        return await self.house.asked(self.house.store.find_code(code.strip().upper()))

    # Lists.

    async def open_tables(self, who: Person | None) -> list[say.Listed]:
        return self.listed(await self.house.asked(self.house.store.list_stage(OPEN, True, LISTED)), who)

    async def tables_of(self, who: Person) -> list[say.Listed]:
        return self.listed(await self.house.asked(self.house.store.list_of(who.id, LISTED)), who)

    def listed(self, rows: list[TableRow], who: Person | None) -> list[say.Listed]:
        return [listed(self.house, row, who) for row in rows if row.game in self.house.games]
