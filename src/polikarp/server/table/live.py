"""One table in play, where everything happens one after another.

A change is worked out on a draft, written to the store, and only then shown. So what anybody was told survives the
server, and a change that could not be written never happened. Several servers may have the same table open: each change
names the version it was made from (optimistic locking), and who comes second reads the table again (`change`, the only
place that tries again).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence

import msgspec

from polikarp.engine.option import UsageError
from polikarp.engine.record import RecordedMove, recorded
from polikarp.engine.state import Cut, seats_of
from polikarp.engine.strip import Strip
from polikarp.engine.table import Table
from polikarp.server import messages as say
from polikarp.server.checking import DoesNotHold, state_again
from polikarp.server.clock import Timer
from polikarp.server.denied import Denied
from polikarp.server.house import House
from polikarp.server.identity import Person
from polikarp.server.logs import log, short
from polikarp.server.race.referee import Referee
from polikarp.server.table.authority import seats_of_person
from polikarp.server.table.bots import Thinking
from polikarp.server.table.change import Moment, TableChange
from polikarp.server.table.commands import carried_out
from polikarp.server.table.document import (
    CLOSED,
    DEALING,
    HALTED,
    HOUR,
    OPEN,
    PLAYING,
    Document,
    draft_of,
    faction_choices,
    seat_names,
    shares_of,
    sitters,
)
from polikarp.server.table.due import Bustle, Due, due_list, next_alarm, next_due, overdue
from polikarp.server.table.history import Entry
from polikarp.server.table.moves import dealt
from polikarp.server.table.opening import open_table
from polikarp.server.table.presence import Presence, Viewer
from polikarp.server.table.rows import document_of, events_of, recorded_move, step_of, table_row
from polikarp.server.table.settings import refit
from polikarp.store import Change, Conflict, Loaded, StepRow, StoreDown

ATTEMPTS = 8  # at a change that others keep overtaking


class LiveTable:
    """One table. `lock` is held by whoever changes it."""

    def __init__(self, house: House, loaded: Loaded) -> None:
        self.house = house
        self.id = loaded.row.id
        self.lock = asyncio.Lock()
        self.presence = Presence(house)
        self.thinking = Thinking(house, self.change)
        self.followers: set[Callable[[], None]] = set()  # called with every change, before viewers wake
        self.alarm: Timer | None = None
        self.stale = False  # the store has a newer version
        self.used = house.clock.now()
        self.take_in(loaded)
        racing = not self.past and self.game.timing(self.document.options) is not None
        self.referee = Referee(house, self) if racing else None

    # Reading it from the store.

    def take_in(self, loaded: Loaded) -> None:
        """Become what the store says."""
        self.version = loaded.row.version
        self.changed = loaded.row.changed
        self.due = loaded.row.due
        self.document: Document = document_of(loaded.row)
        self.game = self.house.games[self.document.game]
        self.chat = loaded.chat
        self.history: list[Entry] = []
        self.marks: set[tuple[int, str]] = set()
        self.table: Table | None = None
        self.made: dict[object, msgspec.Raw] = {}  # what was made for viewers since the last change
        self.cuts: Sequence[Cut] = ()  # moments inside the last change, where it was a move made here
        self.stale = False
        self.stored = loaded.row.state  # the position, whether these rules understand it or not
        self.step_count = len(loaded.steps)
        counting = self.fold(loaded.steps)
        if loaded.steps:
            self.table = self.restored(loaded, counting)
        elif self.document.rules != self.game.rules:
            refit(self.game, self.document)
        self.unread = [loaded.steps[0], *counting] if self.past else []  # the deal and the moves, as they were written

    @property
    def past(self) -> bool:
        """The game was dealt, and the installed rules can not show it: only what was told is left."""
        return self.table is None and self.step_count > 0

    def fold(self, rows: list[StepRow]) -> list[StepRow]:
        """The moves that count, once those that were taken back are gone; the log keeps both."""
        counting: list[StepRow] = []
        for row in rows:
            if row.move is None:
                self.history.append(Entry(row.seat, events_of(counting.pop()), True))
            else:
                self.history.append(Entry(row.seat, events_of(row), False))
                if row.number:
                    counting.append(row)
            if row.mark:
                self.marks.add((row.seat, row.mark))
        return counting

    def restored(self, loaded: Loaded, counting: list[StepRow]) -> Table | None:
        """The engine's table. A game that the installed rules no longer understand is halted, not guessed at."""
        document, deal, state = self.document, loaded.steps[0], loaded.row.state
        document.began = document.began if document.began is not None else deal.at
        if document.stage == HALTED or state is None:
            return None
        try:
            if document.rules != self.game.rules:
                state = state_again(loaded, self.house.games) or state
                document.rules = self.game.rules
            return Table.restore(
                self.game,
                len(document.seats),
                document.options,
                seed=document.seed or bytes(32),
                shares=shares_of(document),
                dealt=deal.drawn,
                dealt_events=events_of(deal),
                steps=[step_of(self.game, row, document.began) for row in counting],
                state=state,
                factions=faction_choices(document),
            )
        except (UsageError, ValueError, DoesNotHold) as mistake:
            if document.stage == PLAYING:
                document.stage, document.halted = HALTED, str(mistake)[:200]
            return None

    def moves(self) -> list[RecordedMove]:
        """The moves as a record has them, whatever the rules."""
        if self.table is not None:
            return recorded(self.table)
        return [recorded_move(row, self.document.began) for row in self.unread[1:]]

    async def fresh(self) -> None:
        """Take in what the store has that is newer."""
        if not self.stale:
            return
        loaded = await self.house.store.read(self.id, self.step_count, len(self.chat))
        if loaded is None:
            raise Denied("no_such_table", status=404)
        if self.table is None or loaded.row.state is None:
            whole = await self.house.store.read(self.id)
            assert whole is not None
            self.take_in(whole)
        else:
            self.take_news(self.table, loaded, loaded.row.state)
        self.publish()
        if self.due is None:
            self.arrange()  # another server, where nobody is, has put the table to rest

    def take_news(self, table: Table, loaded: Loaded, state: bytes) -> None:
        """Go on with the steps that others have written."""
        self.version, self.changed, self.due = loaded.row.version, loaded.row.changed, loaded.row.due
        self.document = document_of(loaded.row)
        self.cuts = ()
        self.chat += loaded.chat
        for row in loaded.steps:
            if row.move is None:
                self.history.append(Entry(row.seat, table.steps.pop().events, True))
            else:
                step = step_of(self.game, row, self.document.began)
                table.steps.append(step)
                self.history.append(Entry(row.seat, step.events, False))
            if row.mark:
                self.marks.add((row.seat, row.mark))
        self.step_count += len(loaded.steps)
        table.state = self.game.load(len(self.document.seats), state, self.document.options)
        self.stale = False

    async def refresh(self, version: int) -> None:
        """Take in what another server wrote, unless that has happened meanwhile."""
        async with self.lock:
            if self.version >= version:
                return
            self.stale = True
        try:
            await self.change(lambda moment: None)
        except Denied:
            log("not_read", table=short(self.id))

    # Changing it.

    def moment(self) -> Moment:
        """The table as it is now, for whoever works out a change."""
        return Moment(
            house=self.house,
            id=self.id,
            document=self.document,
            game=self.game,
            table=self.table,
            step_count=self.step_count,
            chat_count=len(self.chat),
            marks=self.marks,
            now=self.house.clock.now(),
            outages=self.house.outages,
        )

    async def change(self, work: Callable[[Moment], TableChange | None]) -> TableChange | None:
        """Work out a change on the newest version and write it; who is overtaken by another server tries again. Raises
        `Denied`; then nothing has changed.
        """
        for _attempt in range(ATTEMPTS):
            async with self.lock:
                try:
                    await self.fresh()
                    change = work(self.moment())
                    if change is not None and change.document is not None:
                        change = await self.write(change, change.document)
                    return change
                except Conflict:
                    self.stale = True
                except StoreDown:
                    self.stale = True
                    raise Denied("store_down", status=503) from None
        raise Denied("busy", status=503)

    async def write(self, change: TableChange, draft: Document) -> TableChange:
        """Write a change to the store, take it over, and show it."""
        if change.opens is not None:
            draft.following = await open_table(self.house, change.opens)
            assert change.done is not None
            change = change._replace(done=say.Done(change.done.id, table=draft.following))
        if change.everybody:
            for seat in draft.seats:
                seat.number += 1
            draft.watch_number += 1
        now = self.house.clock.now()
        state = change.state if change.state is not None else self.table.state if self.table is not None else None
        waiting = seats_of(state.waiting) if state is not None else []
        due = next_due(due_list(draft, self.bustle(draft, waiting), now, self.house.outages))
        # A hidden move must not reorder public lists.
        changed = now if draft.watch_number != self.document.watch_number else self.changed
        data = state.to_bytes() if state is not None else self.stored
        row = table_row(self.id, self.version + 1, draft, data, changed, due)
        people = sitters(draft)
        await self.house.store.commit(
            Change(
                row=row,
                steps=[] if change.step is None else [change.step],
                chat=[] if change.chat is None else [change.chat],
                sitters=people if people != sitters(self.document) else None,
            )
        )
        self.version, self.document, self.changed, self.due, self.stored = row.version, draft, changed, due, data
        self.take_over(change)
        self.publish()
        self.arrange()
        return change

    def take_over(self, change: TableChange) -> None:
        """What was written is so."""
        self.cuts = change.cuts
        if change.deals is not None:
            self.table = change.deals
        if change.accept is not None:
            change.accept()
        if change.chat is not None:
            self.chat.append(change.chat)
        if change.step is not None:
            assert change.entry is not None
            self.step_count += 1
            self.history.append(change.entry)
            if change.step.mark:
                self.marks.add((change.step.seat, change.step.mark))
            self.house.counted.moves += bool(change.step.move)

    def publish(self) -> None:
        """Wake everybody who looks on; each takes what is new for them."""
        self.made.clear()
        if self.referee is not None:
            self.referee.look()
        for follow in list(self.followers):
            follow()
        for viewer in self.presence.viewers:
            viewer.wake()

    # What people do.

    async def do(
        self, who: Person, command: say.Commands, by: Viewer | None = None, heard: float | None = None
    ) -> say.Done:
        """Carry out a command, which came over that connection and was heard at that moment. Raises `Denied`; then
        nothing has changed.
        """
        self.used = self.house.clock.now()
        if isinstance(command, say.Slap | say.Move) and self.referee is not None:
            return await self.referee.hear_command(who, command, by, heard)
        servers = self.presence.servers_of(who)
        change = await self.change(lambda moment: carried_out(moment, who, command, servers))
        assert change is not None
        assert change.done is not None
        return change.done

    def seats_of(self, who: Person | None) -> list[int]:
        """The seats that are somebody's own."""
        return seats_of_person(self.id, self.document, who)

    def names(self) -> list[str]:
        return seat_names(self.document)

    async def arrive(self, viewer: Viewer) -> None:
        """Somebody looks on from now on."""

        def add(moment: Moment) -> None:
            self.presence.viewers.add(viewer)

        await self.change(add)

    async def note_presence(self, who: Person | None = None, here: bool = False) -> None:
        """Somebody has come, or has gone and did not come back; or a server has."""
        if who is not None and not here and who.id in self.presence.people():
            return
        with contextlib.suppress(Denied):  # it is noted again when the connection or the store comes back
            await self.change(lambda moment: self.presence.noted(moment, "" if who is None else who.id, here))

    def visit(self) -> None:
        """Somebody looks at the table: bots think."""
        slept = not self.presence.awake(self.document)
        self.presence.visit()
        if slept:
            self.arrange()

    # What is due by itself.

    def bustle(self, document: Document, waiting: list[int]) -> Bustle:
        racing = self.referee is not None
        goes_on = self.referee is not None and self.referee.goes_on(document)
        return Bustle(waiting, self.presence.awake(document), racing, goes_on)

    def due_list(self) -> list[Due]:
        waiting = seats_of(self.table.state.waiting) if self.table is not None else []
        bustle = self.bustle(self.document, waiting)
        return due_list(self.document, bustle, self.house.clock.now(), self.house.outages, self.due)

    def arrange(self) -> None:
        """Ask the bots whose decision it is, and set the alarm for the next thing that needs no message."""
        if self.alarm is not None:
            self.alarm.cancel()
            self.alarm = None
        if self.house.draining:
            return
        now = self.house.clock.now()
        if self.document.stage == PLAYING and self.table is not None and self.referee is None:
            if self.presence.awake(self.document):
                self.thinking.ask(self.moment())
            else:
                self.thinking.rest()
        at = next_alarm(self.due_list(), now)
        if at is not None and at - now < HOUR:
            self.alarm = self.house.clock.call_later(at - now, self.ring)

    def ring(self) -> None:
        self.house.spawn(self.tick())

    async def tick(self) -> None:
        """Do what is due."""
        try:
            await self.change(self.done_by_itself)
        except Denied:
            self.stale = True

    def done_by_itself(self, moment: Moment) -> TableChange | None:
        document = moment.document
        if self.house.draining:
            return None
        due = overdue(self.due_list(), moment.now)
        kinds = {one.what for one in due}
        draft = draft_of(document)
        if document.stage == DEALING and "deal" in kinds:
            return dealt(moment, draft)
        if document.stage == OPEN and "close" in kinds:
            if not any(seat.person and seat.servers for seat in draft.seats):
                draft.stage, draft.code = CLOSED, None
            return TableChange(draft)
        if document.stage == HALTED and self.due is not None:
            return TableChange(draft)  # it was found to be so just now
        if document.stage != PLAYING:
            return None
        gone = [one.seat for one in due if one.what == "stand_in"]
        if gone:
            for number in gone:
                draft.seats[number].held = draft.stand_in
            return TableChange(draft)
        if self.referee is not None:
            self.referee.look()
        self.arrange()
        if not self.thinking.asked and self.due is not None and self.due <= moment.now:
            return TableChange(draft, everybody=False)  # an outage moved the clocks: so is the due time
        return None

    # Letting go.

    def idle(self) -> bool:
        """Nobody looks on and nothing is going on here: the table can be left to the store."""
        racing = self.referee is not None and self.referee.alarm is not None
        quiet = not self.presence.viewers and not self.thinking.asked and not racing and not self.lock.locked()
        return quiet and self.house.clock.now() - self.used > self.house.limits.idle_seconds

    def close(self) -> None:
        if self.alarm is not None:
            self.alarm.cancel()
        if self.referee is not None:
            self.referee.stop()

    # Where the first counts.

    def strip(self) -> Strip | None:
        """The photo of the last race."""
        steps = self.table.steps if self.table is not None and self.referee is not None else []
        return next((step.strip for step in reversed(steps) if step.strip is not None), None)

    async def until_shown(self) -> None:
        """Wait until what was turned up last is shown to everybody; only then may anybody look."""
        if self.referee is not None:
            await self.referee.until_shown()
